package dev.baton.vm.internal.operation;

import static dev.baton.vm.internal.operation.Yard.NAME;
import static dev.baton.vm.internal.operation.Yard.SPEC;
import static dev.baton.vm.internal.operation.Yard.YES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.core.FakeTasks;
import dev.baton.core.FakeWorld;
import dev.baton.vm.BuildVm;
import dev.baton.vm.BuildVm.Disk;
import dev.baton.vm.Client;
import dev.baton.vm.Journal;
import dev.baton.vm.LockRecord;
import dev.baton.vm.Outcome;
import dev.baton.vm.Status;
import dev.baton.vm.VmException;
import dev.baton.vm.contract.TroubledSpace;
import dev.baton.vm.internal.codec.VmCodec;
import dev.baton.vm.operation.Vms;
import dev.baton.vm.simulated.SimulatedCloud;
import dev.baton.vm.store.MemoryVmSpace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Never two at work; the loser notices and stops. */
class LockTest {

  private final Yard yard = new Yard();

  @BeforeEach
  void deployed() throws Exception {
    yard.vm("first").deploy(SPEC, YES);
  }

  private interface Meanwhile {
    void run() throws Exception;
  }

  /** Does something else at the first moment that is described so; later moments are noted. */
  private List<String> at(String moment, Meanwhile meanwhile) {
    List<String> after = new ArrayList<>();
    boolean[] done = new boolean[1];
    yard.kills.watch(
        point -> {
          if (done[0]) {
            after.add(point.where());
          } else if (point.where().equals(moment)) {
            done[0] = true;
            try {
              meanwhile.run();
            } catch (Exception e) {
              throw new AssertionError(e);
            }
          }
        });
    return after;
  }

  @Test
  void aStolenLockStopsTheLoserBeforeItsNextDeed() throws Exception {
    List<String> after =
        at("after delete address", () -> yard.vm("thief").destroy(Disk.DROP, YES.forcing()));
    assertThatThrownBy(() -> yard.watched("loser").destroy(Disk.DROP, YES))
        .isInstanceOf(VmException.LockLost.class)
        .hasMessageContaining("its lock was taken over");
    assertThat(after).as("nothing more was done or written").isEmpty();
    assertThat(yard.journal().lock()).isEmpty();
    assertThat(yard.status()).isEmpty();
  }

  @Test
  void aLoserLearnsWhoHasTheLock() throws Exception {
    at("after delete address", () -> yard.killedAtInside("before delete instance"));
    assertThatThrownBy(() -> yard.watched("loser").destroy(Disk.DROP, YES))
        .isInstanceOf(VmException.LockLost.class)
        .hasMessageContaining("its lock was taken over by thief (destroy, fencing number 3)");
    assertThat(yard.journal().lock().orElseThrow().clientId()).isEqualTo("thief");
    assertThat(yard.status()).contains(Status.DESTROYING);
  }

  @Test
  void aHolderPausedBeyondItsLeaseDoesNothingMore() throws Exception {
    List<String> after =
        at(
            "after describe instance",
            () -> {
              yard.expireLock();
              yard.vm("next").destroy(Disk.DROP, YES);
            });
    assertThatThrownBy(() -> yard.watched("sleeper").suspend(YES))
        .isInstanceOf(VmException.LockLost.class)
        .hasMessageContaining("could not be renewed for 15 min");
    assertThat(after).isEmpty();
    assertThat(yard.status()).isEmpty();
  }

  @Test
  void aMachineThatSleptFindsOutByARenewal() throws Exception {
    List<String> after =
        at(
            "after describe instance",
            () -> {
              yard.world.setTimeOfDay(Duration.ofHours(2));
              yard.vm("next").destroy(Disk.DROP, YES);
            });
    assertThatThrownBy(() -> yard.watched("sleeper").suspend(YES))
        .isInstanceOf(VmException.LockLost.class);
    assertThat(after)
        .containsExactly(
            "before the write: the lock of default is renewed",
            "after the write: the lock of default is renewed");
    assertThat(yard.status()).isEmpty();
  }

  @Test
  void aClockThatWasSetIsNoReasonToStop() throws Exception {
    at("after describe instance", () -> yard.world.setTimeOfDay(Duration.ofHours(2)));
    yard.watched("a").suspend(YES);
    assertThat(yard.status()).contains(Status.SUSPENDED);
  }

  @Test
  void everyTakeOverHasAGreaterFencingNumber() throws Exception {
    long last = yard.journal().fencing();
    for (int i = 0; i < 4; i++) {
      yard.killedAt("before stop", vm -> vm.suspend(YES.forcing()));
      assertThat(yard.journal().fencing()).isEqualTo(last + 1);
      assertThat(yard.memory.get(NAME, "state.json").orElseThrow())
          .contains("\"fencing\": " + (last + 1));
      last = yard.journal().fencing();
    }
  }

