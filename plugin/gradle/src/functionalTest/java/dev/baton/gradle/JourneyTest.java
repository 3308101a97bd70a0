package dev.baton.gradle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.githubsim.GitHubSim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the README tells somebody to put into a build, in a build that has something to publish. */
class JourneyTest {

  private static final String PUBLISH =
      """

      tasks.register('publish') {
          def token = baton.fencingToken
          doLast { println "published with ${token.get()}" }
      }
      """;

  @TempDir Path directory;

  @Test
  void aUserOfGradle() throws IOException {
    try (Bed bed = new Bed(directory)) {
      GitHubSim sim = bed.sim("octo/app");
      bed.variable("BATON_API", sim.baseUrl()).variable("GITHUB_TOKEN", Bed.TOKEN);
      bed.write("app/settings.gradle", Bed.settings("app"));
      bed.write("app/build.gradle", snippet().replace("\nbaton {", PUBLISH + "\nbaton {"));

      String output = bed.gradle(Bed.NEW, "app", "batonInit", "publish").build().getOutput();

      assertThat(output).containsPattern("published with [0-9]+");
      assertThat(bed.gradle(Bed.NEW, "app", "batonStatus").build().getOutput())
          .contains("release in github:octo/app")
          .contains("succeeded");
    }
  }

  private static String snippet() throws IOException {
    String text = Files.readString(Path.of(System.getProperty("samples"), "../README.md"));
    int start = text.indexOf("```groovy\n") + "```groovy\n".length();
    return text.substring(start, text.indexOf("```", start));
  }
}
