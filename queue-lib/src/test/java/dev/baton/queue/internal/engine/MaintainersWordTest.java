package dev.baton.queue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.FakeTasks;
import dev.baton.core.FakeWorld;
import dev.baton.queue.Answer;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Entry;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.Liveness;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Rules;
import dev.baton.queue.RulesChange;
import dev.baton.queue.RunRef;
import dev.baton.queue.RunStatus;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.store.MemoryStores;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Maintainers who act at the same moment, and on jobs that still run. */
class MaintainersWordTest {

  private final FakeWorld world = new FakeWorld();
  private final FakeTasks tasks = new FakeTasks(world);
  private final MemoryStores stores = new MemoryStores();
  private final Map<Long, RunStatus.Answer> runs = new HashMap<>();
  private final BuildQueue queue = open(stores);

  private BuildQueue open(StoreSpace space) {
    return QueueEngine.open(
        space,
        world,
        EngineSettings.DEFAULT,
        run -> runs.getOrDefault(run.runId(), RunStatus.Answer.UNKNOWN));
  }

  @BeforeEach
  void create() {
    tasks.now(() -> queue.create(Rules.DEFAULT));
  }

  // ---- rules

  @Test
  void raisingMaxHoldKeepsARuleThatSomebodyElseChangesMeanwhile() {
    BuildQueue racing =
        open(new Interleaved(() -> queue.changeRules(RulesChange.NONE.withSlots(3), "ann")));

    assertThat(tasks.now(() -> racing.raiseMaxHold(Duration.ofHours(8), "job")))
        .isInstanceOf(Answer.Done.class);

    QueueDocument d = tasks.now(queue::status);
    assertThat(d.rules()).isEqualTo(Rules.DEFAULT.withSlots(3).withMaxHold(Duration.ofHours(8)));
    assertThat(d.history())
        .extracting(HistoryEntry::note)
        .containsExactly("slots 1 → 3", "max-hold 6h → 8h");
  }

  @Test
  void changingOneRuleKeepsAnotherThatSomebodyElseChangesMeanwhile() {
    BuildQueue racing = open(new Interleaved(() -> queue.raiseMaxHold(Duration.ofHours(8), "job")));

    tasks.now(() -> racing.changeRules(RulesChange.NONE.withSlots(3), "ann"));

    assertThat(tasks.now(queue::status).rules())
        .isEqualTo(Rules.DEFAULT.withSlots(3).withMaxHold(Duration.ofHours(8)));
  }

  @Test
  void ofTwoWhoRaiseMaxHoldTheHigherOneStays() {
    BuildQueue racing =
        open(new Interleaved(() -> queue.raiseMaxHold(Duration.ofHours(9), "long")));

    tasks.now(() -> racing.raiseMaxHold(Duration.ofHours(8), "job"));

    assertThat(tasks.now(queue::status).rules().maxHold()).isEqualTo(Duration.ofHours(9));
  }

  // ---- unlocking

  @Test
  void aJobThatRunsOrMayRunKeepsItsLockUnlessItIsTakenAtOnce() {
    Ticket holder = join(1);
    join(2);
    for (RunStatus.Answer mayRun : List.of(RunStatus.Answer.RUNNING, RunStatus.Answer.UNKNOWN)) {
      runs.put(1L, mayRun);
      assertThat(unlock(holder, false)).as("%s", mayRun).isInstanceOf(Answer.Refused.class);
      Slot slot = tasks.now(queue::status).slots().get(0);
      assertThat(slot.belongsTo(holder.number(), holder.token())).isTrue();
      assertThat(slot.state()).isEqualTo(Slot.State.BUILDING);
    }
    assertThat(unlock(holder, true)).isInstanceOf(Answer.Done.class);
    assertThat(tasks.now(queue::status).slots().get(0).ticket()).isEqualTo(2);
  }

  @Test
  void aJobThatHasEndedGivesWayWithoutFurtherAdo() {
    Ticket holder = join(1);
    join(2);
    runs.put(1L, RunStatus.Answer.ENDED);
    assertThat(unlock(holder, false)).isInstanceOf(Answer.Done.class);
    assertThat(tasks.now(queue::status).slots().get(0).ticket()).isEqualTo(2);
  }

  @Test
  void aTicketThatHasGivenTheLockBackCannotLoseIt() {
    Ticket holder = join(1);
    tasks.now(() -> queue.release(holder.number(), holder.token(), "done"));
    assertThat(unlock(holder, true))
        .isInstanceOfSatisfying(
            Answer.Refused.class,
            r -> assertThat(r.message()).contains("gave it back").contains("nobody has it now"));
  }

  private Answer unlock(Ticket t, boolean now) {
    return tasks.now(() -> queue.forceUnlock(t.number(), t.token(), "ann", "hangs", now));
  }

  private Ticket join(long run) {
    Entry entry =
        new Entry(
            "nonce-000" + run,
            "job " + run,
            "app",
            Liveness.RUN,
            Optional.of(new RunRef("octo/app", run, 1, 0, "build")),
            0);
    return tasks.now(() -> queue.join(entry));
  }

  /** The same stores, where something happens right before the first change of the queue. */
  private final class Interleaved implements StoreSpace {
    private Callable<?> meanwhile;

    Interleaved(Callable<?> meanwhile) {
      this.meanwhile = meanwhile;
    }

    private void happen() {
      Callable<?> due = meanwhile;
      meanwhile = null;
      if (due != null) {
        try {
          due.call();
        } catch (Exception e) {
          throw new AssertionError(e);
        }
      }
    }

    @Override
    public VersionedStore document(String name) {
      VersionedStore real = stores.document(name);
      return !name.equals("queue")
          ? real
          : new VersionedStore() {
            @Override
            public Snapshot read() throws StoreException {
              return real.read();
            }

            @Override
            public WriteResult write(Version expected, String next, String message)
                throws StoreException {
              happen();
              return real.write(expected, next, message);
            }

            @Override
            public List<String> earlier(Snapshot present, int limit) throws StoreException {
              return real.earlier(present, limit);
            }

            @Override
            public String setAside(Snapshot broken) throws StoreException {
              return real.setAside(broken);
            }
          };
    }

    @Override
    public Traits traits() {
      return stores.traits();
    }
  }
}
