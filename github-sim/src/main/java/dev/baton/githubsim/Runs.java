package dev.baton.githubsim;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
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

    Job withId(long newId) {
      return new Job(newId, name, runnerName, conclusion, startedAt, completedAt);
    }

    Job ended(String how, Instant at) {
      return completedAt.isPresent()
          ? this
          : new Job(id, name, runnerName, Optional.of(how), startedAt, Optional.of(at));
    }
  }

  /**
   * @param actor who started it, by a push, by hand or by asking for it again
   * @param conclusion nothing while it runs
   */
  record Attempt(
      int number,
      String actor,
      Optional<String> conclusion,
      Instant startedAt,
      Instant updatedAt,
      List<Job> jobs) {

    Attempt ended(String how, Instant at) {
      List<Job> all = jobs.stream().map(job -> job.ended(how, at)).toList();
      return new Attempt(number, actor, Optional.of(how), startedAt, at, all);
    }
  }

  /**
   * What a run runs.
   *
   * @param event what set it off, such as {@code push}
   */
  record Origin(Workflow workflow, String event, String branch, String headSha, String actor) {}

  /** The attempts of a run, the first one first. */
  record Run(long id, int number, Origin origin, Instant createdAt, List<Attempt> attempts) {
    String workflow() {
      return origin.workflow().name();
    }

    String branch() {
      return origin.branch();
    }

    String headSha() {
      return origin.headSha();
    }

    String actor() {
      return origin.actor();
    }

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
      return new Run(id, number, origin, createdAt, List.copyOf(all));
    }

    Run plus(Attempt attempt) {
      List<Attempt> all = new ArrayList<>(attempts);
      all.add(attempt);
      return new Run(id, number, origin, createdAt, List.copyOf(all));
    }
  }

  /** How often and for how long a run can be run again, as documented. */
  private static final int MAX_RERUNS = 50;

  private static final Duration RERUN_TIME = Duration.ofDays(30);

  /** Conclusions of jobs that a re-run of the failed ones leaves alone. */
  private static final Set<String> KEPT = Set.of("success", "skipped", "neutral");

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

  Run start(Origin origin, List<String> jobs) {
    if (jobs.isEmpty()) {
      throw new IllegalArgumentException("a run has at least one job");
    }
    Instant now = clock.instant();
    long id = lastId.incrementAndGet();
    List<Job> first = jobs.stream().map(name -> job(name, now)).toList();
    int number = (int) lastNumber.incrementAndGet();
    Attempt attempt = new Attempt(1, origin.actor(), Optional.empty(), now, now, first);
    Run run = new Run(id, number, origin, now, List.of(attempt));
    Timeline<Run> timeline = new Timeline<>();
    timeline.set(now, run);
    byId.put(id, timeline);
    return run;
  }

  /** The run that a job belongs to, whichever attempt it is of. */
  Optional<Run> ofJob(long jobId, Instant asOf) {
    return list(asOf).stream()
        .filter(
            run ->
                run.attempts().stream()
                    .flatMap(attempt -> attempt.jobs().stream())
                    .anyMatch(job -> job.id() == jobId))
        .findFirst();
  }

  /** On GitHub it takes a while until the runners have obeyed; here it is done at once. */
  synchronized Outcome<Run> cancel(long id) {
    Optional<Run> run = get(id, Instant.MAX);
    if (run.isEmpty()) {
      return Outcome.notFound();
    }
    if (run.get().last().conclusion().isPresent()) {
      return Outcome.refused(409, "Cannot cancel a workflow run that is completed.");
    }
    return Outcome.done(202, finish(id, "cancelled"));
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
              new Attempt(
                  last.number(), last.actor(), last.conclusion(), last.startedAt(), now, jobs));
        });
  }

  /** A new attempt with jobs of the same names and new ids. */
  Outcome<Run> rerun(long id, String by) {
    return rerun(id, by, job -> true);
  }

  /** Jobs that succeeded are taken over as they are, under new ids (inferred). */
  Outcome<Run> rerunFailed(long id, String by) {
    return rerun(id, by, job -> job.conclusion().filter(how -> !KEPT.contains(how)).isPresent());
  }

  Outcome<Run> rerunJob(long jobId, String by) {
    Optional<Run> run = ofJob(jobId, Instant.MAX);
    if (run.isEmpty()) {
      return Outcome.notFound();
    }
    if (run.get().last().jobs().stream().noneMatch(job -> job.id() == jobId)) {
      return Outcome.refused(403, "Only jobs from the current attempt can be re-run");
    }
    return rerun(run.get().id(), by, job -> job.id() == jobId);
  }

  private synchronized Outcome<Run> rerun(long id, String by, Predicate<Job> again) {
    Optional<Run> run = get(id, Instant.MAX);
    if (run.isEmpty()) {
      return Outcome.notFound();
    }
    Instant now = clock.instant();
    Attempt last = run.get().last();
    if (last.conclusion().isEmpty()) {
      return Outcome.refused(403, "This workflow is already running");
    }
    if (run.get().createdAt().plus(RERUN_TIME).isBefore(now)) {
      return Outcome.refused(
          403, "Unable to retry this workflow run because it was created over a month ago");
    }
    // That there is a limit is documented; how its refusal is worded is inferred from another one.
    if (last.number() > MAX_RERUNS || last.jobs().stream().noneMatch(again)) {
      return Outcome.refused(403, "This workflow run cannot be retried");
    }
    List<Job> jobs =
        last.jobs().stream()
            .map(
                job ->
                    again.test(job) ? job(job.name(), now) : job.withId(lastId.incrementAndGet()))
            .toList();
    Attempt next = new Attempt(last.number() + 1, by, Optional.empty(), now, now, jobs);
    return Outcome.done(201, change(id, present -> present.plus(next)));
  }

  private Job job(String name, Instant now) {
    long id = lastId.incrementAndGet();
    return new Job(id, name, "runner-" + id, Optional.empty(), now, Optional.empty());
  }

  private synchronized Run change(long id, UnaryOperator<Run> change) {
    Timeline<Run> timeline = byId.get(id);
    if (timeline == null) {
      throw new IllegalArgumentException("no run " + id);
    }
    return timeline
        .update(clock.instant(), change)
        .orElseThrow(() -> new IllegalStateException("run " + id + " is gone"));
  }
}