  @Test
  void aWriteWhoseAnswerIsLostIsFoundInTheStore() throws Exception {
    yard.space.next(TroubledSpace.Write.LOST_ANSWER);
    yard.space.next(TroubledSpace.Write.LOST_ANSWER);
    yard.vm("a").suspend(YES);
    assertThat(yard.status()).contains(Status.SUSPENDED);
    assertThat(yard.journal().fencing()).isEqualTo(2);
  }

  @Test
  void aWriteThatGotLostIsWrittenAgain() throws Exception {
    yard.space.next(TroubledSpace.Write.LOST_REQUEST);
    yard.space.next(TroubledSpace.Write.REFUSED);
    yard.vm("a").suspend(YES);
    assertThat(yard.status()).contains(Status.SUSPENDED);
    assertThat(yard.vm("a").history(10)).hasSize(2);
  }

  /** Tasks that really run beside each other, on a clock that only the test moves. */
  @Nested
  class OnAClock {

    private final FakeWorld world = new FakeWorld();
    private final FakeTasks tasks = new FakeTasks(world);
    private final SimulatedCloud cloud = SimulatedCloud.inMemory(world);
    private final TroubledSpace space =
        new TroubledSpace(new MemoryVmSpace("clock0000000", world::now));
    private final AtomicInteger nonces = new AtomicInteger();

    private BuildVm vm(String client, TroubledSpace where) {
      Client c =
          new Client(
              client,
              world,
              () -> "nonce-" + client + "-" + nonces.incrementAndGet() + "-0000",
              true);
      return Vms.open(where, cloud, c).vm(NAME);
    }

    private BuildVm vm(String client) {
      return vm(client, space);
    }

    private Journal journal() throws Exception {
      return VmCodec.decode(space.journal(NAME).read().content().orElseThrow());
    }

    private FakeTasks.Running<Outcome> longDestroy(TroubledSpace where) throws Exception {
      tasks.now(() -> vm("first").deploy(SPEC, YES));
      cloud.configure(s -> s.taking(Duration.ZERO, Duration.ofMinutes(60), Duration.ZERO));
      return tasks.later(() -> vm("slow", where).destroy(Disk.KEEP, YES));
    }

    @Test
    void aLongOperationRenewsItsLockEveryFiveMinutes() throws Exception {
      FakeTasks.Running<Outcome> destroy = longDestroy(space);
      for (int minutes = 5; minutes < 60; minutes += 5) {
        world.advance(Duration.ofMinutes(5).plusSeconds(1));
        LockRecord lock = journal().lock().orElseThrow();
        assertThat(Duration.between(lock.renewedAt(), world.now()))
            .isLessThan(Duration.ofMinutes(5));
        FakeTasks.Running<Outcome> other = tasks.later(() -> vm("b").deploy(SPEC, YES));
        assertThat(other.failure()).isInstanceOf(VmException.LockHeld.class);
      }
      world.advance(Duration.ofMinutes(10));
      assertThat(destroy.get().state().orElseThrow().status()).isEqualTo(Status.DESTROYED);
      assertThat(journal().lock()).isEmpty();
      assertThat(world.living()).isEmpty();
    }

    @Test
    void aHolderThatCannotRenewStopsBeforeAnybodyElseCanStart() throws Exception {
      TroubledSpace own = new TroubledSpace(space);
      FakeTasks.Running<Outcome> destroy = longDestroy(own);
      world.advance(Duration.ofSeconds(30));
      own.unreachable(true);
      world.advance(Duration.ofMinutes(13));
      assertThat(destroy.isDone()).isFalse();
      world.advance(Duration.ofMinutes(1));
      assertThat(destroy.failure()).isInstanceOf(VmException.LockLost.class);
      assertThat(journal().lock().orElseThrow().isExpired(world.now()))
          .as("it stopped before its lock expired")
          .isFalse();
      assertThat(journal().status()).contains(Status.DESTROYING);
      assertThat(world.living()).isEmpty();
      world.advance(Duration.ofMinutes(2));
      tasks.now(() -> vm("b").abandon(YES));
      assertThat(journal().status()).contains(Status.RUNNING);
    }

    @Test
    void aStolenLockIsNoticedByTheRenewalAtTheLatest() throws Exception {
      FakeTasks.Running<Outcome> destroy = longDestroy(space);
      world.advance(Duration.ofMinutes(2));
      tasks.now(() -> vm("thief").abandon(YES.forcing()));
      assertThat(destroy.isDone()).isFalse();
      world.advance(Duration.ofMinutes(4));
      assertThat(destroy.failure()).isInstanceOf(VmException.LockLost.class);
      assertThat(journal().status()).contains(Status.RUNNING);
      assertThat(world.living()).isEmpty();
    }

    @Test
    void anInterruptedOperationGoesWhereItsFailureLeads() throws Exception {
      FakeTasks.Running<Outcome> destroy = longDestroy(space);
      world.advance(Duration.ofMinutes(2));
      world.interrupt(destroy.name());
      world.settle();
      assertThat(destroy.failure()).isInstanceOf(InterruptedException.class);
      assertThat(journal().status()).contains(Status.RUNNING);
      assertThat(journal().lock()).isEmpty();
    }
  }
}
