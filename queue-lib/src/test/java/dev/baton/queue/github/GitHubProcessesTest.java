package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.Extra;
import dev.baton.core.SystemWorld;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.Limits;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Grant;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.internal.engine.QueueEngine;
import dev.baton.store.StoreSpace;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes on a GitHub on loopback, some of them killed at the worst moment. */
class GitHubProcessesTest {

  private static final Duration LEASE = Duration.ofSeconds(4);
  private static final Duration GRACE = Duration.ofSeconds(4);

  /** A lease is watched for, a grace time may come before it, and processes are slow to start. */
  private static final Duration BOUND = Duration.ofSeconds(30);

  private static final Rules RULES =
      new Rules(
          1,
          LEASE,
          Duration.ofSeconds(1),
          GRACE,
          Duration.ofMinutes(1),
          Duration.ofMinutes(60),
          Extra.NONE);

  @TempDir Path directory;

  private final List<Process> started = new ArrayList<>();
  private GitHubSim sim;

  @BeforeEach
  void create() throws Exception {
    sim = GitHubSim.start(SimSettings.defaults().withLimits(Limits.none()));
    sim.addRepository("octo/app", true);
    sim.addToken(Token.classic("all", "a-token", "octo/app").withHourlyLimit(1_000_000));
    try (BuildQueue queue = open(sim.baseUrl())) {
      assertThat(queue.create(RULES)).isTrue();
    }
  }

  @AfterEach
  void stop() {
    started.forEach(Process::destroyForcibly);
    sim.close();
  }

  @Test
  void processesThatShareAnUnsafeCounterLoseNoIncrement() throws Exception {
    int processes = 4;
    int rounds = 3;
    for (int i = 0; i < processes; i++) {
      start("count", rounds);
    }
    for (Process p : started) {
      assertThat(p.waitFor()).isZero();
    }
    assertThat(Files.readString(directory.resolve("counter")))
        .isEqualTo(String.valueOf(processes * rounds));
    List<Long> tokens =
        Files.readAllLines(directory.resolve("tokens")).stream().map(Long::valueOf).toList();
    assertThat(tokens).hasSize(processes * rounds).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void aHolderThatIsKilledIsFollowedByTheNextAfterItsLease() throws Exception {
    Process holder = start("hold", 0);
    await(() -> Files.exists(directory.resolve("held")));
    holder.destroyForcibly().waitFor();
    long killed = System.nanoTime();
    try (BuildQueue queue = open(sim.baseUrl())) {
      acquire(queue, "next").close();
    }
    assertThat(Duration.ofNanos(System.nanoTime() - killed))
        .as("not robbed before its lease, not much later than it")
        .isBetween(LEASE.minusSeconds(1), BOUND);
  }

  @Test
  void aWaiterThatIsKilledIsPassedOver() throws Exception {
    try (BuildQueue first = open(sim.baseUrl());
        BuildQueue last = open(sim.baseUrl())) {
      Grant held = acquire(first, "first");
      Process waiter = start("hold", 0);
      await(() -> first.status().line().size() == 1);
      CompletableFuture<Grant> next = later(() -> acquire(last, "last"));
      await(() -> first.status().line().size() == 2);
      waiter.destroyForcibly().waitFor();
      held.close();
      next.get(BOUND.toSeconds(), TimeUnit.SECONDS).close();
      QueueDocument after = last.status();
      assertThat(after.line()).as("keeps its place for a while").hasSize(1);
      assertThat(after.history()).anyMatch(h -> h.note().contains("did not answer"));
    }
  }

  @Test
  void whoIsKilledInTheMiddleOfAWriteBlocksNobodyForLong() throws Exception {
    CountDownLatch arrived = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicBoolean armed = new AtomicBoolean(true);
    sim.repository("octo/app")
        .beforeUpdate(
            () -> {
              if (armed.getAndSet(false)) {
                arrived.countDown();
                awaitQuietly(goOn);
              }
            });
    Process writer = start("hold", 0);
    assertThat(arrived.await(30, TimeUnit.SECONDS)).isTrue();
    writer.destroyForcibly().waitFor();
    // The join of a process that is no more is carried out, and takes the lock.
    goOn.countDown();
    try (BuildQueue queue = open(sim.baseUrl())) {
      await(() -> !queue.status().tickets().isEmpty());
      long start = System.nanoTime();
      acquire(queue, "next").close();
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isBetween(LEASE.minusSeconds(1), BOUND);
      assertThat(queue.status().history()).anyMatch(h -> h.note().contains("no heartbeat"));
    }
  }

  // ---- support

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static <T> CompletableFuture<T> later(Callable<T> call) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return call.call();
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
  }

  private static void await(Callable<Boolean> condition) throws Exception {
    for (int i = 0; i < 600 && !condition.call(); i++) {
      Thread.sleep(50);
    }
    assertThat(condition.call()).isTrue();
  }

  private static BuildQueue open(String api) {
    SystemWorld world = new SystemWorld();
    GitHubSpace space =
        GitHubSpace.open(
            GitHubPlace.parse("github:octo/app", URI.create(api)),
            GitHubConnection.builder().token(() -> "a-token").build(),
            world,
            new GitHubSpace.Pace(
                Duration.ofMillis(100),
                Duration.ofSeconds(1),
                new StoreSpace.Settling(Duration.ofSeconds(1), Duration.ofSeconds(1))));
    EngineSettings quick =
        new EngineSettings(
            Duration.ofMillis(200), 100, Duration.ofMinutes(2), Duration.ofMinutes(1));
    return QueueEngine.open(space, world, quick, space.runStatus(), space.boardSite());
  }

  private static Grant acquire(BuildQueue queue, String who) throws Exception {
    Acquisition result = queue.acquire(Request.of(who, "app").waitingAtMost(BOUND), p -> {});
    assertThat(result).isInstanceOf(Acquisition.Acquired.class);
    return ((Acquisition.Acquired) result).grant();
  }

  private Process start(String what, int rounds) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Program.class.getName(),
                sim.baseUrl(),
                directory.toString(),
                what,
                String.valueOf(rounds))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    started.add(process);
    return process;
  }

  /** What runs in a process of its own. */
  static final class Program {
    private Program() {}

    public static void main(String[] args) throws Exception {
      Path directory = Path.of(args[1]);
      String me = "process " + ProcessHandle.current().pid();
      try (BuildQueue queue = open(args[0])) {
        if (args[2].equals("hold")) {
          queue.acquire(Request.of(me, "app"), p -> {});
          Files.createFile(directory.resolve("held"));
          Thread.sleep(Duration.ofMinutes(2).toMillis());
        }
        for (int i = 0; i < Integer.parseInt(args[3]); i++) {
          try (Grant grant = acquire(queue, me)) {
            count(directory, grant.fencingToken());
          }
        }
      }
    }

    /** Reads, yields and writes: two at once would lose an increment. */
    private static void count(Path directory, long token) throws IOException, InterruptedException {
      Path counter = directory.resolve("counter");
      int value = Files.exists(counter) ? Integer.parseInt(Files.readString(counter)) : 0;
      Thread.sleep(5);
      Files.writeString(counter, String.valueOf(value + 1));
      Files.writeString(
          directory.resolve("tokens"),
          token + "\n",
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    }
  }
}
