package dev.baton.queue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.core.Extra;
import dev.baton.core.FakeTasks.Running;
import dev.baton.queue.Acquisition;
import dev.baton.queue.Answer;
import dev.baton.queue.BeatDocument;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.Grant;
import dev.baton.queue.QueueException;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RulesChange;
import dev.baton.queue.internal.engine.OddStores.Lie;
import dev.baton.store.FileStores;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What survives a queue that was deleted, and what a new one of that name makes of it. */
class DeletedQueueTest extends ClientsOfOneQueue {

  // ---- every token is greater than any before it

  @Test
  void noTokenComesAgainAfterARecoveryADeletionAndACreation() throws Exception {
    create(stores);
    world.advance(Duration.ofSeconds(10));
    stores.overwrite("queue", "{ broken by hand");
    long before = shortBuild(stores);
    stores.delete("queue");
    world.advance(Duration.ofSeconds(30));
    create(another());
    assertThat(shortBuild(another())).isGreaterThan(before);
  }

  @Test
  void noTokenComesAgainThoughTheHeartbeatsAreDeletedToo() throws Exception {
    create(stores);
    world.advance(Duration.ofSeconds(10));
    stores.overwrite("queue", "{ broken by hand");
    long before = shortBuild(stores);
    stores.delete("queue");
    stores.delete("beat-0");
    world.advance(Duration.ofSeconds(30));
    create(another());
    assertThat(shortBuild(another())).isGreaterThan(before);
  }

  @Test
  void noTokenComesAgainInAQueueThatIsDeletedTimeAndAgain() throws Exception {
    stores.put("beat-0", knowing(tokenOfAClockThatIsAhead()));
    long before = 0;
    for (int i = 0; i < 3; i++) {
      create(another());
      long token = shortBuild(another());
      assertThat(token).isGreaterThan(before);
      before = token;
      stores.delete("queue");
    }
  }

  /** By a machine whose clock is slow, where no heartbeat knows a token. */
  @Test
  void noTokenComesAgainWhereTheStoreTellsTheTime() throws Exception {
    create(stores);
    world.advance(Duration.ofHours(1));
    long before = shortBuild(stores);
    stores.delete("queue");
    OddStores telling = another();
    telling.tellsTheTime(world.now());
    world.sleepMachine(Duration.ofMinutes(-80));
    create(telling);
    assertThat(shortBuild(telling)).isGreaterThan(before);
  }

