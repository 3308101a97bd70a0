package dev.baton.action;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.SystemWorld;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.Grant;
import dev.baton.githubsim.SimRepository;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Rules;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.github.GitHubConnection;
import dev.baton.queue.github.GitHubPlace;
import dev.baton.queue.github.GitHubSpace;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Steps that park, and steps that have parked jobs run again, against a GitHub on loopback. */
class ParkingStepsTest {

  private static final String WAKES = "ghs_mayRunJobsAgain0000000000000000003";
  private static final String READS = "ghs_mayNotRunJobsAgain00000000000000004";
  private static final String REPOSITORY = "octo/app";

  @TempDir Path directory;
  private GitHubSim sim;
  private SimRepository home;
  private GitHubSpace space;
  private BuildQueue queue;
  private RunnerHarness harness;
  private RunnerHarness.Step holder;
  private SimRepository.RunView run;

  /** Ticket 1 builds. */
  @BeforeEach
  void start() throws Exception {
    sim = GitHubSim.start(SimSettings.defaults());
    home = sim.addRepository(REPOSITORY, true);
    sim.addToken(
        Token.workflow(
            "wakes",
            WAKES,
            REPOSITORY,
            Grant.CONTENTS_WRITE,
            Grant.ISSUES_WRITE,
            Grant.ACTIONS_WRITE));
    sim.addToken(
        Token.workflow(
            "reads",
            READS,
            REPOSITORY,
            Grant.CONTENTS_WRITE,
            Grant.ISSUES_WRITE,
            Grant.ACTIONS_READ));
    space =
        GitHubSpace.open(
            GitHubPlace.parse("github:" + REPOSITORY, URI.create(sim.baseUrl())),
            GitHubConnection.builder().token(() -> READS).build(),
            new SystemWorld());
    queue = space.queue(EngineSettings.DEFAULT);
    queue.create(Rules.DEFAULT);
    harness = new RunnerHarness(sim, directory, RunnerHarness.THREAD);
    holder = job(start("build"), WAKES).run();
    run = start("build");
  }

  @AfterEach
  void stop() {
    queue.close();
    space.close();
    sim.close();
  }

  private SimRepository.RunView start(String... jobs) {
    return home.startRun("build", "ann", jobs);
  }

  private RunnerHarness.Job job(SimRepository.RunView of, String token) {
    return harness.job(REPOSITORY, of, 0, "build", token);
  }

  private Ticket ticket(long number) throws Exception {
    return queue.status().ticket(number).orElseThrow();
  }

  /** The job of ticket 2 has parked, and has ended. */
  private RunnerHarness.Step parks(String token) throws Exception {
    RunnerHarness.Step step = job(run, token).run("wait", "park");
    assertThat(step.outputs()).as(step.log()).containsEntry("parked", "true");
    step.post();
    home.finishRun(run.id(), "failure");
    return step;
  }

  private List<String> wakeUps() {
    return sim.log().entries().stream()
        .map(e -> e.method() + " " + e.path() + " " + e.status())
        .filter(line -> line.endsWith("/rerun 201"))
        .toList();
  }

  private String wakeUp() {
    return "POST /repos/octo/app/actions/jobs/" + run.jobs().get(0).id() + "/rerun 201";
  }

  private RunnerHarness.Step maintains(String token, String command) throws Exception {
    return job(start("wake"), token).run("command", command);
  }

  /** By a step whose token may not run jobs again. */
  private void handsOver() throws Exception {
    RunnerHarness.Step release =
        job(start("release"), READS)
            .run("command", "release", "ticket", "1", "fencing-token", "" + holder.token());
    assertThat(release.exitCode()).as(release.log()).isZero();
    assertThat(ticket(2).state()).isEqualTo(TicketState.OFFERED);
    assertThat(wakeUps()).isEmpty();
  }

  // ---- who parks

