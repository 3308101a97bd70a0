package dev.baton.benchmarks;

import dev.baton.core.World;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.QueueException;
import dev.baton.queue.Release;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunStatus;
import dev.baton.queue.github.GitHubConnection;
import dev.baton.queue.github.GitHubPlace;
import dev.baton.queue.github.GitHubSpace;
import dev.baton.queue.internal.engine.QueueEngine;
import dev.baton.store.MemoryStores;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * How much larger a clone is after a year of builds, with compaction and without. The real engine
 * plays the year in virtual time; each of its writes becomes a commit of a real git repository.
 * Fails when a year takes more than 5 MB.
 */
public final class Year {
  private static final double GOAL_MB = 5;
  private static final int BUILDS_A_DAY = 50;

  /** 50 builds of 70 minutes need 58 hours a day. */
  private static final int SLOTS = 4;

  private static final Duration SHORTEST = Duration.ofMinutes(50);
  private static final Duration LONGEST = Duration.ofMinutes(90);

  /** GitHub's is 2 s. Looks write nothing, and here nobody pays for them. */
  private static final Duration POLL = Duration.ofSeconds(10);

  private final int days;
  private final VirtualWorld world = new VirtualWorld(1);
  private final int interval;
  private final GitRecorder everything;
  private final GitRecorder compacted;
  private final GitRecorder signed;
  private final Map<Long, Integer> requestsInHour = new HashMap<>();
  private final Space space = new Space();
  private long writes;
  private long looks;
  private long compactions;
  private int builds;
  private int running;
  private volatile boolean over;

  private Year(int days, Path directory) throws IOException, InterruptedException {
    this.days = days;
    this.interval = intervalOfGitHub();
    everything = new GitRecorder(directory.resolve("everything.git"), false);
    compacted = new GitRecorder(directory.resolve("compacted.git"), false);
    signed = new GitRecorder(directory.resolve("signed.git"), true);
  }

  /** Opening a place asks nothing of anybody. */
  private static int intervalOfGitHub() {
    GitHubPlace place =
        GitHubPlace.parse("github:octo/app#release", URI.create("http://127.0.0.1:1"));
    try (GitHubSpace github =
        GitHubSpace.open(
            place, GitHubConnection.builder().token(() -> "").build(), new VirtualWorld(1))) {
      return github.compactionInterval();
    }
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    int days = args.length == 0 ? 365 : Integer.parseInt(args[0]);
    Path directory = Files.createTempDirectory("baton-year");
    boolean met;
    try {
      met = new Year(days, directory).run();
    } finally {
      try (Stream<Path> all = Files.walk(directory)) {
        all.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
      }
    }
    System.exit(met ? 0 : 1);
  }

  private boolean run() throws IOException, InterruptedException {
    long began = System.nanoTime();
    Table table = new Table();
    play();
    double whole = megabytes(everything.cloneSize());
    double kept = megabytes(compacted.cloneSize());
    double keptSigned = megabytes(signed.cloneSize());
    table.say(
        "%d days of %d builds of 50 to 90 minutes, %d slots, a beat every 90 s: %,d builds, %,d"
            + " commits",
        days, BUILDS_A_DAY, SLOTS, builds, writes);
    table.say("a full clone is larger by:");
    table.say("  %-52s %8.1f MB", "every commit kept", whole);
    table.say("  %-52s %8.1f MB  %s", "compacted", kept, table.atMost(GOAL_MB, kept, " MB a year"));
    table.say(
        "  %-52s %8.1f MB  %s",
        "compacted, each commit signed by GitHub (a bot's token)",
        keptSigned,
        table.atMost(GOAL_MB, keptSigned, " MB a year"));
    table.say("longest branch: %,d commits", compacted.longest());
    table.say(
        "compaction: %,d looks, of which %,d compacted: %,d requests, %.2f %% of the writes;"
            + " at most %d in an hour",
        looks,
        compactions,
        requests(),
        100.0 * requests() / writes,
        requestsInHour.values().stream().mapToInt(i -> i).max().orElse(0));
    table.say("%.0f s of real time", (System.nanoTime() - began) / 1e9);
    System.out.print(table.text());
    return !table.isMissed();
  }

  private static double megabytes(long bytes) {
    return bytes / 1e6;
  }

  private long requests() {
    return requestsInHour.values().stream().mapToLong(i -> i).sum();
  }

