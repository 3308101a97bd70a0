package dev.baton.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The real gradlew of this repository with a fake {@code java}, which notes how it is called. */
class GradlewTest {
  private static final String PROGRAM = "program";
  private static final String WRAPPER = "wrapper";

  @TempDir Path directory;
  private Path userHome;

  @BeforeEach
  void prepare() throws IOException {
    userHome = directory.resolve("user home");
    java("17.0.15", "jdk.compiler@17", 0);
  }

  @ParameterizedTest
  @CsvSource({"1.8.0_392, 8", "11.0.2, 11", "16, 16", "23-ea, 23", "25.0.1, 25"})
  void refusesJavaThatCannotRunGradle(String version, String number)
      throws IOException, InterruptedException {
    java(version, "jdk.compiler@17", 0);
    Run run = gradlew(userHome, "help");

    assertThat(run.exit()).isEqualTo(1);
    assertThat(run.output())
        .contains("needs a JDK of version 17 to 22;", "/bin/java is " + number + ".", "JAVA_HOME");
    assertThat(calls()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"17", "17.0.15", "21.0.2", "22-ea", "22.0.1"})
  void acceptsJavaThatRunsGradle(String version) throws IOException, InterruptedException {
    java(version, "jdk.compiler@17", 0);

    assertThat(gradlew(userHome, "help").exit()).isZero();
    assertThat(calls()).containsExactly(PROGRAM, WRAPPER);
  }

  @Test
  void startsTheWrapperAtOnceWhenOurGradleIsWhole() throws IOException, InterruptedException {
    Path lib = install(userHome);
    Files.writeString(lib.resolveSibling(GradleFromMaven.MARKER), "2\n");

    assertThat(gradlew(userHome, "help").exit()).isZero();
    assertThat(calls()).containsExactly(WRAPPER);
  }

  @Test
  void callsTheProgramWhenOurGradleIsHalfDeleted() throws IOException, InterruptedException {
    Path lib = install(userHome);
    Files.writeString(lib.resolveSibling(GradleFromMaven.MARKER), "2\n");
    Files.delete(lib.resolve("other.jar"));

    assertThat(gradlew(userHome, "help").exit()).isZero();
    assertThat(calls()).containsExactly(PROGRAM, WRAPPER);
  }

  @Test
  void startsTheWrapperAtOnceWhenTheOfficialGradleIsInstalled()
      throws IOException, InterruptedException {
    Path lib = install(userHome);
    Files.createFile(lib.resolveSibling("LICENSE"));

    assertThat(gradlew(userHome, "help").exit()).isZero();
    assertThat(calls()).containsExactly(WRAPPER);
  }

  @Test
  void callsTheProgramWhenTheOfficialGradleIsHalfDeleted()
      throws IOException, InterruptedException {
    Path lib = install(userHome);
    Files.createFile(lib.resolveSibling("LICENSE"));
    Files.delete(lib.resolve("gradle-launcher-8.8.jar"));

    assertThat(gradlew(userHome, "help").exit()).isZero();
    assertThat(calls()).containsExactly(PROGRAM, WRAPPER);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"-g ", "--gradle-user-home ", "--gradle-user-home=", "-Dgradle.user.home="})
  void looksInTheUserHomeOfTheCommandLine(String option) throws IOException, InterruptedException {
    Path lib = install(directory.resolve("given"));
    Files.writeString(lib.resolveSibling(GradleFromMaven.MARKER), "2\n");
    List<String> arguments =
        new ArrayList<>(List.of((option + directory.resolve("given")).split(" ", 2)));
    arguments.add("help");

    assertThat(gradlew(userHome, arguments.toArray(String[]::new)).exit()).isZero();
    assertThat(calls()).containsExactly(WRAPPER);
  }

  /** The stock wrapper does not look at it either. */
  @Test
  void aUserHomeAfterTheFirstTaskIsNotForTheWrapper() throws IOException, InterruptedException {
    Path lib = install(directory.resolve("given"));
    Files.writeString(lib.resolveSibling(GradleFromMaven.MARKER), "2\n");

    assertThat(gradlew(userHome, "-q", "help", "-g", directory + "/given").exit()).isZero();
    assertThat(calls()).containsExactly(PROGRAM, WRAPPER);
  }

  @Test
  void doesNotStartTheWrapperWhenThereIsNoGradle() throws IOException, InterruptedException {
    java("17", "jdk.compiler@17", 3);

    assertThat(gradlew(userHome, "help").exit()).isEqualTo(3);
    assertThat(calls()).containsExactly(PROGRAM);
  }

  @Test
  void needsACompilerToAssemble() throws IOException, InterruptedException {
    java("17", "java.base@17", 0);
    Run run = gradlew(userHome, "help");

    assertThat(run.exit()).isEqualTo(1);
    assertThat(run.output()).contains("A JDK is needed", "Set JAVA_HOME to a JDK");
    assertThat(calls()).isEmpty();
  }

  /** The lib directory of a distribution of two files, in the place that the script knows. */
  private static Path install(Path userHome) throws IOException {
    Path home =
        GradleFromMaven.Distribution.of(WrapperFilesTest.distributionUrl(), userHome).home();
    Path lib = Files.createDirectories(home.resolve("lib"));
    Files.createFile(lib.resolve("gradle-launcher-8.8.jar"));
    Files.createFile(lib.resolve("other.jar"));
    Files.createFile(home.resolveSibling("gradle-8.8-bin.zip.ok"));
    return lib;
  }

  private void java(String version, String module, int programExit) throws IOException {
    Path java = Files.createDirectories(directory.resolve("jdk/bin")).resolve("java");
    Files.writeString(
        java,
        """
        #!/bin/sh
        case "$*" in
          -version) echo 'Picked up JAVA_TOOL_OPTIONS: -Da=b'
                    echo 'openjdk version "%s" 2025-04-15' >&2 ;;
          --list-modules) echo java.base@17; echo %s ;;
          *GradleFromMaven.java*) echo program >> %s; exit %d ;;
          *) echo wrapper >> %s ;;
        esac
        """
            .formatted(version, module, log(), programExit, log()));
    assertThat(java.toFile().setExecutable(true)).isTrue();
  }

  private Path log() {
    return directory.resolve("calls.txt");
  }

  private List<String> calls() throws IOException {
    return Files.exists(log()) ? Files.readAllLines(log()) : List.of();
  }

  private Run gradlew(Path userHome, String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("sh", WrapperFilesTest.ROOT + "/gradlew"));
    command.addAll(List.of(arguments));
    Map<String, String> environment =
        Map.of(
            "JAVA_HOME", directory.resolve("jdk").toString(),
            "GRADLE_USER_HOME", userHome.toString());
    return Run.start(directory, environment, command).finish(60);
  }
}
