package dev.baton.maven;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.githubsim.GitHubSim;
import dev.baton.maven.MavenBed.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each sample does what its recorded output says. */
class SamplesTest {

  @RegisterExtension final MavenBed bed = new MavenBed();

  @ParameterizedTest
  @ValueSource(strings = {"maven-local", "maven-github"})
  @Tag("share")
  void sample(String name) throws Exception {
    Path sample = Path.of(System.getProperty("samples"), name);
    copy(sample, bed.path("samples/" + name));
    Files.createDirectories(bed.path("plugin/maven/build/repository"));
    if (name.equals("maven-github")) {
      GitHubSim sim = bed.sim("octo/app");
      bed.variable("BATON_API", sim.baseUrl()).variable("GITHUB_TOKEN", MavenBed.TOKEN);
    }
    Path recorded = sample.resolve("expected-output.txt");
    StringBuilder output = new StringBuilder();
    for (String line : Files.readAllLines(recorded)) {
      if (line.startsWith("$ mvn ")) {
        String[] arguments = line.substring("$ mvn ".length()).split(" ");
        Result result = bed.maven(MavenBed.some(), "samples/" + name, arguments);
        assertThat(result.isSuccess()).as(result.output()).isTrue();
        output.append(line).append('\n').append(result.output().strip()).append("\n\n");
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
        .replace(bed.path("").toString(), "…")
        .replaceAll("http://127\\.0\\.0\\.1:\\d+", "https://github.com")
        .replaceAll("\\[ *\\d+\\.\\d+ s\\]", "[  0.1 s]")
        .replaceAll("Total time: .*", "Total time:  1 s")
        .replaceAll("Finished at: .*", "Finished at: 2026-11-16T12:00:00Z")
        .replaceAll("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d", "2026-11-16 12:00")
        .replaceAll("\\([^()@\\s]+@[^()\\s]+\\)", "(ann@desk)")
        .replaceAll("\\b\\d{13}\\b", "…")
        .replaceAll("(built|waited|succeeded|after) \\d+ (s|min)", "$1 0 s");
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path one : all.toList()) {
        Path target = to.resolve(from.relativize(one).toString());
        if (one.toString().contains("/target")) {
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
