package dev.baton.gradle;

import dev.baton.githubsim.GitHubSim;
import dev.baton.plugin.testing.Sample;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
  void sample(String name) throws Exception {
    Sample sample = Sample.copied(name, directory);
    Files.createDirectories(bed.path("plugin/gradle/build"));
    Files.createSymbolicLink(
        bed.path("plugin/gradle/build/repository"), Path.of(System.getProperty("repository")));
    if (name.equals("gradle-github")) {
      GitHubSim sim = bed.sim("octo/app");
      bed.variable("BATON_API", sim.baseUrl()).variable("GITHUB_TOKEN", Bed.TOKEN);
    }
    sample.check("gradle", arguments -> gradle(name, arguments), SamplesTest::steady);
  }

  private String gradle(String name, String[] arguments) {
    return bed.gradle(Bed.NEW, "samples/" + name, arguments)
        .withArguments(List.of(arguments))
        .build()
        .getOutput();
  }

  /** Tokens begin with the time. */
  private static String steady(String output) {
    return output
        .replaceAll("BUILD SUCCESSFUL in .*", "BUILD SUCCESSFUL in 1s")
        .replaceAll("fencing token \\d{13}", "fencing token …");
  }
}