  /** One of the two clocks was ahead when the queue was created, and is right when it is again. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void noTokenComesAgainAfterAClockThatWasAheadIsCorrected(boolean ofStore) throws Exception {
    Instant now = world.now();
    OddStores telling = another();
    telling.tellsTheTime(ofStore ? now.plus(Duration.ofDays(1)) : now);
    if (!ofStore) {
      world.sleepMachine(Duration.ofDays(1));
    }
    create(telling);
    long before = shortBuild(telling);
    stores.delete("queue");
    world.advance(Duration.ofMinutes(5));
    OddStores corrected = another();
    corrected.tellsTheTime(now.plus(Duration.ofMinutes(6)));
    if (!ofStore) {
      world.sleepMachine(Duration.ofDays(-1));
    }
    create(corrected);
    assertThat(shortBuild(corrected)).isGreaterThan(before);
  }

  @Test
  void aCreationByClocksThatAgreeWritesEachHeartbeatOnce() throws Exception {
    OddStores telling = another();
    telling.tellsTheTime(world.now().minusSeconds(20));
    create(telling);
    assertThat(telling.writes()).containsExactly("beat-0", "queue");
  }

  @Test
  void aGapInTheHeartbeatsHidesNoToken() throws Exception {
    long high = tokenOfAClockThatIsAhead();
    stores.put("beat-0", knowing(high - 5));
    stores.put("beat-2", knowing(high));
    create(stores);
    assertThat(shortBuild(stores)).isGreaterThan(high);
  }

  @Test
  void oneOddAnswerHidesNoToken() throws Exception {
    long high = tokenOfAClockThatIsAhead();
    stores.put("beat-1", knowing(high));
    OddStores odd = another();
    odd.lie("beat-1", Lie.ABSENT, 1);
    create(odd);
    assertThat(shortBuild(stores)).isGreaterThan(high);
  }

  @Test
  void aRecoveryFromNothingKnowsEveryHeartbeat() throws Exception {
    long high = tokenOfAClockThatIsAhead();
    stores.put("beat-0", knowing(high - 10));
    stores.put("beat-1", knowing(high));
    stores.overwrite("queue", "garbage");
    assertThat(shortBuild(stores)).isGreaterThan(high);
  }

  @Test
  void aRecoveryGoesOnAboveTokensOfWhichOnlyAHeartbeatKnows() throws Exception {
    create(stores);
    long high = tokenOfAClockThatIsAhead();
    stores.put("beat-0", knowing(high));
    stores.overwrite("queue", "{ broken by hand");
    assertThat(shortBuild(stores))
        .as("others may have built after the last heartbeat")
        .isGreaterThan(high + 1);
  }

  @Test
  void aRecoveryByAClientThatKnewTheDeletedQueueGoesOnWithTheLaterOne() throws Exception {
    create(stores);
    BuildQueue late = open(another());
    shortBuild(stores);
    shortBuild(stores);
    tasks.now(late::status);
    stores.delete("queue");
    stores.put("beat-0", knowing(tokenOfAClockThatIsAhead()));
    create(another());
    long before = shortBuild(another());
    stores.delete("beat-0");
    stores.overwrite("queue", "{ broken by hand");
    Running<Boolean> repair = tasks.later(late::repair);
    world.advance(OddStores.STALENESS.plusSeconds(10));
    assertThat(repair.get()).isTrue();
    assertThat(shortBuild(another())).isGreaterThan(before);
  }

  @Test
  void aSlotThatIsAddedRaisesTheTokensAboveThoseThatItsHeartbeatKnows() throws Exception {
    create(stores);
    long high = tokenOfAClockThatIsAhead();
    stores.put("beat-1", knowing(high));
    assertThat(addSlot(another())).isInstanceOf(Answer.Done.class);
    Grant first = acquire(another());
    Grant second = acquire(another());
    assertThat(List.of(first.fencingToken(), second.fencingToken())).allMatch(t -> t > high);
    Running<Acquisition> third = wait(another());
    for (int i = 0; i < 200; i++) {
      world.advance(Duration.ofSeconds(1));
      assertThat(List.of(first, second))
          .as("a holder of a slot that a heartbeat has declared over")
          .allMatch(g -> GrantView.peek(g) == Grant.State.HELD);
      assertThat(third.isDone()).isFalse();
    }
    world.interrupt(third.name());
  }

  @Test
  void whatTheStoreKeepsOfADeletedQueueKnowsItsTokens(@TempDir Path directory) throws Exception {
    FileStores files = FileStores.in(directory);
    create(files);
    shortBuild(files);
    raiseTokensTo(directory, tokenOfAClockThatIsAhead());
    long before = shortBuild(files);
    Files.delete(directory.resolve("queue.json"));
    Files.delete(directory.resolve("beat-0.json"));
    create(files);
    assertThat(shortBuild(files)).isGreaterThan(before);
  }

  // ---- a build that goes on while its queue is deleted and made once more

  private Grant buildThatOutlivesItsQueue() {
    create(stores);
    Grant grant = acquire(stores);
    world.advance(Duration.ofSeconds(100));
    stores.delete("queue");
    create(another());
    return grant;
  }

  @Test
  void nobodyGetsTheLockBesideABuildOfTheDeletedQueue() {
    Grant old = buildThatOutlivesItsQueue();
    Running<Acquisition> next = wait(another());
    for (int minute = 0; minute < 30; minute++) {
      world.advance(Duration.ofMinutes(1));
      assertThat(old.state()).isEqualTo(Grant.State.HELD);
      assertThat(next.isDone()).isFalse();
    }
    tasks.later(() -> old.release(""));
    world.advance(Rules.DEFAULT.lease().plusMinutes(2));
    assertThat(next.get()).isInstanceOf(Acquisition.Acquired.class);
    assertThat(old.state()).isNotEqualTo(Grant.State.HELD);
  }

  /** In a slot that the new one does not have. */
  @Test
  void nobodyGetsTheLockBesideABuildInAFurtherSlotOfTheDeletedQueue() {
    create(stores);
    assertThat(addSlot(stores)).isInstanceOf(Answer.Done.class);
    Grant first = acquire(stores);
    Grant second = acquire(another());
    assertThat(second.slot()).isEqualTo(1);
    world.advance(Duration.ofSeconds(100));
    tasks.now(() -> first.release(""));
    stores.delete("queue");
    create(another());
    assertNobodyElseBuildsBefore(second);
  }

