package dev.baton.queue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.core.FakeWorld;
import dev.baton.queue.Acquisition;
import dev.baton.queue.Answer;
import dev.baton.queue.BeatDocument;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Entry;
import dev.baton.queue.Grant;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Release;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.RunStatus;
import dev.baton.queue.Ticket;
import dev.baton.queue.WaitProgress;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.queue.internal.protocol.Beats;
import dev.baton.store.MemoryStores;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The engine in virtual time, on a store in memory that fails when it is told to. */
class QueueEngineTest {

  private final FakeWorld world = new FakeWorld();
  private final Stores stores = new Stores();
  private final List<BuildQueue> opened = new ArrayList<>();
  private int names;

  @BeforeEach
  void create() throws Exception {
    BuildQueue queue = open();
    assertThat(now(() -> queue.create(Rules.DEFAULT))).isTrue();
    assertThat(now(() -> queue.create(Rules.DEFAULT))).isFalse();
  }

  @AfterEach
  void leaveNoThreadBehind() throws Exception {
    stores.down = false;
    for (BuildQueue queue : opened) {
      later(
          () -> {
            queue.close();
            return true;
          });
    }
    world.advance(Duration.ofHours(1));
    assertThat(world.living()).isEmpty();
  }

  @Test
  void aBuildOf70MinutesKeepsItsLockAndRenewsIt() throws Exception {
    BuildQueue queue = open();
    Grant grant = acquire(queue, "long build");
    int before = stores.writes("beat-0");
    for (int minute = 0; minute < 70; minute++) {
      world.advance(Duration.ofMinutes(1));
      assertThat(grant.state()).isEqualTo(Grant.State.HELD);
    }
    assertThat(stores.writes("beat-0") - before).isBetween(40, 50);
    assertThat(now(() -> grant.release("ok"))).isEqualTo(Release.GIVEN_BACK);
    assertThat(grant.state()).isEqualTo(Grant.State.RELEASED);
    HistoryEntry last = last(now(queue::status).history());
    assertThat(last.event()).isEqualTo(HistoryEntry.Event.RELEASED);
    assertThat(last.built()).contains(Duration.ofMinutes(70));
    assertThat(last.note()).isEqualTo("ok");
  }

  @Test
  void beatsDoNotTouchTheDocumentThatWaitersPoll() throws Exception {
    BuildQueue queue = open();
    acquire(queue, "build");
    // The very first beat in a new document is proved by a write.
    world.advance(Duration.ofMinutes(2));
    int before = stores.writes("queue");
    world.advance(Duration.ofMinutes(30));
    assertThat(stores.writes("queue")).isEqualTo(before);
  }

  @Test
  void aHolderThatCannotRenewIsToldBeforeItsLeaseIsOver() throws Exception {
    Grant grant = acquire(open(), "build");
    AtomicReference<String> told = new AtomicReference<>();
    grant.onLost(told::set);
    stores.down = true;
    world.advance(Duration.ofMinutes(4));
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
    assertThat(told).hasNullValue();
    world.advance(Duration.ofSeconds(59));
    assertThat(told.get()).contains("could not be renewed");
    assertThat(grant.state()).isEqualTo(Grant.State.LOST);
    stores.down = false;
    world.advance(Duration.ofMinutes(10));
    assertThat(grant.state()).as("lost is for good").isEqualTo(Grant.State.LOST);
  }

  @Test
  void aCallbackThatComesTooLateIsCalledAtOnce() throws Exception {
    Grant grant = acquire(open(), "build");
    stores.down = true;
    world.advance(Duration.ofMinutes(6));
    AtomicReference<String> told = new AtomicReference<>();
    grant.onLost(told::set);
    assertThat(told.get()).contains("could not be renewed");
  }

  @Test
  void aSleepOfTheMachineIsUnprovenUntilABeatSucceeds() throws Exception {
    Grant grant = acquire(open(), "build");
    world.sleepMachine(Duration.ofMinutes(2));
    assertThat(grant.state()).isEqualTo(Grant.State.UNPROVEN);
    world.advance(Duration.ofSeconds(2));
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
  }

