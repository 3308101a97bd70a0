package dev.baton.maven;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.githubsim.GitHubSim;
import dev.baton.maven.MavenBed.Result;
import dev.baton.plugin.testing.Sample;
import java.io.IOException;
import java.nio.file.Files;
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
    Sample sample = Sample.copied(name, bed.path(""));
    Files.createDirectories(bed.path("plugin/maven/build/repository"));
    if (name.equals("maven-github")) {
      GitHubSim sim = bed.sim("octo/app");
      bed.variable("BATON_API", sim.baseUrl()).variable("GITHUB_TOKEN", MavenBed.TOKEN);
    }
    sample.check("mvn", arguments -> maven(name, arguments), SamplesTest::steady);
  }

  private String maven(String name, String[] arguments) throws IOException, InterruptedException {
    Result result = bed.maven(MavenBed.some(), "samples/" + name, arguments);
    assertThat(result.isSuccess()).as(result.output()).isTrue();
    return result.output();
  }

  /** Tokens begin with the time. */
  private static String steady(String output) {
    return output
        .replaceAll("\\[ *\\d+\\.\\d+ s\\]", "[  0.1 s]")
        .replaceAll("Total time: .*", "Total time:  1 s")
        .replaceAll("Finished at: .*", "Finished at: 2026-11-16T12:00:00Z")
        .replaceAll("\\b\\d{13}\\b", "…");
  }
}
