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
import dev.baton.queue.RunRef;
import dev.baton.queue.RunStatus;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.queue.internal.protocol.Command;
import dev.baton.queue.internal.protocol.Protocol;
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

/** What a queue asks of a store where every request counts. */
class SparingTheStoreTest {

  private final FakeWorld world = new FakeWorld();
  private final FakeTasks tasks = new FakeTasks(world);
  private final Counting stores = new Counting();

  @BeforeEach
  void create() {
    tasks.now(() -> open().create(Rules.DEFAULT));
    stores.log.clear();
  }

  @Test
  void aColdCycleIsOneReadAndTwoWritesAndALookThatFindsNothingNew() {
    BuildQueue queue = open();
    Grant grant = acquire(queue, job(1));
    world.advance(Duration.ofMinutes(70));
    tasks.now(() -> grant.release("ok"));
    assertThat(stores.log)
        .containsExactly("read queue", "write queue", "read queue", "write queue");
  }

  @Test
  void aChangeRightAfterALookDoesNotLookAgain() {
    BuildQueue queue = open();
    tasks.now(queue::status);
    Grant grant = acquire(queue, job(1));
    assertThat(stores.log).containsExactly("read queue", "write queue");
    stores.log.clear();
    BuildQueue other = open();
    tasks.now(other::status);
    tasks.now(() -> other.release(grant.ticket(), grant.fencingToken(), ""));
    assertThat(stores.log).containsExactly("read queue", "write queue");
  }

  @Test
  void aChangeAfterALookThatIsOldByThenIsMadeAnew() {
    BuildQueue queue = open();
    tasks.now(queue::status);
    Grant grant = acquire(open(), job(1));
    stores.log.clear();
    tasks.later(() -> queue.pause("ann", "deploy"));
    world.advance(Duration.ofSeconds(5));
    assertThat(stores.log)
        .as("refused, looked at, and written")
        .containsExactly("write queue", "read queue", "write queue");
    QueueDocument d = tasks.now(() -> open().status());
    assertThat(d.paused()).isPresent();
    assertThat(d.ticket(grant.ticket())).as("nobody's change is lost").isPresent();
  }

  @Test
  void aHeartbeatIsOneWriteWithoutARead() {
    acquire(open(), Request.of("ann", "app"));
    world.advance(Duration.ofMinutes(2));
    stores.log.clear();
    world.advance(Duration.ofMinutes(15));
    assertThat(stores.log).hasSize(10).containsOnly("write beat-0");
  }

  @Test
  void theNextInLineGuessesTheHeartbeatsOfALivingHolder() {
    acquire(open(), Request.of("ann", "app"));
    tasks.later(() -> open().acquire(Request.of("bob", "app"), p -> {}));
    world.advance(Duration.ofMinutes(30));
    assertThat(stores.guessedRight).as("four looks a lease").isGreaterThan(20);
    assertThat(stores.guessedWrong).as("but for the very first ones").isLessThanOrEqualTo(2);
  }

  @Test
  void thoseFurtherBackHardlyLookAtHeartbeatsAndJobs() {
    List<RunRef> asked = new ArrayList<>();
    RunStatus status =
        run -> {
          asked.add(run);
          return RunStatus.Answer.RUNNING;
        };
    acquire(open(), job(1));
    for (int i = 2; i <= 9; i++) {
      int number = i;
      tasks.later(
          () ->
              QueueEngine.open(stores, world, EngineSettings.DEFAULT, status)
                  .acquire(job(number), p -> {}));
    }
    world.advance(Duration.ofMinutes(60));
    assertThat(asked.size())
        .as("the first every five minutes, the others ever less")
        .isBetween(12, 40);
  }

  @Test
  void aStoreThatIsShortOfRequestsIsLeftAloneByThoseWhoWait() {
    acquire(open(), Request.of("ann", "app"));
    tasks.later(() -> open().acquire(Request.of("bob", "app"), p -> {}));
    world.advance(Duration.ofSeconds(30));
    stores.restraint = Duration.ofMinutes(10);
    world.advance(Duration.ofSeconds(30));
    stores.log.clear();
    world.advance(Duration.ofMinutes(20));
    assertThat(stores.log.stream().filter("read queue"::equals).count()).isLessThanOrEqualTo(3);
    assertThat(stores.log).as("the holder goes on").contains("write beat-0");
  }

