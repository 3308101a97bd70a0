package dev.baton.vm.operation;

import static dev.baton.vm.operation.Yard.SPEC;
import static dev.baton.vm.operation.Yard.YES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.vm.BuildVm.Disk;
import dev.baton.vm.HistoryRecord;
import dev.baton.vm.Kind;
import dev.baton.vm.Outcome;
import dev.baton.vm.Status;
import dev.baton.vm.StatusReport;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import dev.baton.vm.provider.Phase;
import dev.baton.vm.provider.simulated.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The design's table 3.1.8, line by line. */
class EdgeCaseTableTest {

  private final Yard yard = new Yard();

  private void deploy() throws Exception {
    yard.vm("first").deploy(SPEC, YES);
  }

  @Test
  void powerCutDuringSuspendIsCorrectedFromTheInstance() throws Exception {
    deploy();
    yard.killedAt("after stop", vm -> vm.suspend(YES));
    yard.expireLock();
    StatusReport report = yard.vm("b").status();
    assertThat(report.corrected())
        .contains(new StatusReport.Correction(Status.SUSPENDING, Status.SUSPENDED));
    assertThat(yard.status()).contains(Status.SUSPENDED);

    yard.vm("b").resume(YES);
    yard.killedAt("before stop", vm -> vm.suspend(YES));
    yard.expireLock();
    report = yard.vm("b").status();
    assertThat(report.corrected())
        .contains(new StatusReport.Correction(Status.SUSPENDING, Status.RUNNING));
    assertThat(report.advice())
        .contains("An interrupted suspend has not stopped it: run `suspend` again");
  }

  @Test
  void powerCutDuringResumeIsCorrectedFromTheInstance() throws Exception {
    deploy();
    yard.vm("a").suspend(YES);
    yard.killedAt("before start", vm -> vm.resume(YES));
    yard.expireLock();
    StatusReport report = yard.vm("b").status();
    assertThat(report.corrected())
        .contains(new StatusReport.Correction(Status.RESUMING, Status.SUSPENDED));
    assertThat(report.advice())
        .contains("An interrupted resume has not started it: run `resume` again");

    yard.killedAt("after start", vm -> vm.resume(YES));
    yard.expireLock();
    assertThat(yard.vm("b").status().corrected())
        .contains(new StatusReport.Correction(Status.RESUMING, Status.RUNNING));
  }

  /** A live operation is never corrected under its hands. */
  @Test
  void statusLeavesAnOperationAloneThatIsUnderWay() throws Exception {
    deploy();
    yard.killedAt("after stop", vm -> vm.suspend(YES));
    StatusReport report = yard.vm("b").status();
    assertThat(report.corrected()).isEmpty();
    assertThat(report.lockExpired()).isFalse();
    assertThat(report.advice().get(0)).contains("dead").contains("--force");
    assertThat(yard.status()).contains(Status.SUSPENDING);
  }

