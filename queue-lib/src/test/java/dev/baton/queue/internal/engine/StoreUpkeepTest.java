package dev.baton.queue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.FakeTasks;
import dev.baton.core.FakeWorld;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Grant;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunStatus;
import dev.baton.queue.internal.codec.DocumentCodec;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which clients have the store let go of old contents, and when. */
class StoreUpkeepTest {
  private static final int INTERVAL = 64;

  /** Versions of the queue after a multiple of the interval whose writers are to do it. */
  private static final int WINDOW = 4;

  private final FakeWorld world = new FakeWorld();
  private final FakeTasks tasks = new FakeTasks(world);
  private final Compacting stores = new Compacting();

  @BeforeEach
  void create() {
    tasks.now(() -> open().create(Rules.DEFAULT));
  }

  private BuildQueue open() {
    return QueueEngine.open(stores, world, EngineSettings.DEFAULT, RunStatus.BLIND);
  }

  private static Grant acquire(FakeTasks tasks, BuildQueue queue) {
    Acquisition got = tasks.now(() -> queue.acquire(Request.of("ann", "app"), p -> {}));
    return ((Acquisition.Acquired) got).grant();
  }

  /** A build that takes no time, by a client that ends with it. */
  private long build() {
    BuildQueue queue = open();
    Grant grant = acquire(tasks, queue);
    tasks.now(() -> grant.release("ok"));
    tasks.now(
        () -> {
          queue.close();
          return null;
        });
    return version();
  }

  private long version() {
    QueueDocument d = tasks.now(() -> open().status());
    return d.version();
  }

  private static boolean isInWindow(long version) {
    return version >= INTERVAL && version % INTERVAL < WINDOW;
  }

  /** Until the next build is the first to release at a version in the window; 2 versions each. */
  private void buildUntilDue() {
    do {
      build();
    } while (isInWindow(version()) || !isInWindow(version() + 2));
    stores.compacted.clear();
  }

  @Test
  void theFirstReleasesAfterAMultipleOfTheIntervalDoIt() {
    List<Long> at = new ArrayList<>();
    for (int i = 0; i < 2 * INTERVAL; i++) {
      long version = build();
      if (!stores.compacted.isEmpty()) {
        assertThat(stores.compacted).containsExactly("queue");
        at.add(version);
      }
      stores.compacted.clear();
    }
    assertThat(at)
        .as("half of the versions are releases")
        .hasSizeBetween(3 * WINDOW / 2, 5 * WINDOW / 2)
        .allMatch(StoreUpkeepTest::isInWindow);
  }

  @Test
  void itIsTheLastThingThatAClientDoes() {
    buildUntilDue();
    BuildQueue queue = open();
    Grant grant = acquire(tasks, queue);
    tasks.now(() -> grant.release("ok"));
    assertThat(stores.compacted).as("the lock is given back first").isEmpty();

    queue.close();
    assertThat(stores.compacted).containsExactly("queue");
    queue.close();
    assertThat(stores.compacted).as("once").hasSize(1);
  }

  @Test
  void aClientThatOnlyTakesTheLockDoesNot() {
    while (!isInWindow(version() + 1)) {
      build();
    }
    stores.compacted.clear();
    BuildQueue queue = open();
    tasks.now(() -> queue.join(Request.of("ann", "app").entry()));
    queue.close();
    assertThat(isInWindow(version())).isTrue();
    assertThat(stores.compacted).isEmpty();
  }

  @Test
  void aHolderThatHasBeatenPastAMultipleDoesItForItsSlot() {
    long before = stores.beatVersion();
    long beats = INTERVAL - before % INTERVAL;

    beat(beats - 2);
    assertThat(stores.compacted).doesNotContain("beat-0");
    beat(4);
    assertThat(stores.compacted).contains("beat-0");
    assertThat(stores.beatVersion() / INTERVAL).isEqualTo(before / INTERVAL + 1);
    stores.compacted.clear();
    beat(4);
    assertThat(stores.compacted).doesNotContain("beat-0");
  }

  /** A build that beats so many times. */
  private void beat(long times) {
    BuildQueue queue = open();
    Grant grant = acquire(tasks, queue);
    world.advance(Rules.DEFAULT.beat().multipliedBy(times).plusSeconds(5));
    tasks.now(() -> grant.release("ok"));
    queue.close();
  }

  @Test
  void requestsThatAreShortAreLeftToOthers() {
    buildUntilDue();
    stores.restraint = Duration.ofMinutes(1);
    build();
    assertThat(stores.compacted).isEmpty();
    stores.restraint = Duration.ZERO;
    build();
    assertThat(stores.compacted).as("the next one in the window").containsExactly("queue");
  }

  @Test
  void aClientThatIsBeingInterruptedGoesAtOnce() {
    buildUntilDue();
    BuildQueue queue = open();
    Grant grant = acquire(tasks, queue);
    tasks.now(() -> grant.release("ok"));
    Thread.currentThread().interrupt();
    queue.close();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(stores.compacted).isEmpty();
  }

  @Test
  void aStoreThatRefusesIsNobodysTrouble() {
    buildUntilDue();
    stores.refuses = true;
    build();
    assertThat(stores.compacted).containsExactly("queue");
  }

  @Test
  void otherStoresAreNotAsked() {
    stores.interval = 0;
    for (int i = 0; i < INTERVAL; i++) {
      build();
    }
    assertThat(stores.compacted).isEmpty();
  }

  /** Documents in memory that note who wants them to be compacted. */
  private static final class Compacting implements StoreSpace {
    private final MemoryStores memory = new MemoryStores();
    private final List<String> compacted = new ArrayList<>();
    private int interval = INTERVAL;
    private Duration restraint = Duration.ZERO;
    private boolean refuses;

    long beatVersion() {
      try {
        String text = memory.document("beat-0").read().content().orElseThrow();
        return DocumentCodec.decodeBeat(text).version();
      } catch (StoreException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public Traits traits() {
      return memory.traits();
    }

    @Override
    public int compactionInterval() {
      return interval;
    }

    @Override
    public Duration restraint(int place) {
      return restraint;
    }

    @Override
    public VersionedStore document(String name) {
      VersionedStore store = memory.document(name);
      return new VersionedStore() {
        @Override
        public Snapshot read() throws StoreException {
          return store.read();
        }

        @Override
        public WriteResult write(Version expected, String next, String message)
            throws StoreException {
          return store.write(expected, next, message);
        }

        @Override
        public List<String> earlier(Snapshot present, int limit) throws StoreException {
          return store.earlier(present, limit);
        }

        @Override
        public boolean compact() throws StoreException {
          compacted.add(name);
          if (refuses) {
            throw StoreException.passing("a rule forbids it", null);
          }
          return true;
        }

        @Override
        public String setAside(Snapshot broken) throws StoreException {
          return store.setAside(broken);
        }
      };
    }
  }
}
