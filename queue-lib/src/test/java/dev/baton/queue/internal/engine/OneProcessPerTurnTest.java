package dev.baton.queue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.FakeTasks.Running;
import dev.baton.core.FakeWorld;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.Grant;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.RunStatus;
import dev.baton.queue.internal.engine.OddStores.Lie;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Several processes know one nonce, such as that of a pipeline: one of them builds. */
class OneProcessPerTurnTest extends ClientsOfOneQueue {
  private static final Request REQUEST = Request.of("jane", "pipeline 100");

  OneProcessPerTurnTest() {
    super(
        new FakeWorld() {
          private final Random chance = new Random(7);

          @Override
          public double random() {
            return chance.nextDouble();
          }
        });
  }

  @BeforeEach
  void create() {
    create(Rules.DEFAULT);
  }

  @Override
  RunStatus statusOfJobs() {
    return run -> RunStatus.Answer.RUNNING;
  }

  private BuildQueue open() {
    return open(another());
  }

  private Running<Acquisition> wait(Request request) {
    Running<Acquisition> waiting = wait(open(), request);
    world.advance(Duration.ofSeconds(1));
    return waiting;
  }

  @Test
  void aTurnThatAProcessHasIsNotForAnother() {
    Grant first = grantOf(wait(REQUEST));
    Running<Acquisition> second = wait(REQUEST);
    assertThat(second.get())
        .isInstanceOfSatisfying(
            Acquisition.Refused.class,
            r -> assertThat(r.message()).contains("ticket 1 builds in another process"));
    world.advance(Duration.ofMinutes(10));
    assertThat(first.state()).isEqualTo(Grant.State.HELD);
  }

  @Test
  void ofTwoInLineOneGetsTheLockAndAStrangerWaitsForIt() {
    Grant before = grantOf(wait(Request.of("before", "before")));
    Running<Acquisition> one = wait(REQUEST);
    Running<Acquisition> two = wait(REQUEST);
    Running<Acquisition> stranger = wait(Request.of("stranger", "stranger"));
    tasks.now(() -> before.release(""));
    world.advance(Duration.ofMinutes(2));

    assertThat(one.isDone()).isTrue();
    assertThat(two.isDone()).isTrue();
    Running<Acquisition> winner = one.get() instanceof Acquisition.Acquired ? one : two;
    Running<Acquisition> loser = winner == one ? two : one;
    assertThat(loser.get()).isInstanceOf(Acquisition.Refused.class);
    assertThat(grantOf(winner).state()).isEqualTo(Grant.State.HELD);
    assertThat(stranger.isDone()).isFalse();
  }

  @Test
  void anotherThatGivesUpDoesNotGiveBackWhatItDoesNotHave() {
    Grant before = grantOf(wait(Request.of("before", "before")));
    Running<Acquisition> one = wait(REQUEST);
    OddStores cutOff = another();
    BuildQueue queue = open(cutOff);
    Request brief = REQUEST.waitingAtMost(Duration.ofMinutes(3));
    Running<Acquisition> two = wait(queue, brief);
    world.advance(Duration.ofSeconds(1));
    cutOff.limit(Duration.ofMinutes(3));
    tasks.now(() -> before.release(""));
    world.advance(Duration.ofMinutes(10));

    assertThat(two.isDone()).isTrue();
    assertThat(two.get()).isNotInstanceOf(Acquisition.Acquired.class);
    assertThat(grantOf(one).state()).isEqualTo(Grant.State.HELD);
  }

  /** Nobody has the turn when it asks, and another one takes it before its answer is written. */
  @Test
  void anotherThatGivesUpDoesNotGiveBackWhatIsTakenMeanwhile() {
    BuildQueue drawing = open();
    assertThat(tasks.now(() -> drawing.join(REQUEST.entry())).token()).isPositive();
    OddStores slow = another();
    BuildQueue queue = open(slow);
    slow.limit(Duration.ofSeconds(31));
    Request brief = REQUEST.waitingAtMost(Duration.ofSeconds(30));
    Running<Acquisition> two = wait(queue, brief);
    world.advance(Duration.ofSeconds(29));
    // It reads (31 to 36 s), ends what it may have sent (to 41 s) and gives back (to 46 s).
    slow.hang("queue", Duration.ofSeconds(5));
    world.advance(Duration.ofSeconds(13));
    Grant one = grantOf(wait(REQUEST));
    world.advance(Duration.ofSeconds(30));

    assertThat(two.get()).isNotInstanceOf(Acquisition.Acquired.class);
    assertThat(one.state()).isEqualTo(Grant.State.HELD);
    Running<Acquisition> stranger = wait(Request.of("stranger", "stranger"));
    world.advance(Duration.ofMinutes(10));
    assertThat(stranger.isDone()).as("two have one slot").isFalse();
  }

  /** {@code baton join}, then {@code baton run}: the first of them that asks takes the turn. */
  @Test
  void aTurnThatWasOnlyDrawnGoesToTheFirstThatAsks() {
    BuildQueue drawing = open();
    assertThat(tasks.now(() -> drawing.join(REQUEST.entry())).token()).isPositive();
    Running<Acquisition> one = wait(REQUEST);
    Running<Acquisition> two = wait(REQUEST);

    assertThat(grantOf(one).state()).isEqualTo(Grant.State.HELD);
    assertThat(two.get()).isInstanceOf(Acquisition.Refused.class);
  }

  @Test
  void aTurnThatWasOnlyDrawnIsTakenAlsoWhereAnOldReadHidItAtFirst() {
    BuildQueue drawing = open();
    assertThat(tasks.now(() -> drawing.join(REQUEST.entry())).token()).isPositive();
    OddStores late = another();
    late.lie("queue", Lie.OLD, 1);
    BuildQueue queue = open(late);
    Running<Acquisition> one = wait(queue, REQUEST);
    world.advance(Duration.ofMinutes(1));
    Running<Acquisition> two = wait(REQUEST);

    assertThat(grantOf(one).state()).isEqualTo(Grant.State.HELD);
    assertThat(two.get()).isInstanceOf(Acquisition.Refused.class);
  }

  @Test
  void anyStepOfAJobGoesOnWithItsTurn() {
    Request job = REQUEST.livingBy(new RunRef("octo/app", 7, 1, 3, "build"));
    Grant first = grantOf(wait(job));
    Grant second = grantOf(wait(job));
    assertThat(second.fencingToken()).isEqualTo(first.fencingToken());
  }
}
