package dev.baton.cli.terminal;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Ends a command with all that it started when this process cannot, because it was killed or
 * stopped.
 *
 * <ol>
 *   <li>A shell is started before the command, outside of this process's group, and reads from a
 *       pipe that nothing but this process has the other end of. When the pipe closes, it ends all.
 *   <li>It hears of the lease before the command is started, and of every renewal, and ends all
 *       shortly before a lease is over.
 *   <li>The command leads a process group of its own, unless there is a terminal: only the group
 *       that the shell has put in the foreground may read from it, gets Ctrl-C and Ctrl-Z.
 *   <li>All that the command starts is known by that group, by its parents, and by a mark in its
 *       environment. What is left in the job that a shell made for Baton counts, too.
 *   <li>A supervisor that was killed itself is replaced.
 *   <li>When the command has ended, nothing else is: a build may leave a daemon behind.
 * </ol>
 */
final class Supervisor {

  /** In the environment of the command: the marks of all supervisors above it. */
  static final String MARKS = "BATON_SUPERVISED";

  private static final Path SH = Path.of("/bin/sh");
  private static final Path TERMINAL = Path.of("/dev/tty");
  private static final Duration NOTEWORTHY = Duration.ofMillis(100);

  /** Of what is left of a lease: as much is left when the supervisor begins to end the command. */
  private static final int RESERVE = 20;

  private final List<String> apart;
  private final boolean own;
  private final String mark;
  private final String marks;
  private final String path;
  private Process watcher;
  private volatile String job = "?";
  private volatile String command = "none";
  private long leaseEnd;

  private Supervisor(Shell shell) {
    this.path = shell.variable("PATH");
    this.apart = apart(shell);
    this.own = !apart.isEmpty() && !hasTerminal();
    this.mark = UUID.randomUUID().toString();
    String outer = shell.variable(MARKS);
    this.marks = outer.matches("[0-9a-f:-]{1,500}") ? outer + ":" + mark : mark;
  }

  /** Empty where there is no POSIX shell. */
  static Optional<Supervisor> start(Shell shell) {
    if (shell.isWindows() || !Files.isExecutable(SH)) {
      return Optional.empty();
    }
    Supervisor supervisor = new Supervisor(shell);
    try {
      supervisor.startWatching();
      return Optional.of(supervisor);
    } catch (IOException e) {
      // A machine that is short of processes; the command's own start says so if it has to.
      return Optional.empty();
    }
  }

  /** How a command is started in a process group of its own; nothing if there is no way. */
  private static List<String> apart(Shell shell) {
    return Programs.onPath("setsid", shell)
        .map(setsid -> List.of(setsid.toString(), "--"))
        // On macOS.
        .or(
            () ->
                Programs.onPath("perl", shell)
                    .map(
                        perl ->
                            List.of(
                                perl.toString(),
                                "-e",
                                "setpgrp(0, 0); exec {$ARGV[0]} @ARGV; my $e = $!;"
                                    + " print STDERR \"$ARGV[0]: $e\\n\";"
                                    + " exit($e == 2 ? 127 : 126)",
                                "--")))
        .orElse(List.of());
  }

  /** Whether this process has a controlling terminal, whatever its input and output are. */
  private static boolean hasTerminal() {
    try {
      new FileInputStream(TERMINAL.toFile()).close();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** What to start instead of a command. */
  List<String> line(List<String> line) {
    return own ? Stream.concat(apart.stream(), line.stream()).toList() : line;
  }

  Map<String, String> variables() {
    return Map.of(MARKS, marks);
  }

  /**
   * The command has been started.
   *
   * @param leaseLeft until when it may run without another call; zero: for ever
   */
  synchronized void watch(long pid, Duration leaseLeft) {
    command = Long.toString(pid);
    // In one piece: in between there would be nobody to end it.
    tell("command " + command + (leaseLeft.isZero() ? "" : "\n" + lease(leaseLeft)));
  }

  /**
   * Called before the command is started, and every now and then while it runs.
   *
   * @param leaseLeft until when the command may run without another call; zero: for ever
   */
  synchronized void keepWatching(Duration leaseLeft) {
    if (!watcher.isAlive()) {
      try {
        startWatching();
        leaseEnd = 0;
      } catch (IOException e) {
        // At the next call, then.
        return;
      }
    }
    long end = System.nanoTime() + leaseLeft.toNanos();
    if (!leaseLeft.isZero() && (leaseEnd == 0 || Math.abs(end - leaseEnd) > NOTEWORTHY.toNanos())) {
      tell(lease(leaseLeft));
    }
  }

  private String lease(Duration left) {
    leaseEnd = System.nanoTime() + left.toNanos();
    Duration reserve = left.dividedBy(RESERVE);
    return "lease " + seconds(left.minus(reserve)) + " " + seconds(reserve.dividedBy(2));
  }

  /** The command has ended, and what it has left running may go on. */
  synchronized void done() {
    tell("done");
  }

  /**
   * Begins to end the command with all that it started. Waits for nothing, not even for a watcher
   * that is being replaced.
   *
   * @param ask whether it is asked to end before it is killed
   * @param kindness how long it has for that
   * @return ends when all has ended, with code 0
   */
  Process end(boolean ask, Duration kindness) throws IOException {
    ProcessBuilder builder = script("end", ask ? "yes" : "no", seconds(kindness));
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    Process process = builder.start();
    process.getOutputStream().close();
    return process;
  }

  private void startWatching() throws IOException {
    watcher = script("watch").start();
    // Who was there before the command must be known before the command starts.
    try (BufferedReader answer =
        new BufferedReader(
            new InputStreamReader(watcher.getInputStream(), StandardCharsets.US_ASCII))) {
      String line = answer.readLine();
      job = line == null ? "" : line;
    }
  }

  private ProcessBuilder script(String mode, String... more) throws IOException {
    List<String> line = new ArrayList<>(apart);
    line.addAll(List.of(SH.toString(), "-c", text(), "baton-supervisor"));
    line.addAll(
        List.of(
            mode,
            mark,
            own ? "yes" : "no",
            Long.toString(ProcessHandle.current().pid()),
            job,
            command));
    line.addAll(List.of(more));
    // It keeps no directory in use, and has no secrets.
    ProcessBuilder builder = new ProcessBuilder(line).directory(Path.of("/").toFile());
    builder.environment().clear();
    // A build's path need not have what the script uses.
    builder.environment().put("PATH", "/usr/bin:/bin:" + path);
    return builder.redirectError(ProcessBuilder.Redirect.DISCARD);
  }

  private static String text() throws IOException {
    try (InputStream in = Supervisor.class.getResourceAsStream("supervisor.sh")) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
    }
  }

  private void tell(String line) {
    OutputStream pipe = watcher.getOutputStream();
    try {
      pipe.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
      pipe.flush();
    } catch (IOException e) {
      // It was killed: the next look finds that out.
    }
  }

  /** For sleep(1), which need not know fractions: without them where they do not matter. */
  static String seconds(Duration time) {
    long millis = time.toMillis();
    return millis >= 10_000 || millis % 1000 == 0
        ? Long.toString(millis / 1000)
        : (millis / 1000) + "." + Long.toString(1000 + millis % 1000).substring(1);
  }
}
