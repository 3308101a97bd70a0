package dev.baton.gradle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.queue.BuildQueue;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.Rules;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.gradle.testkit.runner.BuildResult;
import org.gradle.testkit.runner.TaskOutcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When a build takes the lock, and when it gives it back. */
class GuardTest {

  private static final String GUARDED =
      """
      baton { store = 'file:../locks'; queue = 'release' }
      def token = baton.fencingToken
      def work = tasks.register('work') {
          outputs.upToDateWhen { project.hasProperty('fresh') }
          outputs.file('work.txt')
          doLast {
              file('work.txt').text = 'done'
              println "worked under token ${token.get()}"
          }
      }
      baton.guard(work)
      """;

  /** Without anything that the configuration cache forbids. */
  private static final String STRICT =
      """
      baton { store = 'file:../locks'; queue = 'release' }
      def token = baton.fencingToken
      def work = tasks.register('work') {
          doLast { println "worked under token ${token.get()}" }
      }
      def ship = tasks.register('ship', Exec) {
          dependsOn work
          commandLine 'sh', '-c', 'echo shipped under $BATON_FENCING_TOKEN, $FENCE, ticket $BATON_TICKET'
          environment 'FENCE', baton.fencingToken
      }
      baton.guard(work)
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

  private List<HistoryEntry> history() throws Exception {
    return queue.status().history();
  }

  @ParameterizedTest
  @ValueSource(strings = {Bed.NEW, Bed.OLD})
  void guardedTasksShareOneLockAlsoWhenTheConfigurationIsReused(String version) throws Exception {
    bed.build("app", STRICT);
    long token = queue.status().nextToken();
    long next = token + 1;

    BuildResult first = bed.gradle(version, "app", "ship", "--configuration-cache").build();
    assertThat(first.getOutput())
        .contains("worked under token " + token + "\n")
        .contains("shipped under " + token + ", " + token + ", ticket 1\n")
        .contains("Configuration cache entry stored");
    BuildResult second = bed.gradle(version, "app", "ship", "--configuration-cache").build();
    assertThat(second.getOutput())
        .contains("worked under token " + next + "\n")
        .contains("shipped under " + next + ", " + next + ", ticket 2\n")
        .contains("Configuration cache entry reused");

    assertThat(history()).extracting(HistoryEntry::event).hasSize(2);
    assertThat(history())
        .extracting(HistoryEntry::result)
        .containsOnly(dev.baton.queue.BuildResult.SUCCEEDED);
    assertThat(queue.status().tickets()).isEmpty();
  }

  @Test
  void nothingIsDeprecated() throws Exception {
    bed.build("app", STRICT);

    BuildResult result =
        bed.gradle(Bed.NEW, "app", "ship", "batonStatus", "--warning-mode=fail").build();

    assertThat(result.getOutput()).contains("shipped under 1", "Queue release in file:");
  }

  @ParameterizedTest
  @ValueSource(strings = {Bed.NEW, Bed.OLD})
  void tasksThatDoNotExecuteTakeNoLock(String version) throws Exception {
    bed.build(
        "app",
        GUARDED
            + """
            tasks.register('skipped') {
                onlyIf { false }
                doLast { throw new IllegalStateException('must not run') }
            }
            baton.guard(tasks.named('skipped'))
            """);
    bed.gradle(version, "app", "work").build();
    assertThat(history()).hasSize(1);

    BuildResult upToDate = bed.gradle(version, "app", "work", "skipped", "-Pfresh").build();
    assertThat(upToDate.task(":work").getOutcome()).isEqualTo(TaskOutcome.UP_TO_DATE);
    assertThat(upToDate.task(":skipped").getOutcome()).isEqualTo(TaskOutcome.SKIPPED);
    bed.gradle(version, "app", "work", "--dry-run").build();

    assertThat(history()).hasSize(1);
    assertThat(queue.status().nextTicket()).isEqualTo(2);
  }

  @Test
  void outputFromTheBuildCacheTakesNoLock() throws Exception {
    bed.build(
        "app",
        """
        baton { store = 'file:../locks'; queue = 'release' }
        @CacheableTask
        abstract class Make extends DefaultTask {
            @OutputFile abstract RegularFileProperty getOut()
            @TaskAction void make() { out.get().asFile.text = 'made' }
        }
        def make = tasks.register('make', Make) { out = layout.buildDirectory.file('made.txt') }
        baton.guard(make)
        tasks.register('clean', Delete) { delete layout.buildDirectory }
        """);
    bed.write(
        "app/settings.gradle",
        Bed.settings("app") + "buildCache { local { directory = file('../cache') } }\n");

    bed.gradle(Bed.NEW, "app", "make", "--build-cache").build();
    BuildResult again = bed.gradle(Bed.NEW, "app", "clean", "make", "--build-cache").build();

    assertThat(again.task(":make").getOutcome()).isEqualTo(TaskOutcome.FROM_CACHE);
    assertThat(Files.readString(bed.path("app/build/made.txt"))).isEqualTo("made");
    assertThat(history()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {Bed.NEW, Bed.OLD})
  void theLockIsGivenBackWhenTheLastGuardedTaskIsDone(String version) throws Exception {
    bed.build(
        "app",
        GUARDED
            + """
            def queueFile = file('../locks/release/queue.json')
            tasks.register('after') {
                dependsOn 'work'
                doLast {
                    def end = System.nanoTime() + 60_000_000_000L
                    def free = { queueFile.text.contains('"build_locked_by": null') }
                    while (!free() && System.nanoTime() < end) { Thread.sleep(20) }
                    println "free: ${free()}"
                }
            }
            """);

    BuildResult result = bed.gradle(version, "app", "after").build();

    assertThat(result.getOutput()).contains("worked under token 1", "free: true");
  }

  @Test
  void aLifecycleTaskStandsForWhatItDependsOn() throws Exception {
    bed.build(
        "app",
        """
        baton { store = 'file:../locks'; queue = 'release' }
        def token = baton.fencingToken
        tasks.register('compile') { doLast { println 'compiled' } }
        ['a', 'b'].each { name ->
            tasks.register("publish$name") {
                dependsOn 'compile'
                doFirst { println "first in $name: ${token.get()}" }
                doLast { println "published $name: ${token.get()}" }
            }
        }
        baton.guard(tasks.register('publish') { dependsOn 'publisha', 'publishb' })
        tasks.named('publisha') { doFirst { println "very first: ${token.get()}" } }
        """);

    BuildResult result = bed.gradle(Bed.NEW, "app", "publish", "--parallel").build();

    assertThat(result.getOutput())
        .contains("published a: 1", "published b: 1", "first in a: 1", "very first: 1");
    assertThat(history()).hasSize(1);
  }

  @Test
  void whatATaskTellsItsProcessesIsNoInputOfIt() throws Exception {
    bed.build(
        "app",
        """
        baton { store = 'file:../locks'; queue = 'release' }
        def work = tasks.register('work', Exec) {
            inputs.property('variables') { environment.findAll { it.key.startsWith('BATON') } as String }
            outputs.file('work.txt')
            outputs.cacheIf { true }
            commandLine 'sh', '-c', 'echo $BATON_FENCING_TOKEN > work.txt; test -n "$BATON_GUARD"'
        }
        baton.guard(work)
        """);
    bed.write(
        "app/settings.gradle",
        Bed.settings("app") + "buildCache { local { directory = file('../cache') } }\n");
    assertThat(outcome("work", "--build-cache")).isEqualTo(TaskOutcome.SUCCESS);
    assertThat(outcome("work", "--build-cache")).isEqualTo(TaskOutcome.UP_TO_DATE);
    Files.delete(bed.path("app/work.txt"));
    assertThat(outcome("work", "--build-cache")).isEqualTo(TaskOutcome.FROM_CACHE);
    assertThat(bed.read("app/work.txt")).isEqualTo(queue.status().nextToken() - 1 + "\n");
    assertThat(history()).hasSize(1);
  }

  private TaskOutcome outcome(String... arguments) {
    return bed.gradle(Bed.NEW, "app", arguments).build().task(":work").getOutcome();
  }

  @Test
  void aBuildThatFailsGivesTheLockBackAlsoWhenOthersContinue() throws Exception {
    bed.build(
        "app",
        GUARDED
            + """
            def bad = tasks.register('bad') { doLast { throw new IllegalStateException('broken') } }
            baton.guard(bad)
            baton.guard(tasks.register('never') { dependsOn bad; doLast { println 'no' } })
            """);

    BuildResult result =
        bed.gradle(Bed.NEW, "app", "bad", "never", "work", "--continue").buildAndFail();

    assertThat(result.getOutput()).contains("broken", "worked under token 1");
    assertThat(queue.status().tickets()).isEmpty();
    assertThat(history())
        .extracting(HistoryEntry::result)
        .containsExactly(dev.baton.queue.BuildResult.FAILED);
  }

  @Test
  void aNoOpBuildDoesNotLoadTheEngine() throws Exception {
    bed.build("app", GUARDED + "tasks.register('idle')\n");
    BuildResult result =
        bed.gradle(Bed.NEW, "app", "idle", "-g", bed.path("home").toString()).build();

    assertThat(result.getOutput()).contains("BUILD SUCCESSFUL");
    assertThat(bed.path("home/caches")).exists();
    assertThat(bed.path("home/caches/baton")).doesNotExist();
  }

  @Test
  void inAContinuousBuildEachRoundHasItsOwnTurn() throws Exception {
    bed.build(
        "app",
        """
        baton { store = 'file:../locks'; queue = 'release' }
        def token = baton.fencingToken
        def work = tasks.register('work') {
            inputs.file('input.txt')
            outputs.file('work.txt')
            def out = file('work.txt')
            doLast { out.text = "token ${token.get()}" }
        }
        baton.guard(work)
        """);
    bed.write("app/input.txt", "one");
    long token = queue.status().nextToken();
    Process process = bed.gradleProcess(Bed.NEW, "app", "work", "--continuous");
    Bed.await("first round", () -> bed.read("app/work.txt").equals("token " + token));
    Bed.await("waiting for changes", () -> bed.read("app.out").contains("Waiting for changes"));
    assertThat(queue.status().tickets()).isEmpty();

    bed.write("app/input.txt", "two");

    Bed.await("second round", () -> bed.read("app/work.txt").equals("token " + (token + 1)));
    Bed.await("given back", () -> queue.status().tickets().isEmpty());
    process.destroy();
  }
}
