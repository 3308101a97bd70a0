package dev.baton.queue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.Extra;
import dev.baton.core.FakeTasks.Running;
import dev.baton.core.World;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BeatDocument;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.Grant;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.Outcome;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Release;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RulesChange;
import dev.baton.queue.RunRef;
import dev.baton.queue.RunStatus;
import dev.baton.queue.WaitProgress;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.queue.internal.engine.OddStores.Lie;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The engine on stores that hang, that limit, and that answer falsely. */
class BadDayTest extends ClientsOfOneQueue {

  private static final Duration LEASE = Rules.DEFAULT.lease();

  private final OddStores mine = another();
  private final OddStores theirs = stores;

  @BeforeEach
  void create() {
    create(Rules.DEFAULT);
  }

  // ---- the end of a lease

  @ParameterizedTest
  @ValueSource(ints = {12, 40, 600})
  void aHolderWhoseCallsHangIsToldBeforeTheLockPassesOn(int seconds) {
    Grant grant = acquire(open(mine), "hangs");
    AtomicLong told = new AtomicLong();
    grant.onLost(reason -> told.set(world.nanos()));
    long start = world.nanos();
    mine.hang("beat-0", Duration.ofSeconds(seconds));
    mine.fail(StoreException.passing("the network is gone", null));
    BuildQueue other = open(theirs);
    AtomicLong passedOn = new AtomicLong();
    Running<Acquisition> next =
        tasks.later(
            () -> {
              Acquisition got = other.acquire(Request.of("next", "next"), p -> {});
              passedOn.set(world.nanos());
              return got;
            });
    world.advance(Duration.ofMinutes(20));
    assertThat(next.isDone()).isTrue();
    assertThat(told.get()).as("told before the next one builds").isLessThan(passedOn.get());
    assertThat(Duration.ofNanos(told.get() - start))
        .as("told with time to stop the build")
        .isLessThanOrEqualTo(LEASE.minus(LEASE.dividedBy(10)));
  }

  @Test
  void aMachineThatSleptThroughItsLeaseTellsSoonAfterItWakes() {
    Grant grant = acquire(open(mine), "laptop");
    AtomicReference<String> told = new AtomicReference<>();
    grant.onLost(told::set);
    world.advance(Duration.ofSeconds(5));
    world.sleepMachine(Duration.ofMinutes(6));
    world.advance(Duration.ofSeconds(1));
    assertThat(told.get()).contains("could not be renewed");
  }

  /** The build has been stopped; who started it does not wait for a network that is gone. */
  @Test
  void theEndOfALostLockIsNotHeldUpByAStoreOutOfReach() {
    Grant grant = acquire(open(mine), "build");
    mine.fail(StoreException.passing("no connection", null));
    world.advance(LEASE);
    assertThat(GrantView.peek(grant)).isEqualTo(Grant.State.LOST);
    Running<Release> end = tasks.later(() -> grant.release(""));
    world.advance(Duration.ofSeconds(15));
    assertThat(end.isDone()).isTrue();
    assertThat(end.get()).isEqualTo(Release.UNKNOWN);
  }

  @Test
  void aLeaseOfAReleasedGrantIsNotWatchedAnyMore() {
    Grant grant = acquire(open(mine), "quick");
    AtomicReference<String> told = new AtomicReference<>();
    grant.onLost(told::set);
    tasks.now(() -> grant.release(""));
    assertThat(world.living()).isEmpty();
    world.advance(Duration.ofMinutes(10));
    assertThat(told).hasNullValue();
  }

  // ---- limits and outages

  @Test
  void aUsedUpHourCostsTimeAndNoPlace() {
    Grant held = acquire(open(theirs), "first");
    Running<Acquisition> waiting = wait(open(mine), Request.of("me", "mine"));
    world.advance(Duration.ofMinutes(1));
    mine.limit(Duration.ofMinutes(20));
    world.advance(Duration.ofMinutes(10));
    assertThat(waiting.isDone()).isFalse();
    tasks.now(() -> held.release(""));
    BuildQueue late = open(theirs);
    Running<Acquisition> behind = wait(late, Request.of("late", "late"));
    world.advance(Duration.ofMinutes(15));
    // Passed over while it could not answer; its place was kept, and its turn is the next one.
    Grant lucky = grantOf(behind);
    tasks.now(() -> lucky.release(""));
    world.advance(Duration.ofSeconds(30));
    assertThat(grantOf(waiting).ticket()).isEqualTo(2);
  }

  @Test
  void aJoinThatMeetsAUsedUpHourWaitsItOut() {
    mine.limit(Duration.ofMinutes(59));
    Running<Acquisition> waiting = wait(open(mine), Request.of("me", "mine"));
    world.advance(Duration.ofMinutes(58));
    assertThat(waiting.isDone()).isFalse();
    world.advance(Duration.ofMinutes(5));
    assertThat(grantOf(waiting).ticket()).isEqualTo(1);
  }

  /** One answer says so, and nobody else is there who could pass the waiter over. */
  @Test
  void aFalseLimitOfAnHourCostsALoneWaiterMinutes() {
    Grant held = acquire(open(theirs), "first");
    Running<Acquisition> waiting = wait(open(mine), Request.of("me", "mine"));
    world.advance(Duration.ofMinutes(1));
    mine.fail(StoreException.busy("a limit is reached", Duration.ofHours(1)));
    world.advance(Duration.ofSeconds(3));
    mine.fail(null);
    tasks.now(() -> held.release(""));
    world.advance(Duration.ofMinutes(6));
    assertThat(grantOf(waiting).ticket()).isEqualTo(2);
  }

  /** Its turn comes long before the hour is over, though it is not among the first in line. */
  @Test
  void aFalseLimitOfAnHourDoesNotCostTheFifthInLineItsTurn() {
    for (int i = 0; i < 5; i++) {
      minute(open(another()));
    }
    Running<Boolean> victim = minute(open(mine));
    minute(open(another()));
    mine.fail(StoreException.busy("a limit is reached", Duration.ofHours(1)));
    world.advance(Duration.ofSeconds(90));
    mine.fail(null);
    world.advance(Duration.ofMinutes(11));
    assertThat(victim.isDone()).isTrue();
  }

  /** It has the time, and many that look again would press a limit that was meant. */
  @Test
  void oneWhoseTurnIsFarAwayObeysALimitOfAnHour() throws Exception {
    for (int i = 0; i < 15; i++) {
      wait(open(another()), brief("w" + i));
    }
    Running<Acquisition> last = wait(open(mine), brief("me"));
    mine.fail(StoreException.busy("a limit is reached", Duration.ofHours(1)));
    world.advance(Duration.ofMinutes(25));
    mine.lie("queue", Lie.OTHER, 1);
    mine.fail(null);
    world.advance(Duration.ofMinutes(15));
    assertThat(mine.isTold("queue", Lie.OTHER)).as("it has not looked").isTrue();
    assertThat(last.isDone()).isFalse();
    world.advance(Duration.ofHours(2));
    assertThat(last.get()).isInstanceOf(Acquisition.TimedOut.class);
  }

  /** Nothing is said to people about a title that has never been built; a rough guess is enough. */
  @Test
  void aFalseLimitOfAnHourCostsLittleWhereOnlyOtherTitlesHaveBeenBuilt() {
    for (int seconds : List.of(10, 20, 60, 300)) {
      Grant grant = acquire(open(theirs), "title " + seconds);
      world.advance(Duration.ofSeconds(seconds));
      tasks.now(() -> grant.release(""));
    }
    for (int i = 0; i < 11; i++) {
      builds(open(another()), "new " + i, Duration.ofSeconds(30));
    }
    Running<Boolean> victim = builds(open(mine), "victim", Duration.ofSeconds(30));
    builds(open(another()), "last", Duration.ofSeconds(30));
    mine.fail(StoreException.busy("a limit is reached", Duration.ofHours(1)));
    world.advance(Duration.ofMinutes(6));
    mine.fail(null);
    world.advance(Duration.ofMinutes(12));
    assertThat(victim.isDone()).isTrue();
  }

