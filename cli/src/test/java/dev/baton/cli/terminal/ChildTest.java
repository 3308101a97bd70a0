package dev.baton.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.cli.BatonProcesses;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a command is stopped, whatever the machine has to do it with. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "signals")
class ChildTest extends BatonProcesses {

  private Child starts(String script) {
    Shell shell = cli.shell(new ByteArrayOutputStream(), new ByteArrayOutputStream());
    return Child.start(List.of("/bin/sh", "-c", script), Map.of(), shell);
  }

  /** A PATH with nothing else on it. */
  private void onlyHas(String... names) throws IOException {
    Path bin = Files.createDirectory(home.resolve("bin"));
    for (String name : names) {
      Path file =
          Stream.of(System.getenv("PATH").split(":"))
              .map(p -> Path.of(p, name))
              .filter(Files::isExecutable)
              .findFirst()
              .orElseThrow();
      Files.createSymbolicLink(bin.resolve(name), file);
    }
    cli.with("PATH", bin.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"setsid grep sleep", "perl grep sleep", "grep sleep"})
  @EnabledOnOs(OS.LINUX)
  void anOrphanIsStoppedWithWhatThereIs(String tools) throws IOException {
    onlyHas(tools.split(" "));
    Child child = starts("(sleep 300 & echo $! > orphan); sleep 300");
    long orphan = pidIn("orphan");
    assertThat(child.stop(Child.KINDNESS)).isTrue();
    assertThat(lives(orphan)).isFalse();
  }

  /** Its parent ends at once, and then nothing tells any more whose it was. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void whatWasFoundByItsParentIsKilledAlsoWithoutIt() throws IOException {
    Child child =
        starts(
            "setsid env -i PATH=\"$PATH\" sh -c"
                + " 'trap \"\" TERM; echo $$ > deaf; while :; do sleep 0.1; done' & sleep 300");
    long deaf = pidIn("deaf");
    assertThat(child.stop(Duration.ofSeconds(1))).isTrue();
    assertThat(lives(deaf)).isFalse();
  }

  /** As where the process that has started it is stopped in that very moment. */
  @Test
  void itEndsWithItsLeaseThoughNobodyHasBegunToWaitForIt() throws IOException {
    Shell shell = cli.shell(new ByteArrayOutputStream(), new ByteArrayOutputStream());
    Child.start(
        List.of("/bin/sh", "-c", "trap '' TERM; echo $$ > command; while :; do sleep 0.1; done"),
        Map.of(),
        shell,
        () -> Duration.ofSeconds(1));
    long command = pidIn("command");
    until("its end", () -> !lives(command));
  }

  @Test
  void theEarliestDeadlineCounts() throws IOException, InterruptedException {
    Child child =
        starts("trap 'echo >> asked' TERM; echo $$ > command; while :; do sleep 0.1; done");
    long command = pidIn("command");
    Thread patient = new Thread(() -> child.stop(Duration.ofMinutes(10)));
    patient.start();
    until("asked", () -> Files.exists(home.resolve("asked")));
    assertThat(child.stop(Duration.ofMillis(100))).isTrue();
    assertThat(lives(command)).isFalse();
    assertThat(home.resolve("asked")).hasContent("\n");
    patient.join(PATIENCE.toMillis());
    assertThat(patient.isAlive()).isFalse();
  }

  @Test
  void theCodeOfACommandThatWasKilledIsTheShells() throws InterruptedException {
    assertThat(starts("kill -9 $$").await()).isEqualTo(137);
    assertThat(starts("exit 3").await()).isEqualTo(3);
  }

  @Test
  void aCommandThatWasKilledLeavesNothingRunning() throws IOException, InterruptedException {
    Child child = starts("(sleep 300 & echo $! > orphan); kill -9 $$");
    assertThat(child.await()).isEqualTo(137);
    assertThat(lives(pidIn("orphan"))).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"PT0S,0", "PT0.05S,0.050", "PT3.8S,3.800", "PT2S,2", "PT285.4S,285"})
  void timesAreWrittenForSleep(Duration time, String written) {
    assertThat(Supervisor.seconds(time)).isEqualTo(written);
  }
}
