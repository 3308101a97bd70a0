package dev.baton.cli.vm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.cli.Cli;
import dev.baton.cli.terminal.Baton;
import dev.baton.vm.Operation;
import dev.baton.vm.Progress;
import dev.baton.vm.VmName;
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

  private String stopped(Operation operation, boolean begun) {
    try (VmProgress progress =
        new VmProgress(
            new Baton(
                new Cli(home).shell(new ByteArrayOutputStream(), new ByteArrayOutputStream())))) {
      if (begun) {
        progress.started(new Progress.Step(operation, 1, 5, "network"));
      }
      return progress.stopped(VmName.DEFAULT, operation, word -> "baton vm " + word);
    }
  }

  @Test
  void whoeverStopsItReadsWhatIsLeftAndWhatGoesOn() {
    assertThat(stopped(Operation.DEPLOY, false))
        .isEqualTo("Stopped before the first step: nothing was created, changed or deleted.");
    assertThat(stopped(Operation.DEPLOY, true))
        .isEqualTo(
            "Stopped. VM default keeps what was created so far. Go on with `baton vm deploy`, or"
                + " delete it with `baton vm destroy`.");
    assertThat(stopped(Operation.SUSPEND, true)).contains("`baton vm status` shows whether");
    assertThat(stopped(Operation.DESTROY, true)).contains("Run `baton vm destroy` again");
  }
}
