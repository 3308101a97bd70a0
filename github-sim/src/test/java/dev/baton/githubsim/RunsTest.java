package dev.baton.githubsim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RunsTest extends SimTest {
  @Test
  void runIsInProgressUntilItEnds() {
    long id = repository.startRun("build", "ann", "linux", "mac").id();
    assertThat(ann.get(RUNS + "/" + id).text("/status")).isEqualTo("in_progress");
    assertThat(ann.get(RUNS + "/" + id).body().get("conclusion").isNull()).isTrue();
    clock.pass(Duration.ofMinutes(1));
    repository.cancelRun(id);
    Client.Got got = ann.get(RUNS + "/" + id);
    assertThat(got.text("/status")).isEqualTo("completed");
    assertThat(got.text("/conclusion")).isEqualTo("cancelled");
    Client.Got jobs = ann.get(RUNS + "/" + id + "/attempts/1/jobs");
    assertThat(jobs.text("/jobs/0/conclusion")).isEqualTo("cancelled");
    assertThat(jobs.text("/jobs/1/conclusion")).isEqualTo("cancelled");
    assertThat(jobs.text("/jobs/1/steps/1/conclusion")).isEqualTo("cancelled");
    assertThat(jobs.text("/jobs/0/completed_at")).isEqualTo("2026-03-05T10:01:00Z");
  }

  @Test
  void jobEndsBeforeItsRun() {
    SimRepository.RunView run = repository.startRun("build", "ann", "linux", "mac");
    repository.finishJob(run.id(), run.jobs().get(0).id(), "failure");
    Client.Got jobs = ann.get(RUNS + "/" + run.id() + "/attempts/1/jobs");
    assertThat(jobs.text("/total_count")).isEqualTo("2");
    assertThat(jobs.text("/jobs/0/status")).isEqualTo("completed");
    assertThat(jobs.text("/jobs/1/status")).isEqualTo("in_progress");
    assertThat(jobs.text("/jobs/0/runner_name")).isEqualTo(run.jobs().get(0).runnerName());
    assertThat(ann.get(RUNS + "/" + run.id()).text("/status")).isEqualTo("in_progress");
  }

  @Test
  void rerunIsANewAttemptAndTheOldOneStaysReadable() {
    long id = repository.startRun("build", "ann", "linux").id();
    assertThatThrownBy(() -> repository.rerun(id)).isInstanceOf(IllegalStateException.class);
    repository.finishRun(id, "failure");
    SimRepository.RunView again = repository.rerun(id);
    assertThat(again.attempt()).isEqualTo(2);
    Client.Got now = ann.get(RUNS + "/" + id);
    assertThat(now.text("/run_attempt")).isEqualTo("2");
    assertThat(now.text("/status")).isEqualTo("in_progress");
    assertThat(now.text("/previous_attempt_url")).endsWith("/attempts/1");
    assertThat(ann.get(RUNS + "/" + id + "/attempts/1").text("/conclusion")).isEqualTo("failure");
    assertThat(ann.get(RUNS + "/" + id + "/attempts/2/jobs").text("/jobs/0/id"))
        .isEqualTo("" + again.jobs().get(0).id());
    assertThat(ann.get(RUNS + "/" + id + "/attempts/3/jobs").status()).isEqualTo(404);
  }

  @Test
  void runsAreListedAndFiltered() {
    long first = repository.startRun("build", "ann", "linux").id();
    long second = repository.startRun("build", "ann", "linux").id();
    repository.finishRun(first, "success");
    assertThat(ann.get(RUNS).text("/total_count")).isEqualTo("2");
    Client.Got running = ann.get(RUNS + "?status=in_progress");
    assertThat(running.text("/workflow_runs/0/id")).isEqualTo("" + second);
    assertThat(running.text("/total_count")).isEqualTo("1");
    assertThat(ann.get(RUNS + "?status=success").text("/workflow_runs/0/id")).isEqualTo("" + first);
    assertThat(ann.get(RUNS + "/1").status()).isEqualTo(404);
  }

  @Test
  void statusLagsAsOtherReadsDo() {
    long id = repository.startRun("build", "ann", "linux").id();
    clock.pass(Duration.ofSeconds(20));
    sim.staleness(Staleness.of(Duration.ofSeconds(10)));
    repository.finishRun(id, "success");
    assertThat(ann.get(RUNS + "/" + id).text("/status")).isEqualTo("in_progress");
    clock.pass(Duration.ofSeconds(10));
    assertThat(ann.get(RUNS + "/" + id).text("/status")).isEqualTo("completed");
  }
}