  private static Request brief(String who) {
    return Request.of(who, who).waitingAtMost(Duration.ofHours(2));
  }

  /** Waits, builds for a minute and gives back. */
  private Running<Boolean> minute(BuildQueue queue) {
    return builds(queue, "build", Duration.ofMinutes(1));
  }

  private Running<Boolean> builds(BuildQueue queue, String title, Duration time) {
    Running<Boolean> running =
        tasks.later(
            () -> {
              Acquisition got = queue.acquire(Request.of("tester", title), p -> {});
              world.newSignal().await(time);
              ((Acquisition.Acquired) got).grant().release("");
              return true;
            });
    world.advance(Duration.ofSeconds(1));
    return running;
  }

  @Test
  void aShortPauseIsObeyedWhileALongOneIsDoubted() {
    Grant held = acquire(open(theirs), "first");
    Running<Acquisition> waiting = wait(open(mine), Request.of("me", "mine"));
    world.advance(Duration.ofMinutes(1));
    mine.fail(StoreException.busy("a limit is reached", Duration.ofMinutes(8)));
    world.advance(Duration.ofSeconds(3));
    mine.fail(StoreException.busy("a limit is reached", Duration.ofMinutes(4)));
    world.advance(Duration.ofMinutes(6));
    mine.fail(null);
    tasks.now(() -> held.release(""));
    world.advance(Duration.ofSeconds(150));
    assertThat(waiting.isDone()).as("before nine minutes are over").isFalse();
    world.advance(Duration.ofMinutes(1));
    assertThat(grantOf(waiting).ticket()).isEqualTo(2);
  }

  @Test
  void aFalseLimitOfAnHourThatAJoinMeetsCostsMinutes() {
    mine.fail(StoreException.busy("a limit is reached", Duration.ofHours(1)));
    Running<Acquisition> waiting = wait(open(mine), Request.of("me", "mine"));
    mine.fail(null);
    world.advance(Duration.ofMinutes(8));
    assertThat(grantOf(waiting).ticket()).isEqualTo(1);
  }

  @Test
  void aLimitIsToldToThoseWhoWatchTheWait() {
    acquire(open(theirs), "first");
    List<WaitProgress> seen = new ArrayList<>();
    BuildQueue queue = open(mine);
    Running<?> waiting = tasks.later(() -> queue.acquire(Request.of("me", "mine"), seen::add));
    world.advance(Duration.ofMinutes(1));
    mine.limit(Duration.ofMinutes(20));
    world.advance(Duration.ofMinutes(1));
    assertThat(seen.get(seen.size() - 1).trouble())
        .hasValueSatisfying(t -> assertThat(t).contains("the requests of this hour are used up"));
    world.advance(Duration.ofMinutes(25));
    assertThat(seen.get(seen.size() - 1).trouble()).isEmpty();
    world.interrupt(waiting.name());
  }

  @Test
  void anOutageOfFiftyMinutesIsWaitedOut() {
    Grant held = acquire(open(theirs), "first");
    Running<Acquisition> waiting = wait(open(mine), Request.of("me", "mine"));
    world.advance(Duration.ofMinutes(1));
    mine.fail(StoreException.passing("GitHub returned a server error (502)", null));
    world.advance(Duration.ofMinutes(50));
    assertThat(waiting.isDone()).isFalse();
    mine.fail(null);
    world.advance(Duration.ofMinutes(2));
    tasks.now(() -> held.release(""));
    world.advance(Duration.ofMinutes(1));
    assertThat(grantOf(waiting).ticket()).isEqualTo(2);
  }

  @Test
  void aLimitOfAnHourCostsNoPlaceThoughTheTurnCameMeanwhile() {
    Grant held = acquire(open(theirs), "first");
    Running<Acquisition> waiting = wait(open(mine), Request.of("me", "mine"));
    Running<Acquisition> behind = wait(open(theirs), Request.of("behind", "behind"));
    world.advance(Duration.ofMinutes(1));
    mine.limit(Duration.ofMinutes(60));
    world.advance(Duration.ofSeconds(1));
    tasks.now(() -> held.release(""));
    world.advance(Duration.ofMinutes(70));
    Grant other = grantOf(behind);
    tasks.now(() -> other.release(""));
    world.advance(Duration.ofMinutes(1));
    assertThat(grantOf(waiting).ticket()).isEqualTo(2);
  }

  @Test
  void aWaitTimeoutOfThreeHoursOutlastsAnOutageOfTwo() {
    Grant held = acquire(open(theirs), "first");
    Running<Acquisition> waiting =
        wait(open(mine), Request.of("me", "mine").waitingAtMost(Duration.ofHours(3)));
    world.advance(Duration.ofMinutes(1));
    mine.fail(StoreException.passing("GitHub returned a server error (502)", null));
    world.advance(Duration.ofHours(2));
    assertThat(waiting.isDone()).isFalse();
    mine.fail(null);
    world.advance(Duration.ofMinutes(2));
    tasks.now(() -> held.release(""));
    world.advance(Duration.ofMinutes(1));
    assertThat(grantOf(waiting).ticket()).isEqualTo(2);
  }

  @Test
  void anHourOfFailureIsTheEndAndSaysSo() {
    acquire(open(theirs), "first");
    Running<Acquisition> waiting = wait(open(mine), Request.of("me", "mine"));
    world.advance(Duration.ofMinutes(1));
    mine.fail(StoreException.passing("GitHub returned a server error (502)", null));
    world.advance(Duration.ofMinutes(70));
    assertThat(waiting.failure())
        .isInstanceOf(QueueException.Unavailable.class)
        .hasMessageContaining("GitHub returned a server error (502)")
        .hasMessageContaining("for 1h")
        .hasMessageNotContaining("PT");
  }

  @Test
  void anHourOfFailureIsTheEndAlsoWhereTheServerSaysWhenToComeBack() {
    acquire(open(theirs), "first");
    Running<Acquisition> waiting = wait(open(mine), Request.of("me", "mine"));
    world.advance(Duration.ofMinutes(1));
    mine.fail(StoreException.down("GitHub returned a server error (503)", Duration.ofMinutes(2)));
    world.advance(Duration.ofMinutes(58));
    assertThat(waiting.isDone()).isFalse();
    world.advance(Duration.ofMinutes(12));
    assertThat(waiting.failure())
        .isInstanceOf(QueueException.Unavailable.class)
        .hasMessageContaining("GitHub returned a server error (503)");
  }

  @Test
  void aWaitTimeoutEndsTheWaitDuringAnOutageToo() {
    acquire(open(theirs), "first");
    Running<Acquisition> waiting =
        wait(open(mine), Request.of("me", "mine").waitingAtMost(Duration.ofMinutes(10)));
    world.advance(Duration.ofMinutes(1));
    mine.limit(Duration.ofMinutes(55));
    world.advance(Duration.ofMinutes(9).plusSeconds(1));
    world.advance(Duration.ofMinutes(3));
    assertThat(waiting.get()).isEqualTo(new Acquisition.TimedOut(2, 1));
  }

  @Test
  void aMaintainerIsToldOfALimitAtOnceAndTruly() {
    BuildQueue queue = open(mine);
    mine.limit(Duration.ofMinutes(20));
    Running<?> word = tasks.later(() -> queue.pause("jane", "freeze"));
    world.advance(Duration.ofSeconds(1));
    assertThat(word.failure())
        .isInstanceOf(QueueException.Unavailable.class)
        .hasMessageContaining("the requests of this hour are used up")
        .hasMessageContaining("in 20 min")
        .hasMessageNotContaining("gave up after")
        .hasMessageNotContaining("PT");
  }

