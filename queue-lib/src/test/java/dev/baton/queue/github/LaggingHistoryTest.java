package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.FakeWorld;
import dev.baton.githubsim.Fault;
import dev.baton.githubsim.Limits;
import dev.baton.githubsim.Staleness;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Entry;
import dev.baton.queue.Liveness;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.queue.internal.engine.QueueEngine;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Somebody breaks the queue by hand a moment after others have joined, and GitHub's lists are as
 * old as they may be: a recovery forgets nobody.
 */
class LaggingHistoryTest {
  private static final Staleness AS_OLD_AS_READS_MAY_BE =
      new Staleness(Duration.ZERO, Duration.ofSeconds(15));
  private static final String COMMITS_OF_QUEUE =
      "/repos/octo/app/commits?path=queue.json&sha=baton%2Fbuild&per_page=4&page=1";

  private static Desk deskOf(long seed) {
    return new Desk(settings -> settings.withLimits(Limits.none()).withSeed(seed));
  }

  private static BuildQueue queue(Desk desk) {
    GitHubSpace space = desk.open();
    return QueueEngine.open(space, desk.world, EngineSettings.DEFAULT, space.runStatus());
  }

  private static Request byRun(long run) {
    RunRef ref = new RunRef(Desk.REPOSITORY, run, 1, 0, "build");
    return new Request(
        new Entry("nonce-" + run, "job", "app", Liveness.RUN, Optional.of(ref), 0),
        Optional.empty());
  }

  private static void breakByHand(Desk desk) throws StoreException {
    VersionedStore raw = desk.open().document("queue");
    raw.write(raw.read().version(), "{ edited by hand", "by hand");
  }

  /** What came of it, once it is done. */
  private static AtomicReference<Object> start(FakeWorld world, Callable<Object> task) {
    AtomicReference<Object> result = new AtomicReference<>();
    world.start(
        "client",
        () -> {
          try {
            result.set(task.call());
          } catch (Exception e) {
            result.set(e);
          }
        });
    return result;
  }

  private static void passUntil(Desk desk, int seconds, BooleanSupplier over) {
    for (int i = 0; i < seconds && !over.getAsBoolean(); i++) {
      desk.pass(Duration.ofSeconds(1));
    }
  }

  @Test
  void oneOldListRobsNoRunningJob() throws Exception {
    try (Desk desk = new Desk()) {
      long holder = desk.repository.startRun("ci", "ann", "build").id();
      long waiter = desk.repository.startRun("ci", "ann", "build").id();
      queue(desk).create(Rules.DEFAULT);
      String old = desk.raw("GET", COMMITS_OF_QUEUE, "").body();
      AtomicReference<Object> first =
          start(desk.world, () -> queue(desk).acquire(byRun(holder), p -> {}));
      desk.world.advance(Duration.ofMinutes(1));
      assertThat(first.get()).isInstanceOf(Acquisition.Acquired.class);
      breakByHand(desk);
      desk.sim.failNext(1, r -> r.path().endsWith("/commits"), new Fault.Odd(200, old, false));

      AtomicReference<Object> second =
          start(desk.world, () -> queue(desk).acquire(byRun(waiter), p -> {}));
      desk.world.advance(Duration.ofMinutes(30));

      assertThat(second.get()).as("granted beside a running job").isNull();
    }
  }

  @Test
  void listsThatLagRobNoRunningJob() throws Exception {
    for (int seed = 1; seed <= 40; seed++) {
      try (Desk desk = deskOf(seed)) {
        long holder = desk.repository.startRun("ci", "ann", "build").id();
        long waiter = desk.repository.startRun("ci", "ann", "build").id();
        queue(desk).create(Rules.DEFAULT);
        desk.pass(Duration.ofMinutes(1));
        AtomicReference<Object> first =
            start(desk.world, () -> queue(desk).acquire(byRun(holder), p -> {}));
        passUntil(desk, 30, () -> first.get() != null);
        assertThat(first.get()).isInstanceOf(Acquisition.Acquired.class);
        desk.pass(Duration.ofSeconds(2));
        breakByHand(desk);
        desk.sim.staleness(AS_OLD_AS_READS_MAY_BE);

        AtomicReference<Object> second =
            start(desk.world, () -> queue(desk).acquire(byRun(waiter), p -> {}));
        passUntil(desk, 900, () -> second.get() != null);

        assertThat(second.get()).as("seed " + seed).isNull();
      }
    }
  }

  @Test
  void listsThatLagRemoveNobodyFromTheLine() throws Exception {
    for (int seed = 1; seed <= 40; seed++) {
      try (Desk desk = deskOf(seed)) {
        queue(desk).create(Rules.DEFAULT);
        AtomicReference<Object> ann = joined(desk, "ann");
        passUntil(desk, 60, () -> ann.get() != null);
        desk.pass(Duration.ofMinutes(1));
        AtomicReference<Object> bob = joined(desk, "bob");
        desk.pass(Duration.ofSeconds(1));
        breakByHand(desk);
        desk.sim.staleness(AS_OLD_AS_READS_MAY_BE);

        joined(desk, "cid");
        passUntil(desk, 120, () -> bob.get() != null);

        assertThat(bob.get()).as("seed " + seed).isNull();
      }
    }
  }

  private static AtomicReference<Object> joined(Desk desk, String who) {
    return start(desk.world, () -> queue(desk).acquire(Request.of(who, "app"), p -> {}));
  }

  @ParameterizedTest
  @ValueSource(ints = {404, 409})
  void oneOddListLetsNoTokenComeAgain(int status) throws Exception {
    try (Desk desk = new Desk()) {
      long ahead = desk.world.now().plus(Duration.ofMinutes(20)).toEpochMilli();
      Version version =
          Desk.written(
              desk.open().document("queue"),
              Version.ABSENT,
              DocumentCodec.encode(
                  QueueDocument.empty("cas", Rules.DEFAULT).withNextToken(ahead), 1_000_000));
      desk.raw(
          "DELETE",
          Desk.QUEUE_FILE,
          "{\"message\":\"x\",\"branch\":\"baton/build\",\"sha\":\"" + version.value() + "\"}");
      desk.sim.failNext(
          1, r -> r.path().endsWith("/commits"), Fault.Odd.saying(status, "Not Found", false));

      AtomicReference<Object> next =
          start(
              desk.world,
              () -> {
                BuildQueue again = queue(desk);
                again.create(Rules.DEFAULT);
                return again.status().nextToken();
              });
      desk.world.advance(Duration.ofMinutes(10));

      assertThat(next.get()).isInstanceOf(Long.class);
      assertThat((long) next.get()).isGreaterThanOrEqualTo(ahead);
    }
  }
}
