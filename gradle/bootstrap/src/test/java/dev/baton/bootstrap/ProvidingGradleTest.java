package dev.baton.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole program in a process of its own, on a tiny release and a fake {@code mvn}. */
class ProvidingGradleTest {

  /** Serves the jars; waits for the file "go" when there is a file "wait". */
  private static final String GOOD_MAVEN =
      """
      echo run "$@" >> DIR/maven.log
      while [ -f DIR/wait ] && [ ! -f DIR/go ]; do sleep 0.1; done
      for a; do case $a in -Dmdep.outputFile=*) out=${a#*=} ;; esac; done
      echo "[INFO] Downloaded from somewhere: x"
      printf %s JARS/gradle-api-8.8.jar:JARS/gradle-test-kit-8.8.jar:JARS/groovy-3.0.21.jar > "$out"
      """;

  @TempDir Path directory;
  private Path userHome;
  private Path jars;
  private URI url;

  @BeforeEach
  void prepare() throws IOException {
    userHome = directory.resolve("user home");
    jars = directory.resolve("jars");
    TinyGradle.writeJars(jars);
    distributionUrl("http://127.0.0.1:1/gradle-8.8-bin.zip");
    maven(GOOD_MAVEN);
  }

  @Test
  void assemblesWhereTheWrapperLooks() throws IOException, InterruptedException {
    Run run = wrapper();

    assertThat(run.exit()).as(run.output()).isZero();
    assertThat(run.output()).contains("cannot be reached", "fetching with Maven", "is ready after");
    assertThat(names(dist()))
        .containsExactly("gradle-8.8", "gradle-8.8-bin.zip.lck", "gradle-8.8-bin.zip.ok");
    assertThat(names(dist().getParent())).containsExactly(dist().getFileName().toString());
    assertThat(userHome.resolve("caches/8.8/generated-gradle-jars/gradle-api-8.8.jar"))
        .hasSameBinaryContentAs(jars.resolve("gradle-api-8.8.jar"));
    assertThat(names(lib()))
        .containsExactly(
            "gradle-absent-8.8.jar",
            "gradle-installation-beacon-8.8.jar",
            "gradle-instrumentation-agent-8.8.jar",
            "gradle-java-compiler-plugin-8.8.jar",
            "gradle-launcher-8.8.jar",
            "gradle-runtime-8.8.jar",
            "gradle-test-kit-8.8.jar",
            "groovy-3.0.21.jar",
            "guava-1.jar",
            "plugins");
    try (ZipFile runtime = new ZipFile(lib().resolve("gradle-runtime-8.8.jar").toFile())) {
      assertThat(runtime.stream().map(Object::toString))
          .containsExactlyInAnyOrder(
              "META-INF/MANIFEST.MF",
              "META-INF/groovy/org.codehaus.groovy.runtime.ExtensionModule",
              "META-INF/services/com.acme.Service",
              "com/acme/data.txt",
              "org/gradle/api/internal/runtimeshaded/test-kit-relocated.txt");
    }
  }

  @Test
  void aSecondCallDoesNothing() throws IOException, InterruptedException {
    wrapper();
    Run second = wrapper();

    assertThat(second).isEqualTo(new Run(0, ""));
    assertThat(mavenRuns()).hasSize(1);
  }

  @Test
  void obeysUserHomeAndLocalRepositoryOfTheCommandLine() throws IOException, InterruptedException {
    userHome = directory.resolve("other");
    Run run =
        run(
            Map.of("GRADLE_USER_HOME", directory.resolve("unused").toString()),
            List.of("--user-home", userHome.toString(), "--", "help", "-Dmaven.repo.local=/repo"));

    assertThat(run.exit()).as(run.output()).isZero();
    assertThat(lib()).isDirectory();
    assertThat(directory.resolve("unused")).doesNotExist();
    assertThat(mavenRuns()).singleElement().asString().contains(" -C ", "-Dmaven.repo.local=/repo");
  }

