package dev.baton.benchmarks;

import dev.baton.queue.BuildQueue;
import dev.baton.queue.QueueException;
import dev.baton.queue.Rules;
import dev.baton.queue.internal.engine.QueueEngine;
import dev.baton.store.FileStores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the Gradle plugin adds to a build. The same build with and without it, in turns, by the same
 * warm daemon with its configuration reused; what counts is the median of the differences, from
 * starting the client to its end.
 */
final class PluginCost {

  private static final int WARM_UP = 25;
  private static final int PAIRS = 31;
  private static final int FRESH_PAIRS = 2;

  private final Path directory;
  private final Path gradle;
  private final List<String> java;

  private PluginCost(Path directory, Path gradle) throws IOException {
    this.directory = directory;
    this.gradle = gradle;
    Path launcher;
    try (Stream<Path> jars = Files.list(gradle.resolve("lib"))) {
      launcher =
          jars.filter(j -> j.getFileName().toString().matches("gradle-launcher-[0-9.]+\\.jar"))
              .findFirst()
              .orElseThrow(() -> new IllegalArgumentException("no Gradle in " + gradle));
    }
    this.java =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xshare:auto",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            launcher.toString(),
            "org.gradle.launcher.GradleMain",
            "-g",
            directory.resolve("home").toString(),
            "--console=plain",
            "-q",
            "--configuration-cache");
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("baton-plugin-cost");
    Table table = new Table();
    try {
      PluginCost cost = new PluginCost(directory, Path.of(args[0]));
      cost.prepare(Path.of(args[1]), args[2]);
      cost.measure(table);
      cost.run("plain", "--stop");
    } finally {
      PairedRuns.delete(directory);
    }
    System.out.print(table.text());
    System.exit(table.isMissed() ? 1 : 0);
  }

  private void prepare(Path repository, String version)
      throws IOException, QueueException, InterruptedException {
    String settings =
        "pluginManagement { repositories { maven { url = uri('%s') } } }\n".formatted(repository);
    String tasks =
        """
        tasks.register('idle')
        def work = tasks.register('work') { doLast { } }
        """;
    write("plain/settings.gradle", settings + "rootProject.name = 'plain'\n");
    write("plain/build.gradle", tasks);
    write("guarded/settings.gradle", settings + "rootProject.name = 'guarded'\n");
    write(
        "guarded/build.gradle",
        "plugins { id 'dev.baton' version '%s' }\n".formatted(version)
            + "baton { store = 'file:../locks' }\n"
            + tasks
            + "baton.guard(work)\n");
    write("home/gradle.properties", "org.gradle.jvmargs=-Xmx512m\n");
    try (BuildQueue queue = QueueEngine.open(FileStores.in(directory.resolve("locks/build")))) {
      queue.create(Rules.DEFAULT);
    }
  }

  private void write(String name, String content) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
  }

  private void measure(Table table) throws IOException, InterruptedException {
    table.say("What the Gradle plugin adds, with %s", gradle.getFileName());
    for (String task : List.of("idle", "work")) {
      pairs(task, WARM_UP);
      pairs(task, PAIRS)
          .tell(
              table,
              task.equals("idle")
                  ? "to a build without guarded work"
                  : "to a guarded task, nobody waits",
              task.equals("idle") ? 50 : 150);
    }
    List<Long> fresh = new ArrayList<>();
    for (int i = 0; i < FRESH_PAIRS; i++) {
      run("plain", "--stop");
      long plain = run("plain", "work");
      run("plain", "--stop");
      fresh.add(run("guarded", "work") - plain);
    }
    table.say("%-50s %4d ms; no goal", "to a guarded task, new daemon", PairedRuns.median(fresh));
  }

  private PairedRuns pairs(String task, int count) throws IOException, InterruptedException {
    return PairedRuns.of(count, () -> run("plain", task), () -> run("guarded", task));
  }

  /** Milliseconds. */
  private long run(String build, String task) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(java);
    command.add(task);
    Path output = directory.resolve("output.txt");
    long start = System.nanoTime();
    int code =
        new ProcessBuilder(command)
            .directory(directory.resolve(build).toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start()
            .waitFor();
    long end = System.nanoTime();
    if (code != 0) {
      throw new IllegalStateException("the build failed:\n" + Files.readString(output));
    }
    return Duration.ofNanos(end - start).toMillis();
  }
}