  @Test
  void aSleepBeyondTheLeaseHasLostTheLockAtTheFirstLook() throws Exception {
    Grant grant = acquire(open(), "build");
    world.sleepMachine(Duration.ofMinutes(6));
    assertThat(grant.state()).isEqualTo(Grant.State.LOST);
  }

  @Test
  void theNextInLineGetsTheLockOfADeadHolderAfterItsLeaseAndNotBefore() throws Exception {
    // Granted by a process that then dies: nobody beats for it.
    BuildQueue dead = open();
    long token = now(() -> dead.join(Request.of("dead", "build").entry())).token();
    Running<Acquisition> next = wait(open(), Request.of("next", "build"));
    world.advance(Duration.ofMinutes(5).minusSeconds(1));
    assertThat(next.isDone()).isFalse();
    world.advance(Duration.ofMinutes(2));
    assertThat(next.isDone()).isTrue();
    assertThat(grantOf(next.get()).fencingToken()).isGreaterThan(token);
  }

  @Test
  void aReleaseHandsOverWithinAFewPolls() throws Exception {
    BuildQueue first = open();
    Grant held = acquire(first, "first");
    Running<Acquisition> next = wait(open(), Request.of("next", "next"));
    world.advance(Duration.ofMinutes(1));
    now(() -> held.release(""));
    world.advance(stores.traits().pollInterval().multipliedBy(2));
    assertThat(next.isDone()).isTrue();
  }

  @Test
  void aWaitThatTakesTooLongLeavesTheLine() throws Exception {
    BuildQueue queue = open();
    acquire(queue, "first");
    Running<Acquisition> waiting =
        wait(open(), Request.of("next", "next").waitingAtMost(Duration.ofMinutes(3)));
    world.advance(Duration.ofMinutes(3).minusSeconds(1));
    assertThat(waiting.isDone()).isFalse();
    world.advance(Duration.ofSeconds(2));
    assertThat(waiting.get()).isEqualTo(new Acquisition.TimedOut(2, 1));
    assertThat(now(queue::status).line()).isEmpty();
    assertThat(last(now(queue::status).history()).event()).isEqualTo(HistoryEntry.Event.LEFT);
  }

  @Test
  void aTicketThatIsToStayKeepsItsPlaceWhenTheTimeIsOverAndIsGoneOnWithLater() throws Exception {
    BuildQueue queue = open();
    Grant held = acquire(queue, "first");
    Request stays = Request.of("next", "next").waitingAtMost(Duration.ofMinutes(3)).stayingInLine();
    Running<Acquisition> waiting = wait(open(), stays);
    world.advance(Duration.ofMinutes(2));
    List<Ticket> before = now(queue::status).tickets();
    world.advance(Duration.ofMinutes(2));
    assertThat(waiting.get()).isEqualTo(new Acquisition.StillInLine(2, 1));
    assertThat(now(queue::status).tickets()).isEqualTo(before);

    Running<Acquisition> later = wait(open(), stays);
    now(() -> held.release(""));
    world.advance(Duration.ofSeconds(10));
    assertThat(grantOf(later.get()).ticket()).isEqualTo(2);
  }

  @Test
  void aTicketThatIsToStayDoesSoAlsoWhenTheTimeIsOverWhileTheStoreIsDown() throws Exception {
    acquire(open(), "first");
    Running<Acquisition> waiting =
        wait(
            open(),
            Request.of("next", "next").waitingAtMost(Duration.ofMinutes(3)).stayingInLine());
    world.advance(Duration.ofMinutes(1));
    stores.down = true;
    world.advance(Duration.ofMinutes(3));
    assertThat(waiting.get()).isEqualTo(new Acquisition.StillInLine(2, 1));
  }

  /** As a lock that was given back while its last document is still read. */
  @Test
  void aLockOfTheOwnRunThatCannotBeProvedCoversNothingAndCostsNoPlace() throws Exception {
    BuildQueue queue = open();
    RunRef job = new RunRef("octo/app", 7, 1, 70, "build");
    Entry entry = Request.of("job", "lock").livingBy(job).entry();
    Ticket lock = now(() -> queue.join(entry));
    Running<Acquisition> stranger = wait(open(), Request.of("stranger", "x"));
    stores.beforeNextWrite = () -> queue.release(lock.number(), lock.token(), "");
    Running<Acquisition> own = wait(open(), Request.of("process", "step").asPartOf(job));
    world.advance(Duration.ofSeconds(10));

    assertThat(grantOf(stranger.get()).ticket()).isEqualTo(2);
    assertThat(own.isDone()).as("it waits for its turn").isFalse();
    assertThat(now(queue::status).line()).extracting(Ticket::number).containsExactly(3L);
    world.interrupt(own.name);
  }