  // ---- interrupts

  @ParameterizedTest
  @ValueSource(ints = {0, 300, 900, 1500})
  void anInterruptWhileALockIsGivenBackDoesNotKeepIt(int millis) {
    Grant grant = acquire(open(mine), "cancelled");
    world.advance(Duration.ofSeconds(5));
    mine.hang("queue", Duration.ofMillis(700));
    Running<Boolean> build =
        tasks.later(
            () -> {
              assertThat(grant.release("")).isEqualTo(Release.GIVEN_BACK);
              return Thread.currentThread().isInterrupted();
            });
    world.advance(Duration.ofMillis(millis));
    boolean during = !build.isDone();
    world.interrupt(build.name());
    world.advance(Duration.ofSeconds(10));
    assertThat(build.get()).as("remembered").isEqualTo(during);
    assertThat(tasks.now(open(theirs)::status).tickets()).isEmpty();
  }

  @Test
  void aSecondInterruptEndsGivingBack() {
    Grant grant = acquire(open(mine), "cancelled");
    world.advance(Duration.ofSeconds(5));
    mine.fail(StoreException.passing("the network is gone", null));
    Running<Release> build = tasks.later(() -> grant.release(""));
    world.advance(Duration.ofSeconds(1));
    world.interrupt(build.name());
    world.advance(Duration.ofSeconds(10));
    assertThat(build.isDone()).isFalse();
    world.interrupt(build.name());
    world.advance(Duration.ofSeconds(1));
    assertThat(build.get()).isEqualTo(Release.UNKNOWN);
  }

  // ---- answers that are not true

  @ParameterizedTest
  @ValueSource(strings = {"ABSENT", "OLD"})
  void oneOddReadInAQuietQueueProvesNothing(String lie) {
    Grant held = acquire(open(theirs), "first");
    Running<Acquisition> waiting = wait(open(mine), Request.of("me", "mine"));
    world.advance(Duration.ofMinutes(5));
    mine.lie("queue", Lie.valueOf(lie), 1);
    world.advance(Duration.ofMinutes(1));
    assertThat(waiting.isDone()).isFalse();
    tasks.now(() -> held.release(""));
    world.advance(Duration.ofSeconds(30));
    assertThat(grantOf(waiting).ticket()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"OTHER", "OTHER_MODE"})
  void oneReadOfSomethingElseProvesNothing(String lie) {
    Grant held = acquire(open(theirs), "first");
    mine.lie("queue", Lie.valueOf(lie), 1);
    Running<Acquisition> waiting = wait(open(mine), Request.of("me", "mine"));
    world.advance(Duration.ofMinutes(5));
    assertThat(waiting.isDone()).isFalse();
    mine.lie("queue", Lie.valueOf(lie), 1);
    world.advance(Duration.ofMinutes(1));
    assertThat(waiting.isDone()).isFalse();
    mine.lie("queue", Lie.valueOf(lie), 1);
    tasks.now(() -> held.release(""));
    world.advance(Duration.ofSeconds(30));
    Grant grant = grantOf(waiting);
    mine.lie("queue", Lie.valueOf(lie), 1);
    Running<Release> release = tasks.later(() -> grant.release(""));
    world.advance(Duration.ofSeconds(30));
    assertThat(release.get()).isEqualTo(Release.GIVEN_BACK);
  }

