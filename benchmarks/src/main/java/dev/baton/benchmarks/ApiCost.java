package dev.baton.benchmarks;

import dev.baton.githubsim.SimRepository;
import dev.baton.githubsim.Staleness;
import dev.baton.queue.Answer;
import dev.baton.queue.Grant;
import dev.baton.queue.Ticket;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * What a queue on GitHub costs and how fast it is, counted by the server while hours of 70-minute
 * builds are played on a virtual clock.
 */
public final class ApiCost {
  private static final Duration BUILD = Duration.ofMinutes(70);
  private static final Duration SHORT_BUILD = Duration.ofMinutes(3);
  private static final Duration DAY = Duration.ofHours(24);
  private static final Duration APART = Duration.ofMinutes(2);

  /**
   * What came of one scenario.
   *
   * @param charged per cycle or per waiting hour; 0 where that is not the point
   */
  private record Figures(Table table, double charged, List<Duration> handOffs) {}

  private interface Scenario {
    Figures play();
  }

  private final long seed;

  private ApiCost(long seed) {
    this.seed = seed;
  }

  public static void main(String[] args) throws InterruptedException {
    try {
      ApiCost cost = new ApiCost(args.length == 0 ? 1 : Long.parseLong(args[0]));
      System.exit(cost.run() ? 0 : 1);
    } catch (ExecutionException e) {
      // The other scenarios still run, on threads that would keep this process alive.
      e.printStackTrace();
      System.exit(2);
    }
  }

  private boolean run() throws InterruptedException, ExecutionException {
    long began = System.nanoTime();
    System.out.printf(
        Locale.ROOT,
        "A queue in git mode on virtual time; round trips of %d ms; seed %d%n",
        Stage.TRIP.toMillis(),
        seed);
    // Each has a clock and a server of its own; two at a time.
    ExecutorService two = Executors.newFixedThreadPool(2);
    try {
      Future<Figures> alone = begin(two, this::uncontended);
      Future<Figures> one = begin(two, () -> line(1, DAY));
      Future<Figures> twenty = begin(two, () -> line(20, Duration.ofHours(12)));
      Future<Figures> many = begin(two, () -> line(200, Duration.ofHours(8)));
      Future<Figures> fresh = begin(two, () -> handOffs("fresh reads", Staleness.NONE));
      Future<Figures> stale =
          begin(
              two,
              () ->
                  handOffs(
                      "reads up to 10 s old",
                      new Staleness(Duration.ZERO, Duration.ofSeconds(10))));
      Future<Figures> operations = begin(two, this::operations);
      boolean missed = false;
      for (Future<Figures> f : List.of(alone, one, twenty, many, fresh, stale, operations)) {
        System.out.print(f.get().table().text());
        missed |= f.get().table().isMissed();
      }
      Table table = new Table();
      List<Duration> times = new ArrayList<>(fresh.get().handOffs());
      double perHour = 0;
      for (Future<Figures> f : List.of(one, twenty, many)) {
        perHour = Math.max(perHour, f.get().charged());
        times.addAll(f.get().handOffs());
      }
      double p50 = Table.percentile(times, 0.5);
      double p99 = Table.percentile(times, 0.99);
      table.say(
          "%nall hand-offs with fresh reads (%d): p50 %.2f s: %s; p99 %.2f s: %s",
          times.size(), p50, table.atMost(2, p50, " s"), p99, table.atMost(4, p99, " s"));
      table.say("%.0f s of real time", (System.nanoTime() - began) / 1e9);
      table.say(
          "charged per cycle: %s, charged per waiting hour: %s, hand-off p50/p99: %.2f/%.2f s",
          Table.number(alone.get().charged()), Table.number(perHour), p50, p99);
      System.out.print(table.text());
      return !missed && !table.isMissed();
    } finally {
      two.shutdownNow();
    }
  }

  private static Future<Figures> begin(ExecutorService two, Scenario scenario) {
    return two.submit(scenario::play);
  }

  // ---- alone

  /** What a process, or two of them, do for one build. */
  private interface Cycle {
    void run(String name) throws IOException, InterruptedException;
  }

