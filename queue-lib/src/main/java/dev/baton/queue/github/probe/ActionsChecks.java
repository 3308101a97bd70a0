package dev.baton.queue.github.probe;

import static dev.baton.queue.github.probe.GitHubAssumptions.ACTIONS_READ;
import static dev.baton.queue.github.probe.GitHubAssumptions.JOB_RERUN;
import static dev.baton.queue.github.probe.GitHubAssumptions.MISSING_RUN;
import static dev.baton.queue.github.probe.GitHubAssumptions.NO_WORKFLOWS;
import static dev.baton.queue.github.probe.GitHubAssumptions.OWN_JOB;
import static dev.baton.queue.github.probe.GitHubAssumptions.OWN_RUN;

import dev.baton.core.probe.Findings;
import dev.baton.core.probe.Observation;
import dev.baton.queue.RunRef;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Workflow runs, as {@code GitHubRunStatus} looks at them, and what the token may do with them. */
final class ActionsChecks {
  private static final String READ = "actions: read";

  /** No repository of today has it: GitHub counts them all together. */
  private static final String MISSING = "1";

  private final Session session;
  private final Findings findings;
  private final Scratch scratch;
  private final boolean mayPush;

  /**
   * @param mayPush whether the repository says that the owner of the token may write to it
   */
  ActionsChecks(Session session, Findings findings, Scratch scratch, boolean mayPush) {
    this.session = session;
    this.findings = findings;
    this.scratch = scratch;
    this.mayPush = mayPush;
  }

  /**
   * @param branch whether there is one that workflows could have been started for
   * @param job the one that this probe is part of
   * @param runner its runner's name, or empty
   */
  void run(boolean branch, Optional<RunRef> job, String runner) throws InterruptedException {
    boolean readable =
        findings.check(
            ACTIONS_READ,
            () -> {
              Reply reply = runs("?per_page=1");
              return reply.status() == 404
                  ? reply.denied(READ)
                  : reply.judged(reply.status() == 200, READ);
            });
    findings.check(
        MISSING_RUN,
        () -> {
          Reply reply = runs("/" + MISSING);
          // A token that may not see any run gets the same answer.
          return readable || reply.status() != 404
              ? reply.judged(reply.status() == 404, READ)
              : reply.denied(READ);
        });
    if (branch) {
      findings.check(NO_WORKFLOWS, this::noWorkflows);
    }
    findings.check(JOB_RERUN, this::rerun);
    if (job.isEmpty()) {
      findings.others(
          List.of(OWN_RUN, OWN_JOB),
          Observation.notApplicable(
              "This probe is not part of a workflow. Run it in one to try this."));
      return;
    }
    findings.check(OWN_RUN, () -> ownRun(job.get()));
    findings.check(OWN_JOB, () -> ownJob(job.get(), runner));
  }

  private Reply runs(String below) throws IOException, InterruptedException {
    return session.get("look at workflow runs", session.here("/actions/runs" + below));
  }

  private Observation noWorkflows() throws IOException, InterruptedException {
    Reply reply = runs("?branch=" + Session.encoded(scratch.branch()) + "&per_page=1");
    if (reply.status() != 200) {
      return reply.status() == 404 ? reply.denied(READ) : reply.judged(false, READ);
    }
    String count = reply.text("total_count");
    return Observation.of(count.equals("0"), Reply.clean(count) + " runs for the branch");
  }

  /** Of a job that does not exist: nothing is run, and the refusal tells whether it could be. */
  private Observation rerun() throws IOException, InterruptedException {
    Reply reply =
        session.write(
            "ask for a re-run",
            "POST",
            session.here("/actions/jobs/" + MISSING + "/rerun"),
            Map.of());
    Optional<String> scopes = reply.header("X-OAuth-Scopes");
    if (reply.status() != 404) {
      return reply.status() == 403
          ? Observation.notAllowed(reply.shown(), JOB_RERUN.otherwise())
          : Observation.unknown(reply.shown());
    }
    if (scopes.isEmpty()) {
      return Observation.held("404, and not 403, for a job that does not exist");
    }
    // A classic token gets a 404 either way: its scopes and its owner's rights tell.
    if (!mayPush) {
      return Observation.notAllowed(
          "404, and the owner of the token may not write to the repository", JOB_RERUN.otherwise());
    }
    return List.of(scopes.get().split(", *")).contains("repo")
        ? Observation.held("404 for a job that does not exist, and the token has the scope repo")
        : Observation.unknown("404, with the scopes " + Reply.clean(scopes.get()));
  }

  private Observation ownRun(RunRef job) throws IOException, InterruptedException {
    Reply reply = session.get("look at workflow runs", pathOf(job, ""));
    if (reply.status() != 200) {
      return reply.status() == 404 ? reply.denied(READ) : reply.judged(false, READ);
    }
    String status = reply.text("status");
    String attempt = reply.text("run_attempt");
    return Observation.of(
        attempt.equals(Integer.toString(job.attempt())) && !status.equals("completed"),
        "status " + Reply.clean(status) + ", attempt " + Reply.clean(attempt));
  }

  private Observation ownJob(RunRef job, String runner) throws IOException, InterruptedException {
    if (runner.isEmpty()) {
      return Observation.notApplicable(
          "RUNNER_NAME is not set: in a container, only job.check_run_id tells which job it is.");
    }
    Reply reply = session.get("look at workflow runs", pathOf(job, "/jobs?per_page=100&page=1"));
    if (reply.status() != 200) {
      return reply.status() == 404 ? reply.denied(READ) : reply.judged(false, READ);
    }
    List<Map<String, Object>> jobs = Reply.objects(reply.object(), "jobs");
    long here =
        jobs.stream()
            .filter(one -> runner.equals(one.get("runner_name")))
            .filter(one -> !"completed".equals(one.get("status")))
            .count();
    return Observation.of(
        here == 1, here + " of " + jobs.size() + " jobs are on the runner " + Reply.clean(runner));
  }

  private static String pathOf(RunRef job, String below) {
    return "/repos/" + job.repository() + "/actions/runs/" + job.runId() + below;
  }
}
