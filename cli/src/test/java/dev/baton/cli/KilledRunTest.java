package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.cli.terminal.Child;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.testing.Signals;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What becomes of a command whose {@code baton run} is killed, stopped, or has lost the lock. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "signals")
class KilledRunTest extends BatonProcesses {

  private static final String START_GRANDCHILD = "sleep 300 & echo $! > grandchild; ";

  /** Long enough that no heartbeat is late on a busy machine. */
  private static final String SHORT_LEASE = "10s";

  /** Its parent ends at once. */
  private static final String START_ORPHAN = "(sleep 300 & echo $! > orphan); ";

  private Process runs(String script) throws IOException {
    return baton("run", "--", "sh", "-c", script);
  }

  private static void gone(long pid) {
    until("process " + pid + " ends", () -> !lives(pid));
  }

  /**
   * Ends after that time, and after what a supervisor does, some times over: however busy the
   * machine is, a supervisor that waits for nothing else is done before it.
   */
  private Process clock(Duration time) throws IOException {
    copySupervisor();
    String search = "sh ./supervisor.sh end no-such-mark yes $$ '' none no 0; ";
    return start(List.of("sh", "-c", "sleep " + time.toSeconds() + "; " + search.repeat(9)));
  }

  private void copySupervisor() throws IOException {
    try (InputStream script = Child.class.getResourceAsStream("supervisor.sh")) {
      Files.copy(script, home.resolve("supervisor.sh"));
    }
  }

  private static List<ProcessHandle> supervisorsOf(Process baton, long command) {
    return baton.children().filter(c -> c.pid() != command).toList();
  }

  @Test
  void aKilledRunTakesItsGrandchildrenAlongWithinTwoSeconds()
      throws IOException, InterruptedException {
    cli.ok("init");
    Process run = runs(START_GRANDCHILD + START_ORPHAN + "wait");
    long grandchild = pidIn("grandchild");
    long orphan = pidIn("orphan");
    signal(run, "KILL");
    Process time = clock(Duration.ofSeconds(2));
    gone(grandchild);
    gone(orphan);
    assertThat(time.isAlive()).as("within 2 s").isTrue();
  }

