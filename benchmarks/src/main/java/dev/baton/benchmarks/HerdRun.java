package dev.baton.benchmarks;

import dev.baton.githubsim.SimRepository;
import dev.baton.githubsim.Staleness;
import dev.baton.queue.Request;
import dev.baton.queue.RunRef;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** One crowd that asks for the lock within a second, until all of them have built. */
final class HerdRun {

  /** What the jobs know of each other. */
  enum Crowd {
    /** Jobs of one run; each knows which of how many it is. */
    MATRIX,
    /** Runs of their own that know nothing of each other. */
    STRANGERS;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static final Duration READ = Duration.ofMillis(100);
  static final Duration WRITE = Duration.ofMillis(500);
  static final Duration MEDIAN_BUILD = Duration.ofMinutes(1);
  static final Duration LIMIT = Duration.ofHours(12);
  static final double CANCELLED = 0.1;

  /** The 95th percentile of a log-normal distribution that has it at three times the median. */
  private static final double SIGMA = Math.log(3) / 1.6448536269514722;

  private static final Duration ARRIVALS = Duration.ofSeconds(1);
  private static final Duration STEP = Duration.ofSeconds(30);

  /** What came of it; lists are empty where nothing was measured. */
  record Figures(
      int jobs,
      int inLine,
      double allInLine,
      int cancelled,
      int failed,
      Map<String, Integer> failures,
      Map<String, Integer> leftBehind,
      Map<String, Long> charged,
      Map<String, Long> free,
      long conflicts,
      long refused,
      double drain,
      double ideal,
      List<Duration> handOffs,
      List<Duration> releases,
      int overlaps,
      int outOfTurn) {

    double chargedPerJob() {
      return charged.values().stream().mapToLong(Long::longValue).sum() / (double) jobs;
    }
  }

  private final Crowd crowd;
  private final int total;
  private final Random random;
  private final Stage stage;
  private final Judge judge = new Judge();
  private final List<HerdJob> jobs = new ArrayList<>();
  private long start;

  private HerdRun(Crowd crowd, int total, long seed, Stage stage) {
    this.crowd = crowd;
    this.total = total;
    this.stage = stage;
    // The same builds for both crowds and for every engine.
    this.random = new Random(31 * seed + total);
  }

  static Figures play(Crowd crowd, int total, long seed, Staleness staleness) {
    try (Stage stage = Stage.git(seed, staleness)) {
      return new HerdRun(crowd, total, seed, stage).play();
    }
  }

  private Figures play() {
    stage.sim.onTheWay(request -> stage.world.pause((request.read() ? READ : WRITE).dividedBy(2)));
    new Line(stage, MEDIAN_BUILD).buildBefore(2);
    // The hour of what was before is over: the crowd has the whole limit.
    stage.play(Duration.ofMinutes(61));
    start = stage.world.nanos();
    gather();
    while (jobs.stream().anyMatch(j -> j.over < 0)
        && stage.world.since(start).compareTo(LIMIT) < 0) {
      stage.play(STEP);
    }
    return figures();
  }

  // ---- the crowd

  private void gather() {
    List<Duration> arrivals = new ArrayList<>();
    Duration work = Duration.ZERO;
    for (int i = 0; i < total; i++) {
      Duration build = drawn();
      work = work.plus(build);
      String name = String.format(Locale.ROOT, "job-%03d", i);
      jobs.add(new HerdJob(stage, judge, name, build));
      arrivals.add(Duration.ofNanos((long) (random.nextDouble() * ARRIVALS.toNanos())));
    }
    SimRepository.RunView matrix =
        stage.repository.startRun(
            "build.yml",
            "octo",
            IntStream.range(0, total).mapToObj(i -> "build (" + i + ")").toArray(String[]::new));
    for (int i = 0; i < total; i++) {
      int index = i;
      Duration arrival = arrivals.get(i);
      stage.start(
          jobs.get(i).name,
          () -> {
            stage.world.sleep(arrival);
            live(index, crowd == Crowd.MATRIX ? matrix : stage.startRun());
          });
    }
    cancelSome(work);
  }

  private Duration drawn() {
    double factor = Math.exp(SIGMA * random.nextGaussian());
    return Duration.ofNanos((long) (MEDIAN_BUILD.toNanos() * factor));
  }

  private void live(int index, SimRepository.RunView run) {
    HerdJob job = jobs.get(index);
    long id = run.jobs().get(crowd == Crowd.MATRIX ? index : 0).id();
    RunRef own = new RunRef(Stage.REPOSITORY, run.id(), run.attempt(), id, "build");
    job.run(Request.of(job.name, Stage.TITLE).livingBy(own), crowdOf(index));
    String conclusion = job.isBuilt() ? "success" : job.cancelled ? "cancelled" : "failure";
    if (crowd == Crowd.MATRIX) {
      stage.repository.finishJob(run.id(), id, conclusion);
    } else {
      stage.repository.finishRun(run.id(), conclusion);
    }
  }

  /** A job of a matrix knows which one it is; strangers know nothing of each other. */
  private dev.baton.queue.Crowd crowdOf(int index) {
    return crowd == Crowd.MATRIX
        ? new dev.baton.queue.Crowd(index, total)
        : dev.baton.queue.Crowd.ALONE;
  }