  private Figures uncontended() {
    Table table = new Table();
    try (Stage stage = Stage.git(seed, Staleness.NONE)) {
      List<List<Traffic.Asked>> jobs = new ArrayList<>();
      List<List<Traffic.Asked>> actions = new ArrayList<>();
      List<List<Traffic.Asked>> laptops = new ArrayList<>();
      long end = stage.world.nanos() + DAY.toNanos();
      for (int i = 0; stage.world.nanos() < end; i++) {
        jobs.add(cycle(stage, "job-" + i, name -> inOneProcess(stage, name, Stage.Shape.JOB)));
        actions.add(cycle(stage, "action-" + i, name -> inTwoProcesses(stage, name)));
        laptops.add(
            cycle(stage, "laptop-" + i, name -> inOneProcess(stage, name, Stage.Shape.LAPTOP)));
      }
      table.say(
          "%nNobody else, 24 h of 70-minute builds, every process starts cold: a cycle costs");
      double charged = worst(jobs);
      say(table, "workflow job, one process", jobs, table.atMost(5, charged, ""));
      say(table, "action: acquire, then release", actions, table.atMost(6, worst(actions), ""));
      say(table, "laptop with heartbeats", laptops, "no goal");
      refused(table, stage);
      return new Figures(table, charged, List.of());
    }
  }

  private static List<Traffic.Asked> cycle(Stage stage, String name, Cycle cycle) {
    long from = stage.world.nanos();
    stage.task(name, () -> cycle.run(name));
    return stage.traffic.in(from, stage.world.nanos());
  }

  private static void inOneProcess(Stage stage, String name, Stage.Shape shape)
      throws IOException, InterruptedException {
    SimRepository.RunView run = stage.startRun();
    Stage.Client client = stage.open(name, shape);
    Grant grant = Line.acquired(client.queue().acquire(Stage.request(client, run), p -> {}));
    stage.world.sleep(BUILD);
    grant.release("built");
    stage.finishRun(run);
    client.close();
  }

  /** The first process ends without giving back the lock; its run keeps the ticket alive. */
  private static void inTwoProcesses(Stage stage, String name)
      throws IOException, InterruptedException {
    SimRepository.RunView run = stage.startRun();
    Stage.Client first = stage.open(name + "-main", Stage.Shape.JOB);
    Grant grant = Line.acquired(first.queue().acquire(Stage.request(first, run), p -> {}));
    stage.world.sleep(BUILD);
    Stage.Client second = stage.open(name + "-post", Stage.Shape.JOB);
    second.queue().release(grant.ticket(), grant.fencingToken(), "built");
    stage.finishRun(run);
    second.close();
  }

  private static void say(
      Table table, String what, List<List<Traffic.Asked>> cycles, String verdict) {
    List<Traffic.Asked> all = cycles.stream().flatMap(List::stream).toList();
    table.say(
        "  %-30s charged %s (worst of %d: %s), free %s: %s",
        what,
        Table.number(count(all, true) / (double) cycles.size()),
        cycles.size(),
        Table.number(worst(cycles)),
        Table.number(count(all, false) / (double) cycles.size()),
        verdict);
    table.say("  %-30s %s", "", Traffic.shown(Traffic.byKind(all), cycles.size()));
  }

  private static double worst(List<List<Traffic.Asked>> cycles) {
    return cycles.stream().mapToLong(c -> count(c, true)).max().orElseThrow();
  }

  private static long count(List<Traffic.Asked> asked, boolean charged) {
    return asked.stream().filter(a -> a.charged() == charged).count();
  }

  // ---- in line

  private Figures line(int inLine, Duration time) {
    Table table = new Table();
    try (Stage stage = Stage.git(seed + inLine, Staleness.NONE)) {
      Line line = new Line(stage, BUILD);
      line.buildBefore(2);
      long filling = stage.world.nanos();
      line.fill(inLine, APART);
      long from = stage.world.nanos();
      stage.play(time);
      long to = stage.world.nanos();
      table.say(
          "%n%d in line, %d h of 70-minute builds%s",
          inLine, time.toHours(), time.equals(DAY) ? "" : " (not 24 h, to be done in time)");
      double charged = waiting(table, stage, line, from, to);
      building(table, stage, line, Stage.Shape.JOB, from, to);
      building(table, stage, line, Stage.Shape.LAPTOP, from, to);
      hours(table, stage.traffic.in(filling, from), "while they came, one in two minutes");
      hours(table, stage.traffic.in(from, to), "then");
      refused(table, stage);
      return new Figures(table, charged, line.handOffs(from, to));
    }
  }

