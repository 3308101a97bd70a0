package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** samples/qemu-build, with {@code baton} as it is installed, on the cloud in a directory. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "the script is for a Unix")
class QemuBuildSampleTest {
  @TempDir Path home;
  private Path checkout;

  @BeforeEach
  void commit() throws Exception {
    checkout = Files.createDirectory(home.resolve("app"));
    Path gradlew = checkout.resolve("gradlew");
    Files.writeString(
        gradlew,
        """
        #!/bin/sh
        mkdir -p build/test-results/test
        echo "ran $*" > build/test-results/test/TEST-app.xml
        echo "built in $(pwd)"
        exit ${EXIT:-0}
        """);
    assertThat(gradlew.toFile().setExecutable(true)).isTrue();
    run("git", "init", "-q");
    run("git", "add", ".");
    run("git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "app");
  }

  private int run(String... line) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(line).directory(checkout.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("BATON_"));
    builder.environment().put("HOME", home.toString());
    builder.environment().put("BATON_CLOUD", "simulated");
    builder
        .environment()
        .put(
            "PATH",
            home.resolve("bin")
                + File.pathSeparator
                + Path.of(System.getProperty("baton.installed"), "bin")
                + File.pathSeparator
                + System.getenv("PATH"));
    return builder
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(home.resolve("log").toFile()))
        .start()
        .waitFor();
  }

  private int build(String... command) throws IOException, InterruptedException {
    String script =
        Path.of(System.getProperty("samples"), "qemu-build", "build.sh")
            .toAbsolutePath()
            .toString();
    return run(
        Stream.concat(List.of("sh", script).stream(), List.of(command).stream())
            .toArray(String[]::new));
  }

  private String log() throws IOException {
    return Files.readString(home.resolve("log"));
  }

  @Test
  void theTestsRunInAVmAndTheirResultsComeBack() throws Exception {
    assertThat(build()).as(this::logged).isZero();
    assertThat(checkout.resolve("build/test-results/test/TEST-app.xml")).hasContent("ran test");
    assertThat(log()).contains("disks/i-", "built in ", " is gone");
  }

  @Test
  void theExitCodeIsThatOfTheBuildAndTheVmIsGone() throws Exception {
    assertThat(build("sh", "-c", "exit 7")).as(this::logged).isEqualTo(7);
    assertThat(log()).contains(" is gone");
  }

  @Test
  void aGuestSendsBackNothingButResults() throws Exception {
    Path hostile = Files.createDirectories(home.resolve("hostile"));
    Files.createDirectories(hostile.resolve("build/test-results"));
    Files.writeString(hostile.resolve("build/test-results/TEST-app.xml"), "result");
    Files.createSymbolicLink(hostile.resolve("build/test-results/way"), Path.of("../../.git"));
    Files.createDirectories(hostile.resolve(".git/hooks"));
    Files.writeString(hostile.resolve(".git/hooks/post-checkout"), "runs on the host");
    assertThat(
            new ProcessBuilder("tar", "-c", "-f", home.resolve("sent").toString(), "build", ".git")
                .directory(hostile.toFile())
                .start()
                .waitFor())
        .isZero();
    // The guest is its build's: what it sends need not be what its tar was asked for.
    Path tar = Files.createDirectory(home.resolve("bin")).resolve("tar");
    Files.writeString(
        tar,
        """
        #!/bin/sh
        [ "$1" != -c ] || exec cat "$HOME/sent"
        PATH=${PATH#*:}
        exec tar "$@"
        """);
    assertThat(tar.toFile().setExecutable(true)).isTrue();

    assertThat(build("mkdir", "-p", "build/test-results")).as(this::logged).isZero();

    assertThat(checkout.resolve("build/test-results/TEST-app.xml")).hasContent("result");
    assertThat(checkout.resolve("build/test-results/way"))
        .doesNotExist()
        .satisfies(way -> assertThat(Files.isSymbolicLink(way)).isFalse());
    assertThat(checkout.resolve(".git/hooks/post-checkout")).doesNotExist();
  }

  @Test
  void noLinkOfTheCommitLeadsResultsElsewhere() throws Exception {
    Files.createDirectory(home.resolve("mine"));
    Files.createSymbolicLink(checkout.resolve("build"), Path.of("../mine"));
    assertThat(build()).as(this::logged).isNotZero();
    assertThat(home.resolve("mine")).isEmptyDirectory();
    assertThat(log()).contains("build is a link");
  }

  private String logged() {
    try {
      return log();
    } catch (IOException e) {
      return e.toString();
    }
  }
}
