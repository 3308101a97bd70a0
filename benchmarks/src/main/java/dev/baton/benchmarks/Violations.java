package dev.baton.benchmarks;

import dev.baton.githubsim.SimRepository;
import dev.baton.githubsim.Staleness;
import dev.baton.githubsim.Token;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.QueueException;
import dev.baton.queue.Release;
import dev.baton.queue.Rules;
import dev.baton.queue.github.GitHubConnection;
import dev.baton.queue.github.GitHubPlace;
import dev.baton.queue.github.GitHubSpace;
import dev.baton.queue.internal.engine.QueueEngine;
import dev.baton.store.StoreSpace;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * How often a lock on GitHub is held by two at once, and how often a ticket is lost, by what the
 * lock is made of. The same for all: clients, builds, reads that are late, writes that are late.
 */
public final class Violations {
  private static final int CLIENTS = 6;
  private static final int PARTS = 4;
  private static final Duration STALE = Duration.ofSeconds(15);
  private static final Duration LATE = Duration.ofSeconds(12);
  private static final Duration SHORTEST = Duration.ofSeconds(5);
  private static final Duration LONGEST = Duration.ofSeconds(60);

  /** Whatever was made before a client's first look is there for it. */
  private static final Duration SETTLED = STALE.plusSeconds(1);

  private static final Duration AWAY = Duration.ofMinutes(3);
  private static final Duration AT_MOST = Duration.ofDays(3);

  /** Everybody keeps trying: to give up is no violation, and not the question here. */
  private static final EngineSettings PATIENT =
      new EngineSettings(Duration.ofSeconds(5), 60, Duration.ofHours(2), Duration.ofHours(2));

  /** Believes every read to be fresh and every write to land soon. */
  private static final StoreSpace.Settling TOO_SHORT =
      new StoreSpace.Settling(Duration.ZERO, Duration.ofSeconds(6));

  private interface Way {
    void begin(Stage stage, LateWrites late, Judge judge);
  }

  private record Outcome(Judge judge, Duration time) {}

  private final long seed;

  private Violations(long seed) {
    this.seed = seed;
  }

  public static void main(String[] args) throws InterruptedException {
    try {
      new Violations(args.length == 0 ? 1 : Long.parseLong(args[0])).run();
      System.exit(0);
    } catch (ExecutionException e) {
      // The other scenarios still run, on threads that would keep this process alive.
      e.printStackTrace();
      System.exit(2);
    }
  }

  private void run() throws InterruptedException, ExecutionException {
    long began = System.nanoTime();
    say(
        "%d clients; reads up to %d s old, writes landing up to %d s after their read; seed %d",
        CLIENTS, STALE.toSeconds(), LATE.toSeconds(), seed);
    ExecutorService threads = Executors.newFixedThreadPool(PARTS);
    try {
      Map<String, List<Future<Outcome>>> all = new LinkedHashMap<>();
      all.put(
          "issue body, read-check-write",
          begin(threads, GitHubPlace.Mode.ISSUE, 1_000, Violations::naive));
      all.put(
          "issue mode, settling for 43 s",
          begin(threads, GitHubPlace.Mode.ISSUE, 120, baton(Optional.empty())));
      all.put(
          "issue mode, settling for 7 s",
          begin(threads, GitHubPlace.Mode.ISSUE, 200, baton(Optional.of(TOO_SHORT))));
      all.put("git mode", begin(threads, GitHubPlace.Mode.GIT, 300, baton(Optional.empty())));
      say(
          "%-36s %12s %12s %13s %16s %10s",
          "", "acquisitions", "two at once", "lost tickets", "violations/1,000", "played");
      List<String> notes = new ArrayList<>();
      for (Map.Entry<String, List<Future<Outcome>>> e : all.entrySet()) {
        Map<String, Integer> failures = new TreeMap<>();
        int acquisitions = 0;
        int overlaps = 0;
        int lost = 0;
        Duration played = Duration.ZERO;
        for (Future<Outcome> part : e.getValue()) {
          Judge j = part.get().judge();
          acquisitions += j.acquisitions();
          overlaps += j.overlaps();
          lost += j.lostTickets();
          played = played.plus(part.get().time());
          j.failures().forEach((how, times) -> failures.merge(how, times, Integer::sum));
        }
        say(
            "%-36s %12d %12d %13d %16.1f %8.1f h",
            e.getKey(),
            acquisitions,
            overlaps,
            lost,
            1_000.0 * (overlaps + lost) / acquisitions,
            Table.seconds(played) / 3600);
        failures.forEach((how, times) -> notes.add(times + " times in " + e.getKey() + ": " + how));
      }
      if (!notes.isEmpty()) {
        say("beside that, noticed by the clients themselves:");
        notes.forEach(note -> say("  %s", note));
      }
      say("%.0f s of real time", (System.nanoTime() - began) / 1e9);
    } finally {
      threads.shutdownNow();
    }
  }