  @Test
  void aHolderThatIsToldToWaitDoesAndKeepsItsLock() {
    Grant grant = acquire(open(), Request.of("ann", "app"));
    stores.busy = Duration.ofSeconds(60);
    world.advance(Duration.ofMinutes(3));
    assertThat(stores.refused).as("asked again only now and then").isLessThanOrEqualTo(4);
    stores.busy = null;
    world.advance(Duration.ofMinutes(30));
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
  }

  @Test
  void anIssueLockThatIsLeftBehindDoesNotKeepNewcomersOutForever() throws StoreException {
    VersionedStore raw = stores.memory.document("queue");
    Snapshot seen = raw.read();
    QueueDocument d = DocumentCodec.decode(seen.content().orElseThrow());
    QueueDocument locked =
        Protocol.apply(d, new Command.TakeIssueLock("doctor", "0123456789"), world.now())
            .document();
    raw.write(seen.version(), DocumentCodec.encode(locked), "");
    var joined = tasks.later(() -> open().acquire(Request.of("ann", "app"), p -> {}));
    world.advance(Duration.ofSeconds(100));
    assertThat(joined.isDone()).isFalse();
    world.advance(Duration.ofSeconds(120));
    assertThat(joined.get()).isInstanceOf(Acquisition.Acquired.class);
  }

  @Test
  void whatNeverWasAQueueIsNotReplaced() throws StoreException {
    stores.keepsHistory = true;
    VersionedStore raw = stores.memory.document("queue");
    Counting foreign = new Counting();
    foreign.keepsHistory = true;
    foreign.memory.document("queue").write(Version.ABSENT, "somebody's notes", "");
    var joined =
        tasks.later(
            () ->
                QueueEngine.open(foreign, world, EngineSettings.DEFAULT, RunStatus.BLIND)
                    .acquire(Request.of("ann", "app"), p -> {}));
    world.advance(Duration.ofMinutes(10));
    assertThat(joined.failure()).hasMessageContaining("is not a queue and never was one");
    assertThat(foreign.memory.document("queue").read().content()).contains("somebody's notes");
    // But one that was a queue once is put together again.
    raw.write(raw.read().version(), "broken", "");
    assertThat(acquireLater(Request.of("ann", "app"))).isInstanceOf(Acquisition.Acquired.class);
  }

  // ---- support

  private Acquisition acquireLater(Request request) {
    var running = tasks.later(() -> open().acquire(request, p -> {}));
    world.advance(Duration.ofMinutes(20));
    return running.get();
  }

  private BuildQueue open() {
    return QueueEngine.open(stores, world, EngineSettings.DEFAULT, RunStatus.BLIND);
  }

  private Grant acquire(BuildQueue queue, Request request) {
    return ((Acquisition.Acquired) tasks.now(() -> queue.acquire(request, p -> {}))).grant();
  }

  private static Request job(int number) {
    return Request.of("job " + number, "app")
        .livingBy(new RunRef("octo/app", number, 1, 0, "build"));
  }

  private static final class Counting implements StoreSpace {
    private final MemoryStores memory = new MemoryStores();
    private final List<String> log = new ArrayList<>();
    private int guessedRight;
    private int guessedWrong;
    private int refused;
    private Duration restraint = Duration.ZERO;
    private Duration busy;
    private boolean keepsHistory;

    @Override
    public Traits traits() {
      return new Traits("test", "the test", 20, 1_000_000, Duration.ofSeconds(2), Duration.ZERO);
    }

    @Override
    public Duration restraint(int place) {
      return restraint;
    }

    @Override
    public boolean keepsHistory() {
      return keepsHistory;
    }

    @Override
    public VersionedStore document(String name) {
      VersionedStore store = memory.document(name);
      return new VersionedStore() {
        @Override
        public Snapshot read() throws StoreException {
          synchronized (log) {
            log.add("read " + name);
          }
          return store.read();
        }

        @Override
        public Snapshot readExpecting(List<String> guesses) throws StoreException {
          Snapshot s = store.read();
          if (guesses.contains(s.content().orElse(""))) {
            guessedRight++;
          } else {
            guessedWrong++;
          }
          return s;
        }

        @Override
        public WriteResult write(Version expected, String next, String message)
            throws StoreException {
          if (busy != null) {
            refused++;
            throw StoreException.busy("slow down", busy);
          }
          synchronized (log) {
            log.add("write " + name);
          }
          return store.write(expected, next, message);
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