  @Test
  void whatIgnoresTheRequestToEndIsKilled() throws IOException, InterruptedException {
    cli.ok("init");
    Process run =
        runs("trap '' TERM; " + START_GRANDCHILD + "echo $$ > command; while :; do sleep 1; done");
    long command = pidIn("command");
    long grandchild = pidIn("grandchild");
    signal(run, "KILL");
    gone(command);
    gone(grandchild);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void whatHasLeftTheGroupAndItsParentIsFoundByItsMark() throws IOException, InterruptedException {
    cli.ok("init");
    Process run = runs("(setsid sleep 300 & echo $! > orphan); sleep 300");
    long orphan = pidIn("orphan");
    signal(run, "KILL");
    gone(orphan);
  }

  @Test
  void aKilledRunTakesTheRunInsideOfItAlong() throws IOException, InterruptedException {
    cli.ok("init");
    Process run =
        runs(String.join(" ", javaCommand()) + " run -- sh -c '" + START_ORPHAN + "sleep 300'");
    long orphan = pidIn("orphan");
    signal(run, "KILL");
    gone(orphan);
  }

  @Test
  void aKilledSupervisorIsReplaced() throws IOException, InterruptedException {
    cli.ok("init");
    Process run = runs(START_GRANDCHILD + "echo $$ > command; wait");
    long grandchild = pidIn("grandchild");
    long command = pidIn("command");
    List<ProcessHandle> first = supervisorsOf(run, command);
    assertThat(first).hasSize(1);
    signal(first.get(0).pid(), "KILL");
    until(
        "another one",
        () ->
            supervisorsOf(run, command).stream().anyMatch(s -> !first.contains(s) && hasBegun(s)));
    assertThat(lives(grandchild)).as("the build goes on").isTrue();
    signal(run, "KILL");
    gone(grandchild);
  }

  /** One that replaces another may have a busy machine to wait for before its first words. */
  @Test
  void aSupervisorThatBeginsAfterItsRunWasKilledEndsTheCommandAllTheSame() throws IOException {
    copySupervisor();
    Process command = start(List.of("sleep", "300"));
    // As if it was killed: nobody reads what the supervisor says, or has more to say.
    start(
        List.of(
            "sh",
            "-c",
            "(until [ -e go ]; do sleep 0.1; done;"
                + " exec sh ./supervisor.sh watch no-such-mark no $$ '' "
                + command.pid()
                + " </dev/null) | (exec </dev/null; : >go)"));
    gone(command.pid());
  }

  /** What Java starts a program with needs Java until the program has begun. */
  private static boolean hasBegun(ProcessHandle p) {
    String program = p.info().command().orElse("java");
    return !program.endsWith("java") && !program.endsWith("jspawnhelper");
  }

  @Test
  void whatACommandLeavesBehindGoesOn() throws IOException, InterruptedException {
    cli.ok("init");
    Process run = runs(START_GRANDCHILD + "echo $$ > command; until [ -e go ]; do sleep 0.1; done");
    long daemon = pidIn("grandchild");
    List<ProcessHandle> supervisors = supervisorsOf(run, pidIn("command"));
    Files.createFile(home.resolve("go"));
    assertThat(endOf(run)).isZero();
    supervisors.forEach(s -> gone(s.pid()));
    assertThat(lives(daemon)).isTrue();
  }

  @Test
  void stoppedForLongerThanItsLeaseItsCommandEndsAllTheSame()
      throws IOException, InterruptedException {
    cli.ok("init", "--lease", SHORT_LEASE, "--beat", "1s");
    Process run = runs("trap '' TERM; echo $$ > command; " + START_GRANDCHILD + "wait; sleep 300");
    long command = pidIn("command");
    long grandchild = pidIn("grandchild");
    signal(run, "STOP");
    gone(grandchild);
    gone(command);
    signal(run, "CONT");
    assertThat(endOf(run)).isEqualTo(ExitCode.LOST.code);
    assertThat(err()).contains("baton: the lock was lost while the command ran");
  }

  @Test
  void aLostLockEndsWhatIsStartedWhileAllIsStopped() throws IOException, InterruptedException {
    cli.ok("init", "--lease", SHORT_LEASE, "--beat", "1s");
    Process run =
        runs(
            "trap '(sleep 300 & echo $! > late)' TERM; echo $$ > command;"
                + " while :; do sleep 0.1; done");
    long command = pidIn("command");
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
    assertThat(lives(command)).isFalse();
    assertThat(lives(pidIn("late")))
        .as("the lock was given up before its processes ended")
        .isFalse();
  }

  @Test
  void aLeaseThatCannotBeRenewedLeavesNoTimeForKindness() throws IOException, InterruptedException {
    cli.ok("init", "--lease", SHORT_LEASE, "--beat", "1s");
    Process run = runs("trap '' TERM; echo $$ > command; while :; do sleep 0.1; done");
    long command = pidIn("command");
    Path state = home.resolve(".local/state");
    Path away = home.resolve("away");
    Files.move(state, away);
    // A file in the place of the directory: nothing can be written there.
    Files.createFile(state);
    until("lost", () -> err().contains("Stopping the command"));
    Process time = clock(Child.KINDNESS.dividedBy(2));
    gone(command);
    assertThat(time.isAlive()).as("less than the kindness of a long lease").isTrue();
    Files.delete(state);
    Files.move(away, state);
    assertThat(endOf(run)).isEqualTo(ExitCode.LOST.code);
  }

  // ---- in a terminal, as a job of a shell

  private Process typesInTerminal(String script) throws IOException {
    Files.writeString(
        home.resolve("baton.sh"),
        "exec " + String.join(" ", javaCommand()) + " run -- sh -c '" + script + "'\n");
    Files.writeString(home.resolve("job.sh"), "set -m\nsh ./baton.sh\necho $? > code\n");
    ProcessBuilder builder =
        new ProcessBuilder(
                Signals.noneIgnored(List.of("script", "-qec", "exec sh ./job.sh", "/dev/null")))
            .directory(home.toFile());
    builder.environment().put("XDG_STATE_HOME", home.resolve(".local/state").toString());
    builder.redirectErrorStream(true).redirectOutput(home.resolve("screen").toFile());
    Process terminal = builder.start();
    started.add(terminal);
    return terminal;
  }

  private static void type(Process terminal, String text) throws IOException {
    terminal.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    terminal.getOutputStream().flush();
  }

  private static long batonIn(Process terminal) {
    return terminal
        .descendants()
        .filter(p -> p.info().command().orElse("").endsWith("/java"))
        .findFirst()
        .orElseThrow()
        .pid();
  }

  /** What the shell in the terminal says of the job. */
  private int codeIn(Process terminal) throws IOException, InterruptedException {
    assertThat(endOf(terminal)).isZero();
    return Integer.parseInt(Files.readString(home.resolve("code")).strip());
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void inATerminalItTakesTheOrphansOfItsJobAlong() throws IOException, InterruptedException {
    cli.ok("init");
    Process terminal =
        typesInTerminal("(env -i sleep 300 & echo $! > unmarked); " + START_ORPHAN + "sleep 300");
    long unmarked = pidIn("unmarked");
    long orphan = pidIn("orphan");
    signal(batonIn(terminal), "KILL");
    gone(orphan);
    gone(unmarked);
    assertThat(codeIn(terminal)).isEqualTo(137);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void inATerminalTheCommandReadsWhatIsTyped() throws IOException, InterruptedException {
    cli.ok("init");
    Process terminal = typesInTerminal("read word; echo $word > word; exit 5");
    type(terminal, "hello\n");
    assertThat(codeIn(terminal)).isEqualTo(5);
    assertThat(home.resolve("word")).hasContent("hello");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void inATerminalCtrlCStopsTheCommandAndGivesTheLockBack()
      throws IOException, InterruptedException {
    cli.ok("init");
    Process terminal = typesInTerminal(START_GRANDCHILD + "sleep 300");
    long grandchild = pidIn("grandchild");
    type(terminal, "\u0003");
    assertThat(codeIn(terminal)).isEqualTo(130);
    gone(grandchild);
    assertThat(status().get("building")).isEmpty();
  }
}
