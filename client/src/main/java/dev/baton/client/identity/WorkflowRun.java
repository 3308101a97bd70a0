package dev.baton.client.identity;

import dev.baton.queue.RunRef;
import dev.baton.queue.Ticket;
import dev.baton.queue.github.GitHubSpace;
import java.util.Map;
import java.util.Optional;

/**
 * The workflow job that this process is part of, as its environment tells it.
 *
 * @param job the job's key in the workflow; the legs of a matrix share it
 */
public record WorkflowRun(String repository, long run, int attempt, String job) {

  /** Empty outside of a workflow. */
  public static Optional<WorkflowRun> of(Map<String, String> environment) {
    String repository = environment.getOrDefault("GITHUB_REPOSITORY", "").strip();
    String run = environment.getOrDefault("GITHUB_RUN_ID", "").strip();
    if (!run.matches("[1-9][0-9]{0,17}") || !repository.contains("/")) {
      return Optional.empty();
    }
    String attempt = environment.getOrDefault("GITHUB_RUN_ATTEMPT", "").strip();
    return Optional.of(
        new WorkflowRun(
            repository,
            Long.parseLong(run),
            attempt.matches("[1-9][0-9]{0,5}") ? Integer.parseInt(attempt) : 1,
            environment.getOrDefault("GITHUB_JOB", "").strip()));
  }

  /** For people. */
  public String owner() {
    return Who.line(
        repository + " run " + run + " attempt " + attempt + " job " + job, Ticket.MAX_OWNER);
  }

  /** What a ticket lives by that the whole run holds, whichever of its jobs has drawn it. */
  public RunRef wholeRun() {
    return new RunRef(repository, run, attempt, 0, "");
  }

  /** What a ticket lives by that ends with this job, as far as the environment alone tells. */
  public RunRef thisJob() {
    return new RunRef(repository, run, attempt, 0, key());
  }

  /**
   * The same where GitHub can be asked which of the run's jobs it is; the whole run where nobody
   * can tell jobs.
   *
   * @param jobId the job's number, or 0 when it is not known
   */
  public RunRef thisJob(GitHubSpace space, long jobId, String runnerName) {
    return space.ownJob(repository, run, attempt, key(), jobId, runnerName);
  }

  private String key() {
    String key = job.replaceAll("[^A-Za-z0-9_-]", "_");
    return key.substring(0, Math.min(key.length(), RunRef.MAX_JOB_NAME));
  }
}