  @Test
  void aJobThatParksFailsAndKeepsItsPlace() throws Exception {
    RunnerHarness.Step step = job(run, WAKES).run("wait", "park");

    assertThat(step.exitCode()).as(step.log()).isEqualTo(1);
    assertThat(step.stdout().lines().filter(l -> l.startsWith("::error"))).hasSize(1);
    assertThat(step.stdout())
        .contains(
            "::error title=Parked and not built yet::ticket 2 keeps place 1 of github:octo/app")
        .contains("it is run again by itself when its turn comes")
        .doesNotContain("occupies a runner");
    assertThat(step.outputs())
        .containsEntry("parked", "true")
        .containsEntry("acquired", "false")
        .containsEntry("ticket", "2")
        .containsEntry("position", "1");
    assertThat(step.summary())
        .contains("Parked and not built yet")
        .contains("| place | <code>1</code> |")
        .contains("| turn | <code>unknown</code> |");
    assertThat(step.post().stdout()).contains("The ticket stays in line");
    assertThat(ticket(2).isParked()).isTrue();
    RunnerHarness.Step looks = maintains(READS, "status");
    assertThat(looks.stdout()).contains("place 1, parked: main, octo/app run");
  }

  @Test
  void aJobThatIsKilledRightAfterItHasParkedKeepsItsPlaceUnlessItWasCancelled() throws Exception {
    RunnerHarness.Job job = job(run, WAKES);
    RunnerHarness.Step step = job.run("wait", "park");
    step.state().remove("stays");

    assertThat(step.post().stdout()).contains("it is parked");
    assertThat(ticket(2).isParked()).isTrue();
    job.went("cancelled");
    step.post();
    assertThat(queue.status().ticket(2)).isEmpty();
  }

  @Test
  void aTicketThatWasDrawnByJoinParksToo() throws Exception {
    RunnerHarness.Job job = job(run, WAKES);
    RunnerHarness.Step joined = job.run("command", "join");
    RunnerHarness.Step step = job.run("wait", "park");
    assertThat(step.outputs()).as(step.log()).containsEntry("parked", "true");
    assertThat(step.ticket()).isEqualTo(joined.ticket());
    step.post();
    joined.post();
    assertThat(ticket(joined.ticket()).isParked()).isTrue();
  }

  private String keepsItsRunner(String token, String... inputs) throws Exception {
    List<String> all = new ArrayList<>(List.of("wait", "park", "wait-timeout", "3s"));
    all.addAll(List.of(inputs));
    RunnerHarness.Step step = job(run, token).run(all.toArray(String[]::new));
    assertThat(step.stdout()).contains("::error title=No build lock in time::");
    assertThat(step.outputs()).containsEntry("parked", "false");
    assertThat(queue.status().history()).noneMatch(h -> h.event().name().equals("PARKED"));
    return step.stdout();
  }

  @Test
  void nobodyParksWithoutAPermissionToRunJobsAgain() throws Exception {
    assertThat(keepsItsRunner(READS))
        .containsOnlyOnce(
            "the job cannot park now: the token may not run jobs again: give it `actions: write`");
  }

  @Test
  void aLegOfAMatrixAndALockOfTheRunKeepTheirRunner() throws Exception {
    assertThat(keepsItsRunner(WAKES, "job-index", "0", "job-total", "2"))
        .containsOnlyOnce("::warning title=This job does not park::")
        .contains("it is one of 2 jobs of a matrix");
    assertThat(keepsItsRunner(WAKES, "hold", "run"))
        .containsOnlyOnce("::warning title=This job does not park::")
        .contains("`hold: run` takes the lock for all jobs of the run");
  }

  @Test
  void aJobBesideOthersOfItsRunKeepsItsRunner() throws Exception {
    run = start("build", "lint");
    assertThat(keepsItsRunner(WAKES)).containsOnlyOnce("other jobs of its run go on (1)");
  }

