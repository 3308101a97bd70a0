package dev.baton.queue.github;

import dev.baton.queue.RunRef;
import dev.baton.queue.engine.RunStatus;
import dev.baton.queue.engine.World;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.kohsuke.github.GHWorkflowJob;
import org.kohsuke.github.GHWorkflowRun;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a workflow job has ended.
 *
 * <ol>
 *   <li>A job has ended when it is completed, or when a later attempt of its run has begun.
 *   <li>A run has ended when this attempt is completed, or a later one has begun.
 *   <li>What the token may not see has not ended.
 *   <li>What is not there has ended only if the token can list that repository's runs, and if it is
 *       not there half a minute later either: reads may be late.
 *   <li>In doubt nobody knows.
 * </ol>
 */
final class GitHubRunStatus implements RunStatus {
  private static final Logger LOG = LoggerFactory.getLogger("dev.baton.queue.github");
  private static final Duration SECOND_LOOK = Duration.ofSeconds(30);
  private static final int PAGE = 100;
  private static final int REMEMBERED = 1_000;

  /** What is remembered of a run between two looks. */
  private static final class Memory {
    private boolean told;
    private boolean missing;
    private long missingSince;
  }

  private final Remote remote;
  private final World world;

  /** Guarded by itself. */
  private final Map<RunRef, Memory> memories = new LinkedHashMap<>();

  GitHubRunStatus(Remote remote, World world) {
    this.remote = remote;
    this.world = world;
  }

  @Override
  public Answer of(RunRef run) {
    Memory memory = memory(run);
    try {
      Answer answer = look(run);
      synchronized (memory) {
        memory.missing = false;
      }
      return answer;
    } catch (WireFailure.Refused e) {
      if (e.status() == 404) {
        return missing(run, memory);
      }
      if (e.status() < 500) {
        tell(run, memory, e);
      }
      return Answer.UNKNOWN;
    } catch (IOException e) {
      LOG.debug("the status of {} cannot be seen now: {}", run, Remote.reason(e));
      return Answer.UNKNOWN;
    }
  }

  private Memory memory(RunRef run) {
    synchronized (memories) {
      if (memories.size() > REMEMBERED) {
        memories.remove(memories.keySet().iterator().next());
      }
      return memories.computeIfAbsent(run, r -> new Memory());
    }
  }

  private Answer look(RunRef run) throws IOException {
    if (run.jobId() > 0) {
      Optional<Answer> ofJob = lookAtJob(run);
      if (ofJob.isPresent()) {
        return ofJob.get();
      }
    }
    GHWorkflowRun now =
        remote.ask(() -> remote.repository(run.repository()).getWorkflowRun(run.runId()));
    if (now.getRunAttempt() != run.attempt()) {
      // An earlier one than ours is an old answer.
      return now.getRunAttempt() > run.attempt() ? Answer.ENDED : Answer.RUNNING;
    }
    return now.getStatus() == GHWorkflowRun.Status.COMPLETED ? Answer.ENDED : Answer.RUNNING;
  }

  /** Empty when the job is not in the list: then its run has to tell. */
  private Optional<Answer> lookAtJob(RunRef run) throws IOException {
    List<GHWorkflowJob> jobs = jobsOf(run);
    if (jobs.stream().anyMatch(job -> job.getRunAttempt() > run.attempt())) {
      return Optional.of(Answer.ENDED);
    }
    return jobs.stream()
        .filter(job -> job.getId() == run.jobId())
        .findFirst()
        .map(GitHubRunStatus::isCompleted)
        .map(completed -> completed ? Answer.ENDED : Answer.RUNNING);
  }

  private static boolean isCompleted(GHWorkflowJob job) {
    return job.getStatus() == GHWorkflowRun.Status.COMPLETED;
  }

  /** Of the latest attempt, all pages: a later attempt than ours says as much as our own job. */
  private List<GHWorkflowJob> jobsOf(RunRef run) throws IOException {
    return remote.ask(
        () -> remote.run(run.repository(), run.runId()).listJobs().withPageSize(PAGE).toList());
  }

  private Answer missing(RunRef run, Memory memory) {
    try {
      remote.ask(
          () ->
              remote
                  .repository(run.repository())
                  .queryWorkflowRuns()
                  .list()
                  .withPageSize(1)
                  .iterator()
                  .hasNext());
    } catch (WireFailure.Refused e) {
      if (e.status() < 500) {
        tell(run, memory, e);
      }
      return Answer.UNKNOWN;
    } catch (IOException e) {
      LOG.debug("the runs of {} cannot be listed now: {}", run.repository(), Remote.reason(e));
      return Answer.UNKNOWN;
    }
    synchronized (memory) {
      if (!memory.missing) {
        memory.missing = true;
        memory.missingSince = world.nanos();
        return Answer.UNKNOWN;
      }
      return world.nanos() - memory.missingSince >= SECOND_LOOK.toNanos()
          ? Answer.ENDED
          : Answer.UNKNOWN;
    }
  }

  private static void tell(RunRef run, Memory memory, WireFailure.Refused e) {
    synchronized (memory) {
      if (memory.told) {
        return;
      }
      memory.told = true;
    }
    LOG.warn(
        "the token cannot see run {} of {} ({}): give it `actions: read` there. Until then nobody"
            + " here can tell when that run ends, and its lock is freed at max_hold",
        run.runId(),
        run.repository(),
        e.getMessage());
  }

  RunRef ownJob(RunRef run, String runnerName) {
    if (run.jobId() > 0 || runnerName.isEmpty()) {
      return run;
    }
    try {
      List<Long> mine =
          jobsOf(run).stream()
              .filter(job -> job.getRunAttempt() == run.attempt())
              .filter(job -> runnerName.equals(job.getRunnerName()))
              .filter(job -> !isCompleted(job))
              .map(GHWorkflowJob::getId)
              .toList();
      if (mine.size() == 1) {
        return new RunRef(run.repository(), run.runId(), run.attempt(), mine.get(0), run.jobName());
      }
      LOG.info(
          "{} jobs of run {} are on the runner {}: the lock is freed when the whole run ends",
          mine.size(),
          run.runId(),
          Texts.clean(runnerName, 60));
    } catch (IOException e) {
      LOG.info(
          "the jobs of run {} cannot be listed ({}): the lock is freed when the whole run ends."
              + " With `actions: read` it would be when the job does",
          run.runId(),
          Remote.reason(e));
    }
    return run;
  }
}
