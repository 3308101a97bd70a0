package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.githubsim.Grant;
import dev.baton.githubsim.SimRepository;
import dev.baton.queue.RunRef;
import dev.baton.queue.RunStatus;
import dev.baton.queue.spi.Waker;
import dev.baton.queue.spi.Waker.Answer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GitHubWakerTest {
  private final Desk desk = new Desk();

  @AfterEach
  void close() {
    desk.close();
  }

  private Waker waker() {
    return waker(Grant.ACTIONS_READ, Grant.ACTIONS_WRITE);
  }

  private Waker waker(Grant... grants) {
    return desk.open(desk.workflowToken(grants)).waker(Set.of(Desk.REPOSITORY));
  }

  private SimRepository.RunView start(String... jobs) {
    return desk.repository.startRun("ci", "ann", jobs);
  }

  private static RunRef job(SimRepository.RunView run, int index) {
    return new RunRef(
        Desk.REPOSITORY, run.id(), run.attempt(), run.jobs().get(index).id(), "build");
  }

  /** As GitHub does when the last job of a run has failed. */
  private void end(SimRepository.RunView run) {
    desk.repository.finishRun(run.id(), "failure");
  }

  private List<String> posts() {
    return desk.asked().stream().filter(line -> line.startsWith("POST ")).toList();
  }

  // ---- who may park

  @Test
  void theLastJobOfItsRunMayPark() {
    SimRepository.RunView run = start("build", "lint");
    assertThat(waker().whyNotToPark(job(run, 0)).orElseThrow())
        .contains("other jobs of its run go on (1)");

    desk.repository.finishJob(run.id(), run.jobs().get(1).id(), "success");

    assertThat(waker().whyNotToPark(job(run, 0))).isEmpty();
  }

  @Test
  void nobodyParksWhomNobodyCouldWake() {
    SimRepository.RunView run = start("build");

    assertThat(waker(Grant.ACTIONS_READ).whyNotToPark(job(run, 0)).orElseThrow())
        .isEqualTo("the token may not run jobs again: give it `actions: write`");
    assertThat(waker(Grant.CONTENTS_WRITE).whyNotToPark(job(run, 0))).isPresent();
    desk.pass(Duration.ofDays(26));
    assertThat(waker().whyNotToPark(job(run, 0)).orElseThrow()).contains("too old");
  }

  @Test
  void aLegOfAMatrixWaitsWithItsRunner() {
    SimRepository.RunView run = start("build (17)", "build (21)");
    desk.repository.finishJob(run.id(), run.jobs().get(1).id(), "success");

    assertThat(waker().whyNotToPark(job(run, 0)).orElseThrow()).contains("leg of a matrix");
  }

  @Test
  void jobsOfOtherRepositoriesAreNotItsBusiness() {
    SimRepository.RunView run = start("build");
    end(run);
    RunRef own = job(run, 0);
    RunRef foreign = new RunRef("evil/app", own.runId(), 1, own.jobId(), "build");
    Waker waker = waker();
    desk.asked();

    assertThat(waker.whyNotToPark(foreign)).isPresent();
    assertThat(waker.whyNotToWake(foreign)).isPresent();
    assertThat(waker.lastAttempt(foreign)).isEmpty();
    assertThat(waker.wake(foreign)).isEqualTo(new Answer.Unknown());
    assertThat(desk.asked()).isEmpty();
  }

  // ---- waking

  @Test
  void runsOneJobAgainAndNoOtherThatHasFailed() {
    SimRepository.RunView run = start("build", "flaky");
    RunRef parked = job(run, 0);
    assertThat(waker().lastAttempt(parked)).contains(new Waker.Attempt(1, false));
    end(run);
    assertThat(waker().lastAttempt(parked)).contains(new Waker.Attempt(1, true));
    desk.asked();

    assertThat(waker().wake(parked)).isEqualTo(new Answer.Started());

    assertThat(posts())
        .containsExactly("POST /repos/octo/app/actions/jobs/" + parked.jobId() + "/rerun 201");
    assertThat(waker().lastAttempt(parked)).contains(new Waker.Attempt(2, false));
  }

  @Test
  void aRunThatGoesOnIsNoRefusal() {
    RunRef going = job(start("build"), 0);

    assertThat(waker().wake(going)).isEqualTo(new Answer.Unknown());
  }

  @Test
  void aRefusalIsToldWithGitHubsWords() {
    SimRepository.RunView run = start("build");
    end(run);

    assertThat(waker(Grant.ACTIONS_READ).wake(job(run, 0))).isInstanceOf(Answer.Refused.class);
    desk.pass(Duration.ofDays(31));
    assertThat(waker().wake(job(run, 0)))
        .isEqualTo(
            new Answer.Refused(
                "Unable to retry this workflow run because it was created over a month ago (403)"));
  }

  @Test
  void whetherTheTokenMayIsAskedOnce() {
    RunRef parked = job(start("build"), 0);
    Waker reads = waker(Grant.ACTIONS_READ);
    desk.asked();

    assertThat(reads.whyNotToWake(parked).orElseThrow()).contains("give it `actions: write`");
    assertThat(reads.whyNotToWake(parked)).isPresent();
    assertThat(posts()).containsExactly("POST /repos/octo/app/actions/jobs/1/rerun 403");
    assertThat(waker().whyNotToWake(parked)).isEmpty();
  }

  @Test
  void aJobThatHasAnotherNumberByNowIsFoundByItsName() {
    SimRepository.RunView run = start("build", "other");
    RunRef parked = job(run, 0);
    end(run);
    // Somebody runs the other job again by hand.
    long other = run.jobs().get(1).id();
    desk.raw("POST", "/repos/octo/app/actions/jobs/" + other + "/rerun", "{}");
    end(run);

    assertThat(waker().wake(parked)).isEqualTo(new Answer.Started());

    assertThat(waker().lastAttempt(parked)).contains(new Waker.Attempt(3, false));
  }

  @Test
  void anyAttemptOfARunMayGoOn() {
    SimRepository.RunView run = start("build");
    RunRef parked = job(run, 0);
    RunStatus status = desk.open().runStatus();
    assertThat(status.ofAnyAttempt(parked)).isEqualTo(RunStatus.Answer.RUNNING);
    end(run);
    assertThat(status.ofAnyAttempt(parked)).isEqualTo(RunStatus.Answer.ENDED);

    waker().wake(parked);

    assertThat(status.of(parked)).isEqualTo(RunStatus.Answer.ENDED);
    assertThat(status.ofAnyAttempt(parked)).isEqualTo(RunStatus.Answer.RUNNING);
  }
}
