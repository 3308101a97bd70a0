package dev.baton.queue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.FakeTasks;
import dev.baton.core.FakeWorld;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Entry;
import dev.baton.queue.Grant;
import dev.baton.queue.Liveness;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Release;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.RunStatus;
import dev.baton.queue.Ticket;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.queue.internal.protocol.Command;
import dev.baton.queue.internal.protocol.Protocol;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreSpace;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The queue on a store that has no compare-and-set, with stale reads and slow writes. */
class IssueLockingTest {

  private static final Duration STALE = Duration.ofSeconds(15);
  private static final Duration WRITE = Duration.ofSeconds(12);

  private final FakeWorld world = new FakeWorld();
  private final FakeTasks tasks = new FakeTasks(world);

  @Test
  void aChangeTakesTheLockAndGivesItBack() {
    Loose store = new Loose(world, 1, STALE, WRITE);
    store.put(QueueDocument.empty(QueueDocument.MODE_ISSUE, Rules.DEFAULT));
    var ticket = tasks.later(() -> open(store).join(entry(1)));
    world.advance(Duration.ofMinutes(3));
    assertThat(ticket.get().number()).isEqualTo(1);
    assertThat(store.document().issueLock()).isEmpty();
    assertThat(store.document().tickets()).hasSize(1);
    assertThat(store.nonces).as("written into the document first").isNotEmpty();
  }

