package dev.baton.queue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.FakeTasks;
import dev.baton.core.FakeTasks.Running;
import dev.baton.core.FakeWorld;
import dev.baton.core.World;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.BuildResult;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Grant;
import dev.baton.queue.Release;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunStatus;
import dev.baton.queue.event.LockEvent;
import dev.baton.queue.event.LockEvent.Type;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a listener hears of locks, from the first wait to the last release. */
class LockWitnessTest {

  private final FakeWorld world = new FakeWorld();
  private final FakeTasks tasks = new FakeTasks(world);
  private final OddStores truth = new OddStores(world);
  private final List<Client> clients = new ArrayList<>();

  private final class Client {
    final OddStores store = truth.another();
    final BuildQueue queue =
        QueueEngine.open(store, world, EngineSettings.DEFAULT, RunStatus.BLIND);
    final List<LockEvent> heard = new CopyOnWriteArrayList<>();

    Client() {
      queue.listen(heard::add);
      clients.add(this);
    }

    Running<Acquisition> acquire(String owner, Duration timeout) {
      Request request = new Request(Request.of(owner, "app").entry(), Optional.ofNullable(timeout));
      return tasks.later(() -> queue.acquire(request, p -> {}));
    }

    Grant granted(String owner) {
      Running<Acquisition> waiting = acquire(owner, null);
      world.advance(Duration.ofSeconds(1));
      return ((Acquisition.Acquired) waiting.get()).grant();
    }

    /** The types in their order, each run of one type once. */
    List<Type> types() {
      List<Type> all = new ArrayList<>();
      for (LockEvent event : heard) {
        if (all.isEmpty() || all.get(all.size() - 1) != event.type()) {
          all.add(event.type());
        }
      }
      return all;
    }

    LockEvent first(Type type) {
      return heard.stream().filter(e -> e.type() == type).findFirst().orElseThrow();
    }
  }

  @BeforeEach
  void create() {
    Client any = new Client();
    assertThat(tasks.now(() -> any.queue.create(Rules.DEFAULT))).isTrue();
  }

  @AfterEach
  void leaveNoThreadBehind() {
    for (Client client : clients) {
      client.store.fail(null);
      tasks.later(
          () -> {
            client.queue.close();
            return true;
          });
    }
    world.advance(Duration.ofHours(3));
    assertThat(world.living()).isEmpty();
  }

  @Test
  void aTurnIsHeardFromItsBeginningToItsEnd() {
    Client one = new Client();
    Grant grant = one.granted("ann");
    world.advance(Duration.ofMinutes(10));
    tasks.now(() -> grant.release(BuildResult.UNKNOWN, ""));
    assertThat(one.types()).containsExactly(Type.ACQUIRED, Type.HEARTBEAT, Type.RELEASED);
    LockEvent released = one.first(Type.RELEASED);
    assertThat(released.holder()).isEqualTo("ann");
    assertThat(released.title()).isEqualTo("app");
    assertThat(released.token()).isEqualTo(grant.fencingToken());
    assertThat(released.lasted().orElseThrow()).isBetween(min(10), min(11));
    assertThat(one.heard).filteredOn(e -> e.type() == Type.RELEASED).hasSize(1);
  }

  @Test
  void aListenerThatHangsHoldsUpNeitherHeartbeatsNorTheRelease() {
    Client one = new Client();
    World.Signal never = world.newSignal();
    List<LockEvent> heard = new CopyOnWriteArrayList<>();
    one.queue.listen(
        event -> {
          heard.add(event);
          awaitUninterrupted(never);
        });
    Grant grant = one.granted("ann");
    for (int minute = 0; minute < 30; minute++) {
      world.advance(min(1));
      assertThat(grant.state()).isEqualTo(Grant.State.HELD);
    }
    assertThat(heard).as("one call at a time").hasSize(1);
    Running<Release> release = tasks.later(() -> grant.release(BuildResult.UNKNOWN, ""));
    world.advance(Duration.ofSeconds(5));
    assertThat(release.get()).isEqualTo(Release.GIVEN_BACK);
    one.queue.listen(one.heard::add);
    never.raise();
    world.advance(Duration.ofSeconds(1));
    assertThat(one.types()).as("in order").containsExactly(Type.HEARTBEAT, Type.RELEASED);
  }

