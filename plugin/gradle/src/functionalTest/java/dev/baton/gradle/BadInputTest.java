package dev.baton.gradle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.SimRepository;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.Entry;
import dev.baton.queue.Liveness;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is wrong is told at the earliest moment, in the words of the build file. */
class BadInputTest {

  private static final String WORK =
      """
      def work = tasks.register('work') { doLast { println 'worked' } }
      baton.guard(work)
      """;

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

  /** Even `help` fails: the build file is wrong, whatever is built. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          baton { store = 'ftp:octo' }              | Baton: baton.store cannot be 'ftp:octo'. Write 'file:DIR', 'github:OWNER/REPO', 'oss://BUCKET/PREFIX', 's3://BUCKET/PREFIX' or 'dynamodb://TABLE/KEY': baton { store = … }.
          baton { store = 'github:octo' }           | Baton: baton.store cannot be 'github:octo'. Write 'github:OWNER/REPO'
          baton { store = 'https://me:x@github.com/octo/app?a=b' } | baton.store cannot be '…@github.com/octo/app?…'. Write 'file:DIR'
          baton { queue = 'No Way' }                | Baton: baton.queue cannot be 'No Way'. The name of a queue has 1 to 39 lower-case letters
          baton { store = 'file:x#a'; queue = 'b' } | baton.store names the queue 'a' and baton.queue the queue 'b'. Name the queue once.
          baton { waitTimeout = java.time.Duration.ofMinutes(-5) } | baton.waitTimeout cannot be '-300s'. Write a duration such as 90s, 20m, 1h30m or 2d: baton { waitTimeout = … }.
          baton { waitTimeout('soon') }             | baton.waitTimeout cannot be 'soon'. Write a duration such as 90s, 20m, 1h30m or 2d.
          baton { mode = 'svn' }                    | baton.mode cannot be 'svn'.
          baton { tokenVariable = 'A'; tokenProperty = 'b' } | Baton says in several ways where the token is.
          baton { queue('lab') { store = 'nfs:' } } | baton.queues.lab.store cannot be 'nfs:'.
          baton.guard('wrok')                       | baton.guard('wrok'): root project 'app' has no such task.
          baton.guard(tasks.named('wrok'))          | Task with name 'wrok' not found
          tasks.register('x'); baton.guard('x', 'lab')   | There is no queue 'lab' in the baton block of root project 'app'. Add it: baton { queue('lab') { … } }.
          baton.guard(tasks.named('batonUnlock').get()) | baton.guard goes round in a circle: :batonUnlock would wait for the lock that it looks after.
          """)
  void wrongBuildFiles(String line, String message) throws Exception {
    bed.build("app", line + "\n");

    String output = bed.gradle(Bed.NEW, "app", "help").buildAndFail().getOutput();

    assertThat(output).contains(message);
  }

  @Test
  void aWrongTimeoutOnTheCommandLine() throws Exception {
    bed.build("app", WORK);

    assertThat(
            bed.gradle(Bed.NEW, "app", "help", "-PbatonWaitTimeout=-5m").buildAndFail().getOutput())
        .contains(
            "batonWaitTimeout cannot be '-5m'. Write a duration such as 90s, 20m, 1h30m or"
                + " 2d.");
  }

  @ParameterizedTest
  @CsvSource({Bed.NEW, Bed.OLD})
  void aQueueThatIsNotThere(String version) throws Exception {
    bed.build("app", "baton { store = 'file:../locks' }\n" + WORK);

    String output = bed.gradle(version, "app", "work").buildAndFail().getOutput();
    assertThat(output)
        .contains("There is no queue in", "locks/build. Create it with `gradle batonInit`")
        .contains("baton.store and baton.queue")
        .doesNotContain("\nworked\n");

    assertThat(bed.gradle(version, "app", "work", "batonInit").build().getOutput())
        .contains("#build is created.", "worked");
  }

  /** What a lifecycle task stands for may be executed before, after and beside batonInit. */
  @ParameterizedTest
  @CsvSource({Bed.NEW, Bed.OLD})
  void aQueueThatTheBuildItselfCreates(String version) throws Exception {
    bed.build(
        "app",
        """
        baton { store = "file:../${providers.gradleProperty('locks').get()}" }
        ['a', 'b'].each { name ->
            tasks.register("publish$name") { doLast { println "published $name" } }
        }
        baton.guard(tasks.register('publish') { dependsOn 'publisha', 'publishb' })
        """);

    for (List<String> how :
        List.of(
            List.of("-Plocks=one", "publish", "batonInit"),
            List.of("-Plocks=two", "batonInit", "publish", "--configuration-cache"),
            List.of("-Plocks=three", "publish", "batonInit", "--parallel", "--max-workers=1"))) {
      String output = bed.gradle(version, "app", how.toArray(String[]::new)).build().getOutput();
      assertThat(output).as("%s", how).contains("published a", "published b");
      assertThat(output.split("#build is created\\.", -1)).as(output).hasSize(2);
    }
  }

