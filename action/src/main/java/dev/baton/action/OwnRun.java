package dev.baton.action;

import dev.baton.queue.Checks;
import dev.baton.queue.RunRef;
import dev.baton.queue.Ticket;
import dev.baton.queue.github.GitHubSpace;

/**
 * The workflow job that this step belongs to, as its environment tells it.
 *
 * @param job the job's key in the workflow; the legs of a matrix share it
 */
record OwnRun(String repository, long run, int attempt, String job) {

  static OwnRun of(Runner runner) {
    return new OwnRun(
        runner.get("GITHUB_REPOSITORY"),
        number(runner, "GITHUB_RUN_ID"),
        (int) number(runner, "GITHUB_RUN_ATTEMPT"),
        runner.get("GITHUB_JOB"));
  }

  private static long number(Runner runner, String variable) {
    String text = runner.get(variable);
    if (!text.matches("[1-9]\\d{0,17}")) {
      throw new IllegalArgumentException(
          variable + " is no number: " + Checks.shown(text) + ". Run this as a step of a workflow");
    }
    return Long.parseLong(text);
  }

  /** For people. */
  String owner() {
    return Inputs.cut(
        repository + " run " + run + " attempt " + attempt + " job " + job, Ticket.MAX_OWNER);
  }

  /** What a ticket lives by that the whole run holds, whichever of its jobs has drawn it. */
  RunRef wholeRun() {
    return new RunRef(repository, run, attempt, 0, "");
  }

  /** What a ticket lives by that ends with this job; the whole run where nobody can tell jobs. */
  RunRef thisJob(GitHubSpace space, long jobId, String runnerName) {
    String key = job.replaceAll("[^A-Za-z0-9_-]", "_");
    return space.ownJob(
        repository,
        run,
        attempt,
        key.substring(0, Math.min(key.length(), RunRef.MAX_JOB_NAME)),
        jobId,
        runnerName);
  }
}