  @Test
  void aBuildOfTheDeletedQueueKeepsItsHeartbeatThoughTokensAreAheadOfTheClock() throws Exception {
    create(stores);
    Grant old = acquire(stores);
    world.advance(Duration.ofSeconds(100));
    stores.put("beat-1", knowing(tokenOfAClockThatIsAhead()));
    stores.delete("queue");
    create(another());
    world.advance(Duration.ofMinutes(10));
    assertThat(old.state()).isEqualTo(Grant.State.HELD);
  }

  @Test
  void theLockIsGivenOutALeaseAfterTheLastHeartbeatOfTheDeletedQueue() {
    create(stores);
    OddStores dead = another();
    acquire(dead);
    world.advance(Duration.ofSeconds(100));
    dead.fail(StoreException.passing("dead", null));
    stores.delete("queue");
    create(another());
    Running<Acquisition> next = wait(another());
    world.advance(Rules.DEFAULT.lease().minusSeconds(5));
    assertThat(next.isDone()).isFalse();
    world.advance(Duration.ofSeconds(30));
    assertThat(next.get()).isInstanceOf(Acquisition.Acquired.class);
  }

  @Test
  void aQueueWhoseHeartbeatsAreAllOverIsUsableAtOnce() throws Exception {
    stores.put("beat-0", knowing(tokenOfAClockThatIsAhead()));
    create(stores);
    Running<Acquisition> first = wait(another());
    world.advance(Duration.ofSeconds(1));
    assertThat(first.get()).isInstanceOf(Acquisition.Acquired.class);
  }

  /** The first attempt was cut off after it had made the heartbeat document. */
  @Test
  void aQueueThatIsCreatedAtTheSecondAttemptIsUsableAtOnce() throws Exception {
    stores.put("beat-0", BeatDocument.made(7));
    create(stores);
    Running<Acquisition> first = wait(another());
    world.advance(Duration.ofSeconds(1));
    assertThat(first.get()).isInstanceOf(Acquisition.Acquired.class);
  }

  // ---- a queue that is behind its heartbeats

  @Test
  void anInitOfAQueueThatIsThereGoesOnAboveTokensThatAreOver() throws Exception {
    create(stores);
    long high = tokenOfAClockThatIsAhead();
    stores.put("beat-0", knowing(high));
    assertThat(initAgain()).isFalse();
    Running<Acquisition> first = wait(another());
    world.advance(Duration.ofSeconds(1));
    assertThat(grantOf(first).fencingToken()).isGreaterThan(high);
  }

  @Test
  void anInitOfAQueueThatIsThereLeavesTheLockToABuildThatTheQueueDoesNotKnow() throws Exception {
    create(stores);
    String before = stores.content("queue");
    Grant unknown = acquire(stores);
    world.advance(Duration.ofSeconds(100));
    stores.delete("queue");
    stores.overwrite("queue", before);
    assertThat(initAgain()).isFalse();
    Running<Acquisition> next = wait(another());
    world.advance(Duration.ofMinutes(20));
    assertThat(unknown.state()).isEqualTo(Grant.State.HELD);
    assertThat(next.isDone()).isFalse();
    world.interrupt(next.name());
  }