  /**
   * From the answer to the join to the write that takes up the offer, without the painting of the
   * join itself: that comes a second later and is part of the join.
   */
  private static double waiting(Table table, Stage stage, Line line, long from, long to) {
    Map<String, List<Traffic.Asked>> byClient = stage.traffic.byClient();
    List<Wait> all = new ArrayList<>();
    for (Visit v : line.visits()) {
      List<Traffic.Asked> mine = byClient.getOrDefault(v.client, List.of());
      long end = Math.min(to, confirmedAt(v, mine));
      mine.stream()
          .filter(a -> a.at() >= from && a.at() < end && v.waits(a.at()) && !paintsJoin(v, a))
          .forEach(a -> all.add(new Wait(a, v.placeAt(a.at()))));
    }
    double charged = 0;
    int[] bounds = {1, 2, 4, 11, Integer.MAX_VALUE};
    for (int i = -1; i + 1 < bounds.length; i++) {
      int least = i < 0 ? 1 : bounds[i];
      int most = i < 0 ? Integer.MAX_VALUE : bounds[i + 1] - 1;
      double hours =
          line.visits().stream().mapToDouble(v -> v.hoursAt(least, most, from, to)).sum();
      List<Traffic.Asked> asked =
          all.stream()
              .filter(w -> w.place() >= least && w.place() <= most)
              .map(Wait::asked)
              .toList();
      if (i < 0) {
        charged = count(asked, true) / hours;
        table.say(
            "  charged per waiting hour %s, free %s: %s",
            Table.number(charged),
            Table.number(count(asked, false) / hours),
            table.atMost(2, charged, ""));
        table.say("    %s", Traffic.shown(Traffic.byKind(asked), hours));
      } else if (hours > 0) {
        table.say(
            "    place %-6s %5.2f an hour: %s",
            most == least ? least : most > 1_000 ? least + "-" : least + "-" + most,
            count(asked, true) / hours,
            Traffic.shown(Traffic.byKind(asked), hours));
      }
    }
    return charged;
  }

  /** Something that was asked while waiting. */
  private record Wait(Traffic.Asked asked, int place) {}

  private static boolean paintsJoin(Visit v, Traffic.Asked asked) {
    return asked.kind().equals("board paint")
        && asked.at() - v.joined < Duration.ofSeconds(10).toNanos();
  }

  /** Joining, confirming, building and releasing: all but the waiting, by the builds that ended. */
  private static void building(
      Table table, Stage stage, Line line, Stage.Shape shape, long from, long to) {
    Map<String, List<Traffic.Asked>> byClient = stage.traffic.byClient();
    List<Traffic.Asked> all = new ArrayList<>();
    long ended = 0;
    for (Visit v : line.visits()) {
      if (v.shape == shape) {
        ended += v.over >= from && v.over < to ? 1 : 0;
        List<Traffic.Asked> mine = byClient.getOrDefault(v.client, List.of());
        long confirmed = confirmedAt(v, mine);
        mine.stream()
            .filter(a -> a.at() >= from && a.at() < to)
            .filter(a -> !v.waits(a.at()) || a.at() >= confirmed || paintsJoin(v, a))
            .forEach(all::add);
      }
    }
    if (ended > 0) {
      table.say(
          "  beside the waiting, a %s is charged %s, its join's painting with it: %s",
          shape == Stage.Shape.JOB ? "job" : "laptop",
          Table.number(count(all, true) / (double) ended),
          Traffic.shown(Traffic.byKind(all), ended));
    }
  }

  /** When the write was sent that took up the offer: the last one before the lock was held. */
  private static long confirmedAt(Visit v, List<Traffic.Asked> asked) {
    return asked.stream()
        .filter(a -> a.kind().equals("queue write") && v.acquired >= 0 && a.at() <= v.acquired)
        .mapToLong(Traffic.Asked::at)
        .max()
        .orElse(Long.MAX_VALUE);
  }

  private static void hours(Table table, List<Traffic.Asked> asked, String when) {
    long charged = Traffic.peakPerHour(asked, Traffic.Asked::charged);
    long content = Traffic.peakPerHour(asked, Traffic.Asked::write);
    List<Traffic.Asked> jobs = asked.stream().filter(a -> !a.client().startsWith("lap")).toList();
    long points = Traffic.peakPerMinute(asked, a -> a.write() ? 5 : 1);
    long writes = Traffic.peakPerMinute(asked, a -> a.write() ? 1 : 0);
    table.say("  %s, by all together", when);
    table.say(
        "    busiest hour:   charged %s (by jobs %s): %s; writes %s: %s",
        Table.number(charged),
        Table.number(Traffic.peakPerHour(jobs, Traffic.Asked::charged)),
        table.atMost(1_000, charged, ""),
        Table.number(content),
        table.atMost(500, content, ""));
    table.say(
        "    busiest minute: points %s: %s; writes %s: %s",
        Table.number(points),
        table.atMost(900, points, ""),
        Table.number(writes),
        table.atMost(80, writes, ""));
  }

