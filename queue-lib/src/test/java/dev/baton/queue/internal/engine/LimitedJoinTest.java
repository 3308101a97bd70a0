package dev.baton.queue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.FakeTasks;
import dev.baton.core.FakeTasks.Running;
import dev.baton.core.FakeWorld;
import dev.baton.core.Problem;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.QueueException;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunStatus;
import dev.baton.queue.Ticket;
import dev.baton.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A wait that ends before the store has let the client into the line. */
class LimitedJoinTest {
  private final FakeWorld world = new FakeWorld();
  private final FakeTasks tasks = new FakeTasks(world);
  private final OddStores store = new OddStores(world);
  private final BuildQueue queue =
      QueueEngine.open(store, world, EngineSettings.DEFAULT, RunStatus.BLIND);

  @BeforeEach
  void create() {
    assertThat(tasks.now(() -> queue.create(Rules.DEFAULT))).isTrue();
    world.advance(Duration.ofMinutes(1));
  }

  @AfterEach
  void close() {
    store.fail(null);
    tasks.later(
        () -> {
          queue.close();
          return true;
        });
    world.advance(Duration.ofHours(2));
    assertThat(world.living()).isEmpty();
  }

  private Running<Acquisition> joining() {
    return tasks.later(
        () ->
            queue.acquire(Request.of("me", "mine").waitingAtMost(Duration.ofMinutes(10)), p -> {}));
  }

  private static Problem problemOf(Running<Acquisition> wait) {
    assertThat(wait.get()).isInstanceOf(Acquisition.NotInLine.class);
    return ((Acquisition.NotInLine) wait.get()).problem();
  }

  @Test
  void aWaitTimeoutThatEndsDuringALimitIsATimeout() {
    store.limit(Duration.ofMinutes(55));
    Running<Acquisition> wait = joining();
    world.advance(Duration.ofMinutes(13));

    assertThat(problemOf(wait).kind()).isEqualTo(Problem.Kind.TIMED_OUT);
    assertThat(problemOf(wait).what())
        .isEqualTo("the wait timeout is over: the requests of this hour are used up");
  }

  @Test
  void soIsOneThatEndsDuringAnOutage() {
    store.fail(StoreException.passing("the network is gone", null));
    Running<Acquisition> wait = joining();
    world.advance(Duration.ofMinutes(13));

    assertThat(problemOf(wait).kind()).isEqualTo(Problem.Kind.TIMED_OUT);
    assertThat(problemOf(wait).what()).contains("the network is gone");
  }

  /** The join may have been applied, and nobody would answer when its turn comes. */
  @Test
  void aJoinOfWhichNothingIsKnownIsTakenBack() {
    store.failAfterNextWrite("queue", StoreException.passing("the network is gone", null));
    Running<Acquisition> wait = joining();
    world.advance(Duration.ofMinutes(10).plusSeconds(1));
    store.fail(null);
    world.advance(Duration.ofMinutes(1));

    assertThat(problemOf(wait).kind()).isEqualTo(Problem.Kind.TIMED_OUT);
    assertThat(tasks.now(queue::status).tickets()).isEmpty();
  }

  // ---- a ticket that is drawn without waiting for the lock

  private Running<Object> drawing(Request request, List<String> troubles) {
    return tasks.later(
        () -> {
          try {
            return queue.join(request, p -> p.trouble().ifPresent(troubles::add));
          } catch (QueueException e) {
            return e.problem();
          }
        });
  }

  @Test
  void aLimitCostsTheOneThatDrawsATicketTimeAndNotItsPlace() {
    List<String> troubles = new ArrayList<>();
    store.limit(Duration.ofMinutes(20));
    Running<Object> drawn = drawing(Request.of("me", "mine"), troubles);
    world.advance(Duration.ofMinutes(19));
    assertThat(drawn.isDone()).isFalse();
    assertThat(troubles).contains("the requests of this hour are used up");
    world.advance(Duration.ofMinutes(5));
    assertThat(drawn.get())
        .isInstanceOfSatisfying(Ticket.class, t -> assertThat(t.number()).isEqualTo(1));
  }

  @Test
  void noTicketStaysBehindOfWhichNobodyKnows() {
    store.failAfterNextWrite("queue", StoreException.passing("the network is gone", null));
    Request brief = Request.of("me", "mine").waitingAtMost(Duration.ofMinutes(10));
    Running<Object> drawn = drawing(brief, new ArrayList<>());
    world.advance(Duration.ofMinutes(10).plusSeconds(1));
    store.fail(null);
    world.advance(Duration.ofMinutes(1));

    assertThat(drawn.get())
        .isInstanceOfSatisfying(
            Problem.class, p -> assertThat(p.kind()).isEqualTo(Problem.Kind.TIMED_OUT));
    assertThat(tasks.now(queue::status).tickets()).isEmpty();
  }

  /** It was drawn by an earlier step, and this call has sent nothing. */
  @Test
  void aTicketThatWasThereBeforeStaysWhereAskingAgainFails() {
    Request request = Request.of("me", "mine").waitingAtMost(Duration.ofMinutes(1));
    tasks.now(() -> queue.join(request.entry()));
    OddStores other = store.another();
    BuildQueue second = QueueEngine.open(other, world, EngineSettings.DEFAULT, RunStatus.BLIND);
    other.limit(Duration.ofMinutes(5));
    Running<Boolean> timedOut =
        tasks.later(
            () -> {
              try {
                second.join(request, p -> {});
                return false;
              } catch (QueueException e) {
                return e.problem().kind() == Problem.Kind.TIMED_OUT;
              }
            });
    world.advance(Duration.ofMinutes(10));
    assertThat(timedOut.get()).isTrue();
    assertThat(tasks.now(queue::status).tickets()).hasSize(1);
  }
}
