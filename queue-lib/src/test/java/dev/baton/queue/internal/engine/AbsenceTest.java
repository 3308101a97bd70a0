package dev.baton.queue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.FakeTasks.Running;
import dev.baton.core.World;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BeatDocument;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.Entry;
import dev.baton.queue.Grant;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.Liveness;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RulesChange;
import dev.baton.queue.RunRef;
import dev.baton.queue.RunStatus;
import dev.baton.queue.WatchedTime;
import dev.baton.queue.internal.engine.OddStores.Lie;
import dev.baton.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Those who are gone block nobody for good, and those who only cannot answer keep their places. */
class AbsenceTest extends ClientsOfOneQueue {

  private final AtomicInteger statusLooks = new AtomicInteger();
  private volatile RunStatus.Answer status = RunStatus.Answer.UNKNOWN;

  @BeforeEach
  void create() {
    create(Rules.DEFAULT);
  }

  // ---- clocks that are wrong

  /** A machine on which it is later than it is. */
  private record Ahead(World machine, Duration by, DoubleSupplier chance) implements World {
    @Override
    public long nanos() {
      return machine.nanos();
    }

    @Override
    public Instant now() {
      return machine.now().plus(by);
    }

    @Override
    public double random() {
      return chance.getAsDouble();
    }

    @Override
    public Signal newSignal() {
      return machine.newSignal();
    }

    @Override
    public Background start(String name, Runnable task) {
      return machine.start(name, task);
    }
  }

  @Test
  void aPlaceIsKeptThoughTheClockOfOneWhoHasSeenItThereIsFarAhead() {
    Grant held = grantOf(wait(newClient(), Request.of("holder", "build")));
    OddStores limited = another();
    Running<Acquisition> waiting = wait(open(limited), Request.of("limited", "app"));
    world.advance(Duration.ofMinutes(1));
    limited.limit(Duration.ofMinutes(20));
    Running<Acquisition> next = wait(newClient(), Request.of("next", "app"));
    wait(aheadBy(Duration.ofMinutes(200)), Request.of("ahead", "app"));
    world.advance(Duration.ofSeconds(10));
    tasks.now(() -> held.release(""));
    world.advance(Duration.ofMinutes(25));
    Grant other = grantOf(next);
    assertThat(waiting.isDone()).as("still in line").isFalse();
    tasks.now(() -> other.release(""));
    world.advance(Duration.ofMinutes(1));
    assertThat(grantOf(waiting).ticket()).isEqualTo(2);
  }

  @Test
  void aClockThatIsAheadByMinutesTakesNoPlaceOfOneWhoIsAway() {
    passedOverFor(Duration.ofMinutes(80));
    wait(aheadBy(Duration.ofMinutes(14)), Request.of("ahead", "app"));
    world.advance(Duration.ofMinutes(9));
    assertThat(events(HistoryEntry.Event.REMOVED)).isEmpty();
  }

  @Test
  void aTicketIsRemovedWhenItWasAwayForTooLongAndWatchedForALease() {
    passedOverFor(Duration.ofHours(3));
    wait(newClient(), Request.of("late", "app"));
    world.advance(Rules.DEFAULT.lease().minusSeconds(5));
    assertThat(events(HistoryEntry.Event.REMOVED)).as("not at first sight").isEmpty();
    world.advance(Duration.ofSeconds(30));
    assertThat(events(HistoryEntry.Event.REMOVED))
        .extracting(HistoryEntry::note)
        .containsExactly("did not answer for too long");
  }

  /** A build, and in line somebody who was passed over for it so long ago. */
  private void passedOverFor(Duration time) {
    Grant held = grantOf(wait(newClient(), Request.of("holder", "build")));
    OddStores dead = another();
    wait(open(dead), Request.of("dead", "app"));
    world.advance(Duration.ofMinutes(1));
    dead.fail(StoreException.down("gone", Duration.ofHours(30)));
    Running<Acquisition> next = wait(newClient(), Request.of("next", "app"));
    world.advance(Duration.ofSeconds(10));
    tasks.now(() -> held.release(""));
    world.advance(Duration.ofMinutes(3));
    grantOf(next);
    assertThat(events(HistoryEntry.Event.PASSED_OVER)).hasSize(1);
    world.advance(time.minusMinutes(3));
  }

