package dev.baton.cli.terminal;

import dev.baton.core.Checks;
import dev.baton.core.Problem.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A command that runs with the terminal of this process, and can be stopped with all it started. A
 * {@link Supervisor} stops it if this process is killed.
 */
public final class Child {

  /** How long a command may take to end when it is asked to. */
  public static final Duration KINDNESS = Duration.ofSeconds(10);

  private static final Duration LONGEST_LOOK = Duration.ofSeconds(1);
  private static final Duration SHORTEST_LOOK = Duration.ofMillis(50);

  /** A killed process ends at once, unless it waits for a disk. */
  private static final Duration DEATH = Duration.ofSeconds(5);

  private final Process process;
  private final Optional<Supervisor> supervisor;
  private final Supplier<Duration> leaseLeft;
  private Ending ending;

  private Child(Process process, Optional<Supervisor> supervisor, Supplier<Duration> leaseLeft) {
    this.process = process;
    this.supervisor = supervisor;
    this.leaseLeft = leaseLeft;
  }

  /** That which ends the command, and when it begins to kill. */
  private record Ending(Process process, long deadline) {}

  /** Whether the command can be started at all: to be known before the wait, not after it. */
  public static void check(List<String> command, Shell shell) {
    if (shell.isWindows()) {
      // What runs there depends on more than the path; the start tells.
      return;
    }
    String name = command.get(0);
    if (name.isEmpty()) {
      throw notFound(name);
    }
    if (name.contains("/")) {
      Path file = shell.directory().resolve(name);
      if (!Files.exists(file)) {
        throw notFound(name);
      }
      if (Files.isDirectory(file) || !Files.isExecutable(file)) {
        throw notExecutable(name);
      }
      return;
    }
    boolean seen = false;
    for (String part : shell.variable("PATH").split(":")) {
      Path file = shell.directory().resolve(part).resolve(name);
      if (Files.isRegularFile(file)) {
        if (Files.isExecutable(file)) {
          return;
        }
        seen = true;
      }
    }
    throw seen ? notExecutable(name) : notFound(name);
  }

  public static CliException notFound(String name) {
    return new CliException(
        Kind.COMMAND_NOT_FOUND,
        "there is no command " + Checks.shown(name),
        "Check its name and PATH. Several words with pipes and such: sh -c \"…\".");
  }

  private static CliException notExecutable(String name) {
    return new CliException(
        Kind.NOT_EXECUTABLE, Checks.shown(name) + " cannot be executed", "chmod +x it.");
  }

  /** One that may run for ever. */
  public static Child start(List<String> command, Map<String, String> variables, Shell shell) {
    return start(command, variables, shell, () -> Duration.ZERO);
  }

  /**
   * Starts a command.
   *
   * @param variables what it finds in its environment beside what is there
   * @param leaseLeft how long it may run from now on if this process is stopped; zero: for ever
   */
  public static Child start(
      List<String> command,
      Map<String, String> variables,
      Shell shell,
      Supplier<Duration> leaseLeft) {
    Optional<Supervisor> supervisor = Supervisor.start(shell);
    // This process may be stopped in the very moment in which the command begins.
    supervisor.ifPresent(s -> s.keepWatching(leaseLeft.get()));
    ProcessBuilder builder =
        new ProcessBuilder(supervisor.map(s -> s.line(command)).orElse(command))
            .directory(shell.directory().toFile());
    builder.environment().clear();
    builder.environment().putAll(shell.environment());
    builder.environment().putAll(variables);
    supervisor.ifPresent(s -> builder.environment().putAll(s.variables()));
    try {
      Process process = builder.inheritIO().start();
      supervisor.ifPresent(s -> s.watch(process.pid(), leaseLeft.get()));
      return new Child(process, supervisor, leaseLeft);
    } catch (IOException e) {
      supervisor.ifPresent(Supervisor::done);
      throw new CliException(
          Kind.NOT_EXECUTABLE,
          Checks.shown(command.get(0)) + " cannot be started: " + e.getMessage(),
          "Check that it is a program for this machine.",
          e);
    }
  }

