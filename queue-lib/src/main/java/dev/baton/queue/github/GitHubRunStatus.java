package dev.baton.queue.github;

import dev.baton.core.World;
import dev.baton.queue.RunRef;
import dev.baton.queue.RunStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a workflow job has ended.
 *
 * <ol>
 *   <li>A job has ended when it is completed, or when a later attempt of its run has begun.
 *   <li>A run has ended when this attempt is completed, or a later one has begun.
 *   <li>Two looks in a row must say so, and an answer about another run says nothing.
 *   <li>What the token may not see has not ended.
 *   <li>What is not there has ended only if the token can list that repository's runs, and if it is
 *       not there half a minute later either, with no other answer between: reads may be late. A
 *       look that comes much later than the one before it is a first one again: two lone odd
 *       answers prove no more than one.
 *   <li>A service that does not answer says nothing about the job.
 * </ol>
 */
final class GitHubRunStatus implements RunStatus {
  private static final Logger LOG = LoggerFactory.getLogger("dev.baton.queue.github");
  private static final Duration SECOND_LOOK = Duration.ofSeconds(30);

  /** Longer than those who come first in line are between two looks. */
  private static final Duration SOON = Duration.ofMinutes(12);

  private static final int PAGE = 100;
  private static final int MOST_PAGES = 20;
  private static final int REMEMBERED = 1_000;

  /** What is remembered of a run between two looks. */
  private static final class Memory {
    private boolean told;
    private boolean missing;
    private long missingSince;
    private long missingSeen;