  @Test
  void aClockThatIsAheadByHoursTakesNoLockOfAJobWhoseTurnWasSeenToBegin() {
    Grant held = grantOf(wait(newClient(), Request.of("holder", "build")));
    RunRef run = new RunRef("octo/app", 7, 1, 3, "build");
    Running<Acquisition> job = wait(newClient(), Request.of("octo/app", "app").livingBy(run));
    world.advance(Duration.ofSeconds(10));
    Running<Acquisition> ahead = wait(aheadBy(Duration.ofHours(8)), Request.of("ahead", "app"));
    world.advance(Duration.ofMinutes(2));
    tasks.now(() -> held.release(""));
    world.advance(Duration.ofMinutes(2));
    grantOf(job);
    world.advance(Rules.DEFAULT.maxHold().minusMinutes(10));
    assertThat(ahead.isDone()).as("granted beside a job that nobody knows to have ended").isFalse();
    world.advance(Duration.ofMinutes(40));
    assertThat(hasTheLock(ahead)).isTrue();
  }

  @Test
  void aClockThatIsAheadByHoursTakesNoLockOfAJobAtFirstSight() {
    jobBeforeGhosts(0);
    status = RunStatus.Answer.UNKNOWN;
    Running<Acquisition> ahead = wait(aheadBy(Duration.ofHours(8)), Request.of("ahead", "app"));
    world.advance(Rules.DEFAULT.maxHold().minusMinutes(10));
    assertThat(ahead.isDone()).isFalse();
  }

  // ---- jobs that nobody can see

  @Test
  void aDeadJobThatNobodyCanSeeIsFoundThoughAllWaitsAreShorterThanTheLongestHold() {
    jobBeforeGhosts(0);
    status = RunStatus.Answer.UNKNOWN;
    assertThat(come(9, Duration.ofHours(1), Duration.ofMinutes(59))).isEqualTo(1);
    assertThat(document().watched()).as("of a turn that is over").isEmpty();
  }

  @Test
  void aQuarantineWithAJobThatNobodyCanSeeEndsThoughAllWaitsAreShorterThanTheLongestHold()
      throws Exception {
    recoverBesideAJob(Request.of("waits", "app").waitingAtMost(Duration.ofMinutes(59)));
    world.advance(Duration.ofHours(1));
    assertThat(come(9, Duration.ofHours(1), Duration.ofMinutes(59))).isEqualTo(1);
    assertThat(document().watched()).as("of a quarantine that is over").isEmpty();
  }

  /** The document is lost while a job is in line whose status nobody can see. */
  private Running<Acquisition> recoverBesideAJob() throws StoreException {
    return recoverBesideAJob(Request.of("waits", "app"));
  }

  private Running<Acquisition> recoverBesideAJob(Request next) throws StoreException {
    Grant held = grantOf(wait(newClient(), Request.of("holder", "build")));
    BuildQueue job = newClient();
    RunRef run = new RunRef("octo/app", 7, 1, 3, "build");
    tasks.now(
        () ->
            job.join(
                new Entry("nonce of a job", "octo/app", "app", Liveness.RUN, Optional.of(run), 0)));
    world.advance(Duration.ofHours(2));
    stores.overwrite("queue", "{ broken by hand");
    Running<Acquisition> waiting = wait(newClient(), next);
    world.advance(Duration.ofMinutes(1));
    assertThat(document().quarantine()).isPositive();
    tasks.now(() -> held.release(""));
    return waiting;
  }