  @ParameterizedTest
  @ValueSource(strings = {"OTHER", "OTHER_MODE"})
  void somethingElseThatStaysThereIsBelieved(String lie) {
    acquire(open(theirs), "first");
    mine.lie("queue", Lie.valueOf(lie), Integer.MAX_VALUE);
    Running<QueueDocument> status = tasks.later(open(mine)::status);
    world.advance(Duration.ofSeconds(10));
    assertThat(status.failure())
        .isNotNull()
        .hasMessageMatching(".*(format|Open it in that mode).*");
    mine.lie("queue", Lie.valueOf(lie), 0);

    Running<Acquisition> waiting = wait(open(mine), Request.of("me", "mine"));
    world.advance(Duration.ofMinutes(5));
    mine.lie("queue", Lie.valueOf(lie), 60);
    world.advance(Duration.ofMinutes(10));
    assertThat(waiting.failure()).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ABSENT", "OLD"})
  void aContradictionThatLastsIsBelieved(String lie) {
    acquire(open(theirs), "first");
    Running<Acquisition> waiting = wait(open(mine), Request.of("me", "mine"));
    world.advance(Duration.ofMinutes(5));
    mine.lie("queue", Lie.valueOf(lie), Integer.MAX_VALUE);
    world.advance(Duration.ofSeconds(25));
    assertThat(waiting.isDone()).isFalse();
    world.advance(Duration.ofMinutes(1));
    mine.lie("queue", Lie.valueOf(lie), 0);
    world.advance(Duration.ofMinutes(3));
    assertThat(waiting.failure()).isInstanceOf(QueueException.WentBack.class);
  }

  @Test
  void twoOddReadsWithAnOutageBetweenThemProveNothing() {
    acquire(open(theirs), "first");
    Running<Acquisition> waiting = wait(open(mine), Request.of("me", "mine"));
    world.advance(Duration.ofMinutes(5));
    mine.lie("queue", Lie.ABSENT, 1);
    world.advance(Duration.ofMillis(2500));
    mine.fail(StoreException.passing("GitHub returned a server error (502)", null));
    mine.lie("queue", Lie.ABSENT, 1);
    world.advance(Duration.ofMinutes(5));
    mine.fail(null);
    world.advance(Duration.ofMinutes(2));
    assertThat(waiting.isDone()).isFalse();
    world.interrupt(waiting.name());
  }

  @Test
  void oneGarbledReadRecoversNothing() throws Exception {
    acquire(open(theirs), "first");
    String before = theirs.content("queue");
    mine.lie("queue", Lie.GARBLED, 1);
    Running<QueueDocument> status = tasks.later(open(mine)::status);
    world.advance(Duration.ofSeconds(5));
    assertThat(status.get().tickets()).hasSize(1);
    mine.lie("queue", Lie.GARBLED, 1);
    Running<Acquisition> waiting = wait(open(mine), Request.of("me", "mine"));
    world.advance(Duration.ofSeconds(10));
    assertThat(theirs.content("queue")).isNotEqualTo(before).doesNotContain("recovered");
    world.interrupt(waiting.name());
  }

  @Test
  void anOutcomeThatStaysUnknownIsToldAndEndsTruly() {
    mine.lie("queue", Lie.UNKNOWN, Integer.MAX_VALUE);
    List<WaitProgress> seen = new ArrayList<>();
    BuildQueue queue = open(mine);
    Running<?> waiting = tasks.later(() -> queue.acquire(Request.of("me", "mine"), seen::add));
    world.advance(Duration.ofMinutes(70));
    mine.lie("queue", Lie.UNKNOWN, 0);
    world.advance(Duration.ofMinutes(5));
    assertThat(waiting.failure())
        .isInstanceOf(QueueException.Unavailable.class)
        .hasMessageContaining("the outcome of the write is unknown (422: Conflicto)");
    assertThat(seen).isNotEmpty().allMatch(p -> p.trouble().isPresent());
  }

  @Test
  void aRefusalThatWasNotTrueKeepsNobodyFromAFreeLock() {
    mine.lie("queue", Lie.LOST, 2);
    Running<Acquisition> waiting = wait(open(mine), Request.of("me", "mine"));
    world.advance(Duration.ofMinutes(3));
    Grant grant = grantOf(waiting);
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
    mine.lie("queue", Lie.LOST, 1);
    Running<Release> release = tasks.later(() -> grant.release(""));
    world.advance(Duration.ofMinutes(1));
    assertThat(release.get()).isEqualTo(Release.GIVEN_BACK);
  }

  @Test
  void anIdenticalWriteIsRepeatedOnlyWhenReadsHaveShownItsBaseForLongEnough() {
    mine.lie("queue", Lie.LOST, 1);
    wait(open(mine), Request.of("me", "mine"));
    world.advance(OddStores.STALENESS.minusSeconds(1));
    assertThat(mine.writes()).containsOnlyOnce("queue");
    world.advance(Duration.ofMinutes(1));
    assertThat(mine.writes().stream().filter("queue"::equals)).hasSize(2);
  }

  @Test
  void aHeartbeatThatWasRefusedFalselyIsNotTheEndOfALease() {
    Grant grant = acquire(open(mine), "build");
    AtomicReference<String> told = new AtomicReference<>();
    grant.onLost(told::set);
    mine.lie("beat-0", Lie.LOST, 1);
    for (int minute = 0; minute < 20; minute++) {
      world.advance(Duration.ofMinutes(1));
      assertThat(grant.state()).isEqualTo(Grant.State.HELD);
    }
    assertThat(told).hasNullValue();
  }

  @Test
  void aLockThatOldReadsDoNotShowYetIsProvedAndGivenBackAllTheSame() {
    Grant grant = acquire(open(theirs), "outer");
    BuildQueue inner = open(mine);
    mine.lie("queue", Lie.OLD, 3);
    Running<Boolean> proof = tasks.later(() -> inner.verify(grant.ticket(), grant.fencingToken()));
    world.advance(Duration.ofSeconds(10));
    assertThat(proof.get()).isTrue();
    tasks.now(() -> grant.release(""));
    Running<Boolean> late = tasks.later(() -> inner.verify(grant.ticket(), grant.fencingToken()));
    world.advance(Duration.ofSeconds(1));
    assertThat(late.get()).as("an end that is sure is told at once").isFalse();
  }

  /** What it shows is as old as it may be when it is asked for, not when it comes. */
  @Test
  void anOldReadThatTakesLongDeniesNoLock() {
    Grant grant = acquire(open(theirs), "outer");
    BuildQueue inner = open(mine);
    mine.hang("queue", OddStores.STALENESS.plusSeconds(2));
    mine.lie("queue", Lie.OLD, 1);
    Running<Boolean> proof = tasks.later(() -> inner.verify(grant.ticket(), grant.fencingToken()));
    world.advance(Duration.ofMinutes(2));
    assertThat(proof.get()).isTrue();
  }

  /** A build inside of a build starts in an hour whose requests are used up. */
  @Test
  void theProofOfAnOuterLockWaitsOutALimit() {
    Grant grant = acquire(open(theirs), "outer");
    BuildQueue inner = open(mine);
    mine.limit(Duration.ofMinutes(40));
    Running<Boolean> proof = tasks.later(() -> inner.verify(grant.ticket(), grant.fencingToken()));
    world.advance(Duration.ofMinutes(39));
    assertThat(proof.isDone()).isFalse();
    world.advance(Duration.ofMinutes(25));
    assertThat(proof.get()).isTrue();
  }

  @Test
  void aConfirmationWhoseAnswerComesAfterTheLeaseIsProvedByABeatFirst() {
    Grant first = acquire(open(theirs), "first");
    BuildQueue queue = open(mine);
    Running<Acquisition> waiting = wait(queue, Request.of("me", "mine"));
    world.advance(Duration.ofSeconds(30));
    mine.failAfterNextWrite("queue", StoreException.passing("the network is gone", null));
    tasks.now(() -> first.release(""));
    world.advance(Duration.ofMinutes(6));
    assertThat(waiting.isDone()).isFalse();
    mine.fail(null);
    world.advance(Duration.ofMinutes(2));
    Grant grant = grantOf(waiting);
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
    assertThat(theirs.beatOf("beat-0").token()).isEqualTo(grant.fencingToken());
  }

  // ---- answers that are lost

  /** Every write is applied, and nobody hears of it; reads are answered. */
  @ParameterizedTest
  @ValueSource(ints = {30, 60, 120, 180, 240, 1800})
  void lostAnswersCostAHolderNeitherItsLockNorTheQueueManyWrites(int seconds) throws Exception {
    Grant grant = acquire(open(mine), "build");
    AtomicReference<String> lost = new AtomicReference<>();
    grant.onLost(lost::set);
    world.advance(Duration.ofSeconds(85));
    long before = DocumentCodec.decode(theirs.content("queue")).version();
    mine.lie("beat-0", Lie.UNANSWERED, Integer.MAX_VALUE);
    mine.lie("queue", Lie.UNANSWERED, Integer.MAX_VALUE);
    world.advance(Duration.ofSeconds(seconds));
    mine.lie("beat-0", Lie.UNANSWERED, 0);
    mine.lie("queue", Lie.UNANSWERED, 0);
    world.advance(Duration.ofMinutes(10));
    assertThat(lost).hasNullValue();
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
    assertThat(DocumentCodec.decode(theirs.content("queue")).version() - before)
        .as("writes to the queue: one proof for each beat")
        .isLessThanOrEqualTo(2 + seconds / 90);
  }

  @Test
  void aProofWhoseAnswerIsLostIsFoundByARead() throws Exception {
    BuildQueue queue = open(mine);
    Grant grant = acquire(queue, "build");
    long before = DocumentCodec.decode(theirs.content("queue")).version();
    mine.lie("queue", Lie.UNANSWERED, Integer.MAX_VALUE);
    Running<Boolean> proof = tasks.later(() -> queue.verify(grant.ticket(), grant.fencingToken()));
    world.advance(OddStores.STALENESS.plusSeconds(3));
    assertThat(proof.get()).isTrue();
    assertThat(DocumentCodec.decode(theirs.content("queue")).version()).isEqualTo(before + 1);
  }

  /** The same bytes may be another client's, and the read that shows them may be old. */
  @Test
  void aProofThatIsFoundByAReadIsNoneIfTheReadMayBeFromBeforeIt() throws Exception {
    BuildQueue queue = open(mine);
    Grant grant = acquire(queue, "build");
    mine.lie("queue", Lie.UNANSWERED, Integer.MAX_VALUE);
    Running<Boolean> proof = tasks.later(() -> queue.verify(grant.ticket(), grant.fencingToken()));
    world.advance(Duration.ofSeconds(5));
    assertThat(proof.isDone()).isFalse();
    BuildQueue maintainer = open(theirs);
    tasks.now(
        () ->
            maintainer.forceUnlock(grant.ticket(), grant.fencingToken(), "jane", "it hangs", true));
    world.advance(Duration.ofSeconds(30));
    assertThat(proof.get()).isFalse();
  }

  @Test
  void oneWhoGivesUpAndHearsNoAnswerLeavesByOneWrite() throws Exception {
    acquire(open(theirs), "first");
    Running<Acquisition> waiting =
        wait(open(mine), Request.of("me", "mine").waitingAtMost(Duration.ofMinutes(2)));
    // The holder has proved its turn by then, before its first beat.
    world.advance(Duration.ofSeconds(100));
    long before = DocumentCodec.decode(theirs.content("queue")).version();
    mine.lie("queue", Lie.UNANSWERED, Integer.MAX_VALUE);
    world.advance(Duration.ofMinutes(3));
    assertThat(waiting.get()).isInstanceOf(Acquisition.TimedOut.class);
    assertThat(DocumentCodec.decode(theirs.content("queue")).version()).isEqualTo(before + 1);
  }

  @Test
  void aStoreThatCannotTellWhatBecameOfAWriteIsNotFlooded() {
    Grant grant = acquire(open(mine), "build");
    world.advance(Duration.ofSeconds(5));
    int before = mine.writes().size();
    mine.lie("queue", Lie.UNKNOWN, Integer.MAX_VALUE);
    Running<Release> release = tasks.later(() -> grant.release(""));
    world.advance(Duration.ofMinutes(1));
    assertThat(mine.writes().size() - before).isBetween(10, 40);
    mine.lie("queue", Lie.UNKNOWN, 0);
    world.advance(Duration.ofSeconds(6));
    assertThat(release.get()).as("and it is tried again soon").isEqualTo(Release.GIVEN_BACK);
  }

  @Test
  void aQueueThatIsNotVisibleYetIsLookedForAgain() {
    BuildQueue queue = open(mine);
    mine.lie("queue", Lie.ABSENT, 4);
    Running<Acquisition> waiting = wait(queue, Request.of("me", "mine"));
    world.advance(OddStores.STALENESS.plusSeconds(1));
    assertThat(grantOf(waiting).ticket()).isEqualTo(1);
  }

  @Test
  void aQueueThatIsNotThereIsSaidSoWhenReadsCannotBeThatOld() {
    theirs.delete("queue");
    Running<QueueDocument> status = tasks.later(open(mine)::status);
    world.advance(OddStores.STALENESS.minusSeconds(1));
    assertThat(status.isDone()).isFalse();
    world.advance(Duration.ofSeconds(5));
    assertThat(status.failure()).isInstanceOf(QueueException.NotInitialised.class);
  }

  // ---- tokens

  @Test
  void tokensDoNotStartOverWhenAQueueIsMadeAgain() {
    BuildQueue queue = open(theirs);
    Grant old = acquire(queue, "before");
    world.advance(Duration.ofMinutes(5));
    tasks.now(() -> old.release(""));
    theirs.delete("queue");
    BuildQueue again = open(mine);
    assertThat(create(again)).isTrue();
    Grant grant = acquireAfterALease(again);
    assertThat(grant.fencingToken()).isGreaterThan(old.fencingToken());
    world.advance(Duration.ofMinutes(10));
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
  }

  @Test
  void tokensAreAboveHeartbeatsOfAClockThatWasAhead() throws Exception {
    theirs.overwrite(
        "beat-0", theirs.content("beat-0").replace("\"token\": 0", "\"token\": 9000000000"));
    assertThat(theirs.content("beat-0")).contains("9000000000");
    theirs.delete("queue");
    BuildQueue again = open(mine);
    assertThat(create(again)).isTrue();
    assertThat(acquireAfterALease(again).fencingToken()).isGreaterThan(9_000_000_000L);
  }

  @Test
  void tokensAreAboveHeartbeatsThatAreNotShownAtFirstOrOfFurtherSlots() throws Exception {
    theirs.put("beat-0", new BeatDocument(3, 8_000_000_000L, 1, 0, Extra.NONE));
    theirs.put("beat-1", new BeatDocument(3, 9_000_000_000L, 1, 0, Extra.NONE));
    theirs.delete("queue");
    mine.lie("beat-0", Lie.ABSENT, 1);
    BuildQueue again = open(mine);
    assertThat(create(again)).isTrue();
    assertThat(acquireAfterALease(again).fencingToken()).isGreaterThan(9_000_000_000L);
  }

  @Test
  void tokensDoNotStartOverWhenNothingSurvives() {
    Grant old = acquire(open(theirs), "before");
    tasks.now(() -> old.release(""));
    theirs.delete("queue");
    theirs.delete("beat-0");
    world.advance(Duration.ofMinutes(1));
    BuildQueue again = open(mine);
    assertThat(create(again)).isTrue();
    assertThat(acquire(again, "after").fencingToken()).isGreaterThan(old.fencingToken());
  }

  @Test
  void aCreationThatWasRefusedFalselyIsTriedAgain() {
    theirs.delete("queue");
    mine.lie("queue", Lie.LOST, 1);
    assertThat(create(open(mine))).isTrue();
  }

  /** A heartbeat of the deleted queue may be that of a build which goes on. */
  private Grant acquireAfterALease(BuildQueue queue) {
    Running<Acquisition> waiting = wait(queue, Request.of("tester", "after"));
    world.advance(Rules.DEFAULT.lease().plusSeconds(30));
    return grantOf(waiting);
  }

  private boolean create(BuildQueue queue) {
    Running<Boolean> created = tasks.later(() -> queue.create(Rules.DEFAULT));
    world.advance(Duration.ofMinutes(1));
    return created.get();
  }

  // ---- heartbeats that are gone

  @Test
  void aDeletedHeartbeatIsMadeAgainByItsHolder() {
    Grant grant = acquire(open(mine), "build");
    world.advance(Duration.ofMinutes(4));
    theirs.delete("beat-0");
    Running<Acquisition> next = wait(open(theirs), Request.of("next", "next"));
    world.advance(Duration.ofMinutes(30));
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
    assertThat(next.isDone()).isFalse();
    tasks.now(() -> grant.release(""));
    world.advance(Duration.ofSeconds(10));
    assertThat(grantOf(next).fencingToken()).isGreaterThan(grant.fencingToken());
  }

  @Test
  void aBrokenHeartbeatIsMadeAgainByItsHolder() throws Exception {
    Grant grant = acquire(open(mine), "build");
    world.advance(Duration.ofMinutes(4));
    theirs.overwrite("beat-0", "{ broken by hand");
    world.advance(Duration.ofMinutes(30));
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
  }

  @Test
  void aHolderThatWasRevokedDoesNotMakeItsHeartbeatAgain() {
    Grant grant = acquire(open(mine), "build");
    AtomicReference<String> told = new AtomicReference<>();
    grant.onLost(told::set);
    BuildQueue maintainer = open(theirs);
    tasks.now(
        () ->
            maintainer.forceUnlock(
                grant.ticket(), grant.fencingToken(), "jane", "it hangs", false));
    theirs.delete("beat-0");
    world.advance(Duration.ofMinutes(2));
    assertThat(told).hasValue("it was taken away");
  }

  /** A recovery stops no build, also one that the queue has forgotten. */
  @Test
  void aLostAnswerCostsNoLockThatARecoveryHasForgotten() throws Exception {
    Grant grant = forgottenBuild();
    Running<Acquisition> next = wait(open(theirs), Request.of("next", "next"));
    world.advance(Duration.ofMinutes(20));
    mine.lie("beat-0", Lie.UNANSWERED, 2);
    world.advance(Duration.ofMinutes(6));
    assertThat(tasks.now(grant::verify)).isTrue();
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
    assertThat(next.isDone()).isFalse();
    theirs.delete("beat-0");
    world.advance(Duration.ofMinutes(20));
    assertThat(grant.state()).as("its heartbeat was deleted").isEqualTo(Grant.State.HELD);
    assertThat(next.isDone()).isFalse();

    tasks.now(() -> grant.release(""));
    world.advance(Duration.ofMinutes(12));
    assertThat(grantOf(next).fencingToken()).isGreaterThan(grant.fencingToken());
  }

  /** The build around it goes on as well. */
  @Test
  void aBuildInsideOfOneThatARecoveryHasForgottenWorksUnderItsLock() throws Exception {
    Grant outer = forgottenBuild();
    Running<Boolean> proof = proof(outer.ticket(), outer.fencingToken());
    Running<Boolean> ofAnother = proof(outer.ticket(), outer.fencingToken() + 1);
    world.advance(Duration.ofMinutes(2));
    assertThat(proof.get()).isTrue();
    assertThat(ofAnother.failure())
        .isInstanceOf(QueueException.Unavailable.class)
        .hasMessageContaining("does not say whether ticket 1 has the lock");
    assertThat(outer.state()).isEqualTo(Grant.State.HELD);
  }

  @Test
  void aBuildInsideOfAForgottenOneThatHasNotBeatenYetWaitsForItsHeartbeat() throws Exception {
    Grant outer = forgottenBuild(Duration.ofSeconds(5));
    Running<Boolean> proof = proof(outer.ticket(), outer.fencingToken());
    world.advance(Duration.ofSeconds(10));
    assertThat(proof.isDone()).isFalse();
    world.advance(Duration.ofSeconds(30));
    assertThat(proof.get()).isTrue();
  }

  /** Its heartbeat is the last in that slot: the one that builds now has not beaten yet. */
  @Test
  void aTurnThatHasPassedOnIsNotHeldBecauseARecoveryHasForgottenItsEnd() throws Exception {
    String before = theirs.content("queue");
    Grant ended = acquire(open(mine), "ended");
    world.advance(Duration.ofMinutes(2));
    tasks.now(() -> ended.release(""));
    Request job =
        Request.of("octo/app", "build").livingBy(new RunRef("octo/app", 7, 1, 3, "build"));
    Grant builds = grantOf(wait(open(theirs), job));
    goBackTo(before);

    Running<Boolean> proof = proof(ended.ticket(), ended.fencingToken());
    world.advance(Duration.ofMinutes(2).plusSeconds(10));

    assertThat(proof.failure()).isInstanceOf(QueueException.Unavailable.class);
    assertThat(builds.state()).isEqualTo(Grant.State.HELD);
  }

  /** Whichever of the answers it is: that of one client is odd in each second. */
  @ParameterizedTest
  @EnumSource(
      value = Lie.class,
      names = {"ABSENT", "OLD", "GARBLED"})
  void oneOddAnswerAboutAHeartbeatDoesNotProveATurnThatIsOver(Lie lie) throws Exception {
    String before = theirs.content("queue");
    Grant ended = acquire(open(mine), "ended");
    world.advance(Duration.ofMinutes(4));
    tasks.now(() -> ended.release(""));
    goBackTo(before);

    List<Running<Boolean>> proofs = new ArrayList<>();
    List<OddStores> ways = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      OddStores way = another();
      BuildQueue inner = open(way);
      ways.add(way);
      proofs.add(tasks.later(() -> inner.verify(ended.ticket(), ended.fencingToken())));
    }
    for (OddStores way : ways) {
      way.lie("beat-0", lie, 1);
      world.advance(Duration.ofSeconds(1));
    }
    world.advance(Duration.ofMinutes(3));

    assertThat(proofs)
        .allSatisfy(p -> assertThat(p.failure()).isInstanceOf(QueueException.Unavailable.class));
  }