  @Test
  void anInterruptedWaitLeavesTheLine() throws Exception {
    BuildQueue queue = open();
    acquire(queue, "first");
    Running<Acquisition> waiting = wait(open(), Request.of("next", "next"));
    world.advance(Duration.ofMinutes(1));
    assertThat(now(queue::status).line()).hasSize(1);
    world.interrupt(waiting.name);
    world.advance(Duration.ofMinutes(1));
    assertThat(waiting.failure()).isInstanceOf(InterruptedException.class);
    assertThat(now(queue::status).line()).isEmpty();
  }

  @Test
  void waitingShowsPlaceAndWhoIsAheadAndHowLongItTakes() throws Exception {
    BuildQueue queue = open();
    Grant once = acquire(queue, "app");
    world.advance(Duration.ofMinutes(10));
    now(() -> once.release(""));
    acquire(queue, "app");
    now(() -> queue.join(Request.of("second", "app").entry()));
    List<WaitProgress> seen = new ArrayList<>();
    BuildQueue third = open();
    Running<Acquisition> waiting =
        later(() -> third.acquire(Request.of("third", "app"), seen::add));
    world.advance(Duration.ofMinutes(1));
    WaitProgress now = last(seen);
    assertThat(now.position()).isEqualTo(2);
    assertThat(now.ahead()).extracting("owner").containsExactly("second");
    assertThat(now.building()).extracting("title").containsExactly("app");
    assertThat(now.eta().orElseThrow()).isBetween(Duration.ofMinutes(18), Duration.ofMinutes(20));
    assertThat(waiting.isDone()).isFalse();
    world.interrupt(waiting.name);
  }

  @Test
  void aWaiterIsToldByHowMuchTheBuildAheadIsOverdue() throws Exception {
    BuildQueue queue = open();
    Grant once = acquire(queue, "app");
    world.advance(Duration.ofMinutes(10));
    now(() -> once.release(""));
    acquire(queue, "app");
    List<WaitProgress> seen = new ArrayList<>();
    BuildQueue second = open();
    Running<Acquisition> waiting =
        later(() -> second.acquire(Request.of("second", "app"), seen::add));
    world.advance(Duration.ofMinutes(9));
    assertThat(last(seen).overdue()).isEmpty();
    world.advance(Duration.ofMinutes(21));
    assertThat(last(seen).overdue().orElseThrow().by())
        .isBetween(Duration.ofMinutes(19), Duration.ofMinutes(21));
    assertThat(last(seen).silence()).as("it beats all the time").isEmpty();
    assertThat(seen).allMatch(p -> p.silence().isEmpty());
    world.interrupt(waiting.name);
  }

  @Test
  void nothingIsEstimatedWhenNothingIsKnown() throws Exception {
    acquire(open(), "app");
    List<WaitProgress> seen = new ArrayList<>();
    BuildQueue second = open();
    Running<Acquisition> waiting =
        later(() -> second.acquire(Request.of("second", "app"), seen::add));
    world.advance(Duration.ofMinutes(1));
    assertThat(last(seen).eta()).isEmpty();
    world.interrupt(waiting.name);
  }

  @Test
  void aReleaseThatFailsIsReportedAndNotThrown() throws Exception {
    Grant grant = acquire(open(), "build");
    stores.down = true;
    Running<Release> release = later(() -> grant.release("ok"));
    world.advance(Duration.ofMinutes(10));
    assertThat(release.get()).isEqualTo(Release.UNKNOWN);
    assertThat(grant.state()).isEqualTo(Grant.State.RELEASED);
  }