    synchronized void isNotMissing() {
      missing = false;
    }
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
      Answer first = look(run);
      // One odd answer proves nothing.
      Answer answer = first == Answer.ENDED ? look(run) : first;
      memory.isNotMissing();
      return answer;
    } catch (WireFailure.Refused e) {
      if (e.status() == 404) {
        return missing(run, memory);
      }
      memory.isNotMissing();
      return refused(run, memory, e);
    } catch (IOException e) {
      memory.isNotMissing();
      LOG.debug("the status of {} cannot be seen now: {}", run, Remote.reason(e));
      return Answer.UNREACHABLE;
    }
  }

  @Override
  public Answer ofAnyAttempt(RunRef run) {
    try {
      // One odd answer proves nothing.
      return isOver(run) && isOver(run) ? Answer.ENDED : Answer.RUNNING;
    } catch (WireFailure.Refused e) {
      return e.status() >= 500 ? Answer.UNREACHABLE : Answer.UNKNOWN;
    } catch (IOException e) {
      LOG.debug("the status of {} cannot be seen now: {}", run, Remote.reason(e));
      return Answer.UNREACHABLE;
    }
  }

  private boolean isOver(RunRef run) throws IOException {
    Map<String, String> now = remote.wire().get(path(run, "/" + run.runId())).members();
    requireAbout(run, now, "id");
    return isCompleted(now) && number(now, "run_attempt") >= run.attempt();
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
    Map<String, String> now = remote.wire().get(path(run, "/" + run.runId())).members();
    requireAbout(run, now, "id");
    long attempt = number(now, "run_attempt");
    if (attempt != run.attempt()) {
      // An earlier one than ours is an old answer.
      return attempt > run.attempt() ? Answer.ENDED : Answer.RUNNING;
    }
    return isCompleted(now) ? Answer.ENDED : Answer.RUNNING;
  }

  private static String path(RunRef run, String below) {
    return "/repos/" + run.repository() + "/actions/runs" + below;
  }

  private static long number(Map<String, String> object, String name) throws IOException {
    String text = object.getOrDefault(name, "");
    if (!text.matches("[0-9]{1,18}")) {
      throw new IOException("an answer of GitHub lacks something");
    }
    return Long.parseLong(text);
  }

  private static void requireAbout(RunRef run, Map<String, String> said, String name)
      throws IOException {
    if (said.containsKey(name) && number(said, name) != run.runId()) {
      throw new IOException("GitHub has answered with another run than the one that was asked for");
    }
  }

  private static boolean isCompleted(Map<String, String> runOrJob) {
    return "completed".equals(runOrJob.get("status"));
  }

  /** A job, with nothing that it says but what is asked for. */
  private record Job(long id, long attempt, boolean completed, String runnerName, String name) {

    /**
     * As GitHub calls it by itself: {@code build} or {@code build (17)}. Not {@code calling /
     * build}: two calls of one workflow, one after the other, have the same key.
     */
    boolean goesWith(String key) {
      return Pattern.matches(Pattern.quote(key) + "( \\(.*\\))?", name);
    }

    static Job of(Map<String, String> said) throws IOException {
      return new Job(
          number(said, "id"),
          // Older servers leave it out; then the job's own status tells.
          said.containsKey("run_attempt") ? number(said, "run_attempt") : 0,
          isCompleted(said),
          said.getOrDefault("runner_name", ""),
          said.getOrDefault("name", ""));
    }
  }

  /** Empty when the job is not in the list: then its run has to tell. */
  private Optional<Answer> lookAtJob(RunRef run) throws IOException {
    List<Job> jobs = jobsOf(run);
    if (jobs.stream().anyMatch(job -> job.attempt() > run.attempt())) {
      return Optional.of(Answer.ENDED);
    }
    return jobs.stream()
        .filter(job -> job.id() == run.jobId())
        .findFirst()
        .map(job -> job.completed() ? Answer.ENDED : Answer.RUNNING);
  }

  /** Of the latest attempt, all pages: a later attempt than ours says as much as our own job. */
  private List<Job> jobsOf(RunRef run) throws IOException {
    List<Job> jobs = new ArrayList<>();
    for (int page = 1; page <= MOST_PAGES; page++) {
      String query = "/jobs?per_page=" + PAGE + "&page=" + page;
      List<Map<String, String>> said =
          remote.wire().get(path(run, "/" + run.runId() + query)).list("jobs");
      for (Map<String, String> job : said) {
        requireAbout(run, job, "run_id");
        jobs.add(Job.of(job));
      }
      if (said.size() < PAGE) {
        break;
      }
    }
    return jobs;
  }

  private Answer missing(RunRef run, Memory memory) {
    try {
      remote.wire().get(path(run, "?per_page=1"));
    } catch (WireFailure.Refused e) {
      memory.isNotMissing();
      return refused(run, memory, e);
    } catch (IOException e) {
      memory.isNotMissing();
      LOG.debug("the runs of {} cannot be listed now: {}", run.repository(), Remote.reason(e));
      return Answer.UNREACHABLE;
    }
    synchronized (memory) {
      long since = world.nanos() - memory.missingSeen;
      memory.missingSeen = world.nanos();
      if (!memory.missing || since > SOON.toNanos()) {
        memory.missing = true;
        memory.missingSince = world.nanos();
        return Answer.UNKNOWN;
      }
      return world.nanos() - memory.missingSince >= SECOND_LOOK.toNanos()
          ? Answer.ENDED
          : Answer.UNKNOWN;
    }
  }

  private static Answer refused(RunRef run, Memory memory, WireFailure.Refused e) {
    if (e.status() >= 500) {
      return Answer.UNREACHABLE;
    }
    tell(run, memory, e);
    return Answer.UNKNOWN;
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

  /**
   * The same job with its number. A list may be some seconds old, and then shows the job that this
   * runner had before as the one that it has. So a job is only found if it is on this runner, if
   * its name goes with that of the workflow's job, and if no other job of that name waits for a
   * runner: that may be the one by now. All legs of a matrix are listed from its start. A job that
   * is not found, such as one with a title of its own, stands for the whole run: to be freed late
   * is better than to be robbed when another job ends.
   */
  RunRef ownJob(RunRef run, String runnerName) {
    if (run.jobId() > 0 || runnerName.isEmpty()) {
      return run;
    }
    try {
      List<Job> possible =
          jobsOf(run).stream()
              .filter(job -> job.attempt() == run.attempt() && !job.completed())
              .filter(job -> job.goesWith(run.jobName()))
              .filter(job -> job.runnerName().isEmpty() || job.runnerName().equals(runnerName))
              .toList();
      if (possible.size() == 1 && !possible.get(0).runnerName().isEmpty()) {
        return new RunRef(
            run.repository(), run.runId(), run.attempt(), possible.get(0).id(), run.jobName());
      }
      LOG.info(
          "{} jobs of run {} with the name {} may be on the runner {}: the lock is freed when the"
              + " whole run ends",
          possible.size(),
          run.runId(),
          run.jobName(),
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
