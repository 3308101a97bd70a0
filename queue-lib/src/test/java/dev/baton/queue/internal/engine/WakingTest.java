package dev.baton.queue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.FakeTasks;
import dev.baton.core.FakeTasks.Running;
import dev.baton.core.FakeWorld;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Grant;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunStatus;
import dev.baton.store.ChangeWatch;
import dev.baton.store.MemoryStores;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Those in line on a store that tells of changes, in virtual time. */
class WakingTest {

  private static final Duration POLL = Duration.ofHours(1);

  private final FakeWorld world = new FakeWorld();
  private final FakeTasks tasks = new FakeTasks(world);
  private final Telling stores = new Telling();

  @BeforeEach
  void create() {
    tasks.now(() -> open().create(Rules.DEFAULT.withSlots(1)));
  }

  @Test
  void theNextInLineIsWokenByTheReleaseItself() {
    Grant held = acquire("holder");
    Running<Acquisition> next = wait("next");
    world.advance(Duration.ofMinutes(1));
    assertThat(next.isDone()).isFalse();

    long before = world.nanos();
    tasks.later(() -> held.release(""));

    assertThat(next.get()).isInstanceOf(Acquisition.Acquired.class);
    assertThat(world.nanos()).as("no time has gone by").isEqualTo(before);
  }

  @Test
  void aChangeThatIsNotToldCostsAPollInterval() {
    Grant held = acquire("holder");
    Running<Acquisition> next = wait("next");
    stores.deaf = true;

    tasks.later(() -> held.release(""));
    assertThat(next.isDone()).isFalse();

    // Pauses are drawn from 0.8 to 1.2 poll intervals.
    world.advance(POLL.multipliedBy(12).dividedBy(10));
    assertThat(next.get()).isInstanceOf(Acquisition.Acquired.class);
  }

  @Test
  void aStoreThatHasToldOfAChangeIsLookedAtHalfAsOften() {
    stores.poll = Duration.ofSeconds(1);
    acquire("holder");
    String next = wait("next").name();
    int untold = looksInTenPolls(next);
    tasks.now(() -> open().join(Request.of("newcomer", "build").entry()));
    int told = looksInTenPolls(next);

    // Pauses are drawn from 0.8 to 1.2 intervals, and the first one may be under way.
    assertThat(untold).isBetween(8, 13);
    assertThat(told).isBetween(4, 7);
  }

  private int looksInTenPolls(String reader) {
    stores.readers.clear();
    world.advance(stores.poll.multipliedBy(10));
    return readersAmong(List.of(reader)).size();
  }

  @Test
  void aChangeBetweenTheLastLookAndTheWatchIsSeen() {
    Grant held = acquire("holder");
    BuildQueue other = open();
    stores.beforeWatching =
        () -> {
          try {
            other.release(held.ticket(), held.fencingToken(), "");
          } catch (InterruptedException | java.io.IOException e) {
            throw new AssertionError(e);
          }
        };

    assertThat(wait("next").get()).isInstanceOf(Acquisition.Acquired.class);
  }

  @Test
  void thoseBehindLookOneAfterTheOther() {
    acquire("holder");
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      names.add(wait("waiter " + i).name());
    }
    world.advance(Duration.ofSeconds(1));
    stores.readers.clear();

    tasks.later(() -> open().join(Request.of("newcomer", "build").entry()));
    assertThat(readersAmong(names)).containsExactly(names.get(0));

    world.advance(Duration.ofMillis(15));
    assertThat(readersAmong(names)).containsExactly(names.get(0), names.get(1));

    world.advance(Duration.ofMillis(15));
    assertThat(readersAmong(names)).isEqualTo(names);

