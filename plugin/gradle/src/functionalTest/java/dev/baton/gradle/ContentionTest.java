package dev.baton.gradle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.githubsim.GitHubSim;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.Rules;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.gradle.testkit.runner.BuildResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Builds that start at the same time, each a process of its own, never overlap. */
class ContentionTest {

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
  @CsvSource({
    Bed.NEW + ",5,file",
    Bed.NEW + ",5,github",
    Bed.OLD + ",2,file",
    Bed.OLD + ",2,github"
  })
  void buildsNeverOverlap(String version, int builds, String store) throws Exception {
    String settings;
    BuildQueue queue;
    if (store.equals("file")) {
      queue = bed.fileQueue("locks", "release", Rules.DEFAULT);
      settings = "baton { store = 'file:../locks'; queue = 'release' }\n";
    } else {
      GitHubSim sim = bed.sim("octo/app");
      queue = bed.gitHubQueue(sim, "octo/app", "release", Rules.DEFAULT);
      settings =
          "baton { store = 'github:octo/app'; queue = 'release'; api = '" + sim.baseUrl() + "' }\n";
      bed.variable("GITHUB_TOKEN", Bed.TOKEN);
    }
    Path witness = bed.path("witness.txt");
    for (int i = 0; i < builds; i++) {
      bed.build(
          "app" + i,
          settings
              + "def work = tasks.register('work') {\n"
              + Bed.witness(witness, 300)
              + "}\nbaton.guard(work)\n");
    }

    List<BuildResult> results = bed.atOnce(queue, builds, version, "work");

    // All on one machine's clock.
    List<long[]> spans =
        Files.readAllLines(witness).stream()
            .map(l -> Stream.of(l.split(" ")).mapToLong(Long::parseLong).toArray())
            .sorted(Comparator.comparingLong(s -> s[0]))
            .toList();
    assertThat(spans).hasSize(builds);
    for (int i = 1; i < spans.size(); i++) {
      assertThat(spans.get(i)[0]).isGreaterThan(spans.get(i - 1)[1]);
    }
    assertThat(queue.status().history())
        .extracting(HistoryEntry::event)
        .containsOnly(HistoryEntry.Event.RELEASED)
        .hasSize(builds + 1);
    assertThat(results).allMatch(r -> r.getOutput().contains("Waiting with ticket"));
  }
}
