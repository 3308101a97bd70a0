package dev.baton.benchmarks;

import dev.baton.githubsim.Grant;
import dev.baton.githubsim.Staleness;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.github.GitHubSpace;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What parking costs, and how fast it is: jobs that park behind 70-minute builds, on a GitHub whose
 * runners take half a minute to start, on a virtual clock. The server counts the requests.
 */
public final class ParkingCost {
  private static final int JOBS = 20;
  private static final Duration BUILD = Duration.ofMinutes(70);
  private static final Duration RUNNER_START = Duration.ofSeconds(30);

  /** How often GitHub looks whether there is a job to give to a runner. */
  private static final Duration RUNNER_LOOKS = Duration.ofSeconds(1);

  private static final Duration APART = Duration.ofMinutes(2);
  private static final Duration READ = Duration.ofMillis(100);
  private static final Duration WRITE = Duration.ofMillis(500);
  private static final Duration LIMIT = Duration.ofHours(48);
  private static final Duration STEP = Duration.ofMinutes(10);

  private final Stage stage;
  private final long seed;
  private final Duration schedule;
  private final Judge judge = new Judge();
  private final List<ParkedJob> jobs = new ArrayList<>();

  private ParkingCost(Stage stage, long seed, Duration schedule) {
    this.stage = stage;
    this.seed = seed;
    this.schedule = schedule;
  }

  /** Arguments: {@code seed=N}, and {@code wake=MINUTES} between scheduled workflows. */
  public static void main(String[] args) {
    long seed = 1;
    Duration schedule = Duration.ZERO;
    for (String arg : args) {
      String value = arg.substring(arg.indexOf('=') + 1);
      if (arg.startsWith("seed=")) {
        seed = Long.parseLong(value);
      } else if (arg.startsWith("wake=")) {
        schedule = Duration.ofMinutes(Integer.parseInt(value));
      } else {
        throw new IllegalArgumentException("not seed= or wake=MINUTES: " + arg);
      }
    }
    boolean met;
    try (Stage stage = Stage.git(seed, new Staleness(Duration.ZERO, Duration.ZERO))) {
      met = new ParkingCost(stage, seed, schedule).run();
    }
    System.exit(met ? 0 : 1);
  }

  private boolean run() {
    long began = System.nanoTime();
    stage.sim.onTheWay(request -> stage.world.pause((request.read() ? READ : WRITE).dividedBy(2)));
    new Line(stage, BUILD).buildBefore(1);
    stage.play(Duration.ofMinutes(61));
    long start = stage.world.nanos();
    // The first of them finds the lock free, and parks nowhere.
    for (int i = 0; i <= JOBS; i++) {
      ParkedJob job = new ParkedJob(stage, judge, "job-" + i, BUILD);
      Duration arrival = APART.multipliedBy(i);
      jobs.add(job);
      stage.start(
          job.name,
          () -> {
            stage.world.sleep(arrival);
            job.live(RUNNER_START, RUNNER_LOOKS);
          });
    }
    if (!schedule.isZero()) {
      stage.start("schedule", this::wakeNowAndThen);
    }
    while (!isOver() && stage.world.since(start).compareTo(LIMIT) < 0) {
      stage.play(STEP);
    }
    return say(start, (System.nanoTime() - began) / 1e9);
  }

  private boolean isOver() {
    return jobs.stream().allMatch(ParkedJob::isBuilt);
  }

  private void wakeNowAndThen() throws IOException, InterruptedException {
    while (!isOver()) {
      stage.world.sleep(schedule);
      try (GitHubSpace space =
          GitHubSpace.open(
              stage.place(),
              stage.connect("schedule", Stage.Shape.JOB, Grant.ACTIONS_WRITE),
              stage.world)) {
        BuildQueue queue =
            space.queue(EngineSettings.DEFAULT, space.waker(Set.of(Stage.REPOSITORY)));
        queue.wake();
        queue.close();
      }
    }
  }

  // ---- what came of it

  private boolean say(long start, double real) {
    Table table = new Table();
    List<Traffic.Asked> asked = stage.traffic.in(start, Long.MAX_VALUE);
    List<ParkedJob> parked = jobs.subList(1, jobs.size());
    List<Duration> handOffs = handOffs();
    long built = jobs.stream().filter(ParkedJob::isBuilt).count();
    long times = parked.stream().mapToInt(j -> j.parked).sum();
    long wakeUps =
        asked.stream().filter(a -> a.kind().endsWith("/rerun") && a.status() == 201).count();
    // With those of the first build and of the schedule: rather too many than too few.
    double charged = asked.stream().filter(Traffic.Asked::charged).count() / (double) JOBS;
    double minutes =
        parked.stream().mapToDouble(j -> Table.seconds(j.runner)).sum() / 60 / parked.size();
    table.say(
        "%d jobs park behind builds of %d min; a runner starts in %d s; round trips %d ms to read,"
            + " %d ms to write; seed %d; %s (%.0f s of real time)",
        JOBS,
        BUILD.toMinutes(),
        RUNNER_START.toSeconds(),
        READ.toMillis(),
        WRITE.toMillis(),
        seed,
        schedule.isZero() ? "no schedule" : "wake every " + schedule.toMinutes() + " min",
        real);
    table.say(
        "  built %d of %d: %s; two at once %d: %s",
        built,
        jobs.size(),
        table.atLeast(jobs.size(), built, ""),
        judge.overlaps(),
        table.atMost(0, judge.overlaps(), ""));
    table.say(
        "  parked %d times; woken %d times: %s", times, wakeUps, table.atMost(times, wakeUps, ""));
    table.say(
        "  runner minutes %.2f, the runner's start included: %s",
        minutes, table.atMost(2, minutes, ""));
    if (handOffs.isEmpty()) {
      table.say("  no hand-off: %s", table.atLeast(JOBS, 0, ""));
      System.out.print(table.text());
      return false;
    }
    double p50 = Table.percentile(handOffs, 0.5);
    double p99 = Table.percentile(handOffs, 0.99);
    table.say(
        "  hand-off, from the end of the build: p50 %.1f s: %s, p99 %.1f s: %s",
        p50, table.atMost(45, p50, " s"), p99, table.atMost(120, p99, " s"));
    table.say(
        "  charged %.1f: %s (%s)",
        charged, table.atMost(14, charged, ""), Traffic.shown(Traffic.byKind(asked), JOBS));
    System.out.print(table.text());
    System.out.printf(
        Locale.ROOT,
        "runner minutes per parked job: %.2f, hand-off p50/p99: %.1f/%.1f s, charged per job:"
            + " %.1f%n",
        minutes,
        p50,
        p99,
        charged);
    return !table.isMissed();
  }

  private List<Duration> handOffs() {
    List<ParkedJob> inTurn =
        jobs.stream()
            .filter(j -> j.acquired >= 0)
            .sorted(Comparator.comparingLong(j -> j.acquired))
            .toList();
    List<Duration> times = new ArrayList<>();
    for (int i = 1; i < inTurn.size(); i++) {
      times.add(Duration.ofNanos(inTurn.get(i).acquired - inTurn.get(i - 1).built));
    }
    return times;
  }
}
