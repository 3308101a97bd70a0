package dev.baton.queue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.FakeTasks;
import dev.baton.core.FakeTasks.Running;
import dev.baton.core.FakeWorld;
import dev.baton.core.World;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Grant;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunStatus;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** Clients of one queue in memory, in a world whose time goes by when a test says so. */
abstract class ClientsOfOneQueue {

  final FakeWorld world;
  final FakeTasks tasks;

  /** One client's way to the documents. */
  final OddStores stores;

  private final List<OddStores> ways = new ArrayList<>();
  private final List<BuildQueue> opened = new ArrayList<>();
  private final List<Running<?>> waits = new ArrayList<>();

  ClientsOfOneQueue() {
    this(new FakeWorld());
  }

  ClientsOfOneQueue(FakeWorld world) {
    this.world = world;
    tasks = new FakeTasks(world);
    stores = new OddStores(world);
    ways.add(stores);
  }

  @AfterEach
  void leaveNoThreadBehind() {
    ways.forEach(OddStores::heal);
    for (BuildQueue queue : opened) {
      tasks.later(
          () -> {
            queue.close();
            return true;
          });
    }
    waits.stream().filter(w -> !w.isDone()).forEach(w -> world.interrupt(w.name()));
    world.advance(Duration.ofHours(3));
    assertThat(world.living()).isEmpty();
  }

  final void create(Rules rules) {
    BuildQueue queue = open(stores);
    assertThat(tasks.now(() -> queue.create(rules))).isTrue();
  }

  /** Another client's way, which fails no more when the test is over. */
  final OddStores another() {
    OddStores way = stores.another();
    ways.add(way);
    return way;
  }

  final BuildQueue open(StoreSpace by) {
    return open(by, world, statusOfJobs());
  }

  final BuildQueue open(StoreSpace by, World machine, RunStatus status) {
    BuildQueue queue = QueueEngine.open(by, machine, EngineSettings.DEFAULT, status);
    opened.add(queue);
    return queue;
  }

  /** What clients see of workflow jobs. */
  RunStatus statusOfJobs() {
    return RunStatus.BLIND;
  }

  final Running<Acquisition> wait(BuildQueue queue, Request request) {
    Running<Acquisition> wait = tasks.later(() -> queue.acquire(request, p -> {}));
    waits.add(wait);
    return wait;
  }

  static Grant grantOf(Running<Acquisition> waited) {
    assertThat(waited.get()).isInstanceOf(Acquisition.Acquired.class);
    return ((Acquisition.Acquired) waited.get()).grant();
  }

  final QueueDocument document() {
    try {
      return DocumentCodec.decode(stores.content("queue"));
    } catch (StoreException e) {
      throw new AssertionError(e);
    }
  }

  final List<HistoryEntry> events(HistoryEntry.Event event) {
    return document().history().stream().filter(h -> h.event() == event).toList();
  }
}