  @Test
  void anotherOperationAfterAPowerCutCorrectsFirst() throws Exception {
    deploy();
    yard.killedAt("after stop", vm -> vm.suspend(YES));
    yard.expireLock();
    yard.vm("b").resume(YES);
    assertThat(yard.status()).contains(Status.RUNNING);
    assertThat(yard.phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  void powerCutDuringDeployIsContinuedWhereItStopped() throws Exception {
    yard.killedAt("after create instance", vm -> vm.deploy(SPEC, YES));
    List<String> before = yard.cloudIds();
    yard.expireLock();
    assertThat(yard.status()).contains(Status.DEPLOYING);
    Outcome.Done done = (Outcome.Done) yard.vm("b").deploy(SPEC, YES);
    assertThat(done.how()).isEqualTo(Outcome.How.CONTINUED);
    assertThat(yard.cloudIds()).containsAll(before).hasSize(7);
  }

  @Test
  void destroyThatFailsKeepsTheStateSaysWhyGoesBackAndCanBeTriedAgain() throws Exception {
    deploy();
    yard.vm("a").suspend(YES);
    yard.cloud.configure(s -> s.with(Fault.before("delete", Kind.ADDRESS, Trouble.DENIED)));
    yard.cloud.configure(s -> s.with(Fault.before("delete", Kind.INSTANCE, Trouble.DENIED)));
    assertThatThrownBy(() -> yard.vm("a").destroy(Disk.DROP, YES))
        .isInstanceOf(VmException.Incomplete.class);
    assertThat(yard.status()).contains(Status.SUSPENDED);
    assertThat(yard.state().instanceMissing()).isFalse();
    HistoryRecord record = yard.lastRecord("a");
    assertThat(record.isSuccess()).isFalse();
    assertThat(record.error().orElseThrow()).contains("a fault that was asked for");
    assertThat(record.from()).contains(Status.SUSPENDED);
    assertThat(record.to()).contains(Status.SUSPENDED);
    yard.vm("b").destroy(Disk.DROP, YES);
    assertThat(yard.cloudIds()).isEmpty();
  }

  @Test
  void severalProcessesAtOnceAreKeptApartByTheLock() throws Exception {
    deploy();
    List<Throwable> refused = new ArrayList<>();
    yard.kills.watch(
        point -> {
          if (point.where().equals("before stop")) {
            try {
              yard.vm("second").destroy(Disk.DROP, YES);
            } catch (VmException | InterruptedException e) {
              refused.add(e);
            }
          }
        });
    yard.watched("first").suspend(YES);
    assertThat(refused).hasSize(1);
    assertThat(refused.get(0))
        .isInstanceOf(VmException.LockHeld.class)
        .hasMessageContaining("suspend by first, started at 2026-01-01T00:00:");
    assertThat(yard.status()).contains(Status.SUSPENDED);
    assertThat(yard.cloudIds()).hasSize(7);
  }

  @Test
  void anExpiredLockIsTakenOverByItself() throws Exception {
    deploy();
    yard.killedAt("before delete instance", vm -> vm.destroy(Disk.DROP, YES));
    long fencing = yard.journal().fencing();
    assertThatThrownBy(() -> yard.vm("b").destroy(Disk.DROP, YES))
        .isInstanceOf(VmException.LockHeld.class);
    yard.expireLock();
    yard.vm("b").destroy(Disk.DROP, YES);
    assertThat(yard.journal().fencing()).isEqualTo(fencing + 1);
    assertThat(yard.cloudIds()).isEmpty();
    assertThat(yard.vm("b").history(10))
        .anyMatch(r -> r.error().orElse("").equals("interrupted; taken over by b"));
  }

  @Test
  void aLockThatCannotBeRenewedStopsTheWorkKeepsTheStateAndExpires() throws Exception {
    deploy();
    List<String> calls = new ArrayList<>();
    yard.kills.watch(
        point -> {
          calls.add(point.where());
          if (point.where().equals("after delete instance")) {
            yard.space.unreachable = true;
            yard.world.advance(Tenure.SAFETY.plusMinutes(13));
          }
        });
    assertThatThrownBy(() -> yard.watched("first").destroy(Disk.DROP, YES))
        .isInstanceOf(VmException.LockLost.class);
    assertThat(calls).last().isEqualTo("after delete instance");
    yard.space.unreachable = false;
    assertThat(yard.status()).contains(Status.DESTROYING);
    assertThat(yard.journal().lock()).as("not released").isPresent();
    yard.expireLock();
    yard.vm("b").destroy(Disk.DROP, YES);
    assertThat(yard.cloudIds()).isEmpty();
  }

  @Test
  void aWriteThatFailsStopsTheDeployAndKeepsWhatWasCreated() throws Exception {
    yard.kills.watch(
        point -> {
          if (point.where().equals("after create subnet")) {
            yard.space.always = TroubledSpace.Write.BROKEN;
          }
        });
    assertThatThrownBy(() -> yard.watched("first").deploy(SPEC, YES))
        .isInstanceOf(VmException.StoreFailed.class)
        .hasMessageContaining("What was created is kept");
    assertThat(yard.cloudIds()).hasSize(2);
    yard.space.always = TroubledSpace.Write.FINE;
    yard.expireLock();
    yard.vm("b").deploy(SPEC, YES);
    assertThat(yard.cloudIds()).as("the same two, and five more").hasSize(7);
  }

  @Test
  void aStoreThatCannotBeReachedIsAnErrorAndNothingIsDoneElsewhere() throws Exception {
    yard.space.unreachable = true;
    assertThatThrownBy(() -> yard.vm("first").deploy(SPEC, YES))
        .isInstanceOf(VmException.StoreFailed.class)
        .hasMessageContaining("the store cannot be reached")
        .hasMessageContaining(yard.space.location());
    assertThat(yard.cloudIds()).isEmpty();
    yard.space.unreachable = false;
    assertThat(yard.memory.names()).isEmpty();
  }

  @Test
  void whatWasDeletedByHandIsCreatedAgainByDeploy() throws Exception {
    deploy();
    String old = yard.id(Kind.INSTANCE);
    yard.cloud.deleteByHand(old);
    assertThat(yard.vm("b").status().cloud())
        .contains("instance " + old + " does not exist any more");
    yard.vm("b").deploy(SPEC, YES);
    assertThat(yard.status()).isEqualTo(Optional.of(Status.RUNNING));
    assertThat(yard.cloudIds()).doesNotContain(old).hasSize(7);
  }
}
