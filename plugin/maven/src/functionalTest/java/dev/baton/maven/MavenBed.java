package dev.baton.maven;

import dev.baton.plugin.testing.BuildBed;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A directory with builds in it that use the plugin, on a real Maven. */
final class MavenBed extends BuildBed implements BeforeEachCallback, AfterEachCallback {

  static final String VERSION = System.getProperty("plugin.version");

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

  private int logs;

  @Override
  public void beforeEach(ExtensionContext context) throws IOException {
    startIn(Files.createTempDirectory("baton-maven").toRealPath());
  }

  /** Those that these tests run on. */
  static Stream<String> versions() {
    return Stream.of(System.getProperty("maven.versions").split(","));
  }

  /** One of them where a difference between them is not to be expected. */
  static String some() {
    return versions().filter(v -> v.startsWith("3.9")).findFirst().orElseThrow();
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
      Optional.ofNullable(environment().get("MAVEN_OPTS"))
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

  /** A Gradle build with the plugin for it. */
  void gradleBuild(String name, String buildFile) throws IOException {
    write(
        name + "/settings.gradle",
        "pluginManagement { repositories { maven { url = uri('%s') } } }\n"
            .formatted(System.getProperty("gradlePlugins")));
    write(
        name + "/build.gradle",
        "plugins { id 'dev.baton' version '%s' }\n".formatted(VERSION) + buildFile);
  }

  /** What a shell in a neighbouring build starts, in a daemon that ends with it. */
  String gradle(String build, String arguments) throws IOException {
    Path installation = Path.of(System.getProperty("gradle"));
    try (Stream<Path> jars = Files.list(installation.resolve("lib"))) {
      Path launcher =
          jars.filter(j -> j.getFileName().toString().matches("gradle-launcher-[0-9.]+\\.jar"))
              .findFirst()
              .orElseThrow();
      return "cd ../%s && '%s' -cp '%s' org.gradle.launcher.GradleMain --no-daemon -g '%s' %s"
          .formatted(build, JAVA, launcher, System.getProperty("gradleUserHome"), arguments);
    }
  }

  static Path home(String version) {
    return Path.of(System.getProperty("mavens"), version, "apache-maven-" + version);
  }

  /** {@code baton} as a process. */
  Build baton(String build, String... arguments) throws IOException {
    return process(build, program("dev.baton.cli.Main", arguments));
  }

  private Build process(String build, List<String> command) throws IOException {
    Path log = path(build + "." + ++logs + ".log");
    return new Build(process(build, command, Redirect.to(log.toFile())), log);
  }

  @Override
  public void afterEach(ExtensionContext context) throws IOException {
    closeAll();
    try (Stream<Path> all = Files.walk(path(""))) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
