package dev.baton.githubsim;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

/**
 * Workflow runs with their attempts and jobs.
 *
 * <p>Thread-safe.
 */
final class Runs {
  /**
   * @param conclusion nothing while it runs
   */
  record Job(
      long id,
      String name,
      String runnerName,
      Optional<String> conclusion,
      Instant startedAt,
      Optional<Instant> completedAt) {

    Job ended(String how, Instant at) {
      return completedAt.isPresent()
          ? this
          : new Job(id, name, runnerName, Optional.of(how), startedAt, Optional.of(at));
    }
  }

  record Attempt(
      int number,
      Optional<String> conclusion,
      Instant startedAt,
      Instant updatedAt,
      List<Job> jobs) {

    Attempt ended(String how, Instant at) {
      List<Job> all = jobs.stream().map(job -> job.ended(how, at)).toList();
      return new Attempt(number, Optional.of(how), startedAt, at, all);
    }
  }

  /** The attempts of a run, the first one first. */
  record Run(
      long id,
      int number,
      String workflow,
      String branch,
      String headSha,
      String actor,
      Instant createdAt,
      List<Attempt> attempts) {

    Attempt last() {
      return attempts.get(attempts.size() - 1);
    }

    Optional<Attempt> attempt(int wanted) {
      return wanted >= 1 && wanted <= attempts.size()
          ? Optional.of(attempts.get(wanted - 1))
          : Optional.empty();
    }

    Run withLast(Attempt attempt) {
      List<Attempt> all = new ArrayList<>(attempts);
      all.set(all.size() - 1, attempt);
      return new Run(id, number, workflow, branch, headSha, actor, createdAt, List.copyOf(all));
    }

    Run plus(Attempt attempt) {
      List<Attempt> all = new ArrayList<>(attempts);
      all.add(attempt);
      return new Run(id, number, workflow, branch, headSha, actor, createdAt, List.copyOf(all));
    }
  }

  private final InstantSource clock;
  private final AtomicLong lastId = new AtomicLong(2_874_767_000L);
  private final AtomicLong lastNumber = new AtomicLong();
  private final Map<Long, Timeline<Run>> byId = new ConcurrentSkipListMap<>();

  Runs(InstantSource clock) {
    this.clock = clock;
  }

  Optional<Run> get(long id, Instant asOf) {
    return Optional.ofNullable(byId.get(id)).flatMap(timeline -> timeline.asOf(asOf));
  }

  List<Run> list(Instant asOf) {
    List<Run> found = new ArrayList<>();
    byId.values().forEach(timeline -> timeline.asOf(asOf).ifPresent(run -> found.add(0, run)));
    return found;
  }

  Run start(String workflow, String branch, String headSha, String actor, List<String> jobs) {
    if (jobs.isEmpty()) {
      throw new IllegalArgumentException("a run has at least one job");
    }
    Instant now = clock.instant();
    long id = lastId.incrementAndGet();
    Attempt first = attempt(1, jobs, now);
    int number = (int) lastNumber.incrementAndGet();
    Run run = new Run(id, number, workflow, branch, headSha, actor, now, List.of(first));
    Timeline<Run> timeline = new Timeline<>();
    timeline.set(now, run);
    byId.put(id, timeline);
    return run;
  }

  Run finish(long id, String conclusion) {
    Instant now = clock.instant();
    return change(id, run -> run.withLast(run.last().ended(conclusion, now)));
  }

  /** Ends one job; the run goes on. */
  Run finishJob(long id, long jobId, String conclusion) {
    Instant now = clock.instant();
    return change(
        id,
        run -> {
          Attempt last = run.last();
          if (last.jobs().stream().noneMatch(job -> job.id() == jobId)) {
            throw new IllegalArgumentException("no job " + jobId + " in run " + id);
          }
          List<Job> jobs =
              last.jobs().stream()
                  .map(job -> job.id() == jobId ? job.ended(conclusion, now) : job)
                  .toList();
          return run.withLast(
              new Attempt(last.number(), last.conclusion(), last.startedAt(), now, jobs));
        });
  }

  /** A new attempt with jobs of the same names and new ids. */
  Run rerun(long id) {
    Instant now = clock.instant();
    return change(
        id,
        run -> {
          if (run.last().conclusion().isEmpty()) {
            throw new IllegalStateException("run " + id + " is still running");
          }
          List<String> names = run.last().jobs().stream().map(Job::name).toList();
          return run.plus(attempt(run.last().number() + 1, names, now));
        });
  }

  private Attempt attempt(int number, List<String> names, Instant now) {
    List<Job> jobs = new ArrayList<>();
    for (String name : names) {
      long id = lastId.incrementAndGet();
      jobs.add(new Job(id, name, "runner-" + id, Optional.empty(), now, Optional.empty()));
    }
    return new Attempt(number, Optional.empty(), now, now, List.copyOf(jobs));
  }

  private Run change(long id, UnaryOperator<Run> change) {
    Timeline<Run> timeline = byId.get(id);
    if (timeline == null) {
      throw new IllegalArgumentException("no run " + id);
    }
    return timeline
        .update(clock.instant(), change)
        .orElseThrow(() -> new IllegalStateException("run " + id + " is gone"));
  }
}