  @Test
  void aReleaseIsTriedAgainUntilItSucceeds() throws Exception {
    BuildQueue queue = open();
    Grant grant = acquire(queue, "build");
    stores.down = true;
    Running<Release> release = later(() -> grant.release("ok"));
    world.advance(Duration.ofSeconds(20));
    assertThat(release.isDone()).isFalse();
    stores.down = false;
    world.advance(Duration.ofSeconds(20));
    assertThat(release.get()).isEqualTo(Release.GIVEN_BACK);
    assertThat(now(queue::status).tickets()).isEmpty();
  }

  @Test
  void aReleaseTellsThatTheLockWasTakenAwaySinceTheLastBeat() throws Exception {
    BuildQueue queue = open();
    Grant grant = acquire(queue, "build");
    now(() -> queue.forceUnlock(1, grant.fencingToken(), "maintainer", "it is dead", true));
    assertThat(grant.state()).as("no beat has told").isEqualTo(Grant.State.HELD);
    assertThat(now(() -> grant.release("ok"))).isEqualTo(Release.NOT_HELD);
    assertThat(now(() -> grant.release("ok"))).as("asked again").isEqualTo(Release.NOT_HELD);
  }

  @Test
  void aReleaseTellsThatSomebodyElseGaveTheLockBack() throws Exception {
    BuildQueue queue = open();
    Grant grant = acquire(queue, "build");
    BuildQueue other = open();
    assertThat(now(() -> other.release(1, grant.fencingToken(), "not mine")))
        .isInstanceOf(Answer.Done.class);
    assertThat(now(() -> grant.release("ok"))).isEqualTo(Release.NOT_HELD);
  }

  @Test
  void aReleaseWhoseAnswersAreLostHasGivenTheLockBack() throws Exception {
    Grant grant = acquire(open(), "build");
    stores.loseAnswers = 3;
    Running<Release> release = later(() -> grant.release("ok"));
    world.advance(Duration.ofSeconds(10));
    assertThat(release.get()).isEqualTo(Release.GIVEN_BACK);
  }

  @Test
  void aHolderThatARecoveryHasForgottenHeldTheLockAsLongAsItBeat() throws Exception {
    Grant grant = acquire(open(), "build");
    world.advance(Duration.ofMinutes(2));
    forgetAll();
    assertThat(now(() -> grant.release("ok"))).isEqualTo(Release.GIVEN_BACK);
  }

  @Test
  void aHolderThatARecoveryHasForgottenAndWhoseHeartbeatWasEndedDidNot() throws Exception {
    Grant grant = acquire(open(), "build");
    world.advance(Duration.ofMinutes(2));
    forgetAll();
    BeatDocument beat = DocumentCodec.decodeBeat(stores.content("beat-0"));
    stores.overwrite(
        "beat-0", DocumentCodec.encodeBeat(Beats.kill(beat, grant.fencingToken()).orElseThrow()));
    assertThat(now(() -> grant.release("ok"))).isEqualTo(Release.NOT_HELD);
  }

  /** Nothing that can be read is left: another client starts over with default data. */
  private void forgetAll() throws Exception {
    for (int i = 0; i <= VersionedStore.KEPT; i++) {
      stores.overwrite("queue", "broken " + i);
    }
    Running<Boolean> repair = later(open()::repair);
    world.advance(Duration.ofSeconds(10));
    assertThat(repair.get()).isTrue();
  }

  @Test
  void aHandleIsUsedOnce() throws Exception {
    Grant grant = acquire(open(), "build");
    assertThat(now(() -> grant.release("ok"))).isEqualTo(Release.GIVEN_BACK);
    assertThat(now(() -> grant.release("ok"))).isEqualTo(Release.GIVEN_BACK);
    assertThatThrownBy(grant::verify)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("ticket 1 has been released");
  }

  @Test
  void aProofIsAWriteAndFailsForWhoHasLostTheLock() throws Exception {
    BuildQueue queue = open();
    Grant grant = acquire(queue, "build");
    int before = stores.writes("queue");
    assertThat(now(grant::verify)).isTrue();
    assertThat(stores.writes("queue")).isEqualTo(before + 1);
    now(() -> queue.forceUnlock(1, grant.fencingToken(), "maintainer", "stuck", false));
    assertThat(now(grant::verify)).isFalse();
    assertThat(grant.state()).isEqualTo(Grant.State.LOST);
  }

