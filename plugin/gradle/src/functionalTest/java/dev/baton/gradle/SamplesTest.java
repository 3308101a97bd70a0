package dev.baton.gradle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.githubsim.GitHubSim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each sample does what its recorded output says. */
class SamplesTest {

  @TempDir Path directory;
  private Bed bed;

  @BeforeEach
  void open() {
    bed = new Bed(directory);
  }

  @AfterEach
  void close() {
    bed.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"gradle-local", "gradle-github", "multi-project-release"})
  void sample(String name) throws IOException {
    Path sample = Path.of(System.getProperty("samples"), name);
    copy(sample, bed.path("samples/" + name));
    Files.createDirectories(bed.path("plugin/gradle/build"));
    Files.createSymbolicLink(
        bed.path("plugin/gradle/build/repository"), Path.of(System.getProperty("repository")));
    if (name.equals("gradle-github")) {
      GitHubSim sim = bed.sim("octo/app");
      bed.variable("BATON_API", sim.baseUrl()).variable("GITHUB_TOKEN", Bed.TOKEN);
    }
    Path recorded = sample.resolve("expected-output.txt");
    StringBuilder output = new StringBuilder();
    for (String line : Files.readAllLines(recorded)) {
      if (line.startsWith("$ gradle ")) {
        String[] arguments = line.substring("$ gradle ".length()).split(" ");
        String text =
            bed.gradle(Bed.NEW, "samples/" + name, arguments)
                .withArguments(List.of(arguments))
                .build()
                .getOutput();
        output.append(line).append('\n').append(text.strip()).append("\n\n");
      }
    }
    String actual = withoutWhatDiffers(output.toString());
    if (Boolean.getBoolean("updateSamples")) {
      Files.writeString(recorded, actual);
    }
    assertThat(actual).isEqualTo(Files.readString(recorded));
  }

  /** Directories, times, people, and tokens, which begin with the time. */
  private String withoutWhatDiffers(String output) {
    return output
        .replace(directory.toString(), "…")
        .replaceAll("http://127\\.0\\.0\\.1:\\d+", "https://github.com")
        .replaceAll("BUILD SUCCESSFUL in .*", "BUILD SUCCESSFUL in 1s")
        .replaceAll("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d", "2026-11-16 12:00")
        .replaceAll("\\([^()@\\s]+@[^()\\s]+\\)", "(ann@desk)")
        .replaceAll("fencing token \\d{13}", "fencing token …")
        .replaceAll("(built|waited|succeeded|after) \\d+ (s|min)", "$1 0 s");
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path one : all.toList()) {
        Path target = to.resolve(from.relativize(one).toString());
        if (one.toString().contains("/build/") || one.toString().contains("/.gradle/")) {
          continue;
        }
        if (Files.isDirectory(one)) {
          Files.createDirectories(target);
        } else {
          Files.createDirectories(target.getParent());
          Files.copy(one, target);
        }
      }
    }
  }
}