  /** It was drawn in a slot that the version that was put back does not have. */
  @Test
  void anInitLeavesTheLockToABuildInASlotThatTheVersionPutBackDoesNotHave() throws Exception {
    create(stores);
    String before = stores.content("queue");
    assertThat(addSlot(stores)).isInstanceOf(Answer.Done.class);
    Grant first = acquire(stores);
    tasks.now(() -> first.release(""));
    Grant unknown = buildInSlotOne();
    world.advance(Duration.ofSeconds(100));
    stores.overwrite("queue", before);
    assertThat(initAgain()).isFalse();
    assertNobodyElseBuildsBefore(unknown);
  }

  /** Whoever misses the slot that was there before a version was put back sets it again. */
  @Test
  void aSlotThatIsAddedAgainLeavesTheLockToABuildThatTheVersionPutBackDoesNotKnow()
      throws Exception {
    create(stores);
    String before = stores.content("queue");
    assertThat(addSlot(stores)).isInstanceOf(Answer.Done.class);
    Grant first = acquire(stores);
    tasks.now(() -> first.release(""));
    Grant unknown = buildInSlotOne();
    world.advance(Duration.ofSeconds(100));
    stores.overwrite("queue", before);
    assertThat(addSlot(another())).isInstanceOf(Answer.Done.class);
    Running<Acquisition> next = wait(another());
    Running<Acquisition> third = wait(another());
    for (int minute = 0; minute < 20; minute++) {
      world.advance(Duration.ofMinutes(1));
      assertThat(unknown.state()).isEqualTo(Grant.State.HELD);
      assertThat(List.of(next, third)).noneMatch(Running::isDone);
    }
    tasks.later(() -> unknown.release(""));
    world.advance(Rules.DEFAULT.lease().plusMinutes(2));
    assertThat(List.of(grantOf(next), grantOf(third)))
        .allMatch(g -> g.fencingToken() > unknown.fencingToken());
  }

  /** In a slot that the queue does not have any more, beside one that has beaten. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void nobodyGetsTheLockBesideABuildThatBeatsForTheFirstTimeAfterwards(boolean putBack)
      throws Exception {
    create(stores);
    String before = stores.content("queue");
    assertThat(addSlot(stores)).isInstanceOf(Answer.Done.class);
    // The last build in the further slot was found dead.
    stores.put("beat-1", knowing(5));
    Grant zero = acquire(another());
    world.advance(Duration.ofSeconds(100));
    Grant one = acquire(another());
    assertThat(List.of(zero.slot(), one.slot())).containsExactly(0, 1);
    if (putBack) {
      stores.overwrite("queue", before);
      assertThat(initAgain()).isFalse();
    } else {
      stores.delete("queue");
      create(another());
    }
    tasks.later(() -> zero.release(""));
    Running<Acquisition> next = wait(another());
    for (int minute = 0; minute < 20; minute++) {
      world.advance(Duration.ofMinutes(1));
      assertThat(one.state()).isEqualTo(Grant.State.HELD);
      assertThat(next.isDone()).as("two hold the lock of a queue with one slot").isFalse();
    }
    tasks.later(() -> one.release(""));
    world.advance(Rules.DEFAULT.lease().plusMinutes(2));
    assertThat(grantOf(next).fencingToken()).isGreaterThan(one.fencingToken());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void oneOldAnswerAboutAHeartbeatHidesNoBuild(int slot) throws Exception {
    create(stores);
    assertThat(addSlot(stores)).isInstanceOf(Answer.Done.class);
    Grant zero = acquire(another());
    Grant one = acquire(another());
    world.advance(Duration.ofSeconds(100));
    tasks.now(() -> (slot == 0 ? one : zero).release(""));
    Grant building = slot == 0 ? zero : one;
    stores.put("beat-" + (1 - slot), knowing(building.fencingToken() + 5));
    stores.delete("queue");
    OddStores odd = another();
    odd.lie("beat-" + slot, Lie.OLD, 1);
    create(odd);
    Running<Acquisition> next = wait(another());
    world.advance(Duration.ofMinutes(10));
    assertThat(building.state()).isEqualTo(Grant.State.HELD);
    assertThat(next.isDone()).isFalse();
    world.interrupt(next.name());
  }

  /** The read that comes first does not show yet what was put back. */
  @Test
  void anInitWhoseFirstReadIsOldGoesOnAboveTokensThatAreOver() throws Exception {
    create(stores);
    long high = tokenOfAClockThatIsAhead();
    stores.put("beat-0", knowing(high));
    OddStores odd = another();
    odd.lie("queue", Lie.ABSENT, 1);
    BuildQueue queue = open(odd);
    Running<Boolean> made = tasks.later(() -> queue.create(Rules.DEFAULT));
    world.advance(Duration.ofSeconds(10));
    assertThat(made.get()).isFalse();
    assertThat(document().nextToken()).isGreaterThan(high);
  }