  @Test
  void aLockTakenByForceIsToldToItsHolderAndPassesOnAfterTheLease() throws Exception {
    BuildQueue queue = open();
    Grant grant = acquire(queue, "build");
    AtomicReference<String> told = new AtomicReference<>();
    grant.onLost(told::set);
    Running<Acquisition> next = wait(open(), Request.of("next", "next"));
    world.advance(Duration.ofSeconds(10));
    assertThat(now(() -> queue.forceUnlock(1, 7, "maintainer", "stuck", false)))
        .as("a stale view is refused")
        .isInstanceOf(Answer.Refused.class);
    assertThat(now(() -> queue.forceUnlock(1, grant.fencingToken(), "maintainer", "stuck", false)))
        .isInstanceOf(Answer.Done.class);
    world.advance(Duration.ofMinutes(2));
    assertThat(told).hasValue("it was taken away");
    assertThat(next.isDone()).isFalse();
    world.advance(Duration.ofMinutes(5));
    assertThat(next.isDone()).isTrue();
  }

  @Test
  void aLockTakenAtOnceIsFreeAtOnce() throws Exception {
    BuildQueue queue = open();
    Grant grant = acquire(queue, "build");
    Running<Acquisition> next = wait(open(), Request.of("next", "next"));
    world.advance(Duration.ofSeconds(10));
    now(() -> queue.forceUnlock(1, grant.fencingToken(), "maintainer", "it is dead", true));
    world.advance(Duration.ofSeconds(2));
    assertThat(next.isDone()).isTrue();
    assertThat(now(queue::status).history())
        .extracting(HistoryEntry::event)
        .contains(HistoryEntry.Event.UNLOCKED_NOW);
    world.advance(Duration.ofMinutes(2));
    assertThat(grant.state()).isEqualTo(Grant.State.LOST);
  }

  @Test
  void anAnswerThatIsLostDoesNotMakeASecondTicket() throws Exception {
    stores.loseAnswers = 2;
    BuildQueue queue = open();
    Running<Acquisition> joining = wait(queue, Request.of("me", "build"));
    world.advance(Duration.ofSeconds(5));
    assertThat(grantOf(joining.get()).ticket()).isEqualTo(1);
    assertThat(now(queue::status).nextTicket()).isEqualTo(2);
  }

  @Test
  void whoGivesUpAfterALostRequestWritesOnceMore() throws Exception {
    BuildQueue queue = open();
    acquire(queue, "first");
    BuildQueue second = open();
    stores.loseRequests = Integer.MAX_VALUE;
    Running<Acquisition> waiting = wait(second, Request.of("next", "next"));
    world.advance(Duration.ofMinutes(1));
    stores.loseRequests = 0;
    long before = now(queue::status).version();
    world.interrupt(waiting.name);
    world.advance(Duration.ofMinutes(1));
    assertThat(waiting.failure()).isInstanceOf(InterruptedException.class);
    assertThat(now(queue::status).version()).isGreaterThan(before);
  }

  @Test
  void aQueueThatIsNotThereIsSaidSo() throws Exception {
    BuildQueue queue =
        QueueEngine.open(new MemoryStores(), world, EngineSettings.DEFAULT, RunStatus.BLIND);
    Running<Acquisition> result = wait(queue, Request.of("me", "build"));
    world.advance(Duration.ofSeconds(1));
    assertThat(result.failure())
        .isInstanceOf(QueueException.NotInitialised.class)
        .hasMessageContaining("Create it first");
  }

  @Test
  void oneAnswerThatThereIsNoQueueProvesNothingEvenWhereReadsAreNeverOld() throws Exception {
    stores.falseAbsences = 1;
    Running<Acquisition> result = wait(open(), Request.of("me", "build"));
    world.advance(Duration.ofSeconds(1));
    assertThat(grantOf(result.get()).ticket()).isEqualTo(1);
  }

