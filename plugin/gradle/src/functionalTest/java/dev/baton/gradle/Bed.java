package dev.baton.gradle;

import dev.baton.core.SystemWorld;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Grant;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.github.GitHubConnection;
import dev.baton.queue.github.GitHubPlace;
import dev.baton.queue.github.GitHubSpace;
import dev.baton.queue.internal.engine.QueueEngine;
import dev.baton.store.FileStores;
import dev.baton.testing.Signals;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.gradle.testkit.runner.BuildResult;
import org.gradle.testkit.runner.GradleRunner;

/** A directory with builds in it that use the plugin as it was published. */
final class Bed implements AutoCloseable {

  static final String NEW = "8.8";
  static final String OLD = "7.6.4";
  static final String TOKEN = "ghp_secretOfTheFunctionalTests";

  /** For whatever takes a process or a heartbeat, on a machine that has more to do. */
  static final Duration PATIENCE = Duration.ofSeconds(120);

  /** A guarded task, in any queue. */
  static final String SHIP =
      """
      def token = baton.fencingToken
      def ship = tasks.register('ship') { doLast { println "shipped under ${token.get()}" } }
      baton.guard(ship)
      """;

  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

  private final Path directory;
  private final List<AutoCloseable> open = new ArrayList<>();
  private final Map<String, String> environment = new HashMap<>();

  /** Whether a client of Gradle may have been stopped before its daemon was done. */
  private boolean stopped;

  Bed(Path directory) {
    this.directory = directory;
    // Nothing of the build that runs these tests: it may be a workflow, or under a lock itself.
    for (String name : List.of("PATH", "LANG")) {
      Optional.ofNullable(System.getenv(name)).ifPresent(v -> environment.put(name, v));
    }
    // Nobody's own keys.
    environment.put("HOME", directory.resolve("home").toString());
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("XDG_STATE_HOME", directory.resolve("state").toString());
  }

  Path path(String name) {
    return directory.resolve(name);
  }

  Bed variable(String name, String value) {
    environment.put(name, value);
    return this;
  }

  Map<String, String> environment() {
    return Map.copyOf(environment);
  }

  /** Closes it when this is closed. */
  <T extends AutoCloseable> T closing(T one) {
    open.add(one);
    return one;
  }

  /** Files as a build file lists them, from a system property that names them. */
  static String files(String property) {
    return "files('" + String.join("', '", System.getProperty(property).split(":")) + "')";
  }

  /** Writes a file of a build. */
  Path write(String name, String content) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, content);
  }

  String read(String name) throws IOException {
    return Files.exists(path(name)) ? Files.readString(path(name)) : "";
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
        .withEnvironment(environment)
        .withArguments(all);
  }

  /**
   * Builds {@code app0}, {@code app1} and so on, all of them in line before the first one gets the
   * lock: so that they do not miss each other on a slow machine.
   */
  List<BuildResult> atOnce(BuildQueue queue, int builds, String version, String task)
      throws Exception {
    Grant first =
        ((Acquisition.Acquired) queue.acquire(Request.of("ann@desk", "by hand"), p -> {})).grant();
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

  /** {@code baton}, or another program of that module. */
  Process program(String build, String mainClass, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                JAVA.toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("commandLine"),
                mainClass));
    command.addAll(List.of(arguments));
    return process(build, command);
  }

  /** A script as a process. */
  Process shell(String build, String script) throws IOException {
    return process(build, List.of("sh", script));
  }

  private Process process(String build, List<String> command) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(Signals.noneIgnored(command))
            .directory(path(build).toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(path(build + ".out").toFile()));
    builder.environment().clear();
    builder.environment().putAll(environment);
    Process process = builder.start();
    open.add(process::destroyForcibly);
    return process;
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

  // ---- queues

  static Rules rules(Duration lease, Duration beat) {
    return new Rules(
        1,
        lease,
        beat,
        Duration.ofSeconds(10),
        Duration.ofMinutes(5),
        Duration.ofHours(1),
        Rules.DEFAULT.extra());
  }

  /** A queue in a directory of this bed. */
  BuildQueue fileQueue(String store, String queue, Rules rules)
      throws QueueException, InterruptedException {
    BuildQueue made = QueueEngine.open(FileStores.in(path(store).resolve(queue)));
    open.add(made);
    made.create(rules);
    return made;
  }

  GitHubSim sim(String repository) {
    GitHubSim sim = GitHubSim.start(SimSettings.defaults());
    open.add(sim);
    sim.addRepository(repository, true);
    sim.addToken(Token.classic("ann", TOKEN, repository));
    return sim;
  }

  BuildQueue gitHubQueue(GitHubSim sim, String repository, String queue, Rules rules)
      throws QueueException, InterruptedException {
    GitHubPlace place =
        new GitHubPlace(URI.create(sim.baseUrl()), repository, queue, GitHubPlace.Mode.GIT, 0);
    GitHubSpace space =
        GitHubSpace.open(
            place, GitHubConnection.builder().token(() -> TOKEN).build(), new SystemWorld());
    open.add(space);
    BuildQueue made = space.queue(EngineSettings.DEFAULT);
    open.add(made);
    made.create(rules);
    return made;
  }

  /** The ticket that has the lock. */
  static Optional<Long> holder(QueueDocument d) {
    return d.slots().stream().filter(s -> !s.isFree()).map(s -> s.ticket()).findFirst();
  }

  /** Looks until it is so, for these tests are about processes that take their time. */
  static void await(String what, Callable<Boolean> isSo) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    try {
      while (!isSo.call()) {
        if (System.nanoTime() > end) {
          throw new AssertionError("not within " + PATIENCE + ": " + what);
        }
        Thread.sleep(50);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(what, e);
    } catch (Exception e) {
      throw new AssertionError(what, e);
    }
  }

  @Override
  public void close() {
    for (int i = open.size() - 1; i >= 0; i--) {
      try {
        open.get(i).close();
      } catch (Exception e) {
        throw new AssertionError("cannot tidy up", e);
      }
    }
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
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        if (!path.equals(directory) && Files.deleteIfExists(path)) {
          deleted++;
        }
      }
      return deleted;
    } catch (IOException | UncheckedIOException e) {
      return deleted + 1; // something came or went meanwhile
    }
  }
}
