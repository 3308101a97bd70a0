package dev.baton.alibaba.oss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.baton.alibaba.account.Keys;
import dev.baton.alibaba.fake.FakeOss;
import dev.baton.core.FakeTasks;
import dev.baton.core.FakeTasks.Running;
import dev.baton.core.FakeWorld;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Grant;
import dev.baton.queue.QueueException;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunStatus;
import dev.baton.queue.internal.engine.QueueEngine;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.testing.service.Fault;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One odd answer of OSS proves nothing. */
class OssOddAnswersTest {
  private final Desk desk = new Desk();
  private final FakeWorld world = new FakeWorld();
  private final FakeTasks tasks = new FakeTasks(world);
  private final List<AutoCloseable> opened = new ArrayList<>();
  private final AtomicInteger withoutKeys = new AtomicInteger();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : opened) {
      tasks.later(
          () -> {
            one.close();
            return true;
          });
      world.advance(Duration.ofMinutes(1));
    }
    desk.close();
  }

  // ---- somebody who waits

  @ParameterizedTest
  @ValueSource(strings = {"AccessDenied", "InvalidAccessKeyId", "NoSuchBucket", "Newfangled"})
  void oneRefusalCostsNoPlace(String code) {
    Grant held = acquire();
    Running<Acquisition> waiting = wait(open());
    world.advance(Duration.ofMinutes(1));
    desk.oss.failNext(2, c -> true, new Fault.Failed(403, code, false));
    world.advance(Duration.ofMinutes(1));
    assertThat(waiting.isDone()).isFalse();
    tasks.now(() -> held.release(""));
    world.advance(Duration.ofMinutes(1));
    assertThat(waiting.get()).isInstanceOf(Acquisition.Acquired.class);
  }

  @Test
  void keysThatCannotBeHadForAMomentCostNoPlace() {
    Grant held = acquire();
    Running<Acquisition> waiting = wait(open());
    world.advance(Duration.ofMinutes(1));
    withoutKeys.set(2);
    world.advance(Duration.ofMinutes(1));
    assertThat(waiting.isDone()).isFalse();
    tasks.now(() -> held.release(""));
    world.advance(Duration.ofMinutes(1));
    assertThat(waiting.get()).isInstanceOf(Acquisition.Acquired.class);
  }

  @Test
  void aKeyThatStaysRevokedEndsTheWaitAndIsNamed() {
    acquire();
    Running<Acquisition> waiting = wait(open());
    world.advance(Duration.ofMinutes(1));
    desk.oss.deny("ListObjectsV2");
    world.advance(Duration.ofSeconds(20));
    assertThat(waiting.isDone()).as("it has worked before").isFalse();
    world.advance(Duration.ofMinutes(5));
    assertThat(waiting.failure())
        .isInstanceOf(QueueException.class)
        .hasMessageContaining("Allow oss:ListObjects on team-builds");
  }

  // ---- how soon a refusal is believed

  @Test
  void somebodyWhoNeverSucceededIsToldWithinSeconds() {
    desk.oss.deny("ListObjectsV2");
    VersionedStore store = desk.document();
    long start = desk.nanos.get();
    assertThatThrownBy(() -> desk.patiently(store::read))
        .hasMessageContaining("Allow oss:ListObjects");
    assertThat(Duration.ofNanos(desk.nanos.get() - start)).isLessThan(Duration.ofSeconds(5));
  }

  @Test
  void aGoodReadDoesNotKeepAMissingPermissionToWriteFromBeingBelieved() {
    desk.oss.deny("PutObject");
    VersionedStore store = desk.document();
    assertThatThrownBy(
            () ->
                desk.patiently(
                    () -> {
                      store.read();
                      store.write(Version.ABSENT, "one", "test");
                    }))
        .hasMessageContaining("Allow oss:PutObject");
  }

  @Test
  void aSuccessInBetweenEndsTheDoubt() throws StoreException {
    VersionedStore store = desk.document();
    store.read();
    for (int i = 0; i < 20; i++) {
      desk.oss.failNext(1, c -> true, new Fault.Failed(403, "InvalidAccessKeyId", false));
      assertThat(catchThrowableOfType(StoreException.class, store::read).retryAfter()).isPresent();
      desk.nanos.addAndGet(Duration.ofSeconds(5).toNanos());
      store.read();
    }
  }

  // ---- helpers

  private OssAccess access() {
    return OssAccess.of(
        URI.create(desk.oss.endpoint()),
        FakeOss.REGION,
        () -> {
          if (withoutKeys.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
            throw new IllegalStateException("the chain finds no credentials now");
          }
          return new Keys.Pair(Desk.ID, Desk.SECRET, "");
        });
  }

  private BuildQueue open() {
    OssSpace space =
        OssSpace.open(
            new OssPlace(Desk.BUCKET, "ci"),
            "build",
            access(),
            Duration.ofSeconds(1),
            world::nanos);
    BuildQueue queue = QueueEngine.open(space, world, EngineSettings.DEFAULT, RunStatus.BLIND);
    opened.add(queue);
    opened.add(space);
    return queue;
  }

  private Running<Acquisition> wait(BuildQueue queue) {
    return tasks.later(() -> queue.acquire(Request.of("tester", "build"), p -> {}));
  }

  private Grant acquire() {
    BuildQueue queue = open();
    tasks.now(() -> queue.create(Rules.DEFAULT));
    Running<Acquisition> got = wait(queue);
    world.advance(Duration.ofSeconds(5));
    return ((Acquisition.Acquired) got.get()).grant();
  }
}