  @Test
  void aBrokenDocumentIsSetAsideAndTheLastGoodOneTakesItsPlace() throws Exception {
    BuildQueue queue = open();
    acquire(queue, "build");
    now(() -> queue.join(Request.of("second", "build").entry()));
    QueueDocument before = now(queue::status);
    stores.overwrite("queue", "{ broken by hand");
    Running<Boolean> repair = later(open()::repair);
    world.advance(Duration.ofSeconds(10));
    assertThat(repair.get()).isTrue();
    QueueDocument d = now(open()::status);
    assertThat(d.tickets()).extracting("owner").contains("second");
    assertThat(d.quarantine()).isPositive();
    assertThat(d.nextToken()).isGreaterThan(before.nextToken());
    assertThat(stores.aside).containsExactly("{ broken by hand");
  }

  @Test
  void withoutAnyGoodDocumentDefaultDataApplyAndNothingIsGrantedForALease() throws Exception {
    Stores fresh = new Stores();
    fresh.overwrite("queue", "garbage");
    BuildQueue queue = QueueEngine.open(fresh, world, EngineSettings.DEFAULT, RunStatus.BLIND);
    opened.add(queue);
    Running<Acquisition> waiting = wait(queue, Request.of("me", "build"));
    world.advance(Rules.DEFAULT.lease().minusSeconds(1));
    assertThat(waiting.isDone()).isFalse();
    world.advance(Duration.ofMinutes(3));
    assertThat(grantOf(waiting.get()).fencingToken())
        .as("above every token that may have been given out")
        .isGreaterThan(world.now().getEpochSecond() - 3600);
  }

  @Test
  void aDocumentThatWasPutBackIsNotedAndNothingIsChanged() throws Exception {
    BuildQueue queue = open();
    String old = stores.content("queue");
    acquire(queue, "build");
    stores.overwrite("queue", old);
    world.advance(Duration.ofSeconds(31));
    Running<QueueDocument> status = later(queue::status);
    world.advance(Duration.ofSeconds(29));
    assertThat(status.isDone()).as("one odd answer proves nothing").isFalse();
    world.advance(Duration.ofSeconds(5));
    assertThat(status.failure()).isInstanceOf(QueueException.WentBack.class);
    assertThat(stores.content("queue")).isEqualTo(old);
  }

  @Test
  void aStoreThatRefusesIsNotAskedAgain() throws Exception {
    BuildQueue queue = open();
    stores.forbidden = true;
    int before = stores.reads.get();
    Running<Acquisition> result = wait(queue, Request.of("me", "build"));
    world.advance(Duration.ofMinutes(10));
    stores.forbidden = false;
    assertThat(result.failure())
        .isInstanceOf(QueueException.class)
        .hasMessage("no permission: ask for it");
    assertThat(stores.reads.get() - before).isLessThanOrEqualTo(2);
  }

  @Test
  void aFullQueueRefusesWithTheReason() throws Exception {
    BuildQueue queue = open();
    for (int i = 0; i < stores.traits().ticketCapacity(); i++) {
      int number = i;
      now(() -> queue.join(Request.of("waiter " + number, "build").entry()));
    }
    Running<Acquisition> result = wait(queue, Request.of("one too many", "build"));
    world.advance(Duration.ofSeconds(10));
    assertThat(result.get()).isInstanceOf(Acquisition.Refused.class);
    assertThat(((Acquisition.Refused) result.get()).message()).contains("the queue is full");
  }

  @Test
  void aPausedQueueGivesNobodyTheLockUntilItIsResumed() throws Exception {
    BuildQueue queue = open();
    now(() -> queue.pause("maintainer", "release freeze"));
    List<WaitProgress> seen = new ArrayList<>();
    BuildQueue waiter = open();
    Running<Acquisition> waiting =
        later(() -> waiter.acquire(Request.of("me", "build"), seen::add));
    world.advance(Duration.ofMinutes(20));
    assertThat(waiting.isDone()).isFalse();
    assertThat(last(seen).paused().orElseThrow().reason()).isEqualTo("release freeze");
    now(() -> queue.resume("maintainer"));
    world.advance(Duration.ofSeconds(2));
    assertThat(waiting.isDone()).isTrue();
  }

  // ---- helpers

  private BuildQueue open() {
    BuildQueue queue = QueueEngine.open(stores, world, EngineSettings.DEFAULT, RunStatus.BLIND);
    opened.add(queue);
    return queue;
  }