  @Test
  void whoWaitsWithARunnerIsToldHowToPark() throws Exception {
    RunnerHarness.Step step = job(run, READS).run("wait-timeout", "1s");
    assertThat(step.stdout()).contains("With `wait: park` and `actions: write`");
    RunnerHarness.Step whole = job(run, READS).run("wait-timeout", "1s", "hold", "run");
    assertThat(whole.stdout()).contains("occupies a runner").doesNotContain("wait: park");
  }

  // ---- who wakes

  @Test
  void theReleaseRunsTheJobAgainWhichHasItsTicketAndTheLock() throws Exception {
    RunnerHarness.Step parked = parks(WAKES);

    holder.post();

    assertThat(wakeUps()).containsExactly(wakeUp());
    SimRepository.RunView again = home.run(run.id()).orElseThrow();
    assertThat(again.attempt()).isEqualTo(2);
    RunnerHarness.Step builds = job(again, WAKES).run("wait", "park");
    assertThat(builds.exitCode()).as(builds.log()).isZero();
    assertThat(builds.acquired()).isTrue();
    assertThat(builds.ticket()).isEqualTo(parked.ticket());
    assertThat(builds.outputs()).containsEntry("parked", "false");
    builds.post();
    assertThat(queue.status().tickets()).isEmpty();
    assertThat(wakeUps()).hasSize(1);
  }

  @Test
  void whoMayNotAskUsesUpNoTry() throws Exception {
    parks(WAKES);
    handsOver();
    assertThat(ticket(2).parked().orElseThrow().tries()).isZero();
    assertThat(ticket(2).parked().orElseThrow().problem()).isEmpty();
  }

  @Test
  void aScheduledWorkflowRunsTheJobAgainOnce() throws Exception {
    parks(WAKES);
    RunnerHarness.Step early = maintains(WAKES, "wake");
    assertThat(early.exitCode()).as(early.log()).isZero();
    assertThat(early.stdout()).contains("one job is parked, and the turn of none has come");
    handsOver();

    RunnerHarness.Step wakes = maintains(WAKES, "wake");
    assertThat(wakes.exitCode()).as(wakes.log()).isZero();
    assertThat(wakes.stdout())
        .contains("the turn of parked ticket 2: GitHub was asked to run its job again.");
    assertThat(maintains(WAKES, "wake").exitCode()).isZero();

    assertThat(wakeUps()).containsExactly(wakeUp());
  }

  @Test
  void aScheduledWorkflowWithoutThePermissionFails() throws Exception {
    RunnerHarness.Step nothing = maintains(READS, "wake");
    assertThat(nothing.exitCode()).isEqualTo(1);
    assertThat(nothing.stdout())
        .contains("no job can be run again: the token may not run jobs again: give it")
        .contains("no job of this queue is parked");
    parks(WAKES);
    handsOver();
    QueueDocument before = queue.status();
    RunnerHarness.Step inVain = maintains(READS, "wake");
    assertThat(inVain.exitCode()).isEqualTo(1);
    assertThat(inVain.stdout()).contains("GitHub was not asked to run its job again");
    assertThat(queue.status()).isEqualTo(before);
  }

  @Test
  void aWakeTokenRunsJobsAgainAndShowsNowhere() throws Exception {
    RunnerHarness.Step parked = job(run, READS).run("wait", "park", "wake-token", WAKES);
    assertThat(parked.outputs()).as(parked.log()).containsEntry("parked", "true");
    RunnerHarness.Step post = parked.post();
    home.finishRun(run.id(), "failure");
    handsOver();
    RunnerHarness.Step wakes =
        job(start("wake"), READS).run("command", "wake", "wake-token", WAKES);
    assertThat(wakes.exitCode()).as(wakes.log()).isZero();

    assertThat(wakeUps()).containsExactly(wakeUp());
    for (RunnerHarness.Step step : List.of(parked, post, wakes)) {
      assertThat(step.everything().lines().filter(l -> l.contains(WAKES)))
          .containsOnly("::add-mask::" + WAKES);
    }
    assertThat(space.document("queue").read().content().orElseThrow()).doesNotContain(WAKES);
  }
}
