package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.vm.front.Access;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class VmShellTest {
  private static final Access.Ssh THERE =
      new Access.Ssh("203.0.113.1", 22, "root", Path.of("key"), "ssh-ed25519 AAAAhost");

  @Test
  void aMachineThatDoesNotAnswerIsNotWaitedForForEver() {
    assertThat(VmShell.line(THERE, Path.of("known"), List.of()))
        .containsSubsequence("-o", "ConnectTimeout=20", "root@203.0.113.1")
        .endsWith("root@203.0.113.1");
  }

  @Test
  void whatTheShellOverThereWouldChangeIsQuoted() {
    assertThat(VmShell.line(THERE, Path.of("known"), List.of("echo", "it's $HOME")))
        .endsWith("root@203.0.113.1", "--", "echo 'it'\\''s $HOME'");
  }
}
