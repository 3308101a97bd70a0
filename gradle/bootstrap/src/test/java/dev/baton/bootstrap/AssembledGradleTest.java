package dev.baton.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Real Gradle, assembled by the real program, runs a build with a JUnit test. */
class AssembledGradleTest {
  private static final String[] NO_DAEMON = {"--no-daemon", "--stacktrace", "test"};

  @TempDir Path directory;
  private Path project;

  @BeforeEach
  void writeProject() throws IOException {
    project = Files.createDirectory(directory.resolve("project"));
    Files.writeString(project.resolve("settings.gradle"), "rootProject.name = 'tiny'\n");
    Files.writeString(
        project.resolve("build.gradle"),
        """
        plugins {
            id 'java-library'
        }
        repositories {
            mavenCentral()
        }
        dependencies {
            testImplementation 'org.junit.jupiter:junit-jupiter:JUNIT'
            testRuntimeOnly 'org.junit.platform:junit-platform-launcher'
        }
        tasks.named('test') {
            useJUnitPlatform()
        }
        """
            .replace("JUNIT", System.getProperty("junit.version")));
    Path tests = Files.createDirectories(project.resolve("src/test/java"));
    Files.writeString(
        tests.resolve("TinyTest.java"),
        """
        class TinyTest {
          @org.junit.jupiter.api.Test
          void passes() {}
        }
        """);
  }

  @Test
  @Tag("assembly")
  void gradlewAssemblesItsGradleAndBuildsWithIt() throws IOException, InterruptedException {
    Path root = WrapperFilesTest.ROOT;
    for (String file :
        List.of(
            "gradlew",
            "gradle/wrapper/gradle-wrapper.jar",
            "gradle/wrapper/gradle-wrapper.properties",
            "gradle/bootstrap/provide-gradle.sh",
            "gradle/bootstrap/src/main/java/dev/baton/bootstrap/GradleFromMaven.java")) {
      Path copy = project.resolve(file);
      Files.createDirectories(copy.getParent());
      Files.copy(root.resolve(file), copy);
    }
    // A proxy that is not there: the official site cannot be reached, on any machine.
    String noProxy = "-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=1";
    Run first = gradlew(Map.of("GRADLE_OPTS", noProxy), "--version");
    assertThat(first.exit()).as(first.output()).isZero();
    assertThat(first.output()).contains("Gradle 8.8 is ready after", "Gradle 8.8\n");

    Run second = gradlew(Map.of(), NO_DAEMON);
    assertThat(second.exit()).as(second.output()).isZero();
    assertThat(second.output()).doesNotContain("is ready after");
    assertTestRan();
  }

  @ParameterizedTest
  @MethodSource("otherVersions")
  @Tag("otherVersions")
  void installationOfAnotherVersionBuilds(String version) throws IOException, InterruptedException {
    Path home = Path.of("build/gradle-installations", version).toAbsolutePath();
    List<String> command =
        new ArrayList<>(
            List.of(
                Run.JAVA,
                "-cp",
                home.resolve("lib/gradle-launcher-" + version + ".jar").toString(),
                "org.gradle.launcher.GradleMain"));
    command.addAll(List.of(NO_DAEMON));
    Run run = Run.start(project, environment(), command).finish(600);

    assertThat(run.exit()).as(run.output()).isZero();
    assertTestRan();
  }

  static Stream<String> otherVersions() {
    return Stream.of(System.getProperty("other.versions").split(","));
  }

  private void assertTestRan() throws IOException {
    assertThat(Files.readString(project.resolve("build/test-results/test/TEST-TinyTest.xml")))
        .contains("tests=\"1\" skipped=\"0\" failures=\"0\" errors=\"0\"");
  }

  private Map<String, String> environment() {
    return Map.of(
        "GRADLE_USER_HOME", directory.resolve("home").toString(),
        "JAVA_HOME", System.getProperty("java.home"));
  }

  private Run gradlew(Map<String, String> more, String... arguments)
      throws IOException, InterruptedException {
    Map<String, String> environment = new HashMap<>(environment());
    environment.putAll(more);
    List<String> command = new ArrayList<>(List.of("sh", "gradlew"));
    command.addAll(List.of(arguments));
    return Run.start(project, environment, command).finish(600);
  }
}
