package dev.baton.cli.vm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.cli.Cli;
import dev.baton.cli.terminal.Shell;
import dev.baton.vm.spi.Access;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VmShellTest {
  private static final Access.Ssh THERE =
      new Access.Ssh("203.0.113.1", 22, "root", Path.of("key"), "ssh-ed25519 AAAAhost");

  @TempDir Path home;

  /** A machine with an {@code ssh}; nobody calls it. */
  private Shell shell() throws IOException {
    Path ssh = home.resolve("ssh");
    if (Files.notExists(ssh)) {
      assertThat(Files.createFile(ssh).toFile().setExecutable(true)).isTrue();
    }
    return new Cli(home)
        .with("PATH", home.toString())
        .shell(new ByteArrayOutputStream(), new ByteArrayOutputStream());
  }

  @Test
  void aMachineThatDoesNotAnswerIsNotWaitedForForEver() throws IOException {
    assertThat(VmShell.line(shell(), THERE, Path.of("known"), List.of()))
        .containsSubsequence("-o", "ConnectTimeout=20", "root@203.0.113.1")
        .endsWith("root@203.0.113.1");
  }

  @Test
  void whatTheShellOverThereWouldChangeIsQuoted() throws IOException {
    assertThat(VmShell.line(shell(), THERE, Path.of("known"), List.of("echo", "it's $HOME")))
        .endsWith("root@203.0.113.1", "--", "echo 'it'\\''s $HOME'");
  }

  @Test
  void theConfigurationOfACheckoutThatIsHomeIsNotUsed() throws IOException {
    Files.createDirectory(home.resolve(".ssh"));
    Files.writeString(home.resolve(".ssh/config"), "ProxyCommand ./theirs");
    assertThat(VmShell.line(shell(), THERE, Path.of("known"), List.of())).doesNotContain("-F");

    Files.createDirectory(home.resolve(".git"));
    assertThat(VmShell.line(shell(), THERE, Path.of("known"), List.of()))
        .startsWith(home.resolve("ssh").toString(), "-F", "none");
  }

  @Test
  void aConfigurationThatALinkOfTheCheckoutLeadsToIsNotUsedEither() throws IOException {
    Path checkout = Files.createDirectories(home.resolve("checkout/.git")).getParent();
    Files.createDirectory(checkout.resolve("theirs"));
    Files.writeString(checkout.resolve("theirs/config"), "ProxyCommand ./theirs");
    Files.createSymbolicLink(home.resolve(".ssh"), checkout.resolve("theirs"));
    assertThat(VmShell.line(shell().at(checkout), THERE, Path.of("known"), List.of()))
        .containsSequence("-F", "none");
  }
}