  private static void refused(Table table, Stage stage) {
    long refused = stage.traffic.refused();
    table.say("  refused by a limit: %d: %s", refused, table.atMost(0, refused, ""));
  }

  // ---- how fast

  private Figures handOffs(String reads, Staleness staleness) {
    Table table = new Table();
    try (Stage stage = Stage.git(seed + 1_000, staleness)) {
      Line line = new Line(stage, SHORT_BUILD);
      line.buildBefore(2);
      line.fill(5, Duration.ofSeconds(20));
      long from = stage.world.nanos();
      stage.play(Duration.ofHours(6));
      List<Duration> times = line.handOffs(from, stage.world.nanos());
      table.say(
          "%n5 in line, 6 h of 3-minute builds, %s: %d hand-offs, p50 %.2f s, p99 %.2f s%s",
          reads,
          times.size(),
          Table.percentile(times, 0.5),
          Table.percentile(times, 0.99),
          staleness.equals(Staleness.NONE) ? "" : " (no goal: nobody can see it sooner)");
      return new Figures(table, 0, times);
    }
  }

  private Figures operations() {
    Table table = new Table();
    try (Stage stage = Stage.git(seed, Staleness.NONE)) {
      Speed speed = new Speed(stage, 20);
      table.say(
          "%none queue operation: median %.0f ms, slowest %.0f ms: %s",
          speed.operation(0.5) * 1e3,
          speed.operation(1) * 1e3,
          table.below(100, speed.operation(1) * 1e3, " ms"));
      table.say(
          "grant of a free lock, cold: median %.0f ms, slowest %.0f ms: %s",
          speed.grant(0.5) * 1e3,
          speed.grant(1) * 1e3,
          table.below(1_000, speed.grant(1) * 1e3, " ms"));
    }
    try (Stage stage = Stage.issue(seed, Staleness.NONE)) {
      Speed speed = new Speed(stage, 5);
      table.say(
          "the same in issue mode: operation %.1f s, grant %.1f s (no goal: its issue lock has to"
              + " settle)",
          speed.operation(1), speed.grant(1));
    }
    return new Figures(table, 0, List.of());
  }

  /** How long single changes take, where nobody else is in the way. */
  private static final class Speed {
    private final List<Duration> grants = new ArrayList<>();
    private final List<Duration> operations = new ArrayList<>();

    Speed(Stage stage, int rounds) {
      for (int i = 0; i < rounds; i++) {
        String name = "job-" + i;
        stage.task(name, () -> measure(stage, name));
      }
    }

    private void measure(Stage stage, String name) throws IOException, InterruptedException {
      SimRepository.RunView run = stage.startRun();
      Stage.Client client = stage.open(name, Stage.Shape.JOB);
      long start = stage.world.nanos();
      Grant grant = Line.acquired(client.queue().acquire(Stage.request(client, run), p -> {}));
      grants.add(stage.world.since(start));
      SimRepository.RunView next = stage.startRun();
      Stage.Client other = stage.open(name + "-next", Stage.Shape.JOB);
      start = stage.world.nanos();
      Ticket ticket = other.queue().join(Stage.request(other, next).entry());
      operations.add(stage.world.since(start));
      start = stage.world.nanos();
      done(other.queue().setPriority(ticket.number(), 5, "octo"));
      operations.add(stage.world.since(start));
      start = stage.world.nanos();
      done(other.queue().leave(ticket.nonce()));
      operations.add(stage.world.since(start));
      start = stage.world.nanos();
      grant.release("built");
      operations.add(stage.world.since(start));
      stage.finishRun(run);
      stage.finishRun(next);
      client.close();
      other.close();
    }

    private static void done(Answer answer) {
      if (!(answer instanceof Answer.Done)) {
        throw new IllegalStateException("not done: " + answer);
      }
    }

    double operation(double share) {
      return Table.percentile(operations, share);
    }

    double grant(double share) {
      return Table.percentile(grants, share);
    }
  }
}