  /** The read that comes first shows the version that was lost, which knows all tokens. */
  @Test
  void anInitWhoseFirstReadIsFromBeforeAVersionWasPutBackDoesNotSayThatAllIsWell()
      throws Exception {
    create(stores);
    String before = stores.content("queue");
    Grant unknown = acquire(stores);
    world.advance(Duration.ofSeconds(100));
    stores.overwrite("queue", before);
    OddStores odd = another();
    odd.lie("queue", Lie.OLD, 1);
    BuildQueue queue = open(odd);
    Running<Boolean> made = tasks.later(() -> queue.create(Rules.DEFAULT));
    world.advance(OddStores.STALENESS.plusSeconds(10));
    assertThatThrownBy(made::get).hasRootCauseInstanceOf(QueueException.WentBack.class);
    assertThat(initAgain()).isFalse();
    Running<Acquisition> next = wait(another());
    world.advance(Duration.ofMinutes(20));
    assertThat(unknown.state()).isEqualTo(Grant.State.HELD);
    assertThat(next.isDone()).isFalse();
    world.interrupt(next.name());
  }

  /** While the first slot goes to somebody else and back. */
  private Grant buildInSlotOne() {
    Grant zero = acquire(another());
    Grant one = acquire(another());
    assertThat(List.of(zero.slot(), one.slot())).containsExactly(0, 1);
    tasks.now(() -> zero.release(""));
    return one;
  }

  private boolean initAgain() {
    BuildQueue queue = open(another());
    Running<Boolean> made = tasks.later(() -> queue.create(Rules.DEFAULT));
    world.advance(Duration.ofSeconds(10));
    return made.get();
  }

  // ---- a heartbeat document that cannot be read

  @Test
  void aBrokenHeartbeatIsMadeAgainWhereAQueueIsCreated() throws Exception {
    stores.overwrite("beat-0", "{ <<<<<<< HEAD");
    create(stores);
    assertThat(stores.beatOf("beat-0").isNew()).isTrue();
  }

  @Test
  void aBrokenHeartbeatHidesNoTokenThatTheStoreStillHas() throws Exception {
    long high = tokenOfAClockThatIsAhead();
    stores.put("beat-0", knowing(high - 5));
    stores.overwrite("beat-0", "{ <<<<<<< HEAD");
    stores.put("beat-3", knowing(high));
    stores.overwrite("beat-3", "{ <<<<<<< HEAD");
    create(stores);
    assertThat(shortBuild(stores)).isGreaterThan(high);
  }

  @Test
  void aBrokenHeartbeatIsMadeAgainByAnInitOfAQueueThatIsThere() throws Exception {
    create(stores);
    stores.overwrite("beat-0", "{ <<<<<<< HEAD");
    BuildQueue queue = open(another());
    Running<Boolean> made = tasks.later(() -> queue.create(Rules.DEFAULT));
    world.advance(Duration.ofSeconds(10));
    assertThat(made.get()).isFalse();
    assertThat(stores.beatOf("beat-0").isNew()).isTrue();
  }

