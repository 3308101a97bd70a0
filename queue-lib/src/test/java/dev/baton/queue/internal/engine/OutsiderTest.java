package dev.baton.queue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.baton.core.Problem;
import dev.baton.core.SystemWorld;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Grant;
import dev.baton.queue.Pause;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunStatus;
import dev.baton.queue.Slot;
import dev.baton.store.MemoryStores;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A store whose lock somebody outside of the queue may hold. */
class OutsiderTest {
  private static final EngineSettings QUICK =
      new EngineSettings(
          Duration.ofMillis(10), 1_000, Duration.ofMinutes(1), Duration.ofMinutes(1));

  private final SharedSpace space = new SharedSpace(new MemoryStores(), Duration.ofMillis(100));

  private BuildQueue queue() {
    return QueueEngine.open(space, new SystemWorld(), QUICK, RunStatus.BLIND);
  }

  private static Acquisition ask(BuildQueue queue, String name, Duration atMost) {
    try {
      return queue.acquire(
          new Request(Request.of(name, "app").entry(), Optional.of(atMost)), p -> {});
    } catch (QueueException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void nobodyGetsTheLockWhileAnOutsiderHoldsItAndTheFirstInLineGoesOnAfterwards() throws Exception {
    try (BuildQueue queue = queue()) {
      queue.create(Rules.DEFAULT);
      space.takenBy("run-12345");

      assertThat(ask(queue, "impatient", Duration.ofMillis(300)))
          .isInstanceOf(Acquisition.TimedOut.class);
      QueueDocument paused = queue.status();
      assertThat(paused.slots()).allMatch(Slot::isFree);
      assertThat(paused.paused().orElseThrow().by()).isEqualTo(Pause.OUTSIDE);
      assertThat(paused.paused().orElseThrow().reason()).contains("run-12345");

      CompletableFuture<Acquisition> patient =
          CompletableFuture.supplyAsync(() -> ask(queue, "patient", Duration.ofMinutes(2)));
      assertThat(patient).isNotDone();
      space.takenBy("");
      Acquisition result = patient.get(2, TimeUnit.MINUTES);
      assertThat(result).isInstanceOf(Acquisition.Acquired.class);
      assertThat(queue.status().paused()).isEmpty();
      ((Acquisition.Acquired) result).grant().close();
    }
  }

  @Test
  void theWordOfAMaintainerDoesNotOverruleTheOutsider() throws Exception {
    try (BuildQueue queue = queue()) {
      queue.create(Rules.DEFAULT);
      space.takenBy("run-12345");
      CompletableFuture<Acquisition> waiting =
          CompletableFuture.supplyAsync(() -> ask(queue, "waiting", Duration.ofMinutes(2)));
      while (queue.status().paused().isEmpty() || queue.status().tickets().isEmpty()) {
        Thread.sleep(10);
      }

      QueueException e = catchThrowableOfType(QueueException.class, () -> queue.resume("ann"));

      assertThat(e).isNotNull();
      assertThat(e.problem().kind()).isEqualTo(Problem.Kind.REFUSED);
      assertThat(e.problem().what()).contains("held outside this queue by run-12345");
      assertThat(queue.status().slots()).allMatch(Slot::isFree);
      space.takenBy("");
      ((Acquisition.Acquired) waiting.get(2, TimeUnit.MINUTES)).grant().close();
    }
  }

  @Test
  void aGrantWhoseHeartbeatIsBlockedIsLostAtOnce() throws Exception {
    try (BuildQueue queue = queue()) {
      queue.create(Rules.DEFAULT);
      Grant grant = ((Acquisition.Acquired) ask(queue, "builder", Duration.ofMinutes(1))).grant();
      CountDownLatch lost = new CountDownLatch(1);
      grant.onLost(why -> lost.countDown());

      space.takenBy("run-12345");

      assertThat(lost.await(1, TimeUnit.MINUTES)).isTrue();
      assertThat(grant.state()).isEqualTo(Grant.State.LOST);
      grant.close();
    }
  }

  @Test
  void aQueueHasHeartbeatsAsOftenAsThoseOutsideExpectThem() throws Exception {
    try (BuildQueue queue = queue()) {
      queue.create(Rules.DEFAULT);

      assertThat(queue.status().rules().beat()).isEqualTo(Duration.ofMillis(100));
    }
  }
}
