package dev.baton.vm.internal.operation;

import static dev.baton.vm.internal.operation.Yard.NAME;
import static dev.baton.vm.internal.operation.Yard.SPEC;
import static dev.baton.vm.internal.operation.Yard.YES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.vm.BuildVm;
import dev.baton.vm.BuildVm.Disk;
import dev.baton.vm.BuildVm.Push;
import dev.baton.vm.Client;
import dev.baton.vm.Kind;
import dev.baton.vm.LockRecord;
import dev.baton.vm.Status;
import dev.baton.vm.StatusReport;
import dev.baton.vm.SweepOptions;
import dev.baton.vm.VmException;
import dev.baton.vm.crash.KillSwitch;
import dev.baton.vm.crash.KillableProvider;
import dev.baton.vm.crash.KillableSpace;
import dev.baton.vm.operation.Vms;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A lock ends with the process that holds it, where that can be told. */
class DeadProcessTest {

  private final Yard yard = new Yard();
  private final Client victim = yard.process("hal", 1);

  private BuildVm vm(Client client) {
    return Vms.open(yard.space, yard.cloud, client).vm(NAME);
  }

  private BuildVm later() {
    return vm(yard.process("hal", 2));
  }

  private BuildVm elsewhere() {
    return vm(yard.process("dave", 1));
  }

  /** Killed in the middle; the lock names its process. */
  private void killed(String where, Yard.Act act) throws Exception {
    KillSwitch kills = new KillSwitch();
    kills.watch(
        point -> {
          if (point.where().equals(where)) {
            throw new KillSwitch.Killed(where);
          }
        });
    Vms vms =
        Vms.open(
            new KillableSpace(yard.space, kills), new KillableProvider(yard.cloud, kills), victim);
    assertThatThrownBy(() -> act.on(vms.vm(NAME))).isInstanceOf(KillSwitch.Killed.class);
    assertThat(yard.journal().lock().orElseThrow().process())
        .contains(new LockRecord.Holder("hal", 1, "tick-1"));
  }

  private void theProcessHasEnded() {
    yard.dead.add(new LockRecord.Holder("hal", 1, "tick-1"));
  }

  @Test
  void theSameCommandGoesOnAtOnceOnTheSameMachine() throws Exception {
    killed("after create instance", vm -> vm.deploy(SPEC, YES));
    assertThatThrownBy(() -> later().deploy(SPEC, YES)).isInstanceOf(VmException.LockHeld.class);
    theProcessHasEnded();
    later().deploy(SPEC, YES);
    assertThat(yard.status()).contains(Status.RUNNING);
    assertThat(later().history(10))
        .anySatisfy(h -> assertThat(h.error()).contains("interrupted; taken over by hal-2"));
    assertThat(yard.journal().fencing()).isEqualTo(2);
  }

  @Test
  void anotherMachineWaitsOutTheLease() throws Exception {
    killed("after create instance", vm -> vm.deploy(SPEC, YES));
    theProcessHasEnded();
    assertThatThrownBy(() -> elsewhere().deploy(SPEC, YES))
        .isInstanceOf(VmException.LockHeld.class)
        .hasMessageContaining("its lock ends in 15 min");
    yard.expireLock();
    elsewhere().deploy(SPEC, YES);
    assertThat(yard.status()).contains(Status.RUNNING);
  }

  @Test
  void whoeverWaitsGoesOnWhenTheProcessEnds() throws Exception {
    killed("after create instance", vm -> vm.deploy(SPEC, YES));
    theProcessHasEnded();
    later().deploy(SPEC, YES.waitingAtMost(Duration.ofMinutes(1)));
    assertThat(yard.status()).contains(Status.RUNNING);
  }

  @Test
  void aLockThatNamesNoProcessIsWaitedFor() throws Exception {
    yard.killedAt("after create instance", vm -> vm.deploy(SPEC, YES));
    theProcessHasEnded();
    assertThatThrownBy(() -> later().deploy(SPEC, YES)).isInstanceOf(VmException.LockHeld.class);
  }

  @Test
  void statusTellsWhatWasLeftBehindAndPutsItRight() throws Exception {
    vm(victim).deploy(SPEC, YES);
    killed("after stop", vm -> vm.suspend(YES));
    assertThat(later().status().lockExpired()).isFalse();
    theProcessHasEnded();
    assertThat(elsewhere().status().corrected()).isEmpty();
    StatusReport report = later().status();
    assertThat(report.corrected().orElseThrow().to()).isEqualTo(Status.SUSPENDED);
    assertThat(yard.journal().lock()).isEmpty();
  }

  @Test
  void aSweepFinishesItsDestroyAtOnce() throws Exception {
    vm(victim).deploy(SPEC, YES);
    killed("after delete instance", vm -> vm.destroy(Disk.DROP, YES));
    theProcessHasEnded();
    Vms.open(yard.space, yard.cloud, yard.process("hal", 2)).sweep(SweepOptions.DRY_RUN.forReal());
    assertThat(yard.status()).isEmpty();
    assertThat(yard.cloudIds()).isEmpty();
  }

  @Test
  void whoeverUsesTheVmMovesItsEnd() throws Exception {
    vm(victim).deploy(SPEC.livingAtMost(Duration.ofHours(6)), YES);
    yard.cloud.deleteByHand(yard.id(Kind.KEY_PAIR));
    killed("before create key pair", vm -> vm.deploy(SPEC, YES));
    theProcessHasEnded();
    assertThat(elsewhere().push(Duration.ZERO, true).result()).isEqualTo(Push.Result.BUSY);
    assertThat(later().push(Duration.ZERO, true).result()).isEqualTo(Push.Result.PUSHED);
  }
}