  private void play() {
    world.start("founder", () -> unharmed(this::found));
    world.start("arrivals", this::arrivals);
    for (int day = 1; day <= days; day++) {
      world.advance(Duration.ofDays(1));
      if (day % 30 == 0) {
        System.out.println(String.format(Locale.ROOT, "day %d: %,d commits", day, writes));
      }
    }
    over = true;
    while (running > 0) {
      world.advance(Duration.ofHours(1));
    }
  }

  private void found() throws QueueException, InterruptedException {
    try (BuildQueue queue = open()) {
      queue.create(Rules.DEFAULT.withSlots(SLOTS));
    }
  }

  private BuildQueue open() {
    return QueueEngine.open(space, new Unwatched(world), EngineSettings.DEFAULT, RunStatus.BLIND);
  }

  /** A world without the timers that watch leases: most of all events, and here no lease ends. */
  private record Unwatched(World inner) implements World {
    @Override
    public long nanos() {
      return inner.nanos();
    }

    @Override
    public Instant now() {
      return inner.now();
    }

    @Override
    public double random() {
      return inner.random();
    }

    @Override
    public Signal newSignal() {
      return inner.newSignal();
    }

    @Override
    public Background start(String name, Runnable task) {
      return name.startsWith("baton-lease-") ? atMost -> {} : inner.start(name, task);
    }
  }

  private void arrivals() {
    Duration mean = Duration.ofDays(1).dividedBy(BUILDS_A_DAY);
    world.sleep(Duration.ofMinutes(1));
    while (!over) {
      int number = ++builds;
      world.start("client-" + number, () -> unharmed(() -> build(number)));
      world.sleep(world.between(Duration.ZERO, mean.multipliedBy(2)));
    }
  }

  private interface Work {
    void run() throws QueueException, InterruptedException;
  }

  private static void unharmed(Work work) {
    try {
      work.run();
    } catch (QueueException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void build(int number) throws QueueException, InterruptedException {
    running++;
    try (BuildQueue queue = open()) {
      Request request = Request.of("dev-" + number % 23 + " on host-" + number % 31, "app release");
      Acquisition got = queue.acquire(request, progress -> {});
      if (!(got instanceof Acquisition.Acquired acquired)) {
        throw new IllegalStateException("build " + number + " got " + got);
      }
      world.sleep(world.between(SHORTEST, LONGEST));
      if (acquired.grant().release("ok") != Release.GIVEN_BACK) {
        throw new IllegalStateException("build " + number + " could not give back the lock");
      }
    }
    running--;
  }

  /** Documents in memory, of which every change is recorded. */
  private final class Space implements StoreSpace {
    private final MemoryStores memory = new MemoryStores();

    @Override
    public VersionedStore document(String name) {
      return new Recorded(name, memory.document(name));
    }

    @Override
    public Traits traits() {
      Traits m = memory.traits();
      return new Traits(
          m.kind(), m.location(), m.ticketCapacity(), m.maxLength(), POLL, Duration.ZERO);
    }

    @Override
    public int compactionInterval() {
      return interval;
    }
  }

  private final class Recorded implements VersionedStore {
    private final String name;
    private final VersionedStore inner;

    Recorded(String name, VersionedStore inner) {
      this.name = name;
      this.inner = inner;
    }

    @Override
    public Snapshot read() throws StoreException {
      return inner.read();
    }

    @Override
    public WriteResult write(Version expected, String next, String message) throws StoreException {
      WriteResult result = inner.write(expected, next, message);
      if (result instanceof WriteResult.Written) {
        writes++;
        for (GitRecorder recorder : List.of(everything, compacted, signed)) {
          recorder.commit(name, next, message, world.now());
        }
      }
      return result;
    }

    /** As the branches of GitHub do it: a look, and for those long enough a commit and a move. */
    @Override
    public boolean compact() throws StoreException {
      looks++;
      boolean due = compacted.length(name) >= interval / 2;
      requestsInHour.merge(
          world.nanos() / Duration.ofHours(1).toNanos(), due ? 3 : 1, Integer::sum);
      if (due) {
        compactions++;
        String content = inner.read().content().orElseThrow();
        compacted.startOver(name, content, world.now());
        signed.startOver(name, content, world.now());
      }
      return due;
    }

    @Override
    public List<String> earlier(Snapshot present, int limit) throws StoreException {
      return inner.earlier(present, limit);
    }

    @Override
    public String setAside(Snapshot broken) throws StoreException {
      return inner.setAside(broken);
    }
  }
}
