package dev.baton.githubsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What clients do to runs, and workflows. */
class ActionsTest extends SimTest {
  private static final String ACTIONS = "/repos/octo/app/actions";
  private static final String WORKFLOW =
      """
      name: Nightly build
      on:
        workflow_dispatch:
      jobs:
        linux:
          runs-on: ubuntu-latest
        mac-os:
          runs-on: macos-latest
      """;

  private Client.Got post(String path) {
    return ann.post(ACTIONS + path, Map.of());
  }

  private long start() {
    return repository.startRun("build", "bob", "linux", "mac").id();
  }

  @Test
  void runIsCancelledOnce() {
    long id = start();
    Client.Got got = post("/runs/" + id + "/cancel");
    assertThat(got.status()).isEqualTo(202);
    assertThat(got.http().body()).isEqualTo("{}");
    assertThat(repository.run(id).orElseThrow().conclusion()).contains("cancelled");
    Client.Got again = post("/runs/" + id + "/cancel");
    assertThat(again.status()).isEqualTo(409);
    assertThat(again.message()).isEqualTo("Cannot cancel a workflow run that is completed.");
    assertThat(post("/runs/1/cancel").status()).isEqualTo(404);
  }

  @Test
  void runIsRunAgainOnlyWhenItHasEnded() {
    long id = start();
    Client.Got early = post("/runs/" + id + "/rerun");
    assertThat(early.status()).isEqualTo(403);
    assertThat(early.message()).isEqualTo("This workflow is already running");
    repository.finishRun(id, "failure");
    assertThat(post("/runs/" + id + "/rerun").status()).isEqualTo(201);
    Client.Got run = ann.get(RUNS + "/" + id);
    assertThat(run.text("/run_attempt")).isEqualTo("2");
    assertThat(run.text("/status")).isEqualTo("in_progress");
    assertThat(run.text("/actor/login")).isEqualTo("bob");
    assertThat(run.text("/triggering_actor/login")).isEqualTo("ann");
    assertThat(ann.get(RUNS + "/" + id + "/attempts/1").text("/triggering_actor/login"))
        .isEqualTo("bob");
    assertThat(post("/runs/1/rerun").status()).isEqualTo(404);
  }

  @Test
  void runIsRunAgainFiftyTimesAndForAMonth() {
    long id = start();
    for (int i = 0; i < 50; i++) {
      repository.finishRun(id, "failure");
      assertThat(post("/runs/" + id + "/rerun").status()).isEqualTo(201);
    }
    repository.finishRun(id, "failure");
    Client.Got over = post("/runs/" + id + "/rerun");
    assertThat(over.status()).isEqualTo(403);
    assertThat(ann.get(RUNS + "/" + id).text("/run_attempt")).isEqualTo("51");

    long other = start();
    repository.finishRun(other, "failure");
    clock.pass(Duration.ofDays(31));
    assertThat(post("/runs/" + other + "/rerun").message())
        .isEqualTo("Unable to retry this workflow run because it was created over a month ago");
  }

  @Test
  void failedJobsAreRunAgainAndTheOthersTakenOver() {
    SimRepository.RunView run = repository.startRun("build", "bob", "linux", "mac");
    repository.finishJob(run.id(), run.jobs().get(0).id(), "success");
    repository.finishRun(run.id(), "failure");
    assertThat(post("/runs/" + run.id() + "/rerun-failed-jobs").status()).isEqualTo(201);
    Client.Got jobs = ann.get(RUNS + "/" + run.id() + "/attempts/2/jobs");
    assertThat(jobs.text("/jobs/0/conclusion")).isEqualTo("success");
    assertThat(jobs.text("/jobs/1/status")).isEqualTo("in_progress");
    repository.finishRun(run.id(), "success");
    Client.Got none = post("/runs/" + run.id() + "/rerun-failed-jobs");
    assertThat(none.status()).isEqualTo(403);
    assertThat(none.message()).isEqualTo("This workflow run cannot be retried");
  }

