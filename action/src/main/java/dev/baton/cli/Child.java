package dev.baton.cli;

import dev.baton.queue.Checks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A command that runs with the terminal of this process, and can be stopped with all it started.
 */
final class Child {

  private static final Duration KIND = Duration.ofSeconds(10);

  private final Process process;

  private Child(Process process) {
    this.process = process;
  }

  /** Whether the command can be started at all: to be known before the wait, not after it. */
  static void check(List<String> command, Shell shell) {
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

  private static CliException notFound(String name) {
    return new CliException(
        ExitCode.NOT_FOUND,
        "there is no command " + Checks.shown(name),
        "Check its name and PATH. Several words with pipes and such: sh -c \"…\".");
  }

  private static CliException notExecutable(String name) {
    return new CliException(
        ExitCode.NOT_EXECUTABLE, Checks.shown(name) + " cannot be executed", "chmod +x it.");
  }

  static Child start(List<String> command, Map<String, String> variables, Shell shell) {
    ProcessBuilder builder = new ProcessBuilder(command).directory(shell.directory().toFile());
    builder.environment().clear();
    builder.environment().putAll(shell.environment());
    builder.environment().putAll(variables);
    try {
      return new Child(builder.inheritIO().start());
    } catch (IOException e) {
      throw new CliException(
          ExitCode.NOT_EXECUTABLE,
          Checks.shown(command.get(0)) + " cannot be started: " + e.getMessage(),
          "Check that it is a program for this machine.",
          e);
    }
  }

  /** Waits for its end; interrupted when this process is to end. */
  int await() throws InterruptedException {
    return process.waitFor();
  }

  /** Asks it and all that it started to end, and ends what has not done so 10 s later. */
  synchronized void stop() {
    // The command first: a shell whose current command ends would go on with the next one.
    List<ProcessHandle> all =
        Stream.concat(Stream.of(process.toHandle()), process.descendants()).toList();
    all.forEach(ProcessHandle::destroy);
    long end = System.nanoTime() + KIND.toNanos();
    boolean interrupted = false;
    while (all.stream().anyMatch(ProcessHandle::isAlive) && System.nanoTime() < end) {
      try {
        process.waitFor(50, TimeUnit.MILLISECONDS);
        if (!process.isAlive()) {
          Thread.sleep(20);
        }
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    // Those that were started meanwhile, too.
    Stream.concat(all.stream(), process.descendants())
        .filter(ProcessHandle::isAlive)
        .forEach(ProcessHandle::destroyForcibly);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