  private static void awaitUninterrupted(World.Signal signal) {
    try {
      signal.await(Duration.ofHours(2));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Duration min(int minutes) {
    return Duration.ofMinutes(minutes);
  }

  @Test
  void aWaitThatEndsWithoutTheLockIsHeard() {
    Grant grant = new Client().granted("ann");
    Client two = new Client();
    Running<Acquisition> waiting = two.acquire("bob", min(2));
    world.advance(min(3));
    assertThat(waiting.get()).isInstanceOf(Acquisition.TimedOut.class);
    assertThat(two.types()).containsExactly(Type.NOT_ACQUIRED);
    assertThat(two.heard.get(0).lasted().orElseThrow()).isBetween(min(2), min(3));
    assertThat(two.heard.get(0).why()).isEqualTo("timed out");
    tasks.now(() -> grant.release(""));
  }

  @Test
  void aHolderOutOfReachLosesItsLockAndTheNextOneSeesWhy() {
    Client one = new Client();
    one.granted("ann");
    Client two = new Client();
    Running<Acquisition> waiting = two.acquire("bob", null);
    world.advance(min(1));
    one.store.fail(StoreException.passing("the network is down", null));
    world.advance(min(20));
    assertThat(one.types())
        .containsSubsequence(Type.ACQUIRED, Type.HEARTBEAT_FAILED, Type.LOST)
        .doesNotContain(Type.RELEASED);
    assertThat(one.first(Type.LOST).why()).contains("could not be renewed in time");
    assertThat(waiting.get()).isInstanceOf(Acquisition.Acquired.class);
    assertThat(two.types()).containsSubsequence(Type.STALE, Type.REAPED, Type.ACQUIRED);
    LockEvent stale = two.first(Type.STALE);
    assertThat(stale.holder()).isEqualTo("ann");
    assertThat(stale.lasted().orElseThrow()).isGreaterThan(min(2));
    assertThat(two.heard).filteredOn(e -> e.type() == Type.STALE).hasSize(1);
  }

  @Test
  void aLockThatIsTakenAwayIsHeardByBoth() {
    Client one = new Client();
    Grant grant = one.granted("ann");
    Client maintainer = new Client();
    tasks.now(
        () ->
            maintainer.queue.forceUnlock(
                grant.ticket(), grant.fencingToken(), "eve", "hangs", false));
    world.advance(min(10));
    assertThat(maintainer.types()).containsExactly(Type.FORCE_UNLOCKED);
    LockEvent forced = maintainer.heard.get(0);
    assertThat(forced.by()).contains("eve");
    assertThat(forced.holder()).isEqualTo("ann");
    assertThat(forced.why()).isEqualTo("hangs");
    assertThat(one.types()).contains(Type.LOST);
  }

  @Test
  void aLockIsGivenBackByAnotherProcessOnce() {
    Client one = new Client();
    Grant grant = one.granted("ann");
    Client other = new Client();
    for (int i = 0; i < 2; i++) {
      tasks.now(() -> other.queue.release(grant.ticket(), grant.fencingToken(), ""));
    }
    assertThat(other.types()).containsExactly(Type.RELEASED);
    assertThat(other.heard).hasSize(1);
  }

  @Test
  void aListenerThatFailsChangesNothing() {
    Client one = new Client();
    one.queue.listen(
        event -> {
          throw new IllegalStateException("a listener that fails");
        });
    Grant grant = one.granted("ann");
    world.advance(min(10));
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
    tasks.now(() -> grant.release(""));
  }

  /** As where its thread cannot be started, or a class of it is missing. */
  @Test
  void aListenerThatFailsBadlyChangesNothingEither() {
    Client one = new Client();
    one.queue.listen(
        event -> {
          throw new OutOfMemoryError("unable to create native thread");
        });
    Grant grant = one.granted("ann");
    world.advance(min(10));
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
    Running<Acquisition> waiting = one.acquire("bob", min(2));
    world.advance(min(3));
    assertThat(waiting.get()).isInstanceOf(Acquisition.TimedOut.class);
    assertThat(tasks.now(() -> grant.release(BuildResult.UNKNOWN, "")))
        .isEqualTo(Release.GIVEN_BACK);
  }

  @Test
  void oneWhoGivesUpLeavesTheLineBeforeThatIsHeard() throws Exception {
    Grant grant = new Client().granted("ann");
    Client two = new Client();
    List<Integer> inLine = new CopyOnWriteArrayList<>();
    two.queue.listen(event -> inLine.add(lineLength()));
    Running<Acquisition> waiting = two.acquire("bob", null);
    world.advance(min(1));
    assertThat(lineLength()).isEqualTo(1);
    world.interrupt(waiting.name());
    world.advance(min(1));
    assertThat(waiting.failure()).isInstanceOf(InterruptedException.class);
    assertThat(inLine).containsExactly(0);
    tasks.now(() -> grant.release(""));
  }

  private int lineLength() {
    try {
      return DocumentCodec.decode(truth.content("queue")).line().size();
    } catch (StoreException e) {
      throw new AssertionError(e);
    }
  }
}