  @Test
  void leavesADownloadToTheStockWrapper() throws IOException, InterruptedException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.start();
    try {
      distributionUrl("http://127.0.0.1:" + server.getAddress().getPort() + "/gradle-8.8-bin.zip");
      Path ok = officialDistribution();
      Files.delete(lib().resolve("gradle-launcher-8.8.jar"));

      assertThat(wrapper()).isEqualTo(new Run(0, ""));
      assertThat(ok).as("else the wrapper would not download").doesNotExist();
    } finally {
      server.stop(0);
    }
    assertThat(mavenRuns()).isEmpty();
  }

  @Test
  void leavesAnOfficialDistributionAlone() throws IOException, InterruptedException {
    officialDistribution();

    assertThat(wrapper()).isEqualTo(new Run(0, ""));
    assertThat(names(lib())).containsExactly("gradle-launcher-8.8.jar");
  }

  @Test
  void replacesAHalfDeletedOfficialDistribution() throws IOException, InterruptedException {
    officialDistribution();
    Files.delete(lib().resolve("gradle-launcher-8.8.jar"));

    assertThat(wrapper().exit()).isZero();
    assertThat(lib().resolve("gradle-runtime-8.8.jar")).exists();
  }

  @Test
  void repairsAHalfDeletedAssembly() throws IOException, InterruptedException {
    wrapper();
    Files.delete(lib().resolve("groovy-3.0.21.jar"));

    assertThat(wrapper().exit()).isZero();
    assertThat(lib().resolve("groovy-3.0.21.jar")).exists();
    assertThat(mavenRuns()).hasSize(2);
  }

  @Test
  void aKilledAssemblyIsNotMistakenForAGoodOne() throws IOException, InterruptedException {
    Files.createFile(directory.resolve("wait"));
    Run.Started killed = start(environment(), wrapperArguments());
    await(() -> !mavenRuns().isEmpty());
    killed.kill();
    assertThat(names(dist())).containsExactly("gradle-8.8-bin.zip.lck");
    assertThat(names(dist().getParent())).hasSize(2);

    // As if it had been killed later.
    Path part = dist().resolveSibling(dist().getFileName() + ".part");
    Files.createFile(Files.createDirectories(part.resolve("home/lib")).resolve("half.jar"));

    Files.delete(directory.resolve("wait"));
    Run next = wrapper();
    assertThat(next.exit()).as(next.output()).isZero();
    assertThat(names(dist().getParent())).containsExactly(dist().getFileName().toString());
    assertThat(names(lib())).contains("gradle-runtime-8.8.jar").doesNotContain("half.jar");
  }

  @Test
  void twoAtOnceAssembleOnce() throws IOException, InterruptedException {
    Files.createFile(directory.resolve("wait"));
    Run.Started first = start(environment(), wrapperArguments());
    await(() -> !mavenRuns().isEmpty());
    Run.Started second = start(environment(), wrapperArguments());
    await(() -> outputOf(second).contains("Waiting for another process"));
    Files.createFile(directory.resolve("go"));

    assertThat(first.finish(60).exit()).isZero();
    assertThat(second.finish(60).exit()).isZero();
    assertThat(mavenRuns()).hasSize(1);
  }

  @Test
  void noMaven() throws IOException, InterruptedException {
    Path empty = Files.createDirectory(directory.resolve("empty"));
    Map<String, String> environment = environment();
    environment.put("PATH", empty.toString());

    failsAndRecovers(run(environment, List.of()), "no mvn on the PATH", "Install Maven");
  }

  @Test
  void noNetwork() throws IOException, InterruptedException {
    maven(
        """
        echo "[ERROR] Could not transfer artifact a:b:1 from/to central: Connection refused"
        exit 1
        """);
    failsAndRecovers(wrapper(), "No connection to a Maven repository", "Maven: Could not transfer");
  }

  @Test
  void aDownloadWithAWrongChecksum() throws IOException, InterruptedException {
    maven(
        """
        echo "[ERROR] Could not transfer artifact a:b:1: Checksum validation failed, expected 1"
        exit 1
        """);
    failsAndRecovers(wrapper(), "wrong checksum", "Try again", "a:b:1");
  }

  @Test
  void anyOtherFailureOfMaven() throws IOException, InterruptedException {
    maven("echo '[ERROR] The POM is odd'\nexit 7\n");
    failsAndRecovers(wrapper(), "exit code 7", "Run mvn by itself", "Maven: The POM is odd");
  }

  @Test
  void mavenSaysNothing() throws IOException, InterruptedException {
    maven(GOOD_MAVEN.replace(":JARS/groovy-3.0.21.jar", ""));
    failsAndRecovers(wrapper(), "Maven did not deliver groovy-3.0.21.jar");
  }

  @Test
  void aChangedFileInTheLocalRepository() throws IOException, InterruptedException {
    Path jar = jars.resolve("groovy-3.0.21.jar");
    byte[] good = Files.readAllBytes(jar);
    byte[] bad = good.clone();
    bad[bad.length / 2] ^= 1;
    Files.write(jar, bad);
    Run run = wrapper();
    Files.write(jar, good);

    failsAndRecovers(run, "groovy-3.0.21.jar", "wrong SHA-256", "Delete the directory " + jars);
  }

  /** Stands for a read-only home, which does not stop the root user. */
  @Test
  void aHomeThatCannotBeWritten() throws IOException, InterruptedException {
    Files.writeString(userHome, "a file");
    Run run = wrapper();
    Files.delete(userHome);

    failsAndRecovers(run, "Cannot write " + userHome, "GRADLE_USER_HOME");
  }

  @Test
  void javaWithoutCompiler() throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(command(wrapperArguments()));
    command.addAll(1, List.of("--limit-modules", "java.base,java.compiler"));

    failsAndRecovers(
        Run.start(directory, environment(), command).finish(60), "A JDK is needed", "JAVA_HOME");
  }

  @Test
  void anUnknownVersion() throws IOException, InterruptedException {
    Run run = start(environment(), List.of("9.9", directory.resolve("nine").toString())).finish(60);

    assertThat(run.exit()).isEqualTo(1);
    assertThat(run.output()).contains("Gradle 9.9 cannot be assembled", "only: 8.8");
    assertThat(directory.resolve("nine")).doesNotExist();
  }

  @Test
  void anUnreadableDistributionUrl() throws IOException, InterruptedException {
    Files.writeString(
        directory.resolve("wrapper.properties"), "distributionUrl=http\\://x/y.zip\n");
    Run run = wrapper();

    assertThat(run.exit()).isEqualTo(1);
    assertThat(run.output()).contains("Cannot tell the Gradle version", "http://x/y.zip");
  }

  @Test
  void installsIntoADirectoryOnce() throws IOException, InterruptedException {
    Path home = directory.resolve("installation");
    List<String> arguments = List.of("8.8", home.toString());

    assertThat(start(environment(), arguments).finish(60).exit()).isZero();
    assertThat(home.resolve("lib/gradle-launcher-8.8.jar")).exists();
    assertThat(start(environment(), arguments).finish(60)).isEqualTo(new Run(0, ""));
  }

  @Test
  void doesNotInstallOverSomethingElse() throws IOException, InterruptedException {
    Path file = Files.writeString(Files.createDirectory(directory.resolve("d")).resolve("f"), "");
    Run run = start(environment(), List.of("8.8", file.getParent().toString())).finish(60);

    assertThat(run.exit()).isEqualTo(1);
    assertThat(run.output()).contains("holds something else");
    assertThat(file).exists();
  }

  @Test
  void helpAndWrongArguments() throws IOException, InterruptedException {
    Run help = start(environment(), List.of("--help")).finish(60);
    assertThat(help.exit()).isZero();
    assertThat(help.output()).contains("VERSION is one of: 8.8");

    Run wrong = start(environment(), List.of("8.8")).finish(60);
    assertThat(wrong.exit()).isEqualTo(1);
    assertThat(wrong.output()).contains("Cannot understand: [8.8]", "VERSION DIRECTORY");
  }

  // ---- what the tests are made of

  private void failsAndRecovers(Run failed, String... saying)
      throws IOException, InterruptedException {
    assertThat(failed.exit()).isEqualTo(1);
    assertThat(failed.output()).contains(saying).doesNotContain("\tat ");
    if (Files.exists(dist())) {
      assertThat(names(dist())).containsExactly("gradle-8.8-bin.zip.lck");
      assertThat(names(dist().getParent())).hasSize(1);
    }
    maven(GOOD_MAVEN);
    Run next = wrapper();
    assertThat(next.exit()).as(next.output()).isZero();
    assertThat(lib().resolve("gradle-runtime-8.8.jar")).exists();
  }

  private void distributionUrl(String text) throws IOException {
    url = URI.create(text);
    Files.writeString(directory.resolve("wrapper.properties"), "distributionUrl=" + text + "\n");
  }

  private void maven(String script) throws IOException {
    Path mvn = Files.createDirectories(directory.resolve("bin")).resolve("mvn");
    String text = script.replace("DIR", directory + "").replace("JARS", jars + "");
    Files.writeString(mvn, "#!/bin/sh\n" + text);
    assertThat(mvn.toFile().setExecutable(true)).isTrue();
  }

  private List<String> mavenRuns() {
    try {
      Path log = directory.resolve("maven.log");
      return Files.exists(log) ? Files.readAllLines(log) : List.of();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** The marker file of a distribution that looks like the official one. */
  private Path officialDistribution() throws IOException {
    Files.createDirectories(lib());
    Files.createFile(dist().resolve("gradle-8.8/LICENSE"));
    Files.createFile(lib().resolve("gradle-launcher-8.8.jar"));
    return Files.createFile(dist().resolve("gradle-8.8-bin.zip.ok"));
  }

  private Path dist() {
    return userHome
        .resolve("wrapper/dists/gradle-8.8-bin")
        .resolve(GradleFromMaven.Distribution.hash(url));
  }

  private Path lib() {
    return dist().resolve("gradle-8.8/lib");
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private Map<String, String> environment() {
    return new HashMap<>(
        Map.of("GRADLE_USER_HOME", userHome.toString(), "PATH", directory + "/bin:/usr/bin:/bin"));
  }

  private List<String> wrapperArguments() {
    return List.of("--wrapper", directory.resolve("wrapper.properties").toString());
  }

  private Run wrapper() throws IOException, InterruptedException {
    return run(environment(), List.of());
  }

  private Run run(Map<String, String> changes, List<String> more)
      throws IOException, InterruptedException {
    Map<String, String> environment = environment();
    environment.putAll(changes);
    List<String> arguments = new ArrayList<>(wrapperArguments());
    arguments.addAll(more);
    return start(environment, arguments).finish(60);
  }

  private Run.Started start(Map<String, String> environment, List<String> arguments)
      throws IOException {
    return Run.start(directory, environment, command(arguments));
  }

  private List<String> command(List<String> arguments) {
    // Short runs: the quick compiler and the small collector start fastest.
    List<String> command = new ArrayList<>(List.of(Run.JAVA, "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-XX:+UseSerialGC", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.addAll(List.of(TinyGradle.class.getName(), jars.toString()));
    command.addAll(arguments);
    return command;
  }

  private static String outputOf(Run.Started started) {
    try {
      return started.output();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waited 60 s").isLessThan(end);
      Thread.sleep(20); // another process is what is waited for
    }
  }
}