  @Test
  void oneOddAnswerAboutAHeartbeatDoesNotDenyAForgottenTurn() throws Exception {
    Grant outer = forgottenBuild();
    OddStores odd = another();
    odd.lie("beat-0", Lie.LATER, 1);
    BuildQueue inner = open(odd);
    Running<Boolean> proof = tasks.later(() -> inner.verify(outer.ticket(), outer.fencingToken()));
    world.advance(Duration.ofMinutes(2));
    assertThat(proof.get()).isTrue();
  }

  @Test
  void aForgottenBuildThatHasLostItsLockIsNoneToWorkUnder() throws Exception {
    Grant outer = forgottenBuild();
    Running<Acquisition> next = wait(open(theirs), Request.of("next", "next"));
    mine.fail(StoreException.passing("the network is gone", null));
    world.advance(Duration.ofMinutes(12));
    assertThat(next.get()).isInstanceOf(Acquisition.Acquired.class);
    Running<Boolean> proof = proof(outer.ticket(), outer.fencingToken());
    world.advance(Duration.ofSeconds(1));
    assertThat(proof.get()).isFalse();
  }

  /** It may have the lock by a write that is lost, and the queue waits for it. */
  @Test
  void aStepOfAJobWorksUnderALockThatARecoveryHasForgotten() throws Exception {
    Grant first = acquire(open(theirs), "first");
    Request job =
        Request.of("octo/app", "build").livingBy(new RunRef("octo/app", 7, 1, 3, "build"));
    Running<Acquisition> waiting = wait(open(mine), job);
    world.advance(Duration.ofSeconds(5));
    String before = theirs.content("queue");
    tasks.now(() -> first.release(""));
    world.advance(Duration.ofSeconds(5));
    Grant grant = grantOf(waiting);
    goBackTo(before);
    Running<Boolean> proof = proof(grant.ticket(), grant.fencingToken());
    world.advance(Duration.ofSeconds(1));
    assertThat(proof.get()).isTrue();
  }

