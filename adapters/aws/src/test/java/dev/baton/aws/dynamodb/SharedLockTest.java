package dev.baton.aws.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.SystemWorld;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Grant;
import dev.baton.queue.Release;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.RunStatus;
import dev.baton.queue.operation.Queues;
import dev.baton.testing.Concurrently;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Builds in line, and programs that know the lock item alone, exclude each other. */
class SharedLockTest {
  private static final String LOCK = DynamoDesk.LOCK;
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration LONG = Duration.ofMinutes(4);
  private static final EngineSettings QUICK =
      new EngineSettings(
          Duration.ofMillis(40), 1_000, Duration.ofMinutes(5), Duration.ofMinutes(2));

  private DynamoDesk desk;
  private SeedClient seed;

  @BeforeEach
  void open() {
    desk = new DynamoDesk();
    seed = new SeedClient(desk.client(), desk.table, Clock.systemUTC(), HOUR);
  }

  @AfterEach
  void close() {
    desk.close();
  }

  private BuildQueue queue() {
    return queue(Duration.ZERO);
  }

  private BuildQueue queue(Duration ahead) {
    return Queues.open(desk.open(LOCK, ahead), new SystemWorld(), QUICK, RunStatus.BLIND);
  }

  private static Rules brisk() {
    return Rules.DEFAULT.withBeat(Duration.ofMillis(200));
  }

  private static Acquisition ask(BuildQueue queue, String name, Duration atMost) throws Exception {
    return queue.acquire(
        new Request(Request.of(name, "deploy").entry(), Optional.of(atMost)), p -> {});
  }

  private static Grant acquired(BuildQueue queue, String name) throws Exception {
    Acquisition result = ask(queue, name, LONG);
    assertThat(result).isInstanceOf(Acquisition.Acquired.class);
    return ((Acquisition.Acquired) result).grant();
  }

  @Test
  void aBuildThatHoldsTheLockKeepsOthersOutAndLeavesNothing() throws Exception {
    try (BuildQueue queue = queue()) {
      queue.create(Rules.DEFAULT);
      Grant grant = acquired(queue, "baton-1");

      assertThat(seed.acquire(LOCK, "github-actions-run-12345")).isEmpty();
      Map<String, AttributeValue> item = seed.item(LOCK);
      assertThat(item.keySet())
          .containsExactlyInAnyOrder(
              "lockKey",
              "lockId",
              "lockedBy",
              "lockedAt",
              "expiresAt",
              "lastHeartbeat",
              "metadata");
      assertThat(item.get("lockedBy").s()).contains("baton-1");
      long lifetime =
          Long.parseLong(item.get("expiresAt").n()) - Long.parseLong(item.get("lastHeartbeat").n());
      assertThat(lifetime).isEqualTo(3600);

      assertThat(grant.release("ok")).isEqualTo(Release.GIVEN_BACK);
      assertThat(seed.item(LOCK)).isEmpty();
      assertThat(seed.acquire(LOCK, "github-actions-run-12345")).isPresent();
    }
  }

