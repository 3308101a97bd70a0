package dev.baton.queue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.FakeTasks;
import dev.baton.core.FakeWorld;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Entry;
import dev.baton.queue.Grant;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.Liveness;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.RunStatus;
import dev.baton.queue.Ticket;
import dev.baton.store.MemoryStores;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Proof for a lock that another process got, and taking out jobs that have ended. */
class CleaningTest {

  private final FakeWorld world = new FakeWorld();
  private final FakeTasks tasks = new FakeTasks(world);
  private final MemoryStores stores = new MemoryStores();
  private final Set<Long> ended = new HashSet<>();
  private final Set<Long> unseen = new HashSet<>();
  private final BuildQueue queue =
      QueueEngine.open(
          stores,
          world,
          EngineSettings.DEFAULT,
          run ->
              unseen.contains(run.runId())
                  ? RunStatus.Answer.UNKNOWN
                  : ended.contains(run.runId())
                      ? RunStatus.Answer.ENDED
                      : RunStatus.Answer.RUNNING);

  @BeforeEach
  void create() {
    tasks.now(() -> queue.create(Rules.DEFAULT));
  }

  @Test
  void onlyTheHolderIsProved() {
    Ticket first = join(1, Liveness.RUN);
    Ticket second = join(2, Liveness.RUN);
    assertThat(tasks.now(() -> queue.verify(first.number(), first.token()))).isTrue();
    assertThat(tasks.now(() -> queue.verify(first.number(), first.token() + 1))).isFalse();
    assertThat(tasks.now(() -> queue.verify(second.number(), 1))).isFalse();
    tasks.now(() -> queue.release(first.number(), first.token(), "done"));
    assertThat(tasks.now(() -> queue.verify(first.number(), first.token()))).isFalse();
  }

  @Test
  void jobsThatHaveEndedAreTakenOutAndNobodyElse() {
    join(1, Liveness.RUN);
    join(2, Liveness.RUN);
    join(3, Liveness.RUN);
    join(4, Liveness.RUN);
    ended.addAll(Set.of(1L, 3L, 4L));
    unseen.add(4L);
    assertThat(tasks.now(queue::clean)).extracting(Ticket::number).containsExactly(1L, 3L);
    assertThat(tasks.now(queue::status).tickets())
        .extracting(Ticket::number)
        .containsExactly(2L, 4L);
    assertThat(tasks.now(queue::status).history())
        .extracting(HistoryEntry::note)
        .containsOnly("its job ended");
    assertThat(tasks.now(queue::clean)).isEmpty();
  }

  @Test
  void aLaptopInAnEndedRunKeepsItsLockWhileItsHeartBeats() {
    Request request =
        new Request(entry(1, Liveness.BEAT), Optional.empty()).waitingAtMost(Duration.ofHours(1));
    Grant grant = ((Acquisition.Acquired) tasks.now(() -> queue.acquire(request, p -> {}))).grant();
    ended.add(1L);
    assertThat(tasks.now(queue::clean)).isEmpty();
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
    tasks.now(() -> grant.release("ok"));
  }

  private Ticket join(long run, Liveness liveness) {
    return tasks.now(() -> queue.join(entry(run, liveness)));
  }

  private static Entry entry(long run, Liveness liveness) {
    return new Entry(
        "nonce-000" + run,
        "job " + run,
        "app",
        liveness,
        Optional.of(new RunRef("octo/app", run, 1, 0, "build")),
        0);
  }
}
