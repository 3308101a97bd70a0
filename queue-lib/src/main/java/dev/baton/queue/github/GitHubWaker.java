package dev.baton.queue.github;

import dev.baton.core.World;
import dev.baton.queue.RunRef;
import dev.baton.queue.spi.Waker;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the jobs of parked tickets again.
 *
 * <ol>
 *   <li>One job, never the failed ones of a whole run, and only in the repositories that it was
 *       made for: what a queue's document names redirects nothing.
 *   <li>A job can be run again when its whole run is completed, in its last attempt, for 30 days
 *       and 50 times. So a job parks only as the last one of its run.
 *   <li>Whether the token may is asked by a request for a job that does not exist: 403 says that it
 *       may not, 404 that it may.
 *   <li>A request is sent once. What came of a lost one shows in the run.
 * </ol>
 */
final class GitHubWaker implements Waker {
  private static final Logger LOG = LoggerFactory.getLogger("dev.baton.queue.github");

  /** No job has this number. */
  private static final long NO_JOB = 1;

  private static final int MAX_RERUNS = 50;

  /** Of 30 days: a job may be parked for some of them. */
  private static final Duration YOUNG = Duration.ofDays(25);

  private final Remote remote;
  private final World world;
  private final Set<String> repositories;

  /** What each repository last said that the token lacks. */
  private final Map<String, Optional<String>> permissions = new ConcurrentHashMap<>();

  GitHubWaker(Remote remote, World world, Set<String> repositories) {
    this.remote = remote;
    this.world = world;
    this.repositories = Set.copyOf(repositories);
  }

  @Override
  public Optional<String> whyNotToPark(RunRef job) {
    if (!repositories.contains(job.repository())) {
      return Optional.of(notHere(job));
    }
    try {
      Map<String, String> run = run(job);
      if (number(run, "run_attempt") >= MAX_RERUNS) {
        return Optional.of(
            "its run was run again for " + MAX_RERUNS + " times, the most that GitHub does");
      }
      if (createdAt(run).plus(YOUNG).isBefore(now())) {
        return Optional.of("its run is too old: GitHub runs jobs again for 30 days");
      }
      JobList.Others others = new JobList(remote).othersOf(job);
      if (others.unfinished() > 0) {
        return Optional.of(
            "other jobs of its run go on ("
                + others.unfinished()
                + "), and a job can be run again only when its whole run is completed");
      }
      if (!others.isListed()) {
        return Optional.of("its run does not list it");
      }
      if (others.isLeg()) {
        return Optional.of("it is a leg of a matrix, whose legs cannot be told from each other");
      }
      return permission(job);
    } catch (IOException e) {
      return Optional.of("GitHub does not say whether it could be run again: " + Remote.reason(e));
    }
  }

  @Override
  public Optional<String> whyNotToWake(RunRef job) {
    if (!repositories.contains(job.repository())) {
      return Optional.of(notHere(job));
    }
    try {
      Optional<String> known = permissions.get(job.repository());
      return known == null ? permission(job) : known;
    } catch (IOException e) {
      return Optional.of(
          "GitHub does not say whether the token may run jobs again: " + Remote.reason(e));
    }
  }

  private static String notHere(RunRef job) {
    return "nobody here runs jobs of " + job.repository() + " again";
  }

  private Optional<String> permission(RunRef job) throws IOException {
    Optional<String> lacks =
        mayRerun(job)
            ? Optional.empty()
            : Optional.of("the token may not run jobs again: give it `actions: write`");
    permissions.put(job.repository(), lacks);
    return lacks;
  }

  private boolean mayRerun(RunRef job) throws IOException {
    try {
      remote.wire().write("POST", rerun(job.repository(), NO_JOB), "{}");
      throw new IOException("GitHub has run a job again that does not exist");
    } catch (WireFailure.Refused e) {
      if (e.status() == 404) {
        return true;
      }
      if (e.status() == 403) {
        return false;
      }
      throw e;
    }
  }

  private static String rerun(String repository, long job) {
    return "/repos/" + repository + "/actions/jobs/" + job + "/rerun";
  }

  @Override
  public Optional<Attempt> lastAttempt(RunRef job) {
    if (!repositories.contains(job.repository())) {
      return Optional.empty();
    }
    try {
      Map<String, String> run = run(job);
      return Optional.of(
          new Attempt(
              Math.toIntExact(number(run, "run_attempt")), "completed".equals(run.get("status"))));
    } catch (IOException | ArithmeticException e) {
      LOG.info("run {} of a parked job cannot be seen now: {}", job.runId(), e.getMessage());
      return Optional.empty();
    }
  }

