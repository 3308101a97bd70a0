package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The scripts that the documents give people to copy. */
@EnabledOnOs(OS.LINUX)
class SampleScriptsTest {

  private static final Path SAMPLES = Path.of(System.getProperty("samples"));

  @TempDir Path directory;

  private record Ended(int code, String said) {}

  private Ended run(String input, String... command) throws IOException, InterruptedException {
    Path in = Files.writeString(directory.resolve("input"), input);
    Path log = directory.resolve("log");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectInput(in.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("GIT_"));
    Process process = builder.start();
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    return new Ended(process.exitValue(), Files.readString(log));
  }

  // ---- fencing/publish.sh

  private Ended publish(String token, String content) throws IOException, InterruptedException {
    return run(content, SAMPLES.resolve("fencing/publish.sh").toString(), token, "releases");
  }

  private String published() throws IOException {
    return Files.readString(directory.resolve("releases/current"));
  }

  @Test
  void aBuildThatWasOvertakenPublishesNothing() throws IOException, InterruptedException {
    assertThat(publish("1792000000007", "first").code()).isZero();
    assertThat(publish("1792000000012", "second").code()).isZero();

    Ended late = publish("1792000000007", "first again");

    assertThat(late.code()).isEqualTo(1);
    assertThat(late.said()).contains("1792000000007").contains("1792000000012").contains("older");
    assertThat(published()).isEqualTo("second");
    assertThat(publish("1792000000012", "second, repaired").code()).isZero();
    assertThat(published()).isEqualTo("second, repaired");
    assertThat(directory.resolve("releases").toFile().list())
        .containsExactlyInAnyOrder("current", "lock", "token");
  }

  @Test
  void withoutATokenNothingIsPublished() throws IOException, InterruptedException {
    for (String none : List.of("", "-1", "7; touch x", "７", "9".repeat(19))) {
      assertThat(publish(none, "x").code()).as(none).isEqualTo(2);
    }
    assertThat(directory.resolve("releases")).doesNotExist();
  }

  @Test
  void whereTheNewestTokenIsNotKnownNothingIsPublished() throws IOException, InterruptedException {
    assertThat(publish("1792000000007", "first").code()).isZero();
    for (String broken : List.of("", "half a\n", "9".repeat(19) + "\n")) {
      Files.writeString(directory.resolve("releases/token"), broken);

      Ended refused = publish("1792000000012", "second");

      assertThat(refused.code()).as(broken).isEqualTo(1);
      assertThat(refused.said()).contains("releases/token has no token");
      assertThat(published()).isEqualTo("first");
    }
  }

  @Test
  void manyAtOnceLeaveTheNewest() throws IOException, InterruptedException {
    Path script = SAMPLES.resolve("fencing/publish.sh");
    List<Process> all = new ArrayList<>();
    for (int token : new int[] {3, 8, 1, 7, 2, 6, 4, 5}) {
      Path in = Files.writeString(directory.resolve("in-" + token), "build " + token);
      all.add(
          new ProcessBuilder(script.toString(), "" + token, "releases")
              .directory(directory.toFile())
              .redirectInput(in.toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start());
    }
    for (Process one : all) {
      assertThat(one.waitFor(1, TimeUnit.MINUTES)).isTrue();
    }
    assertThat(published()).isEqualTo("build 8");
    assertThat(directory.resolve("releases/token")).hasContent("8");
  }

  // ---- publish-action/tag-action.sh

  private void git(String... args) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(List.of("git", "-c", "user.name=t", "-c", "user.email=t@e"));
    command.addAll(List.of(args));
    Ended ended = run("", command.toArray(String[]::new));
    assertThat(ended.code()).as("%s: %s", command, ended.said()).isZero();
  }

  @Test
  void aTagHasTheFinishedActionAndNothingElse() throws IOException, InterruptedException {
    git("init", "-q", ".");
    git("config", "user.name", "t");
    git("config", "user.email", "t@example.org");
    Files.writeString(directory.resolve(".gitignore"), "build/\ninput\nlog\n");
    git("add", ".");
    git("commit", "-q", "-m", "sources");
    String script = SAMPLES.resolve("publish-action/tag-action.sh").toString();

    Ended early = run("", script, "v1");
    assertThat(early.code()).isEqualTo(1);
    assertThat(early.said()).contains(":action:imageContext");

    Path built = Files.createDirectories(directory.resolve("action/build/image/lib"));
    Files.writeString(built.resolve("a.jar"), "jar");
    Files.writeString(built.resolveSibling("action.yml"), "name: x");
    assertThat(run("", script, "v1").code()).isZero();
    assertThat(run("", script, "v1").code()).as("it moves the tag").isZero();

    assertThat(run("", "git", "ls-tree", "-r", "--name-only", "v1").said().lines())
        .containsExactly("action/action.yml", "action/lib/a.jar");
    assertThat(run("", "git", "status", "--porcelain").said()).isEmpty();
  }
}