  @Test
  void aQuarantineEndsThoughAJobThatWasInLineIsNeverSeenAgain() throws Exception {
    Running<Acquisition> waiting = recoverBesideAJob();
    world.advance(Rules.DEFAULT.maxHold().plusMinutes(10));
    assertThat(waiting.isDone()).as("the job may have the lock by a lost write").isFalse();
    assertThat(document().quarantine()).isPositive();
    world.advance(Duration.ofMinutes(30));
    assertThat(grantOf(waiting).state()).isEqualTo(Grant.State.HELD);
    assertThat(events(HistoryEntry.Event.REMOVED))
        .extracting(HistoryEntry::note)
        .containsExactly("its job could not be seen for longer than the longest hold");
  }

  @Test
  void aQuarantineDoesNotEndWhileAJobThatWasInLineIsSeenRunning() throws Exception {
    status = RunStatus.Answer.RUNNING;
    Running<Acquisition> waiting = recoverBesideAJob();
    world.advance(Rules.DEFAULT.maxHold().plusHours(1));
    assertThat(waiting.isDone()).isFalse();
    status = RunStatus.Answer.UNKNOWN;
    world.advance(Rules.DEFAULT.maxHold().minusMinutes(10));
    assertThat(waiting.isDone()).as("counted from when it was last seen running").isFalse();
    world.advance(Duration.ofMinutes(40));
    assertThat(waiting.isDone()).isTrue();
  }

  // ---- everybody waits for less than a lease

  /** One after the other; how many of them got the lock. */
  private int come(int number, Duration each, Duration atMost) {
    List<Running<Acquisition>> all = new ArrayList<>();
    for (int i = 0; i < number && all.stream().noneMatch(AbsenceTest::hasTheLock); i++) {
      all.add(wait(newClient(), Request.of("in a hurry", "app").waitingAtMost(atMost)));
      world.advance(each);
    }
    return (int) all.stream().filter(AbsenceTest::hasTheLock).count();
  }

  private static boolean hasTheLock(Running<Acquisition> waiting) {
    return waiting.isDone() && waiting.get() instanceof Acquisition.Acquired;
  }

  private OddStores deadHolder() {
    OddStores dead = another();
    grantOf(wait(open(dead), Request.of("dead", "build")));
    world.advance(Duration.ofSeconds(100));
    dead.fail(StoreException.passing("dead", null));
    return dead;
  }

