package dev.baton.queue;

import dev.baton.core.Checks;

/**
 * A workflow run, or one job of it, whose end frees a ticket.
 *
 * @param repository {@code owner/name}
 * @param runId the run
 * @param attempt which attempt of the run, from 1
 * @param jobId the job within the attempt, or 0 when the whole run holds the ticket
 * @param jobName the job's key in the workflow, or empty; a re-run finds its old ticket by it
 */
public record RunRef(String repository, long runId, int attempt, long jobId, String jobName) {

  public static final int MAX_JOB_NAME = 40;

  public RunRef {
    Checks.repository(repository);
    Checks.positive("runId", runId);
    Checks.positive("attempt", attempt);
    Checks.notNegative("jobId", jobId);
    Checks.line("jobName", jobName, 0, MAX_JOB_NAME);
    if (!jobName.matches("[A-Za-z0-9_-]*")) {
      throw new IllegalArgumentException(
          "jobName must be the job's key in the workflow: " + Checks.shown(jobName));
    }
  }

  /**
   * Where people look at it.
   *
   * @param server such as {@code https://github.com}
   */
  public String address(String server) {
    String url = server + "/" + repository + "/actions/runs/" + runId;
    return jobId > 0 ? url + "/job/" + jobId : url + "/attempts/" + attempt;
  }

  /** Whether a lock that this run or job holds is also that of the other one, a job of the run. */
  public boolean covers(RunRef job) {
    boolean sameRun =
        repository.equals(job.repository) && runId == job.runId && attempt == job.attempt;
    return sameRun && (isWholeRun() || jobId > 0 && jobId == job.jobId);
  }

  /** Whether the run as a whole holds the ticket, and not one of its jobs. */
  public boolean isWholeRun() {
    // A job that could not be told from the others of its run has no number, but it has a name.
    // The legs of a matrix share the name: it proves nothing.
    return jobId == 0 && jobName.isEmpty();
  }

  /** Whether both are of one run, in whatever attempt. */
  public boolean isSameRunAs(RunRef other) {
    return repository.equals(other.repository) && runId == other.runId;
  }

  /** Whether this is a later attempt at the same job of the same run. */
  public boolean isRerunOf(RunRef earlier) {
    return repository.equals(earlier.repository)
        && runId == earlier.runId
        && jobName.equals(earlier.jobName)
        && attempt > earlier.attempt;
  }
}
