package dev.baton.maven;

import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.Grant;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.internal.engine.QueueEngine;
import dev.baton.store.FileStores;
import dev.baton.testing.Signals;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A directory with builds in it that use the plugin, on a real Maven. */
final class MavenBed implements BeforeEachCallback, AfterEachCallback {

  static final String TOKEN = "ghp_secretOfTheFunctionalTests";
  static final String VERSION = System.getProperty("plugin.version");

  /** For whatever takes a process or a heartbeat, on a machine that has more to do. */
  static final Duration PATIENCE = Duration.ofSeconds(120);

  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

  /** What came of a build. */
  record Result(int code, String output) {

    boolean isSuccess() {
      return code == 0;
    }
  }

  /** A build that runs. */
  record Build(Process process, Path log) {

    Result result() throws IOException, InterruptedException {
      if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError("still running:\n" + output());
      }
      return new Result(process.exitValue(), output());
    }

    String output() throws IOException {
      return Files.readString(log);
    }
  }

  private Path directory;
  private final List<AutoCloseable> open = new ArrayList<>();
  private final Map<String, String> environment = new HashMap<>();
  private int logs;

  @Override
  public void beforeEach(ExtensionContext context) throws IOException {
    directory = Files.createTempDirectory("baton-maven").toRealPath();
    // Nothing of the build that runs these tests: it may be a workflow, or under a lock itself.
    for (String name : List.of("PATH", "LANG")) {
      Optional.ofNullable(System.getenv(name)).ifPresent(v -> environment.put(name, v));
    }
    // Nobody's own keys.
    environment.put("HOME", directory.resolve("home").toString());
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("XDG_STATE_HOME", directory.resolve("state").toString());
  }

  /** Those that these tests run on. */
  static Stream<String> versions() {
    return Stream.of(System.getProperty("maven.versions").split(","));
  }

  /** One of them where a difference between them is not to be expected. */
  static String some() {
    return versions().filter(v -> v.startsWith("3.9")).findFirst().orElseThrow();
  }

  Path path(String name) {
    return directory.resolve(name);
  }

  MavenBed variable(String name, String value) {
    environment.put(name, value);
    return this;
  }

  Path write(String name, String content) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, content);
  }

  String read(String name) throws IOException {
    return Files.exists(path(name)) ? Files.readString(path(name)) : "";
  }

  /** The plugin as it would be in another version, in the local repository. */
  void otherVersion(String version) throws IOException {
    Path all = Path.of(System.getProperty("localRepository"), "dev/baton/baton-maven-plugin");
    Path other = Files.createDirectories(all.resolve(version));
    String name = "baton-maven-plugin-";
    Path from = all.resolve(VERSION).resolve(name + VERSION + ".jar");
    try (ZipFile jar = new ZipFile(from.toFile());
        ZipOutputStream out =
            new ZipOutputStream(Files.newOutputStream(other.resolve(name + version + ".jar")))) {
      for (ZipEntry entry : jar.stream().toList()) {
        byte[] content = jar.getInputStream(entry).readAllBytes();
        boolean says =
            entry.getName().endsWith("/plugin.xml") || entry.getName().endsWith("nested/version");
        out.putNextEntry(new ZipEntry(entry.getName()));
        out.write(
            says
                ? new String(content, StandardCharsets.UTF_8)
                    .replace(VERSION, version)
                    .getBytes(StandardCharsets.UTF_8)
                : content);
      }
    }
    Files.writeString(
        other.resolve(name + version + ".pom"),
        Files.readString(all.resolve(VERSION).resolve(name + VERSION + ".pom"))
            .replace(VERSION, version));
  }

  // ---- builds

  /** Guards what the POM of this build says, as an extension of Maven's core. */
  void coreExtension(String build) throws IOException {
    coreExtensions(build, "baton-maven-plugin");
  }

  void coreExtensions(String build, String... artifacts) throws IOException {
    StringBuilder all = new StringBuilder("<extensions>\n");
    for (String artifact : artifacts) {
      all.append(
          """
          <extension>
            <groupId>dev.baton</groupId>
            <artifactId>%s</artifactId>
            <version>%s</version>
          </extension>
          """
              .formatted(artifact, VERSION));
    }
    write(build + "/.mvn/extensions.xml", all.append("</extensions>\n").toString());
  }

  /** A build with the extension, whose POM has this configuration and these plugins. */
  void build(String name, String configuration, String plugins) throws IOException {
    coreExtension(name);
    write(name + "/pom.xml", pom(name, "", plugin("", configuration) + plugins));
  }

  /**
   * @param more what stands before the build, such as modules
   */
  static String pom(String name, String more, String plugins) {
    return """
    <project xmlns="http://maven.apache.org/POM/4.0.0">
      <modelVersion>4.0.0</modelVersion>
      <groupId>test</groupId>
      <artifactId>%s</artifactId>
      <version>1</version>
      <packaging>pom</packaging>
      %s
      <build><plugins>
    %s
      </plugins></build>
    </project>
    """
        .formatted(Path.of(name).getFileName(), more, plugins);
  }

  /** One of several modules, whose parent is in the directory above. */
  static String module(String parent, String name, String plugins) {
    return """
    <project xmlns="http://maven.apache.org/POM/4.0.0">
      <modelVersion>4.0.0</modelVersion>
      <parent><groupId>test</groupId><artifactId>%s</artifactId><version>1</version></parent>
      <artifactId>%s</artifactId>
      <packaging>pom</packaging>
      <build><plugins>
    %s
      </plugins></build>
    </project>
    """
        .formatted(parent, name, plugins);
  }

  /** Baton's own. */
  static String plugin(String more, String configuration) {
    return """
    <plugin>
      <groupId>dev.baton</groupId>
      <artifactId>baton-maven-plugin</artifactId>
      <version>%s</version>
      %s
      <configuration>%s</configuration>
    </plugin>
    """
        .formatted(VERSION, more, configuration);
  }

  /** One that works in a phase. */
  static String probe(String phase, String configuration) {
    return """
    <plugin>
      <groupId>dev.baton</groupId>
      <artifactId>probe-maven-plugin</artifactId>
      <version>%s</version>
      <executions>
        <execution>
          <id>at-%s</id>
          <phase>%s</phase>
          <goals><goal>work</goal></goals>
          <configuration>%s</configuration>
        </execution>
      </executions>
    </plugin>
    """
        .formatted(VERSION, phase, phase, configuration);
  }

  Result maven(String version, String build, String... arguments)
      throws IOException, InterruptedException {
    return start(version, build, arguments).result();
  }

  Build start(String version, String build, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(java(version, build));
    command.add("-B");
    command.add("-Dmaven.repo.local=" + System.getProperty("localRepository"));
    command.addAll(List.of(arguments));
    return process(build, command);
  }

  /** As `mvn` starts it, without a shell between: signals are for Maven then. */
  private List<String> java(String version, String build) throws IOException {
    Path home = home(version);
    try (Stream<Path> boot = Files.list(home.resolve("boot"))) {
      Path launcher =
          boot.filter(f -> f.getFileName().toString().matches("plexus-classworlds-[0-9.]+\\.jar"))
              .findFirst()
              .orElseThrow();
      List<String> command =
          new ArrayList<>(
              List.of(
                  JAVA.toString(),
                  "-XX:+UseSerialGC",
                  "-XX:TieredStopAtLevel=1",
                  "-Xshare:auto",
                  "-Xmx256m"));
      Optional.ofNullable(environment.get("MAVEN_OPTS"))
          .ifPresent(options -> command.addAll(List.of(options.split(" "))));
      command.addAll(
          List.of(
              "-classpath",
              launcher.toString(),
              "-Dclassworlds.conf=" + home.resolve("bin/m2.conf"),
              "-Dmaven.home=" + home,
              "-Dmaven.multiModuleProjectDirectory=" + path(build),
              "org.codehaus.plexus.classworlds.launcher.Launcher"));
      return command;
    }
  }

  static Path home(String version) {
    return Path.of(System.getProperty("mavens"), version, "apache-maven-" + version);
  }

  /** {@code baton} as a process. */
  Build baton(String build, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                JAVA.toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("commandLine"),
                "dev.baton.cli.Main"));
    command.addAll(List.of(arguments));
    return process(build, command);
  }

  private Build process(String build, List<String> command) throws IOException {
    Path log = path(build + "." + ++logs + ".log");
    ProcessBuilder builder =
        new ProcessBuilder(Signals.noneIgnored(command))
            .directory(path(build).toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    Process process = builder.start();
    open.add(() -> process.destroyForcibly().waitFor());
    return new Build(process, log);
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

  /** Somebody else's lock. */
  static Grant take(BuildQueue queue, String owner) throws QueueException, InterruptedException {
    return ((Acquisition.Acquired) queue.acquire(Request.of(owner, "by hand"), progress -> {}))
        .grant();
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
  public void afterEach(ExtensionContext context) throws IOException {
    for (int i = open.size() - 1; i >= 0; i--) {
      try {
        open.get(i).close();
      } catch (Exception e) {
        throw new AssertionError("cannot tidy up", e);
      }
    }
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
