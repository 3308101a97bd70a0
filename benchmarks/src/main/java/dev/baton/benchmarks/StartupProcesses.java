package dev.baton.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Starts processes with one environment and none of the settings of whoever measures. */
final class StartupProcesses {
  private static final Duration LONGEST = Duration.ofMinutes(2);
  private static final Duration LOOK = Duration.ofMillis(200);

  /** Long enough to look at the queue a few times. */
  private static final Duration SETTLED = Duration.ofSeconds(12);

  private final Path directory;
  private final Map<String, String> environment;
  private int started;

  /**
   * @param directory where what they say goes
   * @param environment of all of them
   */
  StartupProcesses(Path directory, Map<String, String> environment) {
    this.directory = directory;
    this.environment = environment;
  }

  /** A process in the background; closing it ends it as Ctrl-C would. */
  record Running(Process process, Path said) implements AutoCloseable {

    void awaitWords(String words) throws IOException, InterruptedException {
      await("it says " + words, () -> text().contains(words));
    }

    void awaitFile(Path made) throws IOException, InterruptedException {
      await("it makes " + made, () -> Files.exists(made));
    }

    private void await(String what, Condition condition) throws IOException, InterruptedException {
      StartupProcesses.await(
          what,
          () -> {
            if (!process.isAlive()) {
              throw new IOException("it has ended before " + what + ": " + text());
            }
            return condition.holds();
          });
    }

    /** What of its memory is really there, after it has been at its work for a while. */
    double settledMegabytes() throws IOException, InterruptedException {
      Thread.sleep(SETTLED.toMillis());
      try (Stream<String> lines = Files.lines(Path.of("/proc/" + process.pid() + "/status"))) {
        return lines
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                .findFirst()
                .orElseThrow(() -> new IOException("the process has no memory: " + said))
            / 1000.0
            * 1.024;
      }
    }

    String text() throws IOException {
      return Files.readString(said);
    }

    @Override
    public void close() {
      process.destroy();
      try {
        if (!process.waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS)) {
          process.destroyForcibly();
        }
      } catch (InterruptedException e) {
        process.destroyForcibly();
        Thread.currentThread().interrupt();
      }
    }
  }

  Running start(Map<String, String> more, String... command) throws IOException {
    Path said = directory.resolve("said-" + ++started);
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile());
    builder
        .environment()
        .keySet()
        .removeIf(
            name ->
                name.startsWith("BATON_")
                    || name.startsWith("GITHUB_")
                    || List.of("CI", "JAVA_OPTS", "JDK_JAVA_OPTIONS").contains(name));
    builder.environment().putAll(environment);
    builder.environment().putAll(more);
    return new Running(builder.start(), said);
  }

  /**
   * Runs a command to its end and returns what it says.
   *
   * @throws IOException when it fails
   */
  String run(Map<String, String> more, String... command) throws IOException, InterruptedException {
    try (Running running = start(more, command)) {
      if (!running.process().waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS)
          || running.process().exitValue() != 0) {
        throw new IOException("failed: " + String.join(" ", command) + "\n" + running.text());
      }
      return running.text();
    }
  }

  void awaitArchive(Path cache) throws IOException, InterruptedException {
    await("there is an archive of classes in " + cache, () -> hasArchive(cache));
  }

  private static boolean hasArchive(Path cache) throws IOException {
    try (Stream<Path> files = Files.walk(cache)) {
      return files.anyMatch(file -> file.toString().endsWith(".jsa"));
    } catch (UncheckedIOException e) {
      // A file that was there a moment ago.
      return false;
    }
  }

  @FunctionalInterface
  private interface Condition {
    boolean holds() throws IOException;
  }

  private static void await(String what, Condition condition)
      throws IOException, InterruptedException {
    for (long left = LONGEST.dividedBy(LOOK); !condition.holds(); left--) {
      if (left == 0) {
        throw new IOException("waited for too long until " + what);
      }
      Thread.sleep(LOOK.toMillis());
    }
  }

  static void remove(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