    world.advance(Duration.ofMinutes(1));
    assertThat(readersAmong(names)).as("each of them once").isEqualTo(names);
  }

  @Test
  void thoseBehindReadSeveralChangesAtOnce() {
    acquire("holder");
    wait("next");
    String behind = wait("behind").name();
    world.advance(Duration.ofSeconds(1));
    stores.readers.clear();

    for (int i = 0; i < 3; i++) {
      String newcomer = "newcomer " + i;
      tasks.later(() -> open().join(Request.of(newcomer, "build").entry()));
    }
    world.advance(Duration.ofMinutes(1));

    assertThat(readersAmong(List.of(behind))).hasSize(1);
  }

  @Test
  void aLineThatMovesFastIsNotSleptThrough() {
    List<Grant> turns = new ArrayList<>();
    Grant held = acquire("holder");
    List<Running<Acquisition>> line = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      line.add(wait("waiter " + i));
    }
    for (Running<Acquisition> next : line) {
      Grant before = turns.isEmpty() ? held : turns.get(turns.size() - 1);
      world.advance(Duration.ofMillis(20));
      tasks.later(() -> before.release(""));
      assertThat(next.isDone()).as("turn %s", turns.size()).isTrue();
      turns.add(((Acquisition.Acquired) next.get()).grant());
    }
  }

  @Test
  void thoseFarBackDoNotListen() {
    acquire("holder");
    for (int i = 0; i < 20; i++) {
      wait("waiter " + i);
    }
    assertThat(stores.watches).hasSize(16);
  }

  @Test
  void whoeverHasItsTurnListensNoMore() {
    Grant held = acquire("holder");
    Running<Acquisition> next = wait("next");
    assertThat(stores.watches).hasSize(1);

    tasks.later(() -> held.release(""));

    assertThat(next.isDone()).isTrue();
    assertThat(stores.watches).isEmpty();
  }

  @Test
  void whoeverGivesUpListensNoMore() {
    acquire("holder");
    Running<Acquisition> impatient =
        tasks.later(
            () ->
                open()
                    .acquire(
                        Request.of("impatient", "build").waitingAtMost(Duration.ofMinutes(2)),
                        p -> {}));
    Running<Acquisition> interrupted = wait("interrupted");
    assertThat(stores.watches).hasSize(2);

    world.interrupt(interrupted.name());
    world.advance(Duration.ofMinutes(3));

    assertThat(impatient.get()).isInstanceOf(Acquisition.TimedOut.class);
    assertThat(interrupted.failure()).isInstanceOf(InterruptedException.class);
    assertThat(stores.watches).isEmpty();
  }

  @Test
  void aFreeLockIsTakenWithoutListening() {
    acquire("alone");

    assertThat(stores.everWatched).isZero();
  }

  // ---- support

  private List<String> readersAmong(List<String> names) {
    return stores.readers.stream().filter(names::contains).toList();
  }

  private BuildQueue open() {
    return QueueEngine.open(stores, world, EngineSettings.DEFAULT, RunStatus.BLIND);
  }

  private Running<Acquisition> wait(String who) {
    return tasks.later(() -> open().acquire(Request.of(who, "build"), p -> {}));
  }

  private Grant acquire(String who) {
    Acquisition result = tasks.now(() -> open().acquire(Request.of(who, "build"), p -> {}));
    return ((Acquisition.Acquired) result).grant();
  }

  /** Memory stores that tell of changes, and are looked at once an hour if not told otherwise. */
  private static final class Telling implements StoreSpace {
    private final MemoryStores memory = new MemoryStores();
    private final Set<Runnable> watches = ConcurrentHashMap.newKeySet();
    private final List<String> readers = Collections.synchronizedList(new ArrayList<>());
    private volatile Runnable beforeWatching = () -> {};
    private volatile boolean deaf;
    private volatile int everWatched;
    private volatile Duration poll = POLL;

    @Override
    public Traits traits() {
      return new Traits(
          "test", "the test", 30, 1_000_000, poll, Duration.ZERO, Duration.ofMillis(1));
    }

    @Override
    public VersionedStore document(String name) {
      VersionedStore store = memory.document(name);
      return new VersionedStore() {
        @Override
        public Snapshot read() throws StoreException {
          if (name.equals("queue")) {
            readers.add(Thread.currentThread().getName());
          }
          return store.read();
        }

        @Override
        public WriteResult write(Version expected, String next, String message)
            throws StoreException {
          WriteResult result = store.write(expected, next, message);
          if (result instanceof WriteResult.Written && name.equals("queue") && !deaf) {
            watches.forEach(Runnable::run);
          }
          return result;
        }

        @Override
        public Optional<ChangeWatch> onChange(Runnable told) {
          beforeWatching.run();
          everWatched++;
          Runnable watch = told::run;
          watches.add(watch);
          return Optional.of(() -> watches.remove(watch));
        }

        @Override
        public List<String> earlier(Snapshot present, int limit) throws StoreException {
          return store.earlier(present, limit);
        }

        @Override
        public String setAside(Snapshot broken) throws StoreException {
          return store.setAside(broken);
        }
      };
    }
  }
}