  @Override
  public Answer wake(RunRef job) {
    if (!repositories.contains(job.repository())) {
      return new Answer.Unknown();
    }
    try {
      long attempt = number(run(job), "run_attempt");
      Optional<Long> id =
          attempt == job.attempt() ? Optional.of(job.jobId()) : new JobList(remote).sameJobNow(job);
      if (id.isEmpty()) {
        return new Answer.Refused("its run does not list it any more");
      }
      remote.wire().write("POST", rerun(job.repository(), id.get()), "{}");
      return new Answer.Started();
    } catch (WireFailure.Refused e) {
      if (e.isOfRunningRun()) {
        return new Answer.Unknown();
      }
      return e.status() == 403 || e.status() == 404 || e.status() == 422
          ? new Answer.Refused(Texts.clean(e.said(), 80) + " (" + e.status() + ")")
          : new Answer.Unknown();
    } catch (IOException e) {
      LOG.info("whether run {} was run again is not known: {}", job.runId(), Remote.reason(e));
      return new Answer.Unknown();
    }
  }

  private Map<String, String> run(RunRef job) throws IOException {
    Map<String, String> run =
        remote.wire().get("/repos/" + job.repository() + "/actions/runs/" + job.runId()).members();
    if (number(run, "id") != job.runId()) {
      throw new IOException("GitHub has answered with another run than the one that was asked for");
    }
    return run;
  }

  private Instant now() {
    return remote.wire().serverTime().orElseGet(world::now);
  }

  private static Instant createdAt(Map<String, String> run) throws IOException {
    try {
      return Instant.parse(Objects.requireNonNullElse(run.get("created_at"), ""));
    } catch (DateTimeParseException e) {
      throw new IOException("an answer of GitHub lacks something");
    }
  }

  private static long number(Map<String, String> object, String name) throws IOException {
    return JobList.number(object, name);
  }

  /** The jobs of a run's last attempt, with nothing of them but what is asked for. */
  private static final class JobList {
    private static final int PAGE = 100;
    private static final int MOST_PAGES = 20;

    /**
     * A job in the list of its run.
     *
     * @param isListed whether it is there
     * @param isLeg whether it has the name of a leg of a matrix
     * @param unfinished how many others are not completed
     */
    record Others(boolean isListed, boolean isLeg, int unfinished) {}

    private final Remote remote;

    JobList(Remote remote) {
      this.remote = remote;
    }

    Others othersOf(RunRef job) throws IOException {
      boolean listed = false;
      boolean leg = false;
      int unfinished = 0;
      for (Map<String, String> one : jobs(job)) {
        if (number(one, "id") == job.jobId()) {
          listed = true;
          leg = one.getOrDefault("name", "").endsWith(")");
        } else if (!"completed".equals(one.get("status"))) {
          unfinished++;
        }
      }
      return new Others(listed, leg, unfinished);
    }

    /**
     * The number that a job of an earlier attempt has in the last one: by its name, if one has it.
     */
    Optional<Long> sameJobNow(RunRef job) throws IOException {
      Map<String, String> earlier =
          remote
              .wire()
              .get("/repos/" + job.repository() + "/actions/jobs/" + job.jobId())
              .members();
      String name = earlier.getOrDefault("name", "");
      List<Long> same = new ArrayList<>();
      for (Map<String, String> one : jobs(job)) {
        if (!name.isEmpty() && name.equals(one.get("name"))) {
          same.add(number(one, "id"));
        }
      }
      return same.size() == 1 ? Optional.of(same.get(0)) : Optional.empty();
    }

    private List<Map<String, String>> jobs(RunRef run) throws IOException {
      List<Map<String, String>> jobs = new ArrayList<>();
      String path = "/repos/" + run.repository() + "/actions/runs/" + run.runId() + "/jobs";
      for (int page = 1; page <= MOST_PAGES; page++) {
        List<Map<String, String>> said =
            remote.wire().get(path + "?per_page=" + PAGE + "&page=" + page).list("jobs");
        for (Map<String, String> job : said) {
          if (number(job, "run_id") != run.runId()) {
            throw new IOException("GitHub has answered with the jobs of another run");
          }
          jobs.add(job);
        }
        if (said.size() < PAGE) {
          break;
        }
      }
      return jobs;
    }

    static long number(Map<String, String> object, String name) throws IOException {
      String text = object.getOrDefault(name, "");
      if (!text.matches("[0-9]{1,18}")) {
        throw new IOException("an answer of GitHub lacks something");
      }
      return Long.parseLong(text);
    }
  }
}
