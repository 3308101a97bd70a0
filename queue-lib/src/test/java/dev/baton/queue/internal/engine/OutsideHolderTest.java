package dev.baton.queue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.FakeTasks.Running;
import dev.baton.queue.Acquisition;
import dev.baton.queue.Answer;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.Grant;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.Pause;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.Slot;
import dev.baton.store.StoreException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A lock that somebody outside of the queue takes, on a day on which more goes wrong. */
class OutsideHolderTest extends ClientsOfOneQueue {

  private final SharedSpace shared = new SharedSpace(stores, Rules.DEFAULT.beat());
  private final BuildQueue queue = open(shared);

  @BeforeEach
  void create() {
    assertThat(tasks.now(() -> queue.create(Rules.DEFAULT))).isTrue();
  }

  private Running<Acquisition> waiting(String who) {
    return waiting(queue, who);
  }

  private Running<Acquisition> waiting(BuildQueue by, String who) {
    Running<Acquisition> waiting = wait(by, Request.of(who, who));
    world.advance(Duration.ofSeconds(10));
    return waiting;
  }

  private Pause pause() {
    return document().paused().orElseThrow();
  }

  // ---- whose pause it is

  @Test
  void theWordOfAMaintainerOutlivesTheOutsider() {
    shared.takenBy("run-1");
    Running<Acquisition> waiting = waiting("ann");

    assertThat(tasks.now(() -> queue.pause("eve", "no releases today")))
        .isInstanceOf(Answer.Done.class);

    assertThat(pause().by()).isEqualTo("eve");
    shared.takenBy("");
    world.advance(Duration.ofHours(1));
    assertThat(pause().reason()).isEqualTo("no releases today");
    assertThat(waiting.isDone()).isFalse();
    tasks.now(() -> queue.resume("eve"));
    world.advance(Duration.ofMinutes(1));
    assertThat(grantOf(waiting).state()).isEqualTo(Grant.State.HELD);
  }

  @Test
  void aPauseOfTheSameNameIsRefused() {
    Answer answer = tasks.now(() -> queue.pause(Pause.OUTSIDE, "no releases today"));
    assertThat(answer).isInstanceOf(Answer.Refused.class);
    assertThat(((Answer.Refused) answer).problem().what()).contains(Pause.OUTSIDE);
    assertThat(document().paused()).isEmpty();
  }

  @Test
  void theNextOutsiderIsShownToo() {
    shared.takenBy("run-1");
    waiting("ann");
    assertThat(pause().reason()).isEqualTo("held by run-1");

    shared.takenBy("run-2");
    world.advance(Duration.ofHours(1));

    assertThat(pause().reason()).isEqualTo("held by run-2");
    assertThat(events(HistoryEntry.Event.PAUSED)).hasSize(2);
    assertThat(document().slots()).allMatch(Slot::isFree);
  }

  // ---- whose turn it is to look

  @Test
  void theDeadAtTheFrontOfTheLineDoNotKeepTheQueuePaused() {
    shared.takenBy("run-1");
    OddStores way = another();
    BuildQueue dying = open(shared.by(way));
    for (String who : new String[] {"dead", "dead too", "dead as well"}) {
      waiting(dying, who);
    }
    way.fail(StoreException.passing("the network is gone", null));
    Running<Acquisition> alive = waiting("alive");
    world.advance(Duration.ofMinutes(5));

    shared.takenBy("");
    world.advance(Duration.ofMinutes(30));

    assertThat(document().paused()).isEmpty();
    assertThat(grantOf(alive).state()).isEqualTo(Grant.State.HELD);
  }

  @Test
  void thoseFurtherBackAskSeldom() {
    shared.takenBy("run-1");
    OddStores way = another();
    BuildQueue dying = open(shared.by(way));
    waiting(dying, "dead");
    waiting(dying, "dead too");
    way.fail(StoreException.passing("the network is gone", null));
    SharedSpace mine = shared.by(another());
    waiting(open(mine), "alive");
    world.advance(Duration.ofHours(1));
    assertThat(mine.asked()).isBetween(2, 13);
  }

  @Test
  void aQueueThatIsLeftPausedIsResumedByTheNextToCome() {
    shared.takenBy("run-1");
    Running<Acquisition> gone =
        wait(queue, Request.of("ann", "ann").waitingAtMost(Duration.ofMinutes(1)));
    world.advance(Duration.ofMinutes(5));
    assertThat(gone.get()).isInstanceOf(Acquisition.TimedOut.class);
    assertThat(document().paused()).isPresent();
    shared.takenBy("");
    assertThat(grantOf(waiting("bob")).state()).isEqualTo(Grant.State.HELD);
  }

  // ---- a lock that is taken from a build

  @Test
  void aProofOfALockThatSomebodyOutsideHasTakenIsDenied() {
    Grant grant = grantOf(waiting("ann"));
    AtomicReference<String> told = new AtomicReference<>();
    grant.onLost(told::set);
    shared.takenBy("run-1");

    assertThat(tasks.now(grant::verify)).isFalse();

    assertThat(grant.state()).isEqualTo(Grant.State.LOST);
    assertThat(told.get()).contains("taken away outside this queue").contains("run-1");
  }

  @Test
  void aProofWithinABuildWhoseLockSomebodyOutsideHasTakenIsDenied() {
    Grant grant = grantOf(waiting("ann"));
    shared.takenBy("run-1");
    BuildQueue inner = open(shared);
    assertThat(tasks.now(() -> inner.verify(grant.ticket(), grant.fencingToken()))).isFalse();
  }

  /** It has no heartbeat that could be blocked. */
  @Test
  void aJobIsToldThatSomebodyOutsideHasTakenItsLock() {
    Request job =
        Request.of("octo/app", "build").livingBy(new RunRef("octo/app", 7, 1, 3, "build"));
    Running<Acquisition> waiting = wait(queue, job);
    world.advance(Duration.ofSeconds(10));
    Grant grant = grantOf(waiting);
    AtomicReference<String> told = new AtomicReference<>();
    grant.onLost(told::set);
    world.advance(Duration.ofHours(1));
    assertThat(told).hasNullValue();

    shared.takenBy("run-1");
    world.advance(Duration.ofMinutes(3));

    assertThat(told.get()).contains("taken away outside this queue").contains("run-1");
    assertThat(grant.state()).isEqualTo(Grant.State.LOST);
  }

  @Test
  void aBuildWhoseLockWasTakenLeavesTheQueueToTheNext() {
    Grant grant = grantOf(waiting("ann"));
    Running<Acquisition> next = waiting("bob");
    shared.takenBy("run-1");
    world.advance(Duration.ofMinutes(30));
    assertThat(grant.state()).isEqualTo(Grant.State.LOST);
    assertThat(next.isDone()).isFalse();
    tasks.now(() -> grant.release(""));
    shared.takenBy("");
    world.advance(Duration.ofMinutes(10));
    assertThat(grantOf(next).fencingToken()).isGreaterThan(grant.fencingToken());
  }
}
