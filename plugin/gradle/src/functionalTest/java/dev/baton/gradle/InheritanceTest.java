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
import dev.baton.queue.Ticket;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.gradle.testkit.runner.BuildResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A build goes on under a lock that somebody else got for it. */
class InheritanceTest {

  private static final String SHIP =
      """
      def token = baton.fencingToken
      def ship = tasks.register('ship') { doLast { println "shipped under ${token.get()}" } }
      baton.guard(ship)
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

  @ParameterizedTest
  @ValueSource(strings = {Bed.NEW, Bed.OLD})
  void batonRunThenGradle(String version) throws Exception {
    BuildQueue queue = bed.fileQueue("locks", "release", Rules.DEFAULT);
    bed.build("app", "baton { store = 'file:../locks'; queue = 'release' }\n" + SHIP);
    String store = "file:" + bed.path("locks");
    // What `baton run` starts: Gradle, and then a look at the queue.
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String gradle =
        "'%s' -cp '%s/lib/gradle-launcher-%s.jar' org.gradle.launcher.GradleMain -g '%s' ship"
            .formatted(java, Bed.installation(version), version, System.getProperty("testkit"));

    Process run =
        bed.start(
            "app",
            "dev.baton.cli.Main",
            "run",
            "--store",
            store,
            "--queue",
            "release",
            "--",
            "sh",
            "-c",
            gradle + " && grep build_locked_by ../locks/release/queue.json");

    assertThat(run.waitFor(Bed.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(bed.read("app.out"))
        .contains("Going on under the lock of ticket 1.", "shipped under 1")
        .contains("\"build_locked_by\": \"1\"");
    assertThat(run.exitValue()).isZero();
    assertThat(queue.status().nextTicket()).isEqualTo(2);
    assertThat(queue.status().tickets()).isEmpty();
  }

  @Test
  void theActionThenGradle() throws Exception {
    GitHubSim sim = bed.sim("octo/app");
    BuildQueue queue = bed.gitHubQueue(sim, "octo/app", "release", Rules.DEFAULT);
    bed.build("app", "baton { store = 'github:octo/app'; queue = 'release' }\n" + SHIP);
    bed.getLockByAction(sim, "octo/app", "release", "app");
    assertThat(bed.environment()).containsEntry("BATON_TICKET", "1");

    BuildResult build = bed.gradle(Bed.NEW, "app", "ship").build();

    assertThat(build.getOutput())
        .contains("Going on under the lock of ticket 1.", "shipped under 1");
    assertThat(Bed.holder(queue.status())).contains(1L);
    assertThat(queue.status().nextTicket()).isEqualTo(2);
  }

  /** As a shell calls {@code baton run} of that queue. */
  private String run(String queue) {
    return "'%s' -cp '%s' dev.baton.cli.Main run --store 'file:%s' --queue %s --wait-timeout 0s -- "
        .formatted(
            Path.of(System.getProperty("java.home"), "bin", "java"),
            System.getProperty("commandLine"),
            bed.path("locks"),
            queue);
  }

  @Test
  void aBuildUnderTheLocksOfTwoQueues() throws Exception {
    BuildQueue release = bed.fileQueue("locks", "release", Rules.DEFAULT);
    BuildQueue lab = bed.fileQueue("locks", "lab", Rules.DEFAULT);
    bed.write("inside.sh", run("release") + "true && " + run("lab") + "echo inside both");
    bed.build(
        "app",
        """
        baton { store = 'file:../locks'; queue = 'release'; queue('lab') {} }
        """
            + SHIP
            + """
            def probed = baton.fencingToken('lab')
            def probe = tasks.register('probe') { doLast { println "probed: ${probed.get()}" } }
            baton.guard(probe, 'lab')
            def both = tasks.register('both', Exec) { commandLine 'sh', '../inside.sh' }
            baton.guard(both)
            baton.guard(both, 'lab')
            """);
    String gradle =
        "'%s' -cp '%s/lib/gradle-launcher-%s.jar' org.gradle.launcher.GradleMain -g '%s'"
            .formatted(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                Bed.installation(Bed.NEW),
                Bed.NEW,
                System.getProperty("testkit"));
    bed.write(
        "outer.sh",
        run("release") + run("lab") + gradle + " ship probe both -PbatonWaitTimeout=1s");

    Process outer = bed.shell("app", "../outer.sh");

    assertThat(outer.waitFor(Bed.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(bed.read("app.out")).contains("shipped under 1", "probed: 1", "inside both");
    assertThat(outer.exitValue()).isZero();
    for (BuildQueue queue : List.of(release, lab)) {
      assertThat(queue.status().nextTicket()).isEqualTo(2);
      assertThat(queue.status().tickets()).isEmpty();
    }

    // The same when it is the build itself that takes both.
    assertThat(bed.gradle(Bed.NEW, "app", "both").build().getOutput()).contains("inside both");
    assertThat(release.status().nextTicket()).isEqualTo(3);
  }

  @Test
  void aBuildInARunThatHasTheLockDoesNotWaitForIt() throws Exception {
    GitHubSim sim = bed.sim("octo/app");
    BuildQueue queue = bed.gitHubQueue(sim, "octo/app", "release", Rules.DEFAULT);
    bed.build("app", "baton { store = 'github:octo/app'; queue = 'release' }\n" + SHIP);
    SimRepository.RunView run = sim.repository("octo/app").startRun("ci", "ann", "lock", "build");
    Ticket whole =
        queue.join(
            new Entry(
                Request.newNonce(),
                "octo/app run " + run.id(),
                "ci",
                Liveness.RUN,
                Optional.of(new RunRef("octo/app", run.id(), 1, 0, "")),
                0));
    bed.variable("GITHUB_API_URL", sim.baseUrl())
        .variable("GITHUB_REPOSITORY", "octo/app")
        .variable("GITHUB_RUN_ID", Long.toString(run.id()))
        .variable("GITHUB_RUN_ATTEMPT", "1")
        .variable("GITHUB_JOB", "build")
        .variable("GITHUB_TOKEN", Bed.TOKEN);

    assertThat(bed.gradle(Bed.NEW, "app", "ship", "-PbatonWaitTimeout=1s").build().getOutput())
        .contains("Going on under the lock of ticket 1.", "shipped under 1");
    assertThat(queue.status().tickets()).containsExactly(whole);
  }

  @Test
  void aLockThatIsNotHeldAnyMoreIsNotBelieved() throws Exception {
    bed.fileQueue("locks", "release", Rules.DEFAULT);
    bed.build("app", "baton { store = 'file:../locks'; queue = 'release' }\n" + SHIP);
    bed.variable("BATON_STORE", "file:" + bed.path("locks"))
        .variable("BATON_QUEUE", "release")
        .variable("BATON_TICKET", "7")
        .variable("BATON_FENCING_TOKEN", "7");

    assertThat(bed.gradle(Bed.NEW, "app", "ship").buildAndFail().getOutput())
        .contains("The lock that this was started under (ticket 7, token 7) is not held")
        .contains("nobody has it now")
        .doesNotContain("shipped");
  }

  @Test
  void aGrantOfAnotherQueueIsNotTaken() throws Exception {
    BuildQueue queue = bed.fileQueue("locks", "release", Rules.DEFAULT);
    bed.build("app", "baton { store = 'file:../locks'; queue = 'release' }\n" + SHIP);
    bed.variable("BATON_STORE", "file:" + bed.path("others"))
        .variable("BATON_QUEUE", "release")
        .variable("BATON_TICKET", "7")
        .variable("BATON_FENCING_TOKEN", "7");

    assertThat(bed.gradle(Bed.NEW, "app", "ship").build().getOutput()).contains("shipped under 1");
    assertThat(queue.status().nextTicket()).isEqualTo(2);
  }

  @Test
  void aBuildInsideABuildGoesOnUnderItsLock() throws Exception {
    BuildQueue queue = bed.fileQueue("locks", "release", Rules.DEFAULT);
    bed.build("inner", "baton { store = 'file:../locks'; queue = 'release' }\n" + SHIP);
    bed.build(
        "outer",
        """
        baton { store = 'file:../locks'; queue = 'release' }
        def nested = tasks.register('nested', GradleBuild) {
            dir = file('../inner')
            tasks = ['ship']
        }
        baton.guard(nested)
        """);

    assertThat(bed.gradle(Bed.NEW, "outer", "nested").build().getOutput())
        .contains("shipped under 1");
    assertThat(queue.status().nextTicket()).isEqualTo(2);
    assertThat(queue.status().tickets()).isEmpty();
  }
}