  /** The version that is known from before, or the rules of a new queue, have fewer slots. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nobodyGetsTheLockBesideABuildInASlotThatARecoveryHasForgotten(boolean fromNothing)
      throws Exception {
    String before = theirs.content("queue");
    BuildQueue maintainer = open(theirs);
    tasks.now(() -> maintainer.changeRules(RulesChange.NONE.withSlots(2), "jane"));
    Grant first = acquire(open(mine), "first");
    Grant second = acquire(open(another()), "second");
    assertThat(second.slot()).isEqualTo(1);
    world.advance(Duration.ofSeconds(100));
    tasks.now(() -> first.release(""));
    goBackTo(fromNothing ? "garbage from the start" : before);
    assertThat(document().rules().slots()).isEqualTo(1);

    Running<Acquisition> next = wait(open(theirs), Request.of("next", "next"));
    for (int minute = 0; minute < 20; minute++) {
      world.advance(Duration.ofMinutes(1));
      assertThat(second.state()).isEqualTo(Grant.State.HELD);
      assertThat(next.isDone()).as("two hold the lock of a queue with one slot").isFalse();
    }
    tasks.later(() -> second.release(""));
    world.advance(LEASE.plusMinutes(2));
    assertThat(grantOf(next).fencingToken()).isGreaterThan(second.fencingToken());
    assertThat(document().slots()).hasSize(1);
  }

  private Running<Boolean> proof(long ticket, long token) {
    BuildQueue inner = open(another());
    return tasks.later(() -> inner.verify(ticket, token));
  }

  /** A build whose turn was in a version that is lost. */
  private Grant forgottenBuild() throws Exception {
    return forgottenBuild(Duration.ofMinutes(2));
  }

  private Grant forgottenBuild(Duration after) throws Exception {
    String before = theirs.content("queue");
    Grant grant = acquire(open(mine), "build");
    world.advance(after);
    goBackTo(before);
    return grant;
  }

  private void goBackTo(String before) throws Exception {
    theirs.delete("queue");
    theirs.document("queue").write(Version.ABSENT, before, "back");
    theirs.overwrite("queue", "garbage");
    BuildQueue repairing = open(theirs);
    Running<Boolean> repaired = tasks.later(repairing::repair);
    world.advance(Duration.ofMinutes(1));
    assertThat(repaired.get()).isTrue();
  }

  /** It has no heartbeat that would keep the quarantine up. */
  @Test
  void aJobThatARecoveryHasForgottenIsToldBeforeTheNextOneBuilds() throws Exception {
    String before = theirs.content("queue");
    Request job =
        Request.of("octo/app", "build").livingBy(new RunRef("octo/app", 7, 1, 3, "build"));
    Grant grant = grantOf(wait(open(mine), job));
    AtomicLong told = new AtomicLong();
    grant.onLost(reason -> told.set(world.nanos()));
    world.advance(Duration.ofMinutes(2));
    theirs.delete("queue");
    theirs.document("queue").write(Version.ABSENT, before, "back");
    theirs.overwrite("queue", "garbage");
    BuildQueue other = open(theirs);
    AtomicLong passedOn = new AtomicLong();
    Running<Acquisition> next =
        tasks.later(
            () -> {
              Acquisition got = other.acquire(Request.of("next", "next"), p -> {});
              passedOn.set(world.nanos());
              return got;
            });
    world.advance(Duration.ofMinutes(20));

    assertThat(next.get()).isInstanceOf(Acquisition.Acquired.class);
    assertThat(told.get()).isPositive().isLessThan(passedOn.get());
  }

