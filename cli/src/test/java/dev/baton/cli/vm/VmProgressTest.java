package dev.baton.cli.vm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.cli.Cli;
import dev.baton.cli.terminal.Baton;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VmProgressTest {

  @TempDir Path home;
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private String shown(Cli cli) {
    try (VmProgress progress =
        new VmProgress(new Baton(cli.shell(new ByteArrayOutputStream(), err)))) {
      progress.note("the lock could not be renewed");
      progress.waiting("instance i-1 is pending");
    }
    return err.toString(StandardCharsets.UTF_8);
  }

  @Test
  void whereNoClockRunsAWaitIsTold() {
    assertThat(shown(new Cli(home)))
        .isEqualToNormalizingNewlines("the lock could not be renewed\ninstance i-1 is pending\n");
  }

  @Test
  void aTerminalIsNotFlooded() {
    assertThat(shown(new Cli(home).typing("")))
        .contains("the lock could not be renewed")
        .doesNotContain("pending");
  }
}
