package dev.baton.gradle;

import dev.baton.plugin.testing.BuildBed;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.Grant;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.gradle.testkit.runner.BuildResult;
import org.gradle.testkit.runner.GradleRunner;

/** A directory with builds in it that use the plugin as it was published. */
final class Bed extends BuildBed implements AutoCloseable {

  static final String NEW = "8.8";
  static final String OLD = "7.6.4";

  /** A guarded task, in any queue. */
  static final String SHIP =
      """
      def token = baton.fencingToken
      def ship = tasks.register('ship') { doLast { println "shipped under ${token.get()}" } }
      baton.guard(ship)
      """;

  /** Whether a client of Gradle may have been stopped before its daemon was done. */
  private boolean stopped;

  Bed(Path directory) {
    startIn(directory);
  }

  /** Files as a build file lists them, from a system property that names them. */
  static String files(String property) {
    return "files('" + String.join("', '", System.getProperty(property).split(":")) + "')";
  }

  /** A build with the plugin, and what is in its build file below that. */
  Path build(String name, String buildFile) throws IOException {
    write(name + "/settings.gradle", settings(name));
    write(name + "/build.gradle", plugin() + buildFile);
    return path(name);
  }

  static String settings(String name) {
    return """
    pluginManagement {
        repositories {
            maven { url = uri('%s') }
        }
    }
    rootProject.name = '%s'
    """
        .formatted(System.getProperty("repository"), name);
  }

  static String plugin() {
    return "plugins { id 'dev.baton' version '" + System.getProperty("plugin.version") + "' }\n";
  }

  /** A Gradle user home whose daemons are small and start fast. */
  private static File userHome() {
    File home = new File(System.getProperty("testkit"));
    Path properties = home.toPath().resolve("gradle.properties");
    if (!Files.exists(properties)) {
      try {
        Files.createDirectories(home.toPath());
        Files.writeString(
            properties,
            "org.gradle.jvmargs=-Xmx384m -XX:+UseSerialGC -XX:TieredStopAtLevel=1\n"
                + "org.gradle.daemon.idletimeout=60000\n");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return home;
  }

  GradleRunner gradle(String version, String build, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--stacktrace");
    return GradleRunner.create()
        .withGradleInstallation(installation(version))
        .withTestKitDir(userHome())
        .withProjectDir(path(build).toFile())
        .withEnvironment(environment())
        .withArguments(all);
  }

  /**
   * Builds {@code app0}, {@code app1} and so on, all of them in line before the first one gets the
   * lock: so that they do not miss each other on a slow machine.
   */
  List<BuildResult> atOnce(BuildQueue queue, int builds, String version, String task)
      throws Exception {
    Grant first = take(queue, "ann@desk");
    List<BuildResult> results = new ArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(builds);
    try {
      List<Future<BuildResult>> running = new ArrayList<>();
      for (int i = 0; i < builds; i++) {
        String name = "app" + i;
        running.add(threads.submit(() -> gradle(version, name, task).build()));
      }
      await("all are in line", () -> queue.status().line().size() == builds);
      first.close();
      for (Future<BuildResult> one : running) {
        results.add(one.get(PATIENCE.toSeconds() * 3, TimeUnit.SECONDS));
      }
    } finally {
      threads.shutdownNow();
    }
    return results;
  }

  static File installation(String version) {
    return new File(System.getProperty("gradle." + version));
  }

  /** Gradle as a process that can be sent signals; its output is in the file {@code NAME.out}. */
  Process gradleProcess(String version, String build, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.addAll(
        List.of(
            JAVA.toString(),
            "-cp",
            installation(version) + "/lib/gradle-launcher-" + version + ".jar",
            "org.gradle.launcher.GradleMain",
            "--console=plain"));
    command.addAll(List.of(arguments));
    if (!command.contains("-g")) {
      command.addAll(List.of("-g", userHome().getPath()));
    }
    stopped = true;
    return process(build, command);
  }

  /** {@code baton} or the action. */
  Process start(String build, String mainClass, String... arguments) throws IOException {
    return process(build, program(mainClass, arguments));
  }

  /** A script as a process. */
  Process shell(String build, String script) throws IOException {
    return process(build, List.of("sh", script));
  }

  private Process process(String build, List<String> command) throws IOException {
    return process(build, command, Redirect.appendTo(path(build + ".out").toFile()));
  }

  /** What a guarded build file does to be seen by others: a file that only one can have. */
  static String witness(Path file, int milliseconds) {
    return """
    doLast {
        def witness = java.nio.file.Path.of('%1$s')
        def mark = witness.resolveSibling(witness.fileName.toString() + '.mark')
        java.nio.file.Files.createFile(mark)
        def begun = System.nanoTime()
        Thread.sleep(%2$d)
        synchronized (String) { witness.toFile() << "$begun ${System.nanoTime()}\\n" }
        java.nio.file.Files.delete(mark)
    }
    """
        .formatted(file, milliseconds);
  }

  @Override
  public void close() {
    closeAll();
    if (stopped) {
      tidyUpUntilItIsQuiet();
    }
  }

  /**
   * A daemon whose client is gone goes on for a moment, and what it writes then would be in the way
   * of whoever deletes the directory.
   */
  private void tidyUpUntilItIsQuiet() {
    try {
      for (int quiet = 0, i = 0; quiet < 5 && i < 600; i++) {
        quiet = deleted() == 0 ? quiet + 1 : 0;
        Thread.sleep(100);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private int deleted() {
    int deleted = 0;
    try (Stream<Path> all = Files.walk(path(""))) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        if (!path.equals(path("")) && Files.deleteIfExists(path)) {
          deleted++;
        }
      }
      return deleted;
    } catch (IOException | UncheckedIOException e) {
      return deleted + 1; // something came or went meanwhile
    }
  }
}