  /** A newer client has added an ability to the queue: this one may build to its end. */
  @Test
  void aLostAnswerCostsNoLockInAQueueThatRequiresANewerVersion() throws Exception {
    Grant grant = acquire(open(mine), "build");
    world.advance(Duration.ofMinutes(2));
    String text = theirs.content("queue").replace("\"requires\": []", "\"requires\": [\"x\"]");
    theirs.overwrite("queue", text.replaceFirst("\"version\": \\d+", "\"version\": 50"));
    world.advance(Duration.ofMinutes(20));
    mine.lie("beat-0", Lie.UNANSWERED, 2);
    world.advance(Duration.ofMinutes(6));
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
    assertThat(tasks.now(grant::verify)).isTrue();
  }

  @Test
  void aProofOfALockThatIsHeldIsNotDeniedForOneRefusedBeat() {
    Grant grant = acquire(open(mine), "build");
    world.advance(Duration.ofSeconds(91));
    world.sleepMachine(Duration.ofMinutes(1));
    mine.lie("beat-0", Lie.LOST, 1);
    Running<Boolean> proof = tasks.later(grant::verify);
    world.advance(Duration.ofMinutes(1));
    assertThat(proof.get()).isTrue();
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
  }

  @Test
  void heartbeatsThatAreDeletedOverAndOverKillNobodyAlive() {
    Grant grant = acquire(open(mine), "build");
    Running<Acquisition> next = wait(open(theirs), Request.of("next", "next"));
    for (int i = 0; i < 12; i++) {
      world.advance(Duration.ofSeconds(91));
      assertThat(next.isDone() && grant.state() == Grant.State.HELD)
          .as("two hold after round " + i)
          .isFalse();
      theirs.delete("beat-0");
    }
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
    tasks.now(() -> grant.release(""));
    world.advance(Duration.ofMinutes(1));
    assertThat(next.isDone()).isTrue();
  }

  @Test
  void aHeartbeatThatSomebodyElseMadeAgainIsUsedAndNoEarlierContentComesBack() {
    Grant grant = acquire(open(mine), "build");
    Running<Acquisition> next = wait(open(theirs), Request.of("next", "next"));
    world.advance(Duration.ofSeconds(91));
    theirs.delete("beat-0");
    BuildQueue maintainer = open(theirs);
    tasks.now(() -> maintainer.create(Rules.DEFAULT));
    for (int i = 0; i < 10; i++) {
      world.advance(Duration.ofMinutes(1));
      assertThat(grant.state()).isEqualTo(Grant.State.HELD);
      assertThat(next.isDone()).isFalse();
    }
    world.interrupt(next.name());
  }

  @Test
  void aBeatIsRenewedByAWriteAndNeverByAnOldReadAlone() throws Exception {
    Grant grant = acquire(open(mine), "build");
    AtomicLong told = new AtomicLong();
    grant.onLost(reason -> told.set(world.nanos()));
    world.advance(Duration.ofSeconds(182));
    String before = theirs.content("beat-0");
    mine.fail(new StoreException("denied as if for good", null));
    world.advance(Duration.ofSeconds(100));
    mine.fail(null);
    mine.lie("beat-0", Lie.OLD, 1);
    world.advance(Duration.ofSeconds(5));
    assertThat(grant.state() != Grant.State.HELD || !theirs.content("beat-0").equals(before))
        .as("held only with another heartbeat")
        .isTrue();
    world.advance(Duration.ofMinutes(2));
    assertThat(theirs.content("beat-0")).isNotEqualTo(before);
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
  }

  @Test
  void aHolderBelievesAKilledHeartbeatThatReplacedItsOwn() throws Exception {
    Grant grant = acquire(open(mine), "build");
    AtomicReference<String> told = new AtomicReference<>();
    grant.onLost(told::set);
    world.advance(Duration.ofSeconds(91));
    theirs.delete("beat-0");
    theirs.put("beat-0", new BeatDocument(1, 0, 0, grant.fencingToken(), Extra.NONE));
    world.advance(Duration.ofSeconds(95));
    assertThat(told).hasValue("it was taken away");
  }

  @Test
  void aRevokedTurnPassesOnOnlyWhileItsHeartbeatSaysThatItIsOver() {
    Grant grant = acquire(open(mine), "build");
    Running<Acquisition> next = wait(open(theirs), Request.of("next", "next"));
    world.advance(Duration.ofSeconds(10));
    BuildQueue maintainer = open(theirs);
    tasks.now(
        () ->
            maintainer.forceUnlock(
                grant.ticket(), grant.fencingToken(), "jane", "it hangs", false));
    world.advance(LEASE.minusSeconds(15));
    assertThat(theirs.beatOf("beat-0").killed()).isGreaterThanOrEqualTo(grant.fencingToken());
    theirs.delete("beat-0");
    for (int second = 0; second < 600 && !next.isDone(); second++) {
      world.advance(Duration.ofSeconds(1));
    }
    assertThat(next.isDone()).isTrue();
    assertThat(theirs.beatOf("beat-0").killed()).isGreaterThanOrEqualTo(grant.fencingToken());
  }

  @Test
  void aTurnThatARecoveryBroughtBackPassesOnThoughItsHeartbeatIsOfALaterOne() throws Exception {
    Grant first = acquire(open(theirs), "first");
    QueueDocument restored = DocumentCodec.decode(theirs.content("queue"));
    tasks.now(() -> first.release(""));
    Grant second = acquire(open(theirs), "second");
    world.advance(Duration.ofSeconds(91));
    tasks.now(() -> second.release(""));
    assertThat(theirs.beatOf("beat-0").token()).isEqualTo(second.fencingToken());
    theirs.overwrite(
        "queue", DocumentCodec.encode(restored.withNextToken(second.fencingToken() + 1_000)));
    Running<Acquisition> next = wait(open(mine), Request.of("next", "next"));
    world.advance(LEASE.multipliedBy(3).dividedBy(2));
    assertThat(next.isDone()).isTrue();
    assertThat(grantOf(next).fencingToken()).isGreaterThan(second.fencingToken());
  }

  @Test
  void aFirstLookAtAHeartbeatThatFailsIsNotRepeatedAtOnce() {
    Grant held = acquire(open(theirs), "build");
    AtomicBoolean limited = new AtomicBoolean(true);
    StoreSpace space =
        new StoreSpace() {
          @Override
          public VersionedStore document(String name) {
            VersionedStore there = mine.document(name);
            return name.equals("beat-0") && limited.get() ? refusing() : there;
          }

          @Override
          public Traits traits() {
            return mine.traits();
          }
        };
    AtomicLong awaits = new AtomicLong();
    World counting =
        new World() {
          @Override
          public long nanos() {
            return world.nanos();
          }

          @Override
          public Instant now() {
            return world.now();
          }

          @Override
          public double random() {
            return world.random();
          }

          @Override
          public Background start(String name, Runnable task) {
            return world.start(name, task);
          }

          @Override
          public Signal newSignal() {
            Signal signal = world.newSignal();
            return new Signal() {
              @Override
              public void raise() {
                signal.raise();
              }

              @Override
              public boolean await(Duration atMost) throws InterruptedException {
                // Otherwise a loop without a pause would keep the time from going on.
                if (awaits.incrementAndGet() > 1_000) {
                  throw new IllegalStateException("it does not pause");
                }
                return signal.await(atMost);
              }
            };
          }
        };
    BuildQueue queue = open(space, counting, RunStatus.BLIND);
    Running<Acquisition> next = wait(queue, Request.of("next", "next"));
    world.advance(Duration.ofSeconds(60));
    assertThat(awaits).hasValueBetween(10L, 500L);
    limited.set(false);
    tasks.now(() -> held.release(""));
    world.advance(Duration.ofMinutes(1));
    assertThat(next.get()).isInstanceOf(Acquisition.Acquired.class);
  }