  /**
   * Waits for its end; interrupted when this process is to end. What a command leaves running goes
   * on, unless a signal has ended the command: then nothing of it is left.
   */
  public int await() throws InterruptedException {
    Duration left;
    do {
      left = leaseLeft.get();
      keepSupervised(left);
    } while (!process.waitFor(untilNextLook(left).toMillis(), TimeUnit.MILLISECONDS));
    int code = process.exitValue();
    if (supervisor.isPresent() && isOfSignal(code)) {
      // Ctrl-C may have reached the command alone, or before this process: it was stopped.
      Duration now = leaseLeft.get();
      stop(now.isZero() ? KINDNESS : kindness(now));
    } else if (!isStopping()) {
      supervisor.ifPresent(Supervisor::done);
    }
    return code;
  }

  private static boolean isOfSignal(int code) {
    return code > 128 && code < 128 + 32;
  }

  private void keepSupervised(Duration leaseLeft) {
    supervisor.ifPresent(s -> s.keepWatching(leaseLeft));
  }

  private static Duration untilNextLook(Duration leaseLeft) {
    Duration part = leaseLeft.dividedBy(20);
    if (leaseLeft.isZero() || part.compareTo(LONGEST_LOOK) > 0) {
      return LONGEST_LOOK;
    }
    return part.compareTo(SHORTEST_LOOK) < 0 ? SHORTEST_LOOK : part;
  }

  /** Half of what is left of a lease: the rest is for killing what does not end by itself. */
  public static Duration kindness(Duration leaseLeft) {
    Duration half = leaseLeft.dividedBy(2);
    return half.compareTo(KINDNESS) < 0 ? half : KINDNESS;
  }

  private synchronized boolean isStopping() {
    return ending != null;
  }

  /**
   * Asks it and all that it started to end, and kills what has not done so in time. May be called
   * again: the earliest deadline counts, and nothing is asked twice.
   *
   * @return whether all has ended, as far as this process can tell
   */
  public boolean stop(Duration kindness) {
    if (supervisor.isEmpty()) {
      return stopKnown(kindness);
    }
    Ending current;
    try {
      current = ending(supervisor.get(), kindness);
    } catch (IOException e) {
      // No process can be started, not even this one.
      return stopKnown(kindness);
    }
    Duration left = Duration.ofNanos(Math.max(0, current.deadline() - System.nanoTime()));
    if (!ends(current.process(), left)) {
      // Twice is better than late.
      known().forEach(ProcessHandle::destroyForcibly);
    }
    if (ends(current.process(), DEATH) && current.process().exitValue() == 0) {
      return true;
    }
    return stopKnown(Duration.ZERO);
  }

  private synchronized Ending ending(Supervisor by, Duration kindness) throws IOException {
    long deadline = System.nanoTime() + kindness.toNanos();
    if (ending == null || deadline - ending.deadline() < 0 && ending.process().isAlive()) {
      ending = new Ending(by.end(ending == null, kindness), deadline);
    }
    return ending;
  }

  /** The command first: a shell whose current command ends would go on with the next one. */
  private List<ProcessHandle> known() {
    return Stream.concat(Stream.of(process.toHandle()), process.descendants()).toList();
  }

  /** Without a supervisor: what is not a descendant any more is not found. */
  private boolean stopKnown(Duration kindness) {
    List<ProcessHandle> all = known();
    all.forEach(ProcessHandle::destroy);
    if (!end(all, kindness)) {
      // Those that were started meanwhile, too.
      all = Stream.concat(all.stream(), process.descendants()).toList();
      all.stream().filter(ProcessHandle::isAlive).forEach(ProcessHandle::destroyForcibly);
    }
    return end(all, DEATH);
  }

  private static boolean end(List<ProcessHandle> all, Duration time) {
    return await(time, () -> all.stream().noneMatch(ProcessHandle::isAlive));
  }

  private static boolean ends(Process process, Duration time) {
    return await(time, () -> !process.isAlive());
  }

  /** Goes on when interrupted: what was begun to be stopped is stopped. */
  private static boolean await(Duration time, BooleanSupplier condition) {
    long end = System.nanoTime() + time.toNanos();
    boolean interrupted = false;
    boolean met = condition.getAsBoolean();
    while (!met && System.nanoTime() - end < 0) {
      try {
        Thread.sleep(10);
      } catch (InterruptedException e) {
        interrupted = true;
      }
      met = condition.getAsBoolean();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return met;
  }
}
