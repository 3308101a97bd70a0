package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.githubsim.Fault;
import dev.baton.githubsim.Grant;
import dev.baton.githubsim.SimRepository;
import dev.baton.githubsim.Staleness;
import dev.baton.githubsim.Token;
import dev.baton.queue.RunRef;
import dev.baton.queue.RunStatus;
import dev.baton.queue.RunStatus.Answer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class GitHubRunStatusTest {
  private final Desk desk = new Desk();
  private final RunStatus status = desk.open().runStatus();

  @AfterEach
  void close() {
    desk.close();
    CapturedLog.stop();
  }

  private static RunRef whole(SimRepository.RunView run) {
    return new RunRef(Desk.REPOSITORY, run.id(), run.attempt(), 0, "build");
  }

  private static RunRef job(SimRepository.RunView run, int index) {
    return new RunRef(
        Desk.REPOSITORY, run.id(), run.attempt(), run.jobs().get(index).id(), "build");
  }

  private SimRepository.RunView start(String... jobs) {
    return desk.repository.startRun("ci", "ann", jobs);
  }

  // ---- ended or not

  @Test
  void aRunEndsWhenItIsCompleted() {
    SimRepository.RunView run = start("build");
    assertThat(status.of(whole(run))).isEqualTo(Answer.RUNNING);

    desk.repository.cancelRun(run.id());

    assertThat(status.of(whole(run))).isEqualTo(Answer.ENDED);
  }

  @Test
  void aJobEndsWhileItsRunGoesOn() {
    SimRepository.RunView run = start("build", "test");
    desk.repository.finishJob(run.id(), run.jobs().get(0).id(), "failure");

    assertThat(status.of(job(run, 0))).isEqualTo(Answer.ENDED);
    assertThat(status.of(job(run, 1))).isEqualTo(Answer.RUNNING);
    assertThat(status.of(whole(run))).isEqualTo(Answer.RUNNING);
  }

  @Test
  void aLaterAttemptEndsAnEarlierOne() {
    SimRepository.RunView first = start("build");
    desk.repository.finishRun(first.id(), "failure");
    SimRepository.RunView second = desk.repository.rerun(first.id());

    assertThat(status.of(whole(first))).isEqualTo(Answer.ENDED);
    assertThat(status.of(job(first, 0))).isEqualTo(Answer.ENDED);
    assertThat(status.of(whole(second))).isEqualTo(Answer.RUNNING);
    assertThat(status.of(job(second, 0))).isEqualTo(Answer.RUNNING);
  }

  @Test
  void anOldAnswerAboutAnEarlierAttemptEndsNothing() {
    SimRepository.RunView first = start("build");
    desk.repository.finishRun(first.id(), "failure");
    desk.pass(Duration.ofMinutes(1));
    desk.sim.staleness(Staleness.of(Duration.ofSeconds(10)));
    SimRepository.RunView second = desk.repository.rerun(first.id());

    assertThat(status.of(whole(second))).isEqualTo(Answer.RUNNING);
    assertThat(status.of(job(second, 0))).isEqualTo(Answer.RUNNING);
  }

  @Test
  void aJobThatIsNotListedGoesByItsRun() {
    SimRepository.RunView run = start("build");
    RunRef other = new RunRef(Desk.REPOSITORY, run.id(), 1, 4_711, "build");

    assertThat(status.of(other)).isEqualTo(Answer.RUNNING);
    desk.repository.finishRun(run.id(), "success");
    assertThat(status.of(other)).isEqualTo(Answer.ENDED);
  }

  @Test
  void jobsOnLaterPagesAreFound() {
    String[] names = IntStream.range(0, 230).mapToObj(i -> "leg-" + i).toArray(String[]::new);
    SimRepository.RunView run = start(names);
    desk.repository.finishJob(run.id(), run.jobs().get(229).id(), "success");

    assertThat(status.of(job(run, 229))).isEqualTo(Answer.ENDED);
    assertThat(status.of(job(run, 228))).isEqualTo(Answer.RUNNING);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void oneOddAnswerEndsNoJob(boolean byJob) {
    SimRepository.RunView run = start("build");
    RunRef ref = byJob ? job(run, 0) : whole(run);
    long id = byJob ? run.jobs().get(0).id() : run.id();
    String said = "{\"id\":" + id + ",\"run_attempt\":1,\"status\":\"completed\"}";
    desk.sim.failNext(1, r -> true, new Fault.Odd(200, byJob ? jobs(said) : said, false));

    assertThat(status.of(ref)).isEqualTo(Answer.RUNNING);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anAnswerAboutAnotherRunEndsNothing(boolean byJob) {
    SimRepository.RunView run = start("build");
    String said =
        "{\"id\":1,\"run_id\":" + (run.id() + 1) + ",\"run_attempt\":2,\"status\":\"completed\"}";
    desk.sim.failNext(100, r -> true, new Fault.Odd(200, byJob ? jobs(said) : said, false));

    assertThat(status.of(byJob ? job(run, 0) : whole(run))).isEqualTo(Answer.UNREACHABLE);
  }

  @Test
  void lookingAgainAtARunningJobIsFree() {
    SimRepository.RunView run = start("build");
    status.of(job(run, 0));
    desk.sim.log().clear();

    assertThat(status.of(job(run, 0))).isEqualTo(Answer.RUNNING);

    assertThat(desk.entries())
        .singleElement()
        .satisfies(e -> assertThat(e.charged()).isFalse())
        .satisfies(
            e ->
                assertThat(e.path())
                    .isEqualTo("/repos/octo/app/actions/runs/" + run.id() + "/jobs"));
  }

  // ---- not to be seen

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatTheTokenMayNotSeeHasNotEndedAndIsSaidOnce(boolean byJob) {
    SimRepository.RunView run = start("build");
    RunRef ref = byJob ? job(run, 0) : whole(run);
    desk.repository.finishRun(run.id(), "success");
    GitHubSpace space = desk.open(desk.workflowToken(Grant.CONTENTS_WRITE, Grant.METADATA_READ));
    CapturedLog.start();

    assertThat(space.runStatus().of(ref)).isEqualTo(Answer.UNKNOWN);
    assertThat(space.runStatus().of(ref)).isEqualTo(Answer.UNKNOWN);

    assertThat(CapturedLog.stop())
        .filteredOn(line -> line.startsWith("WARN"))
        .singleElement()
        .satisfies(
            line ->
                assertThat(line)
                    .contains("run " + run.id() + " of octo/app")
                    .contains("`actions: read`")
                    .contains("max_hold"));
  }

  @Test
  void whatIsNotThereHasEndedOnlyAfterASecondLook() {
    RunRef none = new RunRef(Desk.REPOSITORY, 999, 1, 0, "");

    assertThat(status.of(none)).isEqualTo(Answer.UNKNOWN);
    desk.pass(Duration.ofSeconds(29));
    assertThat(status.of(none)).isEqualTo(Answer.UNKNOWN);
    desk.pass(Duration.ofSeconds(1));
    assertThat(status.of(none)).isEqualTo(Answer.ENDED);
  }

  @ParameterizedTest
  @MethodSource("trouble")
  void twoLooksWithAnotherAnswerBetweenThemAreNoProof(Fault fault) {
    RunRef none = new RunRef(Desk.REPOSITORY, 999, 1, 0, "");

    assertThat(status.of(none)).isEqualTo(Answer.UNKNOWN);
    desk.pass(Duration.ofMinutes(1));
    AtomicBoolean troubled = new AtomicBoolean(true);
    desk.sim.failNext(2, request -> troubled.get(), fault);
    assertThat(status.of(none)).isEqualTo(Answer.UNREACHABLE);
    troubled.set(false);
    desk.pass(Duration.ofHours(1));
    assertThat(status.of(none)).isEqualTo(Answer.UNKNOWN);
    desk.pass(Duration.ofMinutes(1));
    assertThat(status.of(none)).isEqualTo(Answer.ENDED);
  }

  /** Each may be an odd answer about a run that goes on all the time. */
  @Test
  void twoLooksThatAreFarApartAreNoProof() {
    RunRef none = new RunRef(Desk.REPOSITORY, 999, 1, 0, "");
    for (int i = 0; i < 3; i++) {
      assertThat(status.of(none)).isEqualTo(Answer.UNKNOWN);
      desk.pass(Duration.ofMinutes(50));
    }
    assertThat(status.of(none)).isEqualTo(Answer.UNKNOWN);
    desk.pass(Duration.ofMinutes(5));
    assertThat(status.of(none)).isEqualTo(Answer.ENDED);
  }

  @Test
  void aRunThatComesIntoSightStartsTheSecondLookAnew() {
    desk.sim.staleness(Staleness.of(Duration.ofSeconds(20)));
    desk.pass(Duration.ofMinutes(1));
    SimRepository.RunView run = start("build");
    assertThat(status.of(whole(run))).as("not seen yet").isEqualTo(Answer.UNKNOWN);
    desk.pass(Duration.ofSeconds(31));
    assertThat(status.of(whole(run))).isEqualTo(Answer.RUNNING);
  }

  @Test
  void ofARepositoryThatTheTokenCannotSeeNothingHasEnded() {
    desk.sim.addRepository("octo/hidden", true);
    RunRef hidden = new RunRef("octo/hidden", 7, 1, 0, "");

    for (int i = 0; i < 3; i++) {
      assertThat(status.of(hidden)).isEqualTo(Answer.UNKNOWN);
      desk.pass(Duration.ofMinutes(1));
    }
  }

  @Test
  void aRunOfAnotherRepositoryIsSeenWithTheSameToken() {
    SimRepository other = desk.sim.addRepository("octo/other", true);
    String secret = Desk.SECRET + "-both";
    desk.sim.addToken(Token.classic("both", secret, Desk.REPOSITORY, "octo/other"));
    SimRepository.RunView run = other.startRun("ci", "ann", "build");
    RunRef ref = new RunRef("octo/other", run.id(), 1, run.jobs().get(0).id(), "build");
    RunStatus both = desk.open(secret).runStatus();

    assertThat(both.of(ref)).isEqualTo(Answer.RUNNING);
    other.finishRun(run.id(), "success");
    assertThat(both.of(ref)).isEqualTo(Answer.ENDED);
  }

  static Stream<Fault> trouble() {
    return Stream.of(
        new Fault.Unavailable(502, false),
        new Fault.DroppedBefore(),
        new Fault.Limited(403, Optional.empty()),
        new Fault.Limited(429, Optional.of(Duration.ofSeconds(1))));
  }

  @ParameterizedTest
  @MethodSource("trouble")
  void inTroubleNobodyKnowsAndNobodyIsAlarmed(Fault fault) {
    SimRepository.RunView run = start("build");
    desk.repository.finishRun(run.id(), "success");
    desk.sim.failNext(2, request -> true, fault);
    CapturedLog.start();

    assertThat(status.of(whole(run))).isEqualTo(Answer.UNREACHABLE);

    assertThat(CapturedLog.stop()).noneMatch(line -> line.startsWith("WARN"));
  }

  // ---- one's own job

  @Test
  void theOwnJobIsFoundByItsRunner() {
    SimRepository.RunView run = start("build", "test");
    SimRepository.JobView second = run.jobs().get(1);
    GitHubSpace space = desk.open();

    assertThat(space.ownJob(Desk.REPOSITORY, run.id(), 1, "test", 0, second.runnerName()))
        .isEqualTo(new RunRef(Desk.REPOSITORY, run.id(), 1, second.id(), "test"));
  }

  /** One runner takes the jobs of a run one after the other, and a list is some seconds old. */
  @Test
  void theJobThatTheRunnerHadBeforeIsNotMine() {
    String before = jobs(listed(100, "build", "in_progress", "mac-1"));
    String now =
        jobs(
            listed(100, "build", "completed", "mac-1")
                + ","
                + listed(101, "deploy", "in_progress", "mac-1"));
    try (ScriptedServer server = new ScriptedServer().says(200, before).keepsSaying(200, now)) {
      GitHubSpace space =
          desk.open(Desk.SECRET, GitHubPlace.parse("github:octo/app", server.api()));

      assertThat(space.ownJob(Desk.REPOSITORY, 7, 1, "deploy", 0, "mac-1").jobId()).isZero();
      assertThat(space.ownJob(Desk.REPOSITORY, 7, 1, "deploy", 0, "mac-1").jobId()).isEqualTo(101);
    }
  }

  @Test
  void theLegOfAMatrixThatTheRunnerHadBeforeIsNotMineWhileAnotherOneMayBe() {
    String before =
        jobs(
            listed(100, "build (17)", "in_progress", "mac-1")
                + ","
                + listed(101, "build (21)", "queued", ""));
    String now =
        jobs(
            listed(100, "build (17)", "completed", "mac-1")
                + ","
                + listed(101, "build (21)", "in_progress", "mac-1"));
    try (ScriptedServer server = new ScriptedServer().says(200, before).keepsSaying(200, now)) {
      GitHubSpace space =
          desk.open(Desk.SECRET, GitHubPlace.parse("github:octo/app", server.api()));

      assertThat(space.ownJob(Desk.REPOSITORY, 7, 1, "build", 0, "mac-1").jobId()).isZero();
      assertThat(space.ownJob(Desk.REPOSITORY, 7, 1, "build", 0, "mac-1").jobId()).isEqualTo(101);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "build, 100",
    "build (17), 100",
    "'build (17, linux)', 100",
    "calling / build, 0",
    "calling / build (17), 0",
    "build docs, 0",
    "rebuild, 0",
    "Build everything, 0",
  })
  void aJobIsFoundByTheNamesThatGitHubGives(String name, long found) {
    String list = jobs(listed(100, name, "in_progress", "mac-1"));
    try (ScriptedServer server = new ScriptedServer().keepsSaying(200, list)) {
      GitHubSpace space =
          desk.open(Desk.SECRET, GitHubPlace.parse("github:octo/app", server.api()));

      assertThat(space.ownJob(Desk.REPOSITORY, 7, 1, "build", 0, "mac-1").jobId()).isEqualTo(found);
    }
  }

  private static String jobs(String jobs) {
    return "{\"total_count\":2,\"jobs\":[" + jobs + "]}";
  }

  private static String listed(long id, String name, String status, String runner) {
    return "{\"id\":"
        + id
        + ",\"run_id\":7,\"run_attempt\":1,\"name\":\""
        + name
        + "\",\"status\":\""
        + status
        + "\",\"runner_name\":\""
        + runner
        + "\"}";
  }

  @Test
  void aJobThatGitHubNamesIsNotLookedFor() {
    assertThat(desk.open().ownJob(Desk.REPOSITORY, 5, 1, "test", 77, "runner"))
        .isEqualTo(new RunRef(Desk.REPOSITORY, 5, 1, 77, "test"));
    assertThat(desk.asked()).isEmpty();
  }

  @Test
  void whoCannotTellHisJobStandsForTheWholeRun() {
    SimRepository.RunView run = start("build");
    RunRef whole = new RunRef(Desk.REPOSITORY, run.id(), 1, 0, "build");
    GitHubSpace blind = desk.open(desk.workflowToken(Grant.METADATA_READ));

    assertThat(desk.open().ownJob(Desk.REPOSITORY, run.id(), 1, "build", 0, "no such runner"))
        .isEqualTo(whole);
    assertThat(desk.open().ownJob(Desk.REPOSITORY, run.id(), 1, "build", 0, "")).isEqualTo(whole);
    assertThat(
            blind.ownJob(Desk.REPOSITORY, run.id(), 1, "build", 0, run.jobs().get(0).runnerName()))
        .isEqualTo(whole);
  }

  @Test
  void aJobOfTheSameRunnerThatHasEndedIsNotMine() {
    SimRepository.RunView run = start("build");
    desk.repository.finishJob(run.id(), run.jobs().get(0).id(), "success");

    assertThat(
            desk.open()
                .ownJob(Desk.REPOSITORY, run.id(), 1, "build", 0, run.jobs().get(0).runnerName())
                .jobId())
        .isZero();
  }
}
