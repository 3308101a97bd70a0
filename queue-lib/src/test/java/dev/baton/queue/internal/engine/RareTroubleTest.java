package dev.baton.queue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.Extra;
import dev.baton.core.FakeTasks;
import dev.baton.core.FakeTasks.Running;
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
import dev.baton.queue.internal.engine.OddStores.Lie;
import dev.baton.store.StoreException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What seldom happens, and must not cost a promise either. */
class RareTroubleTest {
  private final FakeWorld world = new FakeWorld();
  private final FakeTasks tasks = new FakeTasks(world);
  private final OddStores stores = new OddStores(world);
  private RunStatus.Answer job = RunStatus.Answer.RUNNING;

  private BuildQueue open(OddStores by) {
    return QueueEngine.open(by, world, EngineSettings.DEFAULT, run -> job);
  }

  private void create(Rules rules) {
    BuildQueue queue = open(stores.another());
    assertThat(tasks.now(() -> queue.create(rules))).isTrue();
  }

  private Running<Acquisition> wait(OddStores by, Request request) {
    BuildQueue queue = open(by);
    Running<Acquisition> waiting = tasks.later(() -> queue.acquire(request, p -> {}));
    world.advance(Duration.ofSeconds(1));
    return waiting;
  }

  private Grant acquire(String who) {
    return grantOf(wait(stores.another(), Request.of(who, who)));
  }

  private static Grant grantOf(Running<Acquisition> done) {
    return ((Acquisition.Acquired) done.get()).grant();
  }

  // ---- somebody puts an earlier version of the queue back

  @Test
  void noTokenComesAgainFromAnEarlierVersion() throws StoreException {
    create(Rules.DEFAULT);
    Set<Long> given = new HashSet<>();
    String earlier = "";
    for (int i = 0; i < 8; i++) {
      earlier = i == 3 ? stores.content("queue") : earlier;
      build(given);
    }
    stores.overwrite("queue", earlier);
    for (int i = 0; i < 8; i++) {
      assertThat(build(given).state()).as("build %d after it", i).isEqualTo(Grant.State.RELEASED);
    }
    assertThat(given).hasSize(16);
  }

  private Grant build(Set<Long> tokens) {
    Grant grant = acquire("builder");
    tokens.add(grant.fencingToken());
    world.advance(Duration.ofMinutes(3));
    tasks.now(() -> grant.release(""));
    return grant;
  }

  /** Nothing tells the new one of the old one, but a script that compares tokens. */
  @Test
  void theOneThatBuildsBesideAnEarlierVersionHasTheOlderToken() throws StoreException {
    create(Rules.DEFAULT);
    String earlier = stores.content("queue");
    world.advance(Duration.ofHours(1));
    Grant old = acquire("old");
    world.advance(Duration.ofMinutes(10));
    stores.overwrite("queue", earlier);
    Grant next = acquire("new");

    assertThat(next.fencingToken()).isGreaterThan(old.fencingToken());
    world.advance(Duration.ofMinutes(5));
    assertThat(old.state()).isEqualTo(Grant.State.LOST);
    assertThat(next.state()).isEqualTo(Grant.State.HELD);
  }

  // ---- a service that does not answer says nothing

  @Test
  void aRunningJobIsNotRobbedWhileItsStatusCannotBeAskedFor() {
    create(Rules.DEFAULT);
    Request build =
        Request.of("octo/app", "build").livingBy(new RunRef("octo/app", 7, 1, 3, "build"));
    Grant grant = grantOf(wait(stores.another(), build));
    world.advance(Duration.ofHours(6).plusMinutes(20));
    job = RunStatus.Answer.UNREACHABLE;
    Running<Acquisition> waiting = wait(stores.another(), Request.of("next", "next"));
    world.advance(Duration.ofHours(2));
    assertThat(waiting.isDone()).isFalse();
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);

    job = RunStatus.Answer.UNKNOWN;
    world.advance(Duration.ofHours(5));
    assertThat(waiting.isDone()).as("not allowed to see it, watched for the longest hold").isTrue();
  }

  // ---- a lease that is half over when it begins

  @Test
  void aSlowConfirmationCostsNoLock() {
    create(
        new Rules(
            1,
            Duration.ofMinutes(3),
            Duration.ofSeconds(90),
            Duration.ofSeconds(30),
            Duration.ofMinutes(90),
            Duration.ofMinutes(360),
            Extra.NONE));
    OddStores slow = stores.another();
    slow.hang("queue", Duration.ofSeconds(40));
    slow.lie("queue", Lie.UNKNOWN, 1);
    Running<Acquisition> waiting = wait(slow, Request.of("slow", "slow"));
    world.advance(Duration.ofSeconds(130));
    Grant grant = grantOf(waiting);
    slow.hang("queue", Duration.ZERO);
    AtomicReference<String> lost = new AtomicReference<>();
    grant.onLost(lost::set);
    world.advance(Duration.ofMinutes(10));
    assertThat(lost).hasNullValue();
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
  }

  // ---- a queue that wants newer clients

  @Test
  void whoIsRefusedWhileItWaitsLeavesTheLine() throws StoreException {
    create(Rules.DEFAULT);
    Grant held = acquire("first");
    Running<Acquisition> waiting = wait(stores.another(), Request.of("next", "next"));
    world.advance(Duration.ofMinutes(1));
    String now = stores.content("queue");
    stores.overwrite(
        "queue",
        now.replaceFirst("\"requires\": \\[]", "\"requires\": [\"x\"]")
            .replaceFirst("\"version\": \\d+", "\"version\": 900"));
    tasks.now(() -> held.release(""));
    world.advance(Duration.ofMinutes(5));
    assertThat(waiting.get()).isInstanceOf(Acquisition.Refused.class);
    QueueDocument d = DocumentCodec.decode(stores.content("queue"));
    assertThat(d.requires()).containsExactly("x");
    assertThat(d.tickets()).isEmpty();
  }
}