  @Test
  void aBuildWaitsInLineForAProgramAndIsServedWhenItReleases() throws Exception {
    try (BuildQueue queue = queue()) {
      queue.create(Rules.DEFAULT);
      String held = seed.acquire(LOCK, "github-actions-run-12345").orElseThrow();

      assertThat(ask(queue, "impatient", Duration.ofSeconds(2)))
          .isInstanceOf(Acquisition.TimedOut.class);
      assertThat(queue.status().paused().orElseThrow().reason())
          .contains("github-actions-run-12345");
      assertThat(seed.item(LOCK).get("lockId").s()).isEqualTo(held);

      CountDownLatch asked = new CountDownLatch(1);
      AtomicBoolean got = new AtomicBoolean();
      Thread waiting =
          new Thread(
              () -> {
                try (BuildQueue other = queue()) {
                  asked.countDown();
                  got.set(ask(other, "patient", LONG) instanceof Acquisition.Acquired);
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              });
      waiting.start();
      assertThat(asked.await(1, TimeUnit.MINUTES)).isTrue();
      Thread.sleep(1500);
      assertThat(got).isFalse();
      assertThat(seed.release(LOCK, held)).isTrue();
      waiting.join(TimeUnit.MINUTES.toMillis(2));
      assertThat(got).isTrue();
    }
  }

  @Test
  void buildsAndProgramsNeverOverlap() throws Exception {
    try (BuildQueue queue = queue()) {
      queue.create(Rules.DEFAULT);
    }
    AtomicInteger inside = new AtomicInteger();
    List<Callable<Void>> all = new ArrayList<>();
    for (int c = 0; c < 4; c++) {
      String name = "client-" + c;
      boolean plain = c % 2 == 0;
      all.add(
          () -> {
            for (int round = 0; round < 5; round++) {
              if (plain) {
                takeAsProgram(name, inside);
              } else {
                takeInLine(name, inside);
              }
            }
            return null;
          });
    }
    Concurrently.allOf(Duration.ofMinutes(5), all);
    assertThat(seed.item(LOCK)).isEmpty();
  }

  private void takeAsProgram(String name, AtomicInteger inside) throws InterruptedException {
    Optional<String> id = seed.acquire(LOCK, name);
    while (id.isEmpty()) {
      Thread.sleep(20);
      id = seed.acquire(LOCK, name);
    }
    stay(inside);
    assertThat(seed.release(LOCK, id.get())).as("nobody took it over").isTrue();
  }

  private void takeInLine(String name, AtomicInteger inside) throws Exception {
    try (BuildQueue queue = queue()) {
      Grant grant = acquired(queue, name);
      stay(inside);
      assertThat(grant.release("ok")).isEqualTo(Release.GIVEN_BACK);
    }
  }

  private static void stay(AtomicInteger inside) throws InterruptedException {
    assertThat(inside.incrementAndGet()).as("holders at once").isEqualTo(1);
    Thread.sleep(10);
    inside.decrementAndGet();
  }

  /** Its clock says that the item has expired long ago, or that it is of the future. */
  @ParameterizedTest
  @ValueSource(ints = {-10, 10})
  void aWrongClockTakesNothingOverThatWasNotWatchedForItsLifetime(int minutes) throws Exception {
    Duration ahead = Duration.ofMinutes(minutes);
    Duration brief = Duration.ofMinutes(5);
    SeedClient other =
        new SeedClient(desk.client(), desk.table, Clock.offset(Clock.systemUTC(), ahead), brief);
    try (BuildQueue queue = queue(ahead.negated())) {
      queue.create(Rules.DEFAULT);
      String held = other.acquire(LOCK, "somebody").orElseThrow();
      assertThat(ask(queue, "early", Duration.ofSeconds(1)))
          .isInstanceOf(Acquisition.TimedOut.class);

      // Four minutes later it has beaten: the watch begins again.
      desk.nanos.addAndGet(Duration.ofMinutes(4).toNanos());
      Thread.sleep(1100);
      assertThat(other.heartbeat(LOCK, held)).isTrue();
      desk.nanos.addAndGet(Duration.ofMinutes(4).toNanos());
      assertThat(ask(queue, "still-early", Duration.ofSeconds(1)))
          .isInstanceOf(Acquisition.TimedOut.class);
      assertThat(other.item(LOCK).get("lockId").s()).isEqualTo(held);

      desk.nanos.addAndGet(Duration.ofMinutes(5).plusSeconds(1).toNanos());
      Grant grant = acquired(queue, "late");
      assertThat(other.heartbeat(LOCK, held)).as("it was taken over").isFalse();
      grant.close();
    }
  }

  @Test
  void anItemThatDoesNotSayWhenItExpiresIsNeverTakenOver() throws Exception {
    desk.client()
        .putItem(
            r ->
                r.tableName(desk.table)
                    .item(
                        Map.of(
                            "lockKey", AttributeValue.fromS(LOCK),
                            "lockId", AttributeValue.fromS("by hand"))));
    try (BuildQueue queue = queue()) {
      queue.create(Rules.DEFAULT);
      ask(queue, "first", Duration.ofSeconds(1));
      desk.nanos.addAndGet(Duration.ofDays(30).toNanos());

      assertThat(ask(queue, "second", Duration.ofSeconds(1)))
          .isInstanceOf(Acquisition.TimedOut.class);
    }
    assertThat(seed.item(LOCK).get("lockId").s()).isEqualTo("by hand");
  }

  /** Those who look at the item expect it every 30 s, and call it stale after two minutes. */
  @Test
  void aQueueBesideALockBeatsEvery30Seconds() throws Exception {
    try (BuildQueue queue = queue()) {
      queue.create(Rules.DEFAULT);
      assertThat(queue.status().rules().beat()).isEqualTo(Duration.ofSeconds(30));
    }
  }

  @Test
  void heartbeatsOfABuildRenewTheItem() throws Exception {
    try (BuildQueue queue = queue()) {
      queue.create(brisk());
      Grant grant = acquired(queue, "builder");
      awaitBeat();
      assertThat(grant.state()).isEqualTo(Grant.State.HELD);
      grant.close();
    }
  }

  /** Whoever releases it by force ends the build at its next heartbeat. */
  @Test
  void aBuildWhoseLockIsReleasedByForceLosesIt() throws Exception {
    try (BuildQueue queue = queue()) {
      queue.create(brisk());
      Grant grant = acquired(queue, "builder");
      CountDownLatch lost = new CountDownLatch(1);
      grant.onLost(why -> lost.countDown());

      seed.forceUnlock(LOCK);
      Optional<String> other = seed.acquire(LOCK, "github-actions-run-777");

      assertThat(other).isPresent();
      assertThat(lost.await(1, TimeUnit.MINUTES)).isTrue();
      assertThat(grant.state()).isEqualTo(Grant.State.LOST);
      grant.close();
      assertThat(seed.item(LOCK).get("lockId").s())
          .as("what it did not hold any more is left alone")
          .isEqualTo(other.get());
    }
  }

  /** The first one is told at its next heartbeat; until then it must get no company. */
  @Test
  void aFurtherSlotIsNotGivenAwayBesideAProgram() throws Exception {
    try (BuildQueue queue = queue();
        BuildQueue other = queue()) {
      queue.create(Rules.DEFAULT.withSlots(2));
      Grant first = acquired(queue, "first");
      seed.forceUnlock(LOCK);
      String held = seed.acquire(LOCK, "github-actions-run-777").orElseThrow();

      assertThat(ask(other, "second", Duration.ofSeconds(1)))
          .isInstanceOf(Acquisition.TimedOut.class);

      assertThat(seed.item(LOCK).get("lockId").s()).isEqualTo(held);
      first.close();
    }
  }

  @Test
  void aFurtherSlotIsGivenAwayTogetherWithTheItem() throws Exception {
    try (BuildQueue queue = queue();
        BuildQueue other = queue()) {
      queue.create(Rules.DEFAULT.withSlots(2));
      Grant first = acquired(queue, "first");
      String held = seed.item(LOCK).get("lockId").s();
      Grant second = acquired(other, "second");
      assertThat(seed.item(LOCK).get("lockId").s()).isEqualTo(held);
      assertThat(second.verify()).isTrue();

      assertThat(first.release("ok")).isEqualTo(Release.GIVEN_BACK);
      assertThat(seed.acquire(LOCK, "github-actions-run-777")).isEmpty();
      assertThat(second.verify()).isTrue();
      assertThat(second.release("ok")).isEqualTo(Release.GIVEN_BACK);
      assertThat(seed.item(LOCK)).isEmpty();

      Grant again = acquired(queue, "again");
      seed.forceUnlock(LOCK);
      Grant beside = acquired(other, "beside");
      assertThat(seed.acquire(LOCK, "github-actions-run-778")).isEmpty();
      beside.close();
      again.close();
    }
  }

  /** It gives the lock to nobody: the other slot is held already. */
  @Test
  void aBuildBesideAnotherGivesBackWhatAProgramHasTaken() throws Exception {
    try (BuildQueue queue = queue();
        BuildQueue other = queue()) {
      queue.create(Rules.DEFAULT.withSlots(2));
      Grant first = acquired(queue, "first");
      Grant second = acquired(other, "second");
      seed.forceUnlock(LOCK);
      String held = seed.acquire(LOCK, "github-actions-run-777").orElseThrow();

      assertThat(first.release("ok")).isEqualTo(Release.GIVEN_BACK);

      assertThat(second.verify()).isFalse();
      assertThat(seed.item(LOCK).get("lockId").s()).isEqualTo(held);
      second.close();
    }
  }

  /** A workflow job has no heartbeat, and must not be taken for dead after an hour. */
  @Test
  void theHeartbeatOfABuildDoesNotShortenTheTimeOfAJobBesideIt() throws Exception {
    SeedClient later =
        new SeedClient(
            desk.client(), desk.table, Clock.offset(Clock.systemUTC(), HOUR.multipliedBy(2)), HOUR);
    try (BuildQueue queue = queue();
        BuildQueue other = queue()) {
      queue.create(Rules.DEFAULT.withSlots(2).withBeat(Duration.ofMillis(200)));
      Grant job = acquiredByJob(queue, 1);
      Grant build = acquired(other, "build");
      awaitBeat();
      build.release("ok");
      assertThat(later.acquire(LOCK, "github-actions-run-777")).isEmpty();
      job.release("ok");

      Grant first = acquired(other, "first");
      Grant beside = acquiredByJob(queue, 2);
      assertThat(later.acquire(LOCK, "github-actions-run-778")).isEmpty();
      awaitBeat();
      assertThat(later.acquire(LOCK, "github-actions-run-778")).isEmpty();
      beside.release("ok");
      first.release("ok");
      assertThat(seed.item(LOCK)).isEmpty();
    }
  }

  /** A job says how long it may take when it has the lock already. */
  @Test
  void theItemOfAJobLastsForALongestHoldThatIsRaisedAfterwards() throws Exception {
    Duration ahead = Rules.DEFAULT.maxHold().plus(HOUR);
    SeedClient later =
        new SeedClient(desk.client(), desk.table, Clock.offset(Clock.systemUTC(), ahead), HOUR);
    try (BuildQueue queue = queue()) {
      queue.create(Rules.DEFAULT);
      Grant job = acquiredByJob(queue, 1);
      queue.raiseMaxHold(ahead.plus(HOUR), "octo/app run 1");

      assertThat(later.acquire(LOCK, "github-actions-run-777")).isEmpty();
      assertThat(job.verify()).isTrue();
      job.release("ok");
      assertThat(seed.item(LOCK)).isEmpty();
    }
  }

  private static Grant acquiredByJob(BuildQueue queue, long run) throws Exception {
    Request request =
        Request.of("octo/app run " + run, "deploy")
            .livingBy(new RunRef("octo/app", run, 1, 10 + run, "build"))
            .waitingAtMost(LONG);
    Acquisition result = queue.acquire(request, p -> {});
    assertThat(result).isInstanceOf(Acquisition.Acquired.class);
    return ((Acquisition.Acquired) result).grant();
  }

  private void awaitBeat() throws InterruptedException {
    long first = Long.parseLong(seed.item(LOCK).get("lastHeartbeat").n());
    long until = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (Long.parseLong(seed.item(LOCK).get("lastHeartbeat").n()) == first) {
      assertThat(System.nanoTime()).isLessThan(until);
      Thread.sleep(50);
    }
  }

  @Test
  void theThreeLevelsAreIndependent() throws Exception {
    String service = LOCK + ":service:user-service";
    String component = LOCK + ":component:user-service/api";
    try (BuildQueue queue = queue()) {
      queue.create(Rules.DEFAULT);
      Grant grant = acquired(queue, "builder");

      assertThat(seed.acquire(service, "a")).isPresent();
      assertThat(seed.acquire(component, "b")).isPresent();
      assertThat(seed.acquire(LOCK, "c")).isEmpty();
      grant.close();
    }
  }

  /** One request to look, one to get the lock with the item, one to give both back. */
  @Test
  void aCycleTakesAtMostFourRequests() throws Exception {
    try (BuildQueue queue = queue()) {
      queue.create(Rules.DEFAULT);
      acquired(queue, "first").release("ok");
    }
    try (BuildQueue queue = queue()) {
      desk.proxy.forget();
      acquired(queue, "measured").release("ok");
      assertThat(desk.proxy.count()).as(desk.proxy.counts().toString()).isLessThanOrEqualTo(4);
    }
  }
}
