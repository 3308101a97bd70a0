package dev.baton.gradle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.queue.BuildQueue;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.Rules;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.gradle.testkit.runner.BuildResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Builds of several projects, several builds, several queues. */
class StructuresTest {

  private static final String SHIP =
      """
      baton { store = "file:%s"; queue = 'release' }
      def token = baton.fencingToken
      def me = path
      def ship = tasks.register('ship') { doLast { println "$me shipped under ${token.get()}" } }
      baton.guard(ship)
      """;

  @TempDir Path directory;
  private Bed bed;
  private BuildQueue queue;

  @BeforeEach
  void open() throws Exception {
    bed = new Bed(directory);
    queue = bed.fileQueue("locks", "release", Rules.DEFAULT);
  }

  @AfterEach
  void close() {
    bed.close();
  }

  private String ship() {
    return SHIP.formatted(bed.path("locks"));
  }

  @ParameterizedTest
  @ValueSource(strings = {Bed.NEW, Bed.OLD})
  void allProjectsOfABuildShareTheLockAlsoWithDifferentClassPaths(String version) throws Exception {
    bed.write("app/settings.gradle", Bed.settings("app") + "include 'a', 'b', 'c'\n");
    bed.write("app/build.gradle", "");
    bed.write("app/a/build.gradle", Bed.plugin() + ship());
    // Something else on its class path: the plugin is loaded once more for this project.
    bed.write("empty.jar.d/nothing.txt", "");
    bed.write(
        "app/b/build.gradle",
        "buildscript { dependencies { classpath files('../../empty.jar.d') } }\n"
            + Bed.plugin()
            + ship()
            + "tasks.named('ship') { dependsOn ':a:ship' }\n");
    bed.write(
        "app/c/build.gradle",
        Bed.plugin() + ship() + "tasks.named('ship') { dependsOn ':b:ship' }\n");

    for (String cache : List.of("stored", "reused")) {
      BuildResult result =
          bed.gradle(version, "app", "ship", "--parallel", "--configuration-cache").build();
      long token = queue.status().nextToken() - 1;
      assertThat(result.getOutput())
          .contains(":a shipped under " + token)
          .contains(":b shipped under " + token)
          .contains(":c shipped under " + token)
          .contains("Configuration cache entry " + cache);
    }
    assertThat(queue.status().history()).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {Bed.NEW, Bed.OLD})
  void includedBuildsShareTheLock(String version) throws Exception {
    bed.build("lib", ship());
    bed.build(
        "app",
        ship()
            + """
            def last = tasks.register('last') {
                dependsOn ship, gradle.includedBuild('lib').task(':ship')
                doLast { println "last under ${token.get()}" }
            }
            baton.guard(last)
            """);
    bed.write("app/settings.gradle", Bed.settings("app") + "includeBuild '../lib'\n");

    for (String cache : List.of("stored", "reused")) {
      BuildResult result = bed.gradle(version, "app", "last", "--configuration-cache").build();
      long token = queue.status().nextToken() - 1;
      assertThat(result.getOutput())
          .containsSubsequence("shipped under " + token, "shipped under " + token)
          .contains("last under " + token);
      if (version.equals(Bed.NEW)) {
        assertThat(result.getOutput()).contains("Configuration cache entry " + cache);
      }
    }
    assertThat(queue.status().history()).hasSize(2);
    assertThat(queue.status().tickets()).isEmpty();
  }

  @Test
  void projectsMayBeIsolated() throws Exception {
    bed.write("app/settings.gradle", Bed.settings("app") + "include 'a', 'b'\n");
    bed.write("app/a/build.gradle", Bed.plugin() + ship());
    bed.write("app/b/build.gradle", Bed.plugin() + ship());

    BuildResult result =
        bed.gradle(
                Bed.NEW,
                "app",
                "ship",
                "-Dorg.gradle.unsafe.isolated-projects=true",
                "--configuration-cache-problems=warn")
            .build();

    assertThat(result.getOutput()).contains(":a shipped under 1", ":b shipped under 1");
    // A Gradle that was put together from Maven artifacts has a problem of its own there.
    assertThat(result.getOutput().lines().filter(l -> l.startsWith("- ")))
        .allMatch(l -> l.startsWith("- Initialization script "));
    assertThat(queue.status().history()).hasSize(1);
  }