  @Test
  void aBrokenHeartbeatKeepsNobodyFromAddingSlots() throws Exception {
    create(stores);
    stores.overwrite("beat-0", "{ <<<<<<< HEAD");
    assertThat(addSlot(another())).isInstanceOf(Answer.Done.class);
    assertThat(stores.beatOf("beat-1").isNew()).isTrue();
  }

  @Test
  void aHeartbeatThatOneOddAnswerShowsAsBrokenStaysAsItIs() throws Exception {
    create(stores);
    Grant grant = acquire(stores);
    world.advance(Duration.ofSeconds(91));
    BeatDocument before = stores.beatOf("beat-0");
    OddStores odd = another();
    odd.lie("beat-0", Lie.GARBLED, 1);
    assertThat(addSlot(odd)).isInstanceOf(Answer.Done.class);
    assertThat(stores.beatOf("beat-0").token()).isEqualTo(before.token());
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
  }

  @Test
  void aHolderWhoseBrokenHeartbeatIsMadeAgainKeepsItsLock() throws Exception {
    create(stores);
    Grant grant = acquire(stores);
    world.advance(Duration.ofSeconds(91));
    stores.overwrite("beat-0", "{ <<<<<<< HEAD");
    assertThat(addSlot(another())).isInstanceOf(Answer.Done.class);
    for (int minute = 0; minute < 20; minute++) {
      world.advance(Duration.ofMinutes(1));
      assertThat(grant.state()).isEqualTo(Grant.State.HELD);
    }
  }

  /** As if a client with a clock that is ahead had made the queue. */
  private static void raiseTokensTo(Path directory, long token) throws IOException {
    Path queue = directory.resolve("queue.json");
    String text = Files.readString(queue);
    Files.writeString(
        queue, text.replaceAll("\"next_token\":\\s*\\d+", "\"next_token\": " + token));
  }

  // ---- helpers

  /** Of a machine whose clock is an hour ahead; the clock of the one that creates is right. */
  private long tokenOfAClockThatIsAhead() {
    return world.now().plus(Duration.ofHours(1)).toEpochMilli();
  }

  private static BeatDocument knowing(long token) {
    return new BeatDocument(1, token, 3, token, Extra.NONE);
  }

  private void create(StoreSpace space) {
    BuildQueue queue = open(space);
    Running<Boolean> made = tasks.later(() -> queue.create(Rules.DEFAULT));
    world.advance(Duration.ofSeconds(10));
    assertThat(made.get()).isTrue();
  }

  private Answer addSlot(StoreSpace space) {
    BuildQueue maintainer = open(space);
    Running<Answer> more =
        tasks.later(() -> maintainer.changeRules(RulesChange.NONE.withSlots(2), "jane"));
    world.advance(Duration.ofMinutes(1));
    return more.get();
  }

  private Running<Acquisition> wait(StoreSpace space) {
    return wait(open(space), Request.of("tester", "build"));
  }

  private Grant acquire(StoreSpace space) {
    Running<Acquisition> waiting = wait(space);
    for (int i = 0; i < 60 && !waiting.isDone(); i++) {
      world.advance(Duration.ofSeconds(20));
    }
    return grantOf(waiting);
  }

  /** The token of a build that ends before its first heartbeat. */
  private long shortBuild(StoreSpace space) {
    Grant grant = acquire(space);
    tasks.now(() -> grant.release(""));
    return grant.fencingToken();
  }

  /** The next one waits for the build in a further slot, and then has a queue of one slot. */
  private void assertNobodyElseBuildsBefore(Grant building) {
    Running<Acquisition> next = wait(another());
    for (int minute = 0; minute < 20; minute++) {
      world.advance(Duration.ofMinutes(1));
      assertThat(building.state()).isEqualTo(Grant.State.HELD);
      assertThat(next.isDone()).as("two hold the lock of a queue with one slot").isFalse();
    }
    tasks.later(() -> building.release(""));
    world.advance(Rules.DEFAULT.lease().plusMinutes(2));
    assertThat(grantOf(next).fencingToken()).isGreaterThan(building.fencingToken());
    assertThat(document().slots()).hasSize(1);
  }
}
