package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code baton run} as real processes that get real signals. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "signals")
class RunProcessTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir Path home;
  private final List<Process> started = new ArrayList<>();
  private Cli cli;

  @BeforeEach
  void start() {
    cli = new Cli(home);
  }

  @AfterEach
  void stop() {
    for (Process p : started) {
      p.descendants().forEach(ProcessHandle::destroyForcibly);
      p.destroyForcibly();
    }
  }

  private Process baton(String... args) throws IOException {
    List<String> command = new ArrayList<>(List.of(javaCommand()));
    command.addAll(List.of(args));
    ProcessBuilder builder = new ProcessBuilder(command).directory(home.toFile());
    builder.environment().remove("GITHUB_RUN_ID");
    builder.environment().put("XDG_STATE_HOME", home.resolve(".local/state").toString());
    builder.redirectOutput(home.resolve("out").toFile());
    builder.redirectError(home.resolve("err").toFile());
    Process p = builder.start();
    started.add(p);
    return p;
  }

  private static String[] javaCommand() {
    return new String[] {
      Path.of(System.getProperty("java.home"), "bin", "java").toString(),
      "-XX:+UseSerialGC",
      "-XX:TieredStopAtLevel=1",
      "-cp",
      System.getProperty("java.class.path"),
      "dev.baton.cli.Main"
    };
  }

  private static void signal(Process p, String name) throws IOException, InterruptedException {
    int code = new ProcessBuilder("kill", "-" + name, "" + p.pid()).start().waitFor();
    assertThat(code).isZero();
  }

  private static void until(String what, Callable<Boolean> condition) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    try {
      while (!condition.call()) {
        assertThat(System.nanoTime()).as("in time: " + what).isLessThan(end);
        Thread.sleep(50);
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    } catch (Exception e) {
      throw new AssertionError(what, e);
    }
  }

  private int endOf(Process p) throws InterruptedException {
    assertThat(p.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as("ends in time").isTrue();
    return p.exitValue();
  }

  private JsonNode status() {
    return cli.json("status");
  }

  private String err() throws IOException {
    return Files.readString(home.resolve("err"));
  }

  @Test
  void interruptedWhileWaitingItLeavesTheLine() throws IOException, InterruptedException {
    cli.ok("init");
    cli.inRun("octo/app", 7, 1).ok("acquire");
    Process waiting = baton("run", "--", "touch", "ran");
    until("in line", () -> status().get("line").size() == 1);
    signal(waiting, "INT");
    assertThat(endOf(waiting)).isEqualTo(130);
    assertThat(status().get("line")).isEmpty();
    assertThat(home.resolve("ran")).doesNotExist();
    assertThat(cli.ok("history").out()).contains("left");
    assertThat(err()).contains("has left the line").doesNotContain("Exception");
  }

  @Test
  void terminatedWhileRunningItStopsTheCommandWithItsChildrenAndReleases()
      throws IOException, InterruptedException {
    cli.ok("init");
    Process run = baton("run", "--", "sh", "-c", "sleep 300 & echo $! > pid; wait");
    until("started", () -> Files.exists(home.resolve("pid")));
    until("pid", () -> !Files.readString(home.resolve("pid")).isBlank());
    long grandchild = Long.parseLong(Files.readString(home.resolve("pid")).strip());
    assertThat(ProcessHandle.of(grandchild).filter(ProcessHandle::isAlive)).isPresent();
    signal(run, "TERM");
    assertThat(endOf(run)).isEqualTo(143);
    assertThat(status().get("building")).isEmpty();
    assertThat(cli.ok("history").out()).contains("stopped by a signal");
    until(
        "the grandchild ends",
        () -> ProcessHandle.of(grandchild).filter(ProcessHandle::isAlive).isEmpty());
  }

  @Test
  void theCodeIsPassedOnAndANestedRunInherits() throws IOException, InterruptedException {
    cli.ok("init");
    String inner = String.join(" ", javaCommand()) + " run -- sh -c 'exit 23'";
    Process run = baton("run", "--", "sh", "-c", inner);
    assertThat(endOf(run)).as(err()).isEqualTo(23);
    assertThat(status().get("nextTicket").asLong()).as("one ticket for both").isEqualTo(2);
    assertThat(cli.ok("history").out()).contains("exit code 23");
  }

  @Test
  void aLostLockStopsTheCommand() throws IOException, InterruptedException {
    cli.ok("init", "--lease", "4s", "--beat", "1s");
    Process run = baton("run", "--", "sh", "-c", "touch started; sleep 300; touch ran-on");
    until("started", () -> Files.exists(home.resolve("started")));
    cli.ok(
        "unlock", "--force", "--ticket", "1", "--token", "1", "--reason", "hangs", "--now", "-y");
    assertThat(endOf(run)).isEqualTo(ExitCode.LOST.code);
    assertThat(err())
        .contains("stopping the command")
        .contains("baton: the lock was lost while the command ran")
        .doesNotContain("Exception");
    assertThat(home.resolve("ran-on")).doesNotExist();
    assertThat(status().get("building")).isEmpty();
  }

  @Test
  void aLostLockLetsTheCommandGoOnWhenToldSo() throws IOException, InterruptedException {
    cli.ok("init", "--lease", "4s", "--beat", "1s");
    Process run =
        baton(
            "run",
            "--on-lost",
            "continue",
            "--",
            "sh",
            "-c",
            "touch started; while [ ! -e go ]; do sleep 0.1; done; touch ran-on");
    until("started", () -> Files.exists(home.resolve("started")));
    cli.ok(
        "unlock", "--force", "--ticket", "1", "--token", "1", "--reason", "hangs", "--now", "-y");
    until("told", () -> err().contains("goes on, as told"));
    Files.createFile(home.resolve("go"));
    assertThat(endOf(run)).isEqualTo(ExitCode.LOST.code);
    assertThat(home.resolve("ran-on")).exists();
  }

  @Test
  void simServesUntilItIsStopped() throws IOException, InterruptedException {
    Process sim = baton("sim", "--repository", "octo/lib");
    until("greeting", () -> Files.readString(home.resolve("out")).contains("/octo/lib"));
    assertThat(Files.readString(home.resolve("out"))).startsWith("GITHUB_API_URL=http://127.0.0.1");
    signal(sim, "TERM");
    assertThat(endOf(sim)).isEqualTo(143);
  }

  @Test
  void theSecondRunsAfterTheFirst() throws IOException, InterruptedException {
    cli.ok("init");
    Process first =
        baton("run", "--", "sh", "-c", "echo 1 >> order; touch go; sleep 1; echo 2 >> order");
    until("started", () -> Files.exists(home.resolve("go")));
    Process second = baton("run", "--", "sh", "-c", "echo 3 >> order");
    assertThat(endOf(first)).isZero();
    assertThat(endOf(second)).isZero();
    assertThat(home.resolve("order")).hasContent("1\n2\n3\n");
  }
}