  private Grant acquire(BuildQueue queue, String title) throws Exception {
    return grantOf(now(() -> queue.acquire(Request.of("tester", title), p -> {})));
  }

  private static Grant grantOf(Acquisition result) {
    assertThat(result).isInstanceOf(Acquisition.Acquired.class);
    return ((Acquisition.Acquired) result).grant();
  }

  private Running<Acquisition> wait(BuildQueue queue, Request request) {
    return later(() -> queue.acquire(request, p -> {}));
  }

  private static <T> T last(List<T> list) {
    return list.get(list.size() - 1);
  }

  private interface Call<T> {
    T call() throws Exception;
  }

  private final class Running<T> {
    final String name = "test-" + names++;
    private volatile T result;
    private volatile Exception failure;

    boolean isDone() {
      return result != null || failure != null;
    }

    T get() {
      assertThat(failure).isNull();
      assertThat(result).as("not done yet").isNotNull();
      return result;
    }

    Exception failure() {
      return failure;
    }
  }

  private <T> Running<T> later(Call<T> call) {
    Running<T> running = new Running<>();
    world.start(
        running.name,
        () -> {
          try {
            running.result = call.call();
          } catch (Exception e) {
            running.failure = e;
          }
        });
    world.settle();
    return running;
  }

  /** Done without any time going by, but for the moments that a store takes. */
  private <T> T now(Call<T> call) {
    Running<T> running = later(call);
    world.advance(Duration.ofMillis(100));
    if (running.failure != null) {
      throw new AssertionError(running.failure);
    }
    return running.get();
  }

  /** Memory stores that can be told to fail. */
  private static final class Stores implements StoreSpace {
    private final MemoryStores memory = new MemoryStores();
    private final List<String> writes = new ArrayList<>();
    private final List<String> aside = new ArrayList<>();
    private final AtomicInteger reads = new AtomicInteger();
    private volatile boolean down;
    private volatile boolean forbidden;
    private volatile int loseAnswers;
    private volatile int falseAbsences;
    private volatile int loseRequests;
    private volatile Call<?> beforeNextWrite;

    synchronized int writes(String name) {
      return (int) writes.stream().filter(name::equals).count();
    }

    String content(String name) throws StoreException {
      return memory.document(name).read().content().orElseThrow();
    }

    /** What a person does who edits the file by hand. */
    void overwrite(String name, String content) throws StoreException {
      VersionedStore store = memory.document(name);
      assertThat(store.write(store.read().version(), content, "by hand"))
          .isInstanceOf(WriteResult.Written.class);
    }

    @Override
    public Traits traits() {
      return new Traits("test", "the test", 20, 1_000_000, Duration.ofMillis(500), Duration.ZERO);
    }

    @Override
    public VersionedStore document(String name) {
      VersionedStore store = memory.document(name);
      return new VersionedStore() {
        @Override
        public Snapshot read() throws StoreException {
          reads.incrementAndGet();
          check();
          if (falseAbsences > 0) {
            falseAbsences--;
            return Snapshot.ABSENT;
          }
          return store.read();
        }

        @Override
        public WriteResult write(Version expected, String next, String message)
            throws StoreException {
          check();
          somebodyIsFaster();
          synchronized (Stores.this) {
            writes.add(name);
          }
          if (loseRequests > 0) {
            loseRequests--;
            return new WriteResult.Unknown("request lost");
          }
          WriteResult result = store.write(expected, next, message);
          if (loseAnswers > 0) {
            loseAnswers--;
            return new WriteResult.Unknown("answer lost");
          }
          return result;
        }

        @Override
        public List<String> earlier(Snapshot present, int limit) throws StoreException {
          return store.earlier(present, limit);
        }

        @Override
        public String setAside(Snapshot broken) {
          aside.add(broken.content().orElseThrow());
          return "aside";
        }

        private void somebodyIsFaster() {
          Call<?> other = beforeNextWrite;
          beforeNextWrite = null;
          try {
            if (other != null) {
              other.call();
            }
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        }

        private void check() throws StoreException {
          if (down) {
            throw StoreException.passing("the store is down", null);
          }
          if (forbidden) {
            throw new StoreException("no permission: ask for it", null);
          }
        }
      };
    }
  }
}