  @Test
  void oneJobIsRunAgain() {
    SimRepository.RunView run = repository.startRun("build", "bob", "linux", "mac");
    long job = run.jobs().get(0).id();
    assertThat(ann.get(ACTIONS + "/jobs/" + job).text("/name")).isEqualTo("linux");
    assertThat(post("/jobs/" + job + "/rerun").message())
        .isEqualTo("This workflow is already running");
    repository.finishRun(run.id(), "success");
    assertThat(post("/jobs/" + job + "/rerun").status()).isEqualTo(201);
    Client.Got jobs = ann.get(RUNS + "/" + run.id() + "/jobs");
    assertThat(jobs.text("/jobs/0/status")).isEqualTo("in_progress");
    assertThat(jobs.text("/jobs/1/conclusion")).isEqualTo("success");
    repository.finishRun(run.id(), "success");
    Client.Got old = post("/jobs/" + job + "/rerun");
    assertThat(old.status()).isEqualTo(403);
    assertThat(old.message()).isEqualTo("Only jobs from the current attempt can be re-run");
    assertThat(ann.get(ACTIONS + "/jobs/" + job).text("/run_attempt")).isEqualTo("1");
    assertThat(post("/jobs/1/rerun").status()).isEqualTo(404);
  }

  @Test
  void workflowsAreThoseWithAFileAndThoseThatHaveRun() {
    start();
    ann.put(
        "/repos/octo/app/contents/.github/workflows/nightly.yml",
        Map.of("message", "m", "content", Client.base64(WORKFLOW)));
    Client.Got all = ann.get(ACTIONS + "/workflows");
    assertThat(all.text("/total_count")).isEqualTo("2");
    assertThat(all.body().findValuesAsText("name")).containsExactly("Nightly build", "build");
    String id = all.text("/workflows/0/id");
    assertThat(ann.get(ACTIONS + "/workflows/nightly.yml").text("/id")).isEqualTo(id);

    Client.Got dispatched =
        ann.post(ACTIONS + "/workflows/" + id + "/dispatches", Map.of("ref", "main"));
    assertThat(dispatched.status()).isEqualTo(204);
    Client.Got runs = ann.get(ACTIONS + "/workflows/nightly.yml/runs");
    assertThat(runs.text("/total_count")).isEqualTo("1");
    assertThat(runs.text("/workflow_runs/0/event")).isEqualTo("workflow_dispatch");
    assertThat(runs.text("/workflow_runs/0/workflow_id")).isEqualTo(id);
    assertThat(
            ann.get(RUNS + "/" + runs.text("/workflow_runs/0/id") + "/jobs")
                .body()
                .path("jobs")
                .findValuesAsText("runner_name"))
        .hasSize(2);
    assertThat(ann.get(RUNS + "?event=push").text("/total_count")).isEqualTo("1");
  }

  @Test
  void dispatchNeedsAWorkflowATriggerAndARef() {
    start();
    ann.put(
        "/repos/octo/app/contents/.github/workflows/nightly.yml",
        Map.of("message", "m", "content", Client.base64(WORKFLOW)));
    String nightly = ACTIONS + "/workflows/nightly.yml/dispatches";
    assertThat(ann.post(nightly, Map.of()).message())
        .isEqualTo("Invalid request.\n\n\"ref\" wasn't supplied.");
    assertThat(ann.post(nightly, Map.of("ref", "none")).message())
        .isEqualTo("No ref found for: none");
    Client.Got other = ann.post(ACTIONS + "/workflows/build.yml/dispatches", Map.of("ref", "main"));
    assertThat(other.status()).isEqualTo(422);
    assertThat(other.message()).isEqualTo("Workflow does not have 'workflow_dispatch' trigger");
    assertThat(ann.post(ACTIONS + "/workflows/x.yml/dispatches", Map.of("ref", "main")).status())
        .isEqualTo(404);
  }

  @Test
  void readersOfActionsMayNotSteerThem() {
    long id = start();
    Client job = client(Token.workflow("job", "w", REPO, Grant.ACTIONS_READ));
    assertThat(job.get(ACTIONS + "/workflows").status()).isEqualTo(200);
    Client.Got got = job.post(RUNS + "/" + id + "/cancel", Map.of());
    assertThat(got.status()).isEqualTo(403);
    assertThat(got.header("x-accepted-github-permissions")).isEqualTo("actions=write");
    assertThat(repository.run(id).orElseThrow().conclusion()).isEmpty();
    Client writer = client(Token.workflow("writer", "x", REPO, Grant.ACTIONS_WRITE));
    assertThat(writer.get(RUNS + "/" + id).status()).isEqualTo(200);
    assertThat(writer.post(RUNS + "/" + id + "/cancel", Map.of()).status()).isEqualTo(202);
  }
}