  /** Asks for a pause, each time. */
  private static VersionedStore refusing() {
    StoreException limit = StoreException.busy("a limit", Duration.ofMinutes(20));
    return new VersionedStore() {
      @Override
      public Snapshot read() throws StoreException {
        throw limit;
      }

      @Override
      public WriteResult write(Version expected, String next, String message)
          throws StoreException {
        throw limit;
      }

      @Override
      public List<String> earlier(Snapshot present, int most) throws StoreException {
        throw limit;
      }

      @Override
      public String setAside(Snapshot broken) throws StoreException {
        throw limit;
      }
    };
  }

  @Test
  void aWaiterIsToldOfAHeartbeatThatStopsAndComesBack() {
    Grant grant = acquire(open(mine), "build");
    List<WaitProgress> seen = new ArrayList<>();
    BuildQueue waiter = open(theirs);
    Running<?> waiting = tasks.later(() -> waiter.acquire(Request.of("next", "next"), seen::add));
    // A heartbeat was made 20 s ago and looked at 5 s ago.
    world.advance(Duration.ofSeconds(1280));
    assertThat(seen).as("while it beats").allMatch(p -> p.silence().isEmpty());
    mine.fail(StoreException.passing("the network is gone", null));
    world.advance(Duration.ofSeconds(240));
    WaitProgress.Silence silence = seen.get(seen.size() - 1).silence().orElseThrow();
    assertThat(silence.build().number()).isEqualTo(grant.ticket());
    assertThat(silence.lasts()).isBetween(Rules.DEFAULT.beat().multipliedBy(2), LEASE);
    assertThat(silence.lease()).isEqualTo(LEASE);
    mine.fail(null);
    world.advance(LEASE);
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
    assertThat(seen.get(seen.size() - 1).silence()).as("told when it is over").isEmpty();
    world.interrupt(waiting.name());
  }

  @Test
  void aBeatThatOnlyAReadConfirmsProvesNothing() {
    Grant grant = acquire(open(mine), "build");
    AtomicReference<String> told = new AtomicReference<>();
    grant.onLost(told::set);
    world.advance(Duration.ofSeconds(179));
    BuildQueue maintainer = open(theirs);
    tasks.now(
        () ->
            maintainer.forceUnlock(grant.ticket(), grant.fencingToken(), "jane", "it hangs", true));
    // What said that the turn is over is gone, and the beat that is due makes the document again.
    theirs.delete("beat-0");
    mine.lie("beat-0", Lie.UNANSWERED, 1);
    world.advance(Duration.ofSeconds(5));
    assertThat(told).hasValue("it was taken away");
  }

  @Test
  void aTurnThatWasKilledAndNotReapedIsEndedByItsOwner() {
    Grant first = acquire(open(theirs), "first");
    Running<Acquisition> second = wait(open(mine), Request.of("second", "second"));
    world.advance(Duration.ofSeconds(20));
    OddStores third = another();
    Running<Acquisition> last = wait(open(third), Request.of("third", "third"));
    world.advance(Duration.ofSeconds(20));
    mine.failAfterNextWrite("queue", StoreException.passing("the network is gone", null));
    third.failAfterNextWrite("beat-0", StoreException.passing("this process has ended", null));
    tasks.now(() -> first.release(""));
    world.advance(Duration.ofMinutes(12));
    assertThat(theirs.beatOf("beat-0").killed()).as("killed by the third").isPositive();
    int before = mine.writes().size();
    mine.fail(null);
    world.advance(Duration.ofMinutes(2));
    assertThat(second.get())
        .isInstanceOfSatisfying(
            Acquisition.Removed.class,
            removed -> {
              assertThat(removed.ticket()).isEqualTo(2);
              assertThat(removed.how()).contains(Outcome.End.REAPED);
              assertThat(removed.entry())
                  .map(HistoryEntry::event)
                  .contains(HistoryEntry.Event.REAPED);
            });
    assertThat(mine.writes().size() - before).as("writes without a pause").isLessThan(10);
    third.fail(null);
    world.advance(Duration.ofMinutes(2));
    assertThat(grantOf(last).ticket()).isEqualTo(3);
  }

  @Test
  void twoProcessesOfOneTicketNeverMakeTheSameHeartbeat() throws Exception {
    BuildQueue one = open(mine);
    Request request = Request.of("jane", "build");
    Grant first = grantOf(wait(one, request));
    world.advance(Duration.ofSeconds(30));
    theirs.delete("beat-0");
    // As an earlier version writes it: without the process that has taken the turn.
    String now = theirs.content("queue");
    String unclaimed = now.replaceFirst(", *\"claim\": *\"[0-9a-f]+\"", "");
    assertThat(unclaimed).isNotEqualTo(now);
    theirs.overwrite("queue", unclaimed);
    Running<Acquisition> adopted = wait(open(theirs), request);
    world.advance(Duration.ofSeconds(1));
    assertThat(grantOf(adopted).fencingToken()).isEqualTo(first.fencingToken());
    String made = theirs.content("beat-0");
    theirs.delete("beat-0");
    while (!theirs.has("beat-0")) {
      world.advance(Duration.ofMillis(100));
    }
    assertThat(theirs.content("beat-0")).isNotEqualTo(made);
  }

  // ---- a workflow job with a living process

  @Test
  void aLivingProcessOfAJobIsToldThatItsLockWasTakenAway() {
    BuildQueue queue = open(mine);
    Request request =
        Request.of("octo/app", "build").livingBy(new RunRef("octo/app", 7, 1, 3, "build"));
    Grant grant = grantOf(wait(queue, request));
    AtomicReference<String> told = new AtomicReference<>();
    grant.onLost(told::set);
    world.advance(Duration.ofMinutes(30));
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
    BuildQueue maintainer = open(theirs);
    tasks.now(
        () ->
            maintainer.forceUnlock(grant.ticket(), grant.fencingToken(), "jane", "it hangs", true));
    world.advance(Rules.DEFAULT.beat().plusSeconds(1));
    assertThat(told).hasValue("it was taken away");
    assertThat(grant.state()).isEqualTo(Grant.State.LOST);
  }

  // ---- reading never writes

  @Test
  void aStatusOfABrokenQueueReportsItAndWritesNothing() throws Exception {
    theirs.overwrite("queue", "{ broken by hand");
    Running<QueueDocument> status = tasks.later(open(mine)::status);
    world.advance(Duration.ofMinutes(1));
    assertThat(status.failure()).isInstanceOf(QueueException.Broken.class);
    assertThat(mine.writes()).isEmpty();
    assertThat(theirs.content("queue")).isEqualTo("{ broken by hand");
  }

  @Test
  void aRepairReplacesABrokenQueue() throws Exception {
    Grant held = acquire(open(theirs), "build");
    theirs.overwrite("queue", "{ broken by hand");
    BuildQueue queue = open(mine);
    Running<Boolean> repair = tasks.later(queue::repair);
    world.advance(Duration.ofMinutes(1));
    assertThat(repair.get()).isTrue();
    assertThat(tasks.now(queue::repair)).as("nothing left to do").isFalse();
    QueueDocument d = tasks.now(queue::status);
    assertThat(d.ticket(held.ticket())).isPresent();
    assertThat(d.history()).extracting(HistoryEntry::event).contains(HistoryEntry.Event.RECOVERED);
  }

  // ---- helpers

  private Grant acquire(BuildQueue queue, String title) {
    return grantOf(wait(queue, Request.of("tester", title)));
  }
}