  private static void say(String format, Object... values) {
    System.out.println(String.format(Locale.ROOT, format, values));
  }

  /** In equal parts, each with a clock, a server and a seed of its own. */
  private List<Future<Outcome>> begin(
      ExecutorService threads, GitHubPlace.Mode mode, int acquisitions, Way way) {
    List<Future<Outcome>> parts = new ArrayList<>();
    for (int i = 0; i < PARTS; i++) {
      long own = seed * PARTS + i;
      parts.add(threads.submit(() -> play(own, mode, acquisitions / PARTS, way)));
    }
    return parts;
  }

  private static Outcome play(long seed, GitHubPlace.Mode mode, int acquisitions, Way way) {
    Judge judge = new Judge();
    try (Stage stage =
        Stage.unlimited(seed, new Staleness(Duration.ZERO, STALE), mode, Rules.DEFAULT)) {
      LateWrites late = new LateWrites(stage.world, stage.repository, LATE);
      long start = stage.world.nanos();
      way.begin(stage, late, judge);
      while (judge.acquisitions() < acquisitions
          && stage.world.since(start).compareTo(AT_MOST) < 0) {
        stage.play(Duration.ofMinutes(2));
      }
      return new Outcome(judge, stage.world.since(start));
    }
  }

  // ---- the naive way

  private static void naive(Stage stage, LateWrites late, Judge judge) {
    stage.sim.addToken(
        Token.classic("script", "secret-of-script", Stage.REPOSITORY)
            .withHourlyLimit(Integer.MAX_VALUE));
    IssuePage page =
        new IssuePage(URI.create(stage.sim.baseUrl()), Stage.REPOSITORY, "secret-of-script");
    int issue = page.make("A lock");
    for (int i = 0; i < CLIENTS; i++) {
      String name = "client-" + i;
      NaiveClient client = new NaiveClient(stage, late, judge, page, issue, name);
      stage.start(
          name,
          () -> {
            for (int turn = 1; ; turn++) {
              stage.world.sleep(stage.world.between(SETTLED, AWAY));
              client.visit(turn, build(stage));
            }
          });
    }
  }

  private static Duration build(Stage stage) {
    return stage.world.between(SHORTEST, LONGEST);
  }

  // ---- Baton's ways

  private static Way baton(Optional<StoreSpace.Settling> settling) {
    return (stage, late, judge) -> {
      for (int i = 0; i < CLIENTS; i++) {
        String name = "client-" + i;
        GitHubConnection connection = stage.connect(name, Stage.Shape.JOB);
        stage.start(
            name,
            () -> {
              while (true) {
                stage.world.sleep(stage.world.between(SETTLED, AWAY));
                visit(stage, late, judge, name, connection, settling);
              }
            });
      }
    };
  }

  /** A new process each time, as workflow jobs are. */
  private static void visit(
      Stage stage,
      LateWrites late,
      Judge judge,
      String name,
      GitHubConnection connection,
      Optional<StoreSpace.Settling> settling)
      throws IOException, InterruptedException {
    GitHubSpace space = GitHubSpace.open(stage.place(), connection, stage.world);
    SimRepository.RunView run = stage.startRun();
    try (BuildQueue queue =
        QueueEngine.open(late.around(space, settling), stage.world, PATIENT, space.runStatus())) {
      Acquisition result = queue.acquire(Stage.jobRequest(name, run), p -> {});
      if (result instanceof Acquisition.Acquired acquired) {
        judge.holds(name);
        stage.world.sleep(build(stage));
        judge.ends(name);
        if (acquired.grant().release("built") != Release.GIVEN_BACK) {
          judge.failed("a holder was not known as one when it gave back the lock");
        }
      } else if (result instanceof Acquisition.Removed removed && removed.how().isEmpty()) {
        judge.lostTicket();
      } else {
        judge.failed("ended as " + result.getClass().getSimpleName());
      }
    } catch (QueueException.WentBack e) {
      judge.failed("a client saw the document go back, and stopped");
    } catch (QueueException e) {
      judge.failed("a client stopped: " + e.getMessage());
    } finally {
      stage.finishRun(run);
    }
  }
}