  /** Two builds that need the same two locks, in opposite order, again and again. */
  @Test
  void twoBuildsWithTwoLocksDoNotWaitForEachOther() throws Exception {
    BuildQueue lab = bed.fileQueue("locks", "lab", Rules.DEFAULT);
    String settings =
        """
        baton {
            store = 'file:../locks'
            queue = 'release'
            queue('lab') {}
        }
        """;
    String tasks =
        """
        (1..4).each { n ->
            def first = tasks.register("FIRST$n") { %s }
            def second = tasks.register("SECOND$n") { dependsOn first; %s }
            if (n > 1) { first.configure { dependsOn "SECOND${n - 1}" } }
            baton.guard(first, FIRST_QUEUE)
            baton.guard(second, SECOND_QUEUE)
        }
        tasks.register('all') { dependsOn 'SECOND4' }
        """
            .formatted(
                Bed.witness(bed.path("a.txt"), 30).replace("a.txt", "FILE1.txt"),
                Bed.witness(bed.path("a.txt"), 30).replace("a.txt", "FILE2.txt"));
    bed.build(
        "one",
        settings
            + tasks
                .replace("FIRST_QUEUE", "'lab'")
                .replace("baton.guard(second, SECOND_QUEUE)", "baton.guard(second)")
                .replace("FILE1", "lab")
                .replace("FILE2", "release"));
    bed.build(
        "two",
        settings
            + tasks
                .replace("baton.guard(first, FIRST_QUEUE)", "baton.guard(first)")
                .replace("SECOND_QUEUE", "'lab'")
                .replace("FILE1", "release")
                .replace("FILE2", "lab"));

    List<CompletableFuture<BuildResult>> running = new ArrayList<>();
    for (String name : List.of("one", "two")) {
      running.add(CompletableFuture.supplyAsync(() -> bed.gradle(Bed.NEW, name, "all").build()));
    }
    for (CompletableFuture<BuildResult> one : running) {
      assertThat(one.get(Bed.PATIENCE.toSeconds(), TimeUnit.SECONDS).getOutput())
          .contains("BUILD SUCCESSFUL");
    }

    assertThat(queue.status().history())
        .extracting(HistoryEntry::event)
        .containsOnly(HistoryEntry.Event.RELEASED)
        .hasSize(2);
    assertThat(lab.status().history()).hasSize(2);
  }

  @Test
  void aBuildMayUseSeveralQueues() throws Exception {
    BuildQueue lab = bed.fileQueue("others", "device-lab", Rules.DEFAULT);
    bed.build(
        "app",
        ship()
            + """
            baton.queue('phones') { store = 'file:../others'; queue = 'device-lab'; title = 'UI tests' }
            def labToken = baton.fencingToken('phones')
            def test = tasks.register('uiTest') { doLast { println "tested under ${labToken.get()}" } }
            baton.guard(test, 'phones')
            """);
    queue.acquire(dev.baton.queue.Request.of("ann", "earlier"), p -> {});
    queue.close();

    BuildResult result = bed.gradle(Bed.NEW, "app", "uiTest", "ship").build();

    assertThat(result.getOutput())
        .contains("tested under " + (lab.status().nextToken() - 1))
        .contains(
            ": shipped under "
                + (bed.fileQueue("locks", "release", Rules.DEFAULT).status().nextToken() - 1));
    assertThat(lab.status().history()).extracting(HistoryEntry::title).containsExactly("UI tests");
    assertThat(
            bed.gradle(Bed.NEW, "app", "batonHistory", "--queue", "phones", "--json")
                .build()
                .getOutput())
        .contains("\"title\": \"UI tests\"");
  }
}