  @Test
  void aWorkflowJobAcquiresAndReleases() {
    Loose store = new Loose(world, 2, STALE, WRITE);
    BuildQueue queue = open(store);
    var created = tasks.later(() -> queue.create(Rules.DEFAULT));
    world.advance(Duration.ofMinutes(1));
    assertThat(created.get()).isTrue();
    var acquired = tasks.later(() -> queue.acquire(job(1), p -> {}));
    world.advance(Duration.ofMinutes(5));
    Grant grant = ((Acquisition.Acquired) acquired.get()).grant();
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
    var released = tasks.later(() -> grant.release("ok"));
    world.advance(Duration.ofMinutes(5));
    assertThat(released.get()).isEqualTo(Release.GIVEN_BACK);
    assertThat(store.document().tickets()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void insideTheBoundNoTicketIsLost(long seed) {
    assertThat(joinedOf5(seed, STALE, WRITE)).isEqualTo(5);
  }

  @Test
  void outsideTheBoundTicketsAreLost() {
    int lost = 0;
    for (long seed = 1; seed <= 20; seed++) {
      lost += 5 - joinedOf5(seed, Duration.ofSeconds(1), Duration.ofSeconds(10));
    }
    assertThat(lost).as("the store is slower than the client believes").isPositive();
  }

  /** How many of five who join at about the same time are in the queue afterwards. */
  private int joinedOf5(long seed, Duration believedStale, Duration believedWrite) {
    FakeWorld time = new FakeWorld();
    FakeTasks five = new FakeTasks(time);
    Loose store = new Loose(time, seed, STALE, WRITE);
    store.believed = new StoreSpace.Settling(believedStale, believedWrite);
    store.put(QueueDocument.empty(QueueDocument.MODE_ISSUE, Rules.DEFAULT));
    List<FakeTasks.Running<Ticket>> joins = new ArrayList<>();
    EngineSettings patient =
        new EngineSettings(Duration.ofSeconds(5), 1000, Duration.ofHours(20), Duration.ofHours(1));
    for (int i = 1; i <= 5; i++) {
      int number = i;
      joins.add(
          five.later(
              () -> QueueEngine.open(store, time, patient, RunStatus.BLIND).join(entry(number))));
      time.advance(Duration.ofMillis(store.random.nextInt(20_000)));
    }
    time.advance(Duration.ofHours(10));
    assertThat(joins).allMatch(FakeTasks.Running::isDone);
    return store.document().tickets().size();
  }

  @Test
  void theLockOfSomebodyWhoDiedIsTakenOver() {
    Loose store = new Loose(world, 3, STALE, WRITE);
    QueueDocument locked =
        Protocol.apply(
                QueueDocument.empty(QueueDocument.MODE_ISSUE, Rules.DEFAULT),
                new Command.TakeIssueLock("somebody", "0123456789"),
                world.now())
            .document();
    store.put(locked);
    var ticket = tasks.later(() -> open(store).join(entry(1)));
    world.advance(Duration.ofSeconds(60));
    assertThat(store.document().issueLock().orElseThrow().nonce())
        .as("not before its lease is over")
        .isEqualTo("0123456789");
    world.advance(Duration.ofMinutes(5));
    assertThat(ticket.get().number()).isEqualTo(1);
    assertThat(store.document().issueLock()).isEmpty();
  }

  @Test
  void aClientThatSleptSinceItTookTheLockTakesItOnceMore() {
    Loose store = new Loose(world, 6, STALE, WRITE);
    store.put(QueueDocument.empty(QueueDocument.MODE_ISSUE, Rules.DEFAULT));
    var ticket = tasks.later(() -> open(store).join(entry(1)));
    world.advance(WRITE);
    assertThat(store.nonces).hasSize(1);
    // For others, its lock is over now.
    world.sleepMachine(store.believed.lease());
    world.advance(Duration.ofMinutes(10));
    assertThat(ticket.get().number()).isEqualTo(1);
    assertThat(store.nonces).as("the first lock may be somebody else's by now").hasSize(2);
  }

  /** Others may have taken the lock over, on reads that do not show a write that lands so late. */
  @Test
  void aChangeWithAnUnknownOutcomeIsRepeatedOnlyAsLongAsTheLockIsSurelyHeld() {
    Loose store = new Loose(world, 7, STALE, WRITE);
    store.put(QueueDocument.empty(QueueDocument.MODE_ISSUE, Rules.DEFAULT));
    store.unanswered = Optional.of(Duration.ofSeconds(14));
    var ticket = tasks.later(() -> open(store).join(entry(1)));
    world.advance(Duration.ofMinutes(10));
    assertThat(ticket.get().number()).isEqualTo(1);
    assertThat(store.document().tickets()).hasSize(1);
    assertThat(store.changesBegun)
        .as("since the lock was taken")
        .hasSizeGreaterThan(1)
        .allMatch(d -> d.plus(WRITE).plus(STALE).compareTo(store.believed.lease()) <= 0);
  }

  @Test
  void aStoreWithOldReadsAndQuickWritesCanBeChanged() {
    Loose store = new Loose(world, 1, STALE, Duration.ofSeconds(3));
    store.put(QueueDocument.empty(QueueDocument.MODE_ISSUE, Rules.DEFAULT));
    var ticket = tasks.later(() -> open(store).join(entry(1)));
    world.advance(Duration.ofMinutes(10));
    assertThat(ticket.isDone()).isTrue();
    assertThat(store.document().tickets()).hasSize(1);
  }

  @Test
  void aWaitOutlastsOthersWhoAreFasterToTakeTheLock() {
    Loose store = new Loose(world, 5, STALE, WRITE);
    QueueDocument empty = QueueDocument.empty(QueueDocument.MODE_ISSUE, Rules.DEFAULT);
    QueueDocument held =
        Protocol.apply(empty, new Command.Join(entry(1), 20), world.now()).document();
    store.put(Protocol.apply(held, new Command.Join(entry(2), 20), world.now()).document());
    AtomicReference<RunStatus.Answer> first = new AtomicReference<>(RunStatus.Answer.RUNNING);
    BuildQueue queue = QueueEngine.open(store, world, EngineSettings.DEFAULT, run -> first.get());
    var second = tasks.later(() -> queue.acquire(job(2), p -> {}));
    world.advance(Duration.ofMinutes(2));
    first.set(RunStatus.Answer.ENDED);
    for (int minute = 0; minute < 60; minute++) {
      store.put(lockedBySomebody(store.document(), "others-" + (100 + minute)));
    }
    assertThat(second.isDone()).as("others have the issue lock all the time").isFalse();
    world.advance(Duration.ofMinutes(10));
    assertThat(second.get()).isInstanceOf(Acquisition.Acquired.class);
  }

  private QueueDocument lockedBySomebody(QueueDocument d, String nonce) {
    QueueDocument free =
        d.issueLock()
            .map(l -> new Command.BreakIssueLock(l.nonce(), l.renewal()))
            .map(c -> Protocol.apply(d, c, world.now()).document())
            .orElse(d);
    return Protocol.apply(free, new Command.TakeIssueLock("somebody", nonce), world.now())
        .document();
  }

  @Test
  void whoNeedsAHeartbeatIsRefused() {
    Loose store = new Loose(world, 4, STALE, WRITE);
    Acquisition result =
        tasks.now(() -> open(store).acquire(Request.of("ann on a laptop", "app"), p -> {}));
    assertThat(result)
        .isInstanceOfSatisfying(
            Acquisition.Refused.class,
            r -> assertThat(r.message()).contains("workflow jobs only").contains("git mode"));
  }

  @Test
  void aQueueInTheOtherModeIsLeftAlone() {
    Loose store = new Loose(world, 5, STALE, WRITE);
    store.put(QueueDocument.empty(QueueDocument.MODE_CAS, Rules.DEFAULT));
    var ticket = tasks.later(() -> open(store).join(entry(1)));
    world.advance(Duration.ofMinutes(1));
    assertThat(ticket.failure()).hasMessageContaining("Open it in that mode");
    assertThat(store.document().tickets()).isEmpty();
  }

  // ---- support

  private BuildQueue open(StoreSpace space) {
    return QueueEngine.open(space, world, EngineSettings.DEFAULT, RunStatus.BLIND);
  }

  private static Entry entry(int number) {
    return job(number).entry();
  }

  private static Request job(int number) {
    Entry entry =
        new Entry(
            "nonce-" + "0".repeat(4) + number,
            "job " + number,
            "app",
            Liveness.RUN,
            Optional.of(new RunRef("octo/app", number, 1, 0, "build")),
            0);
    return new Request(entry, Optional.empty());
  }

  /** One document that is read late and written late, and never compared by the store itself. */
  private static final class Loose implements StoreSpace, VersionedStore {
    private final FakeWorld world;
    private final Random random;
    private final Duration staleness;
    private final Duration write;
    private final TreeMap<Long, String> states = new TreeMap<>();
    private final Set<String> nonces = new LinkedHashSet<>();
    private final List<Duration> changesBegun = new ArrayList<>();
    private StoreSpace.Settling believed;

    /** After how long the first change has no answer; then taking the lock takes its time too. */
    private Optional<Duration> unanswered = Optional.empty();

    private long takenAt;

    Loose(FakeWorld world, long seed, Duration staleness, Duration write) {
      this.world = world;
      this.random = new Random(seed);
      this.staleness = staleness;
      this.write = write;
      this.believed = new StoreSpace.Settling(staleness, write);
    }

    /** It has been there for a while. */
    void put(QueueDocument d) {
      synchronized (this) {
        put(DocumentCodec.encode(d));
      }
      world.advance(Duration.ofMinutes(1));
    }

    private void put(String text) {
      states.put(world.nanos(), text);
      DocumentCodec.decode(text).issueLock().ifPresent(l -> nonces.add(l.nonce()));
    }

    synchronized QueueDocument document() {
      return DocumentCodec.decode(states.lastEntry().getValue());
    }

    @Override
    public synchronized Snapshot read() {
      long at = world.nanos() - (long) (random.nextDouble() * staleness.toNanos());
      Map.Entry<Long, String> seen = states.floorEntry(at);
      return seen == null
          ? Snapshot.ABSENT
          : Snapshot.of(version(seen.getValue()), seen.getValue());
    }

    private static Version version(String text) {
      return new Version(Integer.toHexString(text.hashCode()));
    }

    /** Checks what it reads, and then takes its time. */
    @Override
    public WriteResult write(Version expected, String next, String message) {
      if (!read().version().equals(expected)) {
        return new WriteResult.Lost();
      }
      boolean takes = DocumentCodec.decode(next).issueLock().isPresent();
      Optional<Duration> lost = Optional.empty();
      long delay;
      synchronized (this) {
        delay = (long) (random.nextDouble() * write.toNanos());
        if (takes) {
          takenAt = world.nanos();
          delay = unanswered.isPresent() ? write.toNanos() : delay;
        } else {
          changesBegun.add(Duration.ofNanos(world.nanos() - takenAt));
          lost = unanswered;
          unanswered = Optional.empty();
        }
      }
      waitFor(lost.orElse(Duration.ofNanos(delay)));
      if (lost.isPresent()) {
        return new WriteResult.Unknown("no answer");
      }
      synchronized (this) {
        put(next);
      }
      return new WriteResult.Written(version(next));
    }

    private void waitFor(Duration time) {
      try {
        world.newSignal().await(time);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public List<String> earlier(Snapshot present, int limit) {
      return List.of();
    }

    @Override
    public String setAside(Snapshot broken) {
      return "nowhere";
    }

    @Override
    public VersionedStore document(String name) {
      assertThat(name).isEqualTo("queue");
      return this;
    }

    @Override
    public Traits traits() {
      return new Traits("loose", "the test", 20, 60_000, Duration.ofSeconds(2), staleness);
    }

    @Override
    public Optional<Settling> settling() {
      return Optional.of(believed);
    }
  }
}