  /** At moments of the first half of the work, somebody who waits then. */
  private void cancelSome(Duration work) {
    int number = (int) Math.round(CANCELLED * total);
    for (int i = 0; i < number; i++) {
      Duration when = Duration.ofNanos((long) (random.nextDouble() * work.toNanos() / 2));
      double which = random.nextDouble();
      stage.start(
          "canceller " + i,
          () -> {
            stage.world.sleep(when);
            List<HerdJob> waiting = jobs.stream().filter(HerdJob::isWaiting).toList();
            if (!waiting.isEmpty()) {
              waiting.get((int) (which * waiting.size())).cancel();
            }
          });
    }
  }

  // ---- what came of it

  private Figures figures() {
    List<Traffic.Asked> asked = stage.traffic.in(start, Long.MAX_VALUE);
    Map<String, Long> released = releases(asked);
    List<HerdJob> inTurn =
        jobs.stream()
            .filter(j -> j.acquired >= 0)
            .sorted(Comparator.comparingLong(j -> j.acquired))
            .toList();
    List<HerdJob> built = inTurn.stream().filter(HerdJob::isBuilt).toList();
    List<HerdJob> inLine = jobs.stream().filter(j -> j.joined >= 0).toList();
    long last =
        built.stream().mapToLong(j -> releasedAt(j, released)).max().orElse(stage.world.nanos());
    Duration ideal = built.stream().map(j -> j.build).reduce(READ.plus(WRITE), Duration::plus);
    return new Figures(
        total,
        inLine.size(),
        jobs.stream().mapToLong(this::outOfLineUntil).max().orElse(start) / 1e9 - start / 1e9,
        (int) jobs.stream().filter(j -> j.cancelled).count(),
        total - built.size() - (int) jobs.stream().filter(j -> j.cancelled && j.over >= 0).count(),
        failures(),
        leftBehind(),
        Traffic.byKind(asked),
        free(asked),
        asked.stream().filter(a -> a.write() && a.status() == 409).count(),
        asked.stream().filter(Traffic.Asked::refused).count(),
        (last - start) / 1e9,
        Table.seconds(ideal),
        handOffs(inTurn, released),
        built.stream().map(j -> Duration.ofNanos(releasedAt(j, released) - j.built)).toList(),
        judge.overlaps(),
        outOfTurn(inTurn));
  }

  /** A job that never got in line has tried until its end. */
  private long outOfLineUntil(HerdJob job) {
    long end = job.over >= 0 ? job.over : stage.world.nanos();
    return job.joined >= 0 ? job.joined : end;
  }

  private Map<String, Integer> failures() {
    Map<String, Integer> all = new TreeMap<>();
    for (HerdJob j : jobs) {
      if (j.failure.isPresent() && !j.cancelled) {
        all.merge(j.failure.get().replaceAll("[0-9]+", "N"), 1, Integer::sum);
      } else if (j.over < 0) {
        String where = j.acquired >= 0 ? "builds" : j.joined >= 0 ? "in line" : "not in line";
        all.merge(where + " at the end of the run", 1, Integer::sum);
      }
    }
    return all;
  }

  private Map<String, Integer> leftBehind() {
    Map<String, Integer> all = new TreeMap<>();
    jobs.forEach(
        j -> j.leftBehind.ifPresent(w -> all.merge(w.replaceAll("[0-9]+", "N"), 1, Integer::sum)));
    return all;
  }

  private static Map<String, Long> free(List<Traffic.Asked> asked) {
    Map<String, Long> all = new TreeMap<>();
    asked.stream()
        .filter(a -> !a.charged() && !a.refused())
        .forEach(a -> all.merge(a.kind(), 1L, Long::sum));
    return all;
  }

  /** When the writes landed that gave back the lock, by the client of the post phase. */
  private static Map<String, Long> releases(List<Traffic.Asked> asked) {
    Map<String, Long> first = new HashMap<>();
    asked.stream()
        .filter(a -> a.write() && !a.kind().startsWith("board") && a.status() / 100 == 2)
        .forEach(a -> first.putIfAbsent(a.client(), a.at()));
    return first;
  }

  /** A job that could not give back its lock frees it by its end. */
  private long releasedAt(HerdJob job, Map<String, Long> released) {
    return released.getOrDefault(job.postClient(), job.over >= 0 ? job.over : stage.world.nanos());
  }

  /** From the write that gives back the lock to when the next, who was in line, knows it holds. */
  private List<Duration> handOffs(List<HerdJob> inTurn, Map<String, Long> released) {
    List<Duration> times = new ArrayList<>();
    for (int i = 1; i < inTurn.size(); i++) {
      long gone = releasedAt(inTurn.get(i - 1), released);
      if (inTurn.get(i).joined < gone) {
        times.add(Duration.ofNanos(inTurn.get(i).acquired - gone));
      }
    }
    return times;
  }

  private static int outOfTurn(List<HerdJob> inTurn) {
    int count = 0;
    long highest = 0;
    for (HerdJob j : inTurn) {
      count += j.ticket < highest ? 1 : 0;
      highest = Math.max(highest, j.ticket);
    }
    return count;
  }
}