  @ParameterizedTest
  @CsvSource({"120, 240, 6", "240, 240, 4", "60, 60, 15", "61, 60, 15", "20, 45, 40", "7, 5, 200"})
  void aDeadHolderIsFoundThoughEverybodyWaitsForLessThanALease(
      int eachSeconds, int atMostSeconds, int number) {
    deadHolder();
    assertThat(come(number, Duration.ofSeconds(eachSeconds), Duration.ofSeconds(atMostSeconds)))
        .isEqualTo(1);
    assertThat(document().watched()).as("of a turn that is over").isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"30, 60", "61, 60", "20, 20"})
  void aDeadWaiterThatIsOfferedTheLockIsPassedOverThoughAllWaitsAreShort(
      int eachSeconds, int atMostSeconds) {
    Grant held = grantOf(wait(newClient(), Request.of("holder", "build")));
    OddStores dead = another();
    wait(open(dead), Request.of("dead", "app"));
    world.advance(Duration.ofSeconds(100));
    dead.fail(StoreException.passing("dead", null));
    tasks.now(() -> held.release(""));
    assertThat(come(20, Duration.ofSeconds(eachSeconds), Duration.ofSeconds(atMostSeconds)))
        .isEqualTo(1);
  }

  @Test
  void aDeadHolderAndADeadWaiterBlockNobodyThoughAllWaitsAreShort() {
    OddStores waiter = another();
    Grant held = grantOf(wait(newClient(), Request.of("holder", "build")));
    OddStores holder = another();
    Running<Acquisition> next = wait(open(holder), Request.of("next", "build"));
    wait(open(waiter), Request.of("dead", "app"));
    world.advance(Duration.ofSeconds(100));
    tasks.now(() -> held.release(""));
    world.advance(Duration.ofSeconds(100));
    grantOf(next);
    holder.fail(StoreException.passing("dead", null));
    waiter.fail(StoreException.passing("dead", null));
    assertThat(come(30, Duration.ofSeconds(30), Duration.ofSeconds(60))).isEqualTo(1);
  }

  @Test
  void aRevokedTurnOfADeadHolderEndsThoughAllWaitsAreShort() {
    deadHolder();
    BuildQueue maintainer = newClient();
    long token = document().slots().get(0).token();
    tasks.now(() -> maintainer.forceUnlock(1, token, "jane", "it hangs", false));
    assertThat(come(15, Duration.ofSeconds(50), Duration.ofSeconds(60))).isEqualTo(1);
  }

  /** Each of them sees every heartbeat for some time, and all of it together for long. */
  @Test
  void aLivingHolderLosesNothingToManyShortWaits() {
    Grant held = grantOf(wait(newClient(), Request.of("holder", "build")));
    assertThat(come(60, Duration.ofSeconds(20), Duration.ofSeconds(55))).isZero();
    assertThat(held.state()).isEqualTo(Grant.State.HELD);
    assertThat(document().watched()).as("one for the turn").hasSize(1);
  }

  /** What several have watched at the same time is one time, not the sum of theirs. */
  @Test
  void thoseWhoWatchAtTheSameTimeDoNotAddItUp() {
    deadHolder();
    for (int i = 0; i < 8; i++) {
      wait(newClient(), Request.of("in a hurry", "app").waitingAtMost(Duration.ofSeconds(60 + i)));
    }
    Running<Acquisition> patient = wait(newClient(), Request.of("patient", "app"));
    world.advance(Duration.ofSeconds(70));
    assertThat(document().watched())
        .extracting(WatchedTime::time)
        .allSatisfy(t -> assertThat(t).isLessThanOrEqualTo(Duration.ofSeconds(67)));
    world.advance(Rules.DEFAULT.lease().minusSeconds(72));
    assertThat(stores.beatOf("beat-0").killed()).isZero();
    world.advance(Duration.ofMinutes(3));
    assertThat(hasTheLock(patient)).isTrue();
  }

  @Test
  void aLongerTimeOfSomebodyElseTakesThePlaceOfTheOwn() {
    deadHolder();
    wait(newClient(), Request.of("first", "app").waitingAtMost(Duration.ofSeconds(200)));
    world.advance(Duration.ofSeconds(150));
    wait(newClient(), Request.of("patient", "app"));
    // For 50 seconds both watch. A lease after the first of them began, it is over.
    world.advance(Rules.DEFAULT.lease().minusSeconds(152));
    assertThat(stores.beatOf("beat-0").killed()).isZero();
    world.advance(Duration.ofSeconds(12));
    assertThat(stores.beatOf("beat-0").killed()).isPositive();
  }

  @Test
  void whatWasWatchedOfAnotherHeartbeatCountsForNothing() throws Exception {
    deadHolder();
    come(1, Duration.ofSeconds(200), Duration.ofSeconds(190));
    assertThat(document().watched()).isNotEmpty();
    BeatDocument last = stores.beatOf("beat-0");
    stores.put(
        "beat-0",
        new BeatDocument(
            last.version() + 1, last.token(), last.beat() + 1, last.killed(), last.extra()));
    wait(newClient(), Request.of("patient", "app"));
    world.advance(Rules.DEFAULT.lease().minusSeconds(2));
    assertThat(stores.beatOf("beat-0").killed()).isZero();
    world.advance(Duration.ofSeconds(30));
    assertThat(stores.beatOf("beat-0").killed()).isPositive();
  }

  // ---- a job that has ended, behind others who are gone

  private final Random chance = new Random(1);

  /** A job that builds, and in line so many tickets that no process waits with. */
  private void jobBeforeGhosts(int ghosts) {
    RunRef run = new RunRef("octo/app", 7, 1, 3, "build");
    grantOf(wait(newClient(), Request.of("octo/app", "app").livingBy(run)));
    for (int i = 0; i < ghosts; i++) {
      Entry ghost =
          new Entry("a ghost, number " + i, "gone", "app", Liveness.BEAT, Optional.empty(), 0);
      BuildQueue queue = newClient();
      tasks.now(() -> queue.join(ghost));
    }
    status = RunStatus.Answer.RUNNING;
  }

  private BuildQueue clientWithLuck() {
    return open(another(), new Ahead(world, Duration.ZERO, chance::nextDouble), this::statusOf);
  }

  @ParameterizedTest
  @CsvSource({"1, 240, 3", "2, 240, 3", "1, 60, 4", "4, 120, 8", "12, 120, 20", "12, 590, 8"})
  void anEndedJobIsFoundBehindTheDeadThoughAllWaitsAreShort(
      int ghosts, int waitSeconds, int number) {
    jobBeforeGhosts(ghosts);
    status = RunStatus.Answer.ENDED;
    world.advance(Duration.ofMinutes(10));
    List<Running<Acquisition>> all = new ArrayList<>();
    for (int i = 0; i < number && all.stream().noneMatch(AbsenceTest::hasTheLock); i++) {
      Request inAHurry = Request.of("in a hurry", "app");
      all.add(wait(clientWithLuck(), inAHurry.waitingAtMost(Duration.ofSeconds(waitSeconds))));
      world.advance(Duration.ofSeconds(waitSeconds + 1));
    }
    assertThat(all).anyMatch(AbsenceTest::hasTheLock);
  }

  /** Fifty minutes, and at most twenty minutes until its next look at the queue. */
  @Test
  void anEndedJobIsFoundFromTheBackOfTheLine() {
    jobBeforeGhosts(12);
    wait(newClient(), Request.of("patient", "app"));
    status = RunStatus.Answer.ENDED;
    world.advance(Duration.ofMinutes(70));
    assertThat(events(HistoryEntry.Event.REAPED)).hasSize(1);
  }

  @Test
  void ofACrowdThatJoinsBehindAnOldTurnAFewLookAtItsJob() {
    jobBeforeGhosts(0);
    world.advance(Duration.ofMinutes(10));
    joinAtOnce(15);
    assertThat(statusLooks.get()).isBetween(3, 10);
  }

  @Test
  void ofACrowdThatJoinsBehindAYoungTurnOnlyTheFirstLooksAtItsJob() {
    jobBeforeGhosts(0);
    world.advance(Duration.ofMinutes(3));
    joinAtOnce(15);
    assertThat(statusLooks.get()).isEqualTo(1);
  }

  @Test
  void aJobThatIsSeenToRunIsAskedForAsRarelyAfterTheLongestHoldAsBefore() {
    jobBeforeGhosts(0);
    joinAtOnce(8);
    statusLooks.set(0);
    world.advance(Duration.ofHours(2));
    int before = statusLooks.get();
    world.advance(Rules.DEFAULT.maxHold());
    statusLooks.set(0);
    world.advance(Duration.ofHours(2));
    assertThat(statusLooks.get()).isBetween(1, 2 * before);
  }

  private void joinAtOnce(int number) {
    for (int i = 0; i < number; i++) {
      wait(clientWithLuck(), Request.of("one of many", "app"));
    }
    world.advance(Duration.ofMinutes(1));
  }

  /** What is known of a job stays true when the queue has changed meanwhile. */
  @Test
  void anEndedJobIsNotForgottenWhenAnotherClientIsFaster() {
    jobBeforeGhosts(0);
    OddStores odd = another();
    Running<Acquisition> waiting = wait(open(odd), Request.of("next", "app"));
    world.advance(Duration.ofMinutes(1));
    status = RunStatus.Answer.ENDED;
    odd.lie("queue", Lie.LOST, 1);
    world.advance(Duration.ofMinutes(5));
    assertThat(hasTheLock(waiting)).isTrue();
  }

  // ---- one of two slots turns over, and its clients leave by their turn

  /** There is always somebody in line, and the second slot turns over in that time. */
  private boolean isFreedWhileTheOtherSlotTurnsOver(long token, Duration total, Duration each) {
    Grant other = grantOf(wait(newClient(), Request.of("other", "app")));
    Running<Acquisition> next = wait(newClient(), Request.of("next", "app"));
    for (Duration d = Duration.ZERO; d.compareTo(total) < 0; d = d.plus(each)) {
      Running<Acquisition> behind = wait(newClient(), Request.of("behind", "app"));
      world.advance(each);
      if (document().slots().stream().noneMatch(s -> s.token() == token)) {
        return true;
      }
      Grant done = other;
      tasks.now(() -> done.release(""));
      world.advance(Duration.ofSeconds(20));
      other = grantOf(next);
      next = behind;
    }
    return false;
  }

  private void twoSlots() {
    BuildQueue queue = newClient();
    tasks.now(() -> queue.changeRules(RulesChange.NONE.withSlots(2), "me"));
  }

  @ParameterizedTest
  @ValueSource(ints = {30, 100, 170})
  void anUnseenJobInOneOfTwoSlotsIsFreedThoughNobodyWaitsForLong(int minutes) {
    twoSlots();
    RunRef run = new RunRef("octo/app", 7, 1, 3, "build");
    Grant job = grantOf(wait(newClient(), Request.of("octo/app", "app").livingBy(run)));
    status = RunStatus.Answer.UNKNOWN;
    assertThat(
            isFreedWhileTheOtherSlotTurnsOver(
                job.fencingToken(), Duration.ofHours(24), Duration.ofMinutes(minutes)))
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {60, 120, 140})
  void aDeadHolderInOneOfTwoSlotsIsFoundThoughNobodyWaitsForALease(int seconds) {
    twoSlots();
    OddStores dead = another();
    Grant holder = grantOf(wait(open(dead), Request.of("dead", "build")));
    world.advance(Duration.ofSeconds(100));
    dead.fail(StoreException.passing("dead", null));
    assertThat(
            isFreedWhileTheOtherSlotTurnsOver(
                holder.fencingToken(), Duration.ofHours(2), Duration.ofSeconds(seconds)))
        .isTrue();
  }

  @ParameterizedTest
  @CsvSource({"61, 60", "300, 299", "560, 550"})
  void anUnseenJobIsFreedThoughAllWaitsAreShort(int each, int atMost) {
    jobBeforeGhosts(0);
    status = RunStatus.Answer.UNKNOWN;
    assertThat(come(12 * 3600 / each, Duration.ofSeconds(each), Duration.ofSeconds(atMost)))
        .isEqualTo(1);
  }

  @Test
  void aQuarantineEndsThoughAllWaitsAreShort() {
    Grant held = grantOf(wait(newClient(), Request.of("holder", "build")));
    world.advance(Duration.ofMinutes(10));
    tasks.now(() -> held.release(""));
    stores.delete("queue");
    BuildQueue again = newClient();
    assertThat(tasks.now(() -> again.create(Rules.DEFAULT))).isTrue();
    assertThat(document().quarantine()).isPositive();
    assertThat(come(20, Duration.ofSeconds(241), Duration.ofSeconds(240))).isEqualTo(1);
  }

  @Test
  void aClientThatKeepsItsPlaceHandsOnWhatItHasWatched() {
    deadHolder();
    Entry me = new Entry("nonce of me", "me", "app", Liveness.BEAT, Optional.empty(), 0);
    Request stays = new Request(me, Optional.of(Duration.ofSeconds(240))).stayingInLine();
    List<Running<Acquisition>> all = new ArrayList<>();
    for (int i = 0; i < 5 && all.stream().noneMatch(AbsenceTest::hasTheLock); i++) {
      all.add(wait(newClient(), stays));
      world.advance(Duration.ofSeconds(250));
    }
    assertThat(all).anyMatch(AbsenceTest::hasTheLock);
  }

  /** Versions do not tell which is later: a document is made again by whatever clock. */
  @Test
  void aClientThatWasStoppedDoesNotHandOnAHeartbeatThatWasMadeAgainBeforeIt() throws Exception {
    OddStores dying = another();
    grantOf(wait(open(dying), Request.of("dies", "build")));
    OddStores stopped = another();
    wait(open(stopped), Request.of("stopped", "app").waitingAtMost(Duration.ofMinutes(4)));
    world.advance(Duration.ofSeconds(100));
    stores.delete("beat-0");
    while (!stores.has("beat-0")) {
      world.advance(Duration.ofMillis(100));
    }
    assertThat(stores.beatOf("beat-0").isNew()).isTrue();
    world.advance(Duration.ofSeconds(10));
    stopped.hang("queue", Duration.ofMinutes(10));
    world.advance(Duration.ofSeconds(60));
    dying.fail(StoreException.passing("dead", null));
    assertThat(stores.beatOf("beat-0").isNew()).as("beaten in since").isFalse();
    wait(newClient(), Request.of("leaves", "app").waitingAtMost(Duration.ofSeconds(100)));
    world.advance(Duration.ofSeconds(110));
    List<WatchedTime> known = document().watched();
    assertThat(known).isNotEmpty();
    stopped.hang("queue", Duration.ZERO);
    world.advance(Duration.ofMinutes(10));
    assertThat(document().watched()).isEqualTo(known);
  }

  @Test
  void aClientThatIsCoveredLeavesNoTicketBehind() {
    Grant first = grantOf(wait(newClient(), Request.of("holder", "build")));
    RunRef run = new RunRef("octo/app", 7, 1, 3, "build");
    Entry drawn =
        new Entry("nonce of a step", "octo/app", "app", Liveness.RUN, Optional.of(run), 0);
    Running<Acquisition> other = wait(newClient(), Request.of("octo/app", "app").livingBy(run));
    world.advance(Duration.ofSeconds(10));
    BuildQueue step = newClient();
    tasks.now(() -> step.join(drawn));
    tasks.now(() -> first.release(""));
    world.advance(Duration.ofMinutes(1));
    grantOf(other);
    status = RunStatus.Answer.RUNNING;
    Running<Acquisition> mine =
        wait(newClient(), new Request(drawn, Optional.empty()).asPartOf(run));
    world.advance(Duration.ofMinutes(2));
    assertThat(mine.get()).isInstanceOf(Acquisition.Covered.class);
    assertThat(document().tickets()).as("only the holder's").hasSize(1);
  }

  @Test
  void aHeartbeatThatReadsGoOnToDenyIsNoReasonToWriteWithoutAPause() {
    grantOf(wait(newClient(), Request.of("holder", "build")));
    OddStores odd = another();
    wait(open(odd), Request.of("next", "app"));
    world.advance(Duration.ofMinutes(2));
    int before = odd.writes().size();
    odd.lie("beat-0", Lie.ABSENT, 2000);
    world.advance(Duration.ofSeconds(60));
    odd.lie("beat-0", Lie.ABSENT, 0);
    assertThat(odd.writes().size() - before).isLessThan(60);
  }

  // ---- helpers

  private BuildQueue newClient() {
    return open(another());
  }

  private BuildQueue aheadBy(Duration time) {
    return open(another(), new Ahead(world, time, world::random), this::statusOf);
  }

  @Override
  RunStatus statusOfJobs() {
    return this::statusOf;
  }

  private RunStatus.Answer statusOf(RunRef run) {
    statusLooks.incrementAndGet();
    return status;
  }
}
