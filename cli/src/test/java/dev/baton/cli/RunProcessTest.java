package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.cli.terminal.ExitCode;
import dev.baton.testing.Signals;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** {@code baton run} as real processes that get real signals. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "signals")
class RunProcessTest extends BatonProcesses {

  @Test
  void runsOfTwoQueuesMayBeNestedInAnyOrder() throws IOException, InterruptedException {
    cli.ok("init", "--queue", "app");
    cli.ok("init", "--queue", "lab");
    long before = cli.json("join", "--queue", "app").get("token").asLong();
    cli.ok("release", "--queue", "app", "--ticket", "1", "--token", "" + before);
    List<String> command = new ArrayList<>();
    for (String queue : List.of("app", "lab", "app")) {
      if (!command.isEmpty()) {
        command.addAll(List.of(javaCommand()));
      }
      command.addAll(List.of("run", "--queue", queue, "--wait-timeout", "0s", "--"));
    }
    command.addAll(List.of("sh", "-c", "echo $BATON_QUEUE $BATON_FENCING_TOKEN > seen"));
    assertThat(endOf(baton(command.toArray(String[]::new)))).as(err()).isZero();
    assertThat(Files.readString(home.resolve("seen")).strip()).isEqualTo("app " + (before + 1));
    for (String queue : List.of("app", "lab")) {
      assertThat(cli.json("status", "--queue", queue).get("building")).isEmpty();
    }
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
    assertThat(cli.ok("history").out()).contains("cancelled").contains("stopped by a signal");
    until(
        "the grandchild ends",
        () -> ProcessHandle.of(grandchild).filter(ProcessHandle::isAlive).isEmpty());
  }

  /** Such as a terminal after Ctrl-S, or a pipe whose reader hangs. */
  @Test
  @EnabledOnOs(value = OS.LINUX, disabledReason = "a dd that does not wait")
  void anOutputThatTakesNothingDoesNotKeepTheCommandFromBeingStopped()
      throws IOException, InterruptedException {
    cli.ok("init");
    String fill = "dd if=/dev/zero of=full oflag=nonblock bs=1 2> /dev/null; echo $$ > command;";
    List<String> line =
        new ArrayList<>(List.of("sh", "-c", "mkfifo full; exec 3<> full; exec \"$@\" 2>&3", "sh"));
    line.addAll(commandLine("run", "--", "sh", "-c", fill + " sleep 300"));
    Process run = start(line);
    long command = pidIn("command");
    signal(run, "TERM");
    assertThat(endOf(run)).isEqualTo(143);
    assertThat(lives(command)).isFalse();
    assertThat(status().get("building")).isEmpty();
    assertThat(cli.ok("history").out()).contains("stopped by a signal");
  }

  @Test
  void startedInTheBackgroundItIgnoresAnInterruptAndIsStillTerminated()
      throws IOException, InterruptedException {
    cli.ok("init");
    Process run =
        start(
            Signals.interruptIgnored(commandLine("run", "--", "sh", "-c", "touch on; sleep 300")));
    until("started", () -> Files.exists(home.resolve("on")));
    signal(run, "INT");
    signal(run, "TERM");
    // It would be 130 if it had ended because of the first one.
    assertThat(endOf(run)).isEqualTo(143);
    assertThat(status().get("building")).isEmpty();
    assertThat(cli.ok("history").out()).contains("stopped by a signal");
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
    cli.ok("init", "--lease", "1m", "--beat", "1s");
    Process run = baton("run", "--", "sh", "-c", "touch started; sleep 300; touch ran-on");
    until("started", () -> Files.exists(home.resolve("started")));
    cli.ok(
        "unlock",
        "--force",
        "--ticket",
        "1",
        "--token",
        cli.token(),
        "--reason",
        "hangs",
        "--now",
        "-y");
    assertThat(endOf(run)).isEqualTo(ExitCode.LOST.code);
    assertThat(err())
        .contains("The lock is lost: it was taken away. Stopping the command.")
        .contains("baton: jane@hal took the lock away (\"hangs\")\n")
        .contains("Your command was stopped. Do not publish what it made; run it again.")
        .doesNotContain("Exception");
    assertThat(home.resolve("ran-on")).doesNotExist();
    assertThat(status().get("building")).isEmpty();
  }

  @Test
  void aLockThatIsTakenAwayBeforeTheNextBeatIsLostToo() throws IOException, InterruptedException {
    cli.ok("init");
    Process run =
        baton("run", "--", "sh", "-c", "touch started; while [ ! -e go ]; do sleep 0.1; done");
    until("started", () -> Files.exists(home.resolve("started")));
    String[] unlock = {
      "unlock",
      "--force",
      "--ticket",
      "1",
      "--token",
      cli.token(),
      "--reason",
      "hangs",
      "--now",
      "-y"
    };
    cli.ok(unlock);
    Files.createFile(home.resolve("go"));
    assertThat(endOf(run)).as(err()).isEqualTo(ExitCode.LOST.code);
    assertThat(err())
        .contains("baton: jane@hal took the lock away (\"hangs\")\n")
        .contains("Do not publish what the command made; run it again.")
        .doesNotContain("ends with its lease");
  }

  @Test
  void aLockThatAnotherProcessGivesBackIsLostToo() throws IOException, InterruptedException {
    cli.ok("init");
    String release =
        String.join(" ", javaCommand())
            + " release --ticket $BATON_TICKET --token $BATON_FENCING_TOKEN --note mistaken";
    assertThat(endOf(baton("run", "--", "sh", "-c", release))).isEqualTo(ExitCode.LOST.code);
    assertThat(err()).contains("baton: another process gave the lock back (\"mistaken\")\n");
  }

  @Test
  void whoIsDroppedReadsByWhomAndWhy() throws IOException, InterruptedException {
    cli.ok("init");
    cli.ok("join");
    Process run = baton("run", "--", "touch", "ran");
    until("in line", () -> status().get("line").size() == 1);
    cli.ok("drop", "2", "--reason", "superseded \"by\" 3");
    assertThat(endOf(run)).isEqualTo(ExitCode.REFUSED.code);
    assertThat(err()).contains("baton: jane@hal dropped ticket 2 (\"superseded 'by' 3\")\n");
    assertThat(home.resolve("ran")).doesNotExist();
  }

  @Test
  void aReleaseInsideDoesNotGiveAwayTheLockOfTheRun() throws IOException, InterruptedException {
    cli.ok("init");
    String inside = String.join(" ", javaCommand()) + " release; echo $? > code";
    assertThat(endOf(baton("run", "--", "sh", "-c", inside))).as(err()).isZero();
    assertThat(Files.readString(home.resolve("code")).strip())
        .isEqualTo("" + ExitCode.REFUSED.code);
    assertThat(err())
        .contains(
            "ticket 1 belongs to a `baton run` or Gradle build, which gives it back by itself")
        .contains("add --ticket 1 --token ");
    assertThat(cli.ok("history").out()).contains("succeeded");
  }

  @Test
  void aLostLockLetsTheCommandGoOnWhenToldSo() throws IOException, InterruptedException {
    cli.ok("init", "--lease", "1m", "--beat", "1s");
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
        "unlock",
        "--force",
        "--ticket",
        "1",
        "--token",
        cli.token(),
        "--reason",
        "hangs",
        "--now",
        "-y");
    until("told", () -> err().contains("The command goes on (--on-lost continue)."));
    Files.createFile(home.resolve("go"));
    assertThat(endOf(run)).isEqualTo(ExitCode.LOST.code);
    assertThat(home.resolve("ran-on")).exists();
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