  @Test
  void aQueueThatAnotherProjectOfTheBuildCreates() throws Exception {
    bed.build("app", "baton { store = 'file:../locks' }\n");
    bed.write("app/settings.gradle", Bed.settings("app") + "include 'lib'\n");
    bed.write(
        "app/lib/build.gradle",
        "plugins { id 'dev.baton' }\nbaton { store = 'file:../locks' }\n"
            + "tasks.register('publishLib') { doLast { println 'published' } }\n"
            + "baton.guard(tasks.register('publish') { dependsOn 'publishLib' })\n");

    String output =
        bed.gradle(Bed.NEW, "app", ":batonInit", ":lib:publish", "--configuration-cache")
            .build()
            .getOutput();

    assertThat(output).contains("#build is created.", "published");
  }

  @Test
  void tokens() throws Exception {
    GitHubSim sim = bed.sim("octo/app");
    bed.gitHubQueue(sim, "octo/app", "build", Rules.DEFAULT);
    String store = "baton { store = 'github:octo/app'; api = '" + sim.baseUrl() + "' }\n" + WORK;
    bed.build("app", store);
    assertThat(bed.gradle(Bed.NEW, "app", "work").buildAndFail().getOutput())
        .contains("There is no token for GitHub. Set BATON_TOKEN, GITHUB_TOKEN or GH_TOKEN")
        .contains("baton.tokenFile");

    bed.build("app", store + "baton { tokenVariable = 'OURS' }\n");
    assertThat(bed.gradle(Bed.NEW, "app", "work").buildAndFail().getOutput())
        .contains("the environment variable OURS of baton.tokenVariable is not set");

    bed.variable("OURS", "wrong");
    assertThat(bed.gradle(Bed.NEW, "app", "work").buildAndFail().getOutput())
        .contains("token")
        .doesNotContain("\nworked\n");

    assertThat(bed.gradle(Bed.NEW, "app", "work", "--offline").buildAndFail().getOutput())
        .contains("The queue github:octo/app cannot be reached with --offline.")
        .contains("baton { store = 'file:DIR' }");
  }

  @Test
  void unlocking() throws Exception {
    bed.fileQueue("locks", "build", Rules.DEFAULT);
    bed.build("app", "baton { store = 'file:../locks' }\n");

    assertThat(bed.gradle(Bed.NEW, "app", "batonUnlock").buildAndFail().getOutput())
        .contains("--ticket is missing. Such as: gradle batonUnlock --ticket 57");
    assertThat(
            bed.gradle(Bed.NEW, "app", "batonUnlock", "--ticket", "7", "--reason", "gone")
                .buildAndFail()
                .getOutput())
        .contains("Ticket 7 does not have the lock: the queue does not know this ticket")
        .contains("nobody has it now");
    assertThat(
            bed.gradle(Bed.NEW, "app", "batonStatus", "--queue", "lab").buildAndFail().getOutput())
        .contains("There is no queue 'lab' in the baton block.");
  }

  @Test
  void aWorkflowJobThatRunsIsUnlockedOnlyNow() throws Exception {
    GitHubSim sim = bed.sim("octo/app");
    BuildQueue queue = bed.gitHubQueue(sim, "octo/app", "build", Rules.DEFAULT);
    bed.build("app", "baton { store = 'github:octo/app'; api = '" + sim.baseUrl() + "' }\n");
    bed.variable("BATON_TOKEN", Bed.TOKEN);
    SimRepository.RunView run = sim.repository("octo/app").startRun("ci", "ann", "build");
    RunRef job = new RunRef("octo/app", run.id(), 1, run.jobs().get(0).id(), "build");
    Entry entry = new Entry(Request.newNonce(), "the job", "ci", Liveness.RUN, Optional.of(job), 0);
    queue.join(entry);
    String[] unlock = {"batonUnlock", "--ticket", "1", "--reason", "gone"};

    assertThat(bed.gradle(Bed.NEW, "app", unlock).buildAndFail().getOutput())
        .contains("Nothing was changed: ticket 1 (")
        .contains("still runs and cannot be stopped from here; the next build starts beside it")
        .contains("To do: cancel run ");
    assertThat(Bed.holder(queue.status())).contains(1L);

    sim.repository("octo/app").finishRun(run.id(), "failure");
    assertThat(bed.gradle(Bed.NEW, "app", unlock).build().getOutput())
        .contains("does not run any more; the next build starts at once.");
    assertThat(queue.status().tickets()).isEmpty();

    bed.fileQueue("locks", "build", Rules.DEFAULT).join(entry);
    bed.build("app", "baton { store = 'file:../locks' }\n");
    assertThat(bed.gradle(Bed.NEW, "app", unlock).buildAndFail().getOutput())
        .contains("may still run and cannot be stopped from here");
    assertThat(
            bed.gradle(Bed.NEW, "app", "batonUnlock", "--ticket", "1", "--reason", "gone", "--now")
                .build()
                .getOutput())
        .contains("The lock is taken away: ticket 1 (")
        .contains("the next build starts beside it.");
  }
}
