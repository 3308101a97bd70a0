package dev.baton.vm.contract;

import static dev.baton.vm.contract.Stage.NAME;
import static dev.baton.vm.contract.Stage.YES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.baton.vm.Backup;
import dev.baton.vm.BuildVm;
import dev.baton.vm.BuildVm.Disk;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.HistoryRecord;
import dev.baton.vm.Journal;
import dev.baton.vm.Kind;
import dev.baton.vm.LockRecord;
import dev.baton.vm.Operation;
import dev.baton.vm.Options;
import dev.baton.vm.Outcome;
import dev.baton.vm.Progress;
import dev.baton.vm.Questions;
import dev.baton.vm.SizeChange;
import dev.baton.vm.Status;
import dev.baton.vm.StatusReport;
import dev.baton.vm.SweepOptions;
import dev.baton.vm.SweepReport;
import dev.baton.vm.SweepReport.Reason;
import dev.baton.vm.SweepReport.Result;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import dev.baton.vm.VmState.DataDisk;
import dev.baton.vm.crash.LifecycleScene;
import dev.baton.vm.simulated.Fault;
import dev.baton.vm.spi.Disks;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.Owner;
import dev.baton.vm.spi.Phase;
import dev.baton.vm.spi.WarmStarts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What {@link BuildVm} promises, on every cloud and in every space: the design's table of statuses
 * (3.1.1), of files (3.1.2), of what may be repeated (3.1.7) and of edge cases (3.1.8), and what
 * was decided where the design is silent.
 *
 * <p>A test of a cloud and a space extends this class and says how to open a scene with them.
 */
public abstract class LifecycleContract {

  private static final SweepOptions FOR_REAL = SweepOptions.DRY_RUN.forReal();
  private static final Optional<Status> NOTHING = Optional.empty();

  private LifecycleScene scene;
  private Stage stage;
  private DeploySpec spec;

  /** Empty when the test begins. */
  protected abstract LifecycleScene open();

  @BeforeEach
  protected void begin() throws Exception {
    scene = open();
    stage = new Stage(scene);
    spec = scene.spec();
  }

  @AfterEach
  protected void end() {
    scene.close();
  }

  private BuildVm vm(String client) {
    return stage.vm(client);
  }

  private void deploy() throws Exception {
    vm("first").deploy(spec, YES);
  }

  private void expect(Status status) throws Exception {
    assertThat(stage.status()).contains(status);
  }

  /** At rest, and the cloud has what is recorded: no less and no more. */
  private void expectWhole(Status status) throws Exception {
    expect(status);
    assertThat(stage.troubles()).isEmpty();
    assertThat(stage.everything()).containsExactlyInAnyOrderElementsOf(stage.recorded());
    if (status == Status.RUNNING) {
      assertThat(stage.found(Kind.APPLICATION)).isPresent();
    }
  }

  private void expectNothing() throws Exception {
    assertThat(stage.everything()).isEmpty();
    assertThat(stage.status()).isEmpty();
    assertThat(stage.troubles()).isEmpty();
  }

  private String snapshot() throws Exception {
    return stage.journal().backup().map(Backup::snapshotId).orElseThrow();
  }

  private HistoryRecord lastRecord() throws Exception {
    return vm("reader").history(1).get(0);
  }

  // ---- 3.1.1, what succeeds

  @Test
  protected void everyStatusIsEnteredAndLeftAsTheTableSays() throws Exception {
    assertThat(stage.statuses(vm -> vm.deploy(spec, YES)))
        .containsExactly(NOTHING, at(Status.DEPLOYING), at(Status.RUNNING));
    expectWhole(Status.RUNNING);
    assertThat(stage.phase()).isEqualTo(Phase.RUNNING);

    assertThat(stage.statuses(vm -> vm.suspend(YES)))
        .containsExactly(at(Status.RUNNING), at(Status.SUSPENDING), at(Status.SUSPENDED));
    expectWhole(Status.SUSPENDED);
    assertThat(stage.phase()).isEqualTo(stage.suspended());

    assertThat(stage.statuses(vm -> vm.resume(YES)))
        .containsExactly(at(Status.SUSPENDED), at(Status.RESUMING), at(Status.RUNNING));
    expectWhole(Status.RUNNING);
    assertThat(stage.phase()).isEqualTo(Phase.RUNNING);

    assertThat(stage.statuses(vm -> vm.destroy(Disk.DROP, YES)))
        .containsExactly(at(Status.RUNNING), at(Status.DESTROYING), NOTHING);
    expectNothing();
    assertThat(stage.file("state.json")).as("without a snapshot it goes").isEmpty();
  }

  private static Optional<Status> at(Status status) {
    return Optional.of(status);
  }

  @Test
  protected void aVmComesBackFromItsSnapshot() throws Exception {
    deploy();
    vm("a").suspend(YES);
    assertThat(stage.statuses(vm -> vm.destroy(Disk.KEEP, YES)))
        .containsExactly(at(Status.SUSPENDED), at(Status.DESTROYING), at(Status.DESTROYED));
    expectWhole(Status.DESTROYED);
    assertThat(stage.everything()).containsExactly(snapshot());
    assertThatThrownBy(() -> vm("a").suspend(YES)).isInstanceOf(VmException.NotAllowed.class);
    assertThatThrownBy(() -> vm("a").resume(YES)).isInstanceOf(VmException.NotAllowed.class);

    Outcome[] outcome = new Outcome[1];
    assertThat(stage.statuses(vm -> outcome[0] = vm.deploy(spec, YES)))
        .containsExactly(at(Status.DESTROYED), at(Status.DEPLOYING), at(Status.RUNNING));
    assertThat(((Outcome.Done) outcome[0]).how()).isEqualTo(Outcome.How.FROM_SNAPSHOT);
    assertThat(stage.state().resource(Kind.INSTANCE).orElseThrow().attributes())
        .containsEntry("snapshot", snapshot())
        .containsKey("image");
    assertThat(stage.state().resource(Kind.IMAGE)).as("of no more use").isEmpty();
    expectWhole(Status.RUNNING);
    vm("a").destroy(Disk.DROP, YES);
    expectNothing();
  }

  @Test
  protected void aDeployFromScratchDropsTheSnapshot() throws Exception {
    deploy();
    vm("a").destroy(Disk.KEEP, YES);
    String old = snapshot();
    vm("a").deploy(spec.fromScratch(), YES);
    expectWhole(Status.RUNNING);
    assertThat(stage.journal().backup()).isEmpty();
    assertThat(stage.state().resource(Kind.IMAGE)).isEmpty();
    assertThat(stage.everything()).doesNotContain(old);
  }

  @Test
  protected void aDeployFromScratchDropsTheSnapshotOfARunningVmAtOnce() throws Exception {
    deploy();
    vm("a").destroy(Disk.KEEP, YES);
    String old = snapshot();
    vm("a").deploy(spec, YES);
    String instance = stage.id(Kind.INSTANCE);
    Outcome.Done done = (Outcome.Done) vm("a").deploy(spec.fromScratch(), YES);
    expectWhole(Status.RUNNING);
    assertThat(stage.id(Kind.INSTANCE)).isEqualTo(instance);
    assertThat(stage.everything()).doesNotContain(old);
    assertThat(done.took()).isLessThan(Duration.ofMinutes(5));
  }

  // ---- 3.1.1, what fails

  @Test
  protected void aDeployThatFailsStaysDeployingAndKeepsWhatItHas() throws Exception {
    scene.fail(Fault.before("create", Kind.ADDRESS, Trouble.DENIED));
    assertThatThrownBy(() -> deploy())
        .isInstanceOfSatisfying(
            VmException.CloudFailed.class, e -> assertThat(e.trouble()).isEqualTo(Trouble.DENIED));
    expect(Status.DEPLOYING);
    assertThat(stage.journal().lock()).isEmpty();
    assertThat(stage.file("state.json").orElseThrow()).contains(stage.id(Kind.INSTANCE));
    List<String> before = stage.everything();
    assertThat(before).containsExactlyInAnyOrderElementsOf(stage.recorded());
    Outcome.Done done = (Outcome.Done) vm("b").deploy(spec, YES);
    assertThat(done.how()).isEqualTo(Outcome.How.CONTINUED);
    assertThat(stage.everything()).containsAll(before);
    expectWhole(Status.RUNNING);
  }

  @Test
  protected void aSuspendThatFailsGoesBackToRunning() throws Exception {
    deploy();
    scene.fail(Fault.before("stop", Kind.INSTANCE, Trouble.DENIED));
    assertThatThrownBy(() -> vm("a").suspend(YES)).isInstanceOf(VmException.CloudFailed.class);
    expectWhole(Status.RUNNING);
    assertThat(lastRecord().isSuccess()).isFalse();
    vm("a").suspend(YES);
    expectWhole(Status.SUSPENDED);
  }

  @Test
  protected void aResumeThatFailsGoesBackToSuspended() throws Exception {
    deploy();
    vm("a").suspend(YES);
    scene.fail(Fault.before("start", Kind.INSTANCE, Trouble.DENIED));
    assertThatThrownBy(() -> vm("a").resume(YES)).isInstanceOf(VmException.CloudFailed.class);
    expectWhole(Status.SUSPENDED);
    assertThat(lastRecord().isSuccess()).isFalse();
    vm("a").resume(YES);
    expectWhole(Status.RUNNING);
  }

  @Test
  protected void aDestroyThatFailsRemembersWhereItCameFromAndGoesBackThere() throws Exception {
    deploy();
    scene.fail(Fault.before("delete", Kind.ADDRESS, Trouble.DENIED));
    scene.fail(Fault.before("delete", Kind.INSTANCE, Trouble.DENIED));
    List<Object> previous = new ArrayList<>();
    stage.at(
        "before delete instance",
        () -> previous.add(stage.fields("state.json").get("previous_status")));
    assertThatThrownBy(() -> stage.watched("a").destroy(Disk.DROP, YES))
        .isInstanceOf(VmException.Incomplete.class);
    assertThat(previous).containsExactly("running");
    expect(Status.RUNNING);
    assertThat(stage.fields("state.json").get("previous_status")).isEqualTo("");
    assertThat(stage.state().instanceMissing()).isFalse();
    assertThat(stage.phase()).isEqualTo(Phase.RUNNING);
    vm("b").destroy(Disk.DROP, YES);
    expectNothing();
  }

  @Test
  protected void destroyThatFailsAfterTheInstanceIsGoneMarksThat() throws Exception {
    deploy();
    scene.fail(Fault.before("delete", Kind.NETWORK, Trouble.DENIED));
    assertThatThrownBy(() -> vm("a").destroy(Disk.KEEP, YES))
        .isInstanceOf(VmException.Incomplete.class);
    expect(Status.RUNNING);
    assertThat(stage.state().instanceMissing()).isTrue();
    assertThat(stage.state().resources()).containsOnlyKeys(Kind.NETWORK);
    assertThat(stage.fields("state.json").get("instance_missing")).isEqualTo(true);

    assertThatThrownBy(() -> vm("a").suspend(YES))
        .isInstanceOf(VmException.NotAllowed.class)
        .hasMessageContaining("Its instance was deleted");
    assertThatThrownBy(() -> vm("a").resume(YES)).isInstanceOf(VmException.NotAllowed.class);

    String snapshot = snapshot();
    vm("a").deploy(spec, YES);
    assertThat(stage.state().instanceMissing()).isFalse();
    assertThat(stage.state().resource(Kind.INSTANCE).orElseThrow().attributes())
        .as("its disk comes back")
        .containsEntry("snapshot", snapshot);
    expectWhole(Status.RUNNING);
  }

  @Test
  protected void whatTheTableDoesNotHaveIsRefusedAndChangesNothing() throws Exception {
    assertThatThrownBy(() -> vm("a").suspend(YES)).isInstanceOf(VmException.NotAllowed.class);
    assertThatThrownBy(() -> vm("a").resume(YES)).isInstanceOf(VmException.NotAllowed.class);
    assertThatThrownBy(() -> vm("a").abandon(YES)).isInstanceOf(VmException.NotAllowed.class);
    assertThat(stage.journal().sequence()).isZero();
    deploy();
    long before = stage.journal().sequence();
    assertThatThrownBy(() -> vm("b").abandon(YES)).isInstanceOf(VmException.NotAllowed.class);
    assertThat(stage.journal().sequence()).isEqualTo(before);
    vm("a").suspend(YES);
    before = stage.journal().sequence();
    assertThatThrownBy(() -> vm("b").deploy(spec, YES))
        .isInstanceOfSatisfying(
            VmException.NotAllowed.class,
            e -> {
              assertThat(e.from()).contains(Status.SUSPENDED);
              assertThat(e.to()).contains(Status.DEPLOYING);
            });
    assertThat(stage.journal().sequence()).isEqualTo(before);
    expectWhole(Status.SUSPENDED);
  }

  @Test
  protected void deployOnRunningNeverLeavesRunning() throws Exception {
    deploy();
    stage.deleteByHand(Kind.INSTANCE);
    assertThat(stage.statuses(vm -> vm.deploy(spec, YES))).containsExactly(at(Status.RUNNING));
    expectWhole(Status.RUNNING);
  }

  // ---- abandon

  @Test
  protected void destroyOfADeployThatWasNotFinishedLeavesNothing() throws Exception {
    scene.fail(Fault.before("create", Kind.ADDRESS, Trouble.DENIED));
    assertThatThrownBy(() -> deploy()).isInstanceOf(VmException.CloudFailed.class);
    assertThatThrownBy(() -> vm("a").destroy(Disk.KEEP, YES))
        .isInstanceOf(VmException.Impossible.class)
        .hasMessageContaining("there is no disk to keep");
    expect(Status.DEPLOYING);
    vm("a").destroy(Disk.ASK, YES);
    expectNothing();
  }

  @Test
  protected void destroyOfADeployFromASnapshotKeepsOrDropsTheSnapshot() throws Exception {
    deploy();
    vm("a").destroy(Disk.KEEP, YES);
    String kept = snapshot();
    for (Disk disk : List.of(Disk.ASK, Disk.KEEP, Disk.DROP)) {
      scene.fail(Fault.before("create", Kind.ADDRESS, Trouble.DENIED));
      assertThatThrownBy(() -> deploy()).isInstanceOf(VmException.CloudFailed.class);
      vm("a").destroy(disk, YES);
      if (disk != Disk.DROP) {
        expectWhole(Status.DESTROYED);
        assertThat(snapshot()).isEqualTo(kept);
        assertThat(stage.everything()).containsExactly(kept);
      }
    }
    expectNothing();
  }

  @Test
  protected void abandonOfADeployCleansUp() throws Exception {
    stage.killedAt("after create address", vm -> vm.deploy(spec, YES));
    stage.expireLock();
    vm("b").abandon(YES);
    expectNothing();
    assertThat(stage.file("state.json")).isEmpty();
  }

  @Test
  protected void abandonOfADeployFromASnapshotKeepsTheSnapshot() throws Exception {
    deploy();
    vm("a").destroy(Disk.KEEP, YES);
    stage.killedAt("after create instance", vm -> vm.deploy(spec, YES));
    stage.expireLock();
    vm("b").abandon(YES);
    expectWhole(Status.DESTROYED);
    assertThat(stage.everything()).containsExactly(snapshot());
  }

  @Test
  protected void abandonOfADestroyGoesBackToThePreviousStatus() throws Exception {
    deploy();
    vm("a").suspend(YES);
    stage.killedAt("after create snapshot", vm -> vm.destroy(Disk.KEEP, YES));
    stage.expireLock();
    vm("b").abandon(YES);
    assertThat(stage.state().instanceMissing()).isFalse();
    assertThat(stage.journal().backup()).as("the snapshot of nobody is gone").isEmpty();
    expectWhole(Status.SUSPENDED);
    vm("b").resume(YES);
    expectWhole(Status.RUNNING);
  }

  /** What was deleted before the kill is in no state that goes on. */
  @Test
  protected void abandonOfADestroyForgetsWhatIsGone() throws Exception {
    deploy();
    stage.killedAt("after delete address", vm -> vm.destroy(Disk.DROP, YES));
    stage.expireLock();
    vm("b").abandon(YES);
    assertThat(stage.state().instanceMissing()).isFalse();
    assertThat(stage.state().resource(Kind.ADDRESS)).isEmpty();
    vm("b").deploy(spec, YES);
    expectWhole(Status.RUNNING);
    stage.killedAt("after delete instance", vm -> vm.destroy(Disk.DROP, YES));
    stage.expireLock();
    vm("b").abandon(YES);
    assertThat(stage.state().instanceMissing()).isTrue();
    vm("b").deploy(spec, YES);
    expectWhole(Status.RUNNING);
  }

  // ---- 3.1.7, line by line

  @Test
  protected void suspendIsSkippedWhenSuspended() throws Exception {
    deploy();
    vm("a").suspend(YES);
    long before = stage.journal().sequence();
    assertThat(vm("b").suspend(YES)).isInstanceOf(Outcome.Unchanged.class);
    assertThat(stage.journal().sequence()).isEqualTo(before);
  }

  @Test
  protected void suspendWhileSuspendingWaits() throws Exception {
    deploy();
    stage.killedAt("after stop", vm -> vm.suspend(YES));
    Outcome outcome = vm("b").suspend(YES.waitingAtMost(Duration.ofMinutes(20)));
    assertThat(outcome).isInstanceOf(Outcome.Done.class);
    expectWhole(Status.SUSPENDED);
  }

  @Test
  protected void suspendWhileSuspendingIsTakenOverByForce() throws Exception {
    deploy();
    stage.killedAt("before stop", vm -> vm.suspend(YES));
    assertThatThrownBy(() -> vm("b").suspend(YES)).isInstanceOf(VmException.LockHeld.class);
    vm("b").suspend(YES.forcing());
    expectWhole(Status.SUSPENDED);
    assertThat(stage.phase()).isEqualTo(stage.suspended());
  }

  @Test
  protected void resumeIsSkippedWhenRunning() throws Exception {
    deploy();
    long before = stage.journal().sequence();
    assertThat(vm("b").resume(YES)).isInstanceOf(Outcome.Unchanged.class);
    assertThat(stage.journal().sequence()).isEqualTo(before);
  }

  @Test
  protected void resumeWhileResumingWaits() throws Exception {
    deploy();
    vm("a").suspend(YES);
    stage.killedAt("before start", vm -> vm.resume(YES));
    vm("b").resume(YES.waitingAtMost(Duration.ofMinutes(20)));
    expectWhole(Status.RUNNING);
    assertThat(stage.phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  protected void resumeWhileResumingIsTakenOverByForce() throws Exception {
    deploy();
    vm("a").suspend(YES);
    stage.killedAt("after start", vm -> vm.resume(YES));
    assertThatThrownBy(() -> vm("b").resume(YES)).isInstanceOf(VmException.LockHeld.class);
    vm("b").resume(YES.forcing());
    expectWhole(Status.RUNNING);
    assertThat(stage.phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  protected void destroyDeletesWhatExistsAndSkipsWhatIsGone() throws Exception {
    deploy();
    stage.deleteByHand(Kind.ADDRESS);
    stage.deleteByHand(Kind.INSTANCE);
    vm("b").destroy(Disk.DROP, YES);
    expectNothing();
    assertThat(vm("b").destroy(Disk.DROP, YES)).isInstanceOf(Outcome.Unchanged.class);
  }

  @Test
  protected void deploySkipsWhatExistsAndIsWell() throws Exception {
    deploy();
    List<String> before = stage.everything();
    Map<?, ?> resources = stage.state().resources();
    Outcome outcome = vm("b").deploy(spec, YES);
    assertThat(stage.everything()).isEqualTo(before);
    assertThat(stage.state().resources()).isEqualTo(resources);
    assertThat(((Outcome.Done) outcome).how()).isEqualTo(Outcome.How.REPAIRED);
  }

  @Test
  protected void deployLooksWhetherTheInstanceIsWell() throws Exception {
    deploy();
    stage.stopByHand();
    assertThat(stage.phase()).isEqualTo(Phase.STOPPED);
    vm("b").deploy(spec, YES);
    assertThat(stage.phase()).isEqualTo(Phase.RUNNING);
    expectWhole(Status.RUNNING);
  }

  @Test
  protected void deployLooksWhetherTheAddressIsBound() throws Exception {
    deploy();
    String address = stage.id(Kind.ADDRESS);
    stage.deleteByHand(Kind.INSTANCE);
    vm("b").deploy(spec, YES);
    assertThat(stage.id(Kind.ADDRESS)).as("the address is kept").isEqualTo(address);
    assertThat(stage.found(Kind.ADDRESS).orElseThrow().attributes())
        .containsEntry("instance", stage.id(Kind.INSTANCE));
    expectWhole(Status.RUNNING);
  }

  @Test
  protected void deployCreatesAgainWhatWasDeletedByHand() throws Exception {
    deploy();
    for (Kind kind : List.of(Kind.KEY_PAIR, Kind.ADDRESS, Kind.APPLICATION, Kind.INSTANCE)) {
      String old = stage.id(kind);
      stage.deleteByHand(kind);
      vm("b").deploy(spec, YES);
      assertThat(stage.id(kind)).isNotEqualTo(old);
      assertThat(stage.found(kind)).isPresent();
      expectWhole(Status.RUNNING);
    }
  }

  @Test
  protected void deploySkipsANetworkThatExistsAndMakesANewOneOtherwise() throws Exception {
    deploy();
    String network = stage.id(Kind.NETWORK);
    String subnet = stage.id(Kind.SUBNET);
    stage.deleteByHand(Kind.NETWORK);
    vm("b").deploy(spec, YES);
    assertThat(stage.id(Kind.NETWORK)).isNotEqualTo(network);
    assertThat(stage.id(Kind.SUBNET)).as("built on the new one").isNotEqualTo(subnet);
    assertThat(stage.state().resources().get(Kind.SUBNET).attributes())
        .containsEntry("vpc", stage.id(Kind.NETWORK));
    vm("b").destroy(Disk.DROP, YES);
    expectNothing();
  }

  // ---- 3.1.8, line by line

  @Test
  protected void powerCutDuringSuspendIsCorrectedFromTheInstance() throws Exception {
    deploy();
    stage.killedAt("after stop", vm -> vm.suspend(YES));
    stage.expireLock();
    StatusReport report = vm("b").status();
    assertThat(report.corrected())
        .contains(new StatusReport.Correction(Status.SUSPENDING, Status.SUSPENDED));
    expect(Status.SUSPENDED);

    vm("b").resume(YES);
    stage.killedAt("before stop", vm -> vm.suspend(YES));
    stage.expireLock();
    report = vm("b").status();
    assertThat(report.corrected())
        .contains(new StatusReport.Correction(Status.SUSPENDING, Status.RUNNING));
    assertThat(report.advice())
        .contains("The interrupted suspend has not stopped it. Run `suspend` again");
    expect(Status.RUNNING);
  }

  @Test
  protected void powerCutDuringResumeIsCorrectedFromTheInstance() throws Exception {
    deploy();
    vm("a").suspend(YES);
    stage.killedAt("before start", vm -> vm.resume(YES));
    stage.expireLock();
    StatusReport report = vm("b").status();
    assertThat(report.corrected())
        .contains(new StatusReport.Correction(Status.RESUMING, Status.SUSPENDED));
    assertThat(report.advice())
        .contains("The interrupted resume has not started it. Run `resume` again");
    expect(Status.SUSPENDED);

    stage.killedAt("after start", vm -> vm.resume(YES));
    stage.expireLock();
    assertThat(vm("b").status().corrected())
        .contains(new StatusReport.Correction(Status.RESUMING, Status.RUNNING));
    expect(Status.RUNNING);
  }

  /** A live operation is never corrected under its hands. */
  @Test
  protected void statusLeavesAnOperationAloneThatIsUnderWay() throws Exception {
    deploy();
    stage.killedAt("after stop", vm -> vm.suspend(YES));
    StatusReport report = vm("b").status();
    assertThat(report.corrected()).isEmpty();
    assertThat(report.lockExpired()).isFalse();
    assertThat(report.advice().get(0)).contains("dead").contains("its lock ends in");
    expect(Status.SUSPENDING);
  }

  @Test
  protected void anotherOperationAfterAPowerCutCorrectsFirst() throws Exception {
    deploy();
    stage.killedAt("after stop", vm -> vm.suspend(YES));
    stage.expireLock();
    vm("b").resume(YES);
    expectWhole(Status.RUNNING);
    assertThat(stage.phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  protected void powerCutDuringDeployIsContinuedWhereItStopped() throws Exception {
    stage.killedAt("after create instance", vm -> vm.deploy(spec, YES));
    List<String> before = stage.everything();
    stage.expireLock();
    expect(Status.DEPLOYING);
    Outcome.Done done = (Outcome.Done) vm("b").deploy(spec, YES);
    assertThat(done.how()).isEqualTo(Outcome.How.CONTINUED);
    assertThat(stage.everything()).containsAll(before);
    expectWhole(Status.RUNNING);
  }

  @Test
  protected void destroyThatFailsKeepsTheStateSaysWhyGoesBackAndCanBeTriedAgain() throws Exception {
    deploy();
    vm("a").suspend(YES);
    scene.fail(Fault.before("delete", Kind.ADDRESS, Trouble.DENIED));
    scene.fail(Fault.before("delete", Kind.INSTANCE, Trouble.DENIED));
    List<String> refused = new ArrayList<>();
    assertThatThrownBy(() -> vm("a").destroy(Disk.DROP, YES))
        .isInstanceOfSatisfying(
            VmException.Incomplete.class, e -> e.left().forEach(c -> refused.add(c.why())));
    expect(Status.SUSPENDED);
    assertThat(stage.state().instanceMissing()).isFalse();
    HistoryRecord record = lastRecord();
    assertThat(record.isSuccess()).isFalse();
    assertThat(refused).isNotEmpty();
    assertThat(record.error().orElseThrow()).contains(refused.get(0));
    assertThat(record.from()).contains(Status.SUSPENDED);
    assertThat(record.to()).contains(Status.SUSPENDED);
    vm("b").destroy(Disk.DROP, YES);
    expectNothing();
  }

  @Test
  protected void severalProcessesAtOnceAreKeptApartByTheLock() throws Exception {
    deploy();
    List<String> before = stage.everything();
    stage.at(
        "before stop",
        () -> {
          assertThatThrownBy(() -> vm("second").destroy(Disk.DROP, YES))
              .isInstanceOf(VmException.LockHeld.class)
              .hasMessageContaining("VM default is locked: suspend by first, started ");
        });
    stage.watched("first").suspend(YES);
    expectWhole(Status.SUSPENDED);
    assertThat(stage.everything()).isEqualTo(before);
  }

  @Test
  protected void anExpiredLockIsTakenOverByItself() throws Exception {
    deploy();
    stage.killedAt("before delete instance", vm -> vm.destroy(Disk.DROP, YES));
    long fencing = stage.journal().fencing();
    assertThatThrownBy(() -> vm("b").destroy(Disk.DROP, YES))
        .isInstanceOf(VmException.LockHeld.class);
    stage.expireLock();
    vm("b").destroy(Disk.DROP, YES);
    assertThat(stage.journal().fencing()).isEqualTo(fencing + 1);
    expectNothing();
    assertThat(vm("b").history(10))
        .anyMatch(r -> r.error().orElse("").equals("interrupted; taken over by b"));
  }

  @Test
  protected void aLockThatCannotBeRenewedStopsTheWorkKeepsTheStateAndExpires() throws Exception {
    deploy();
    List<String> after =
        stage.at(
            "after delete instance",
            () -> {
              stage.troubled().unreachable(true);
              scene.elapse(LockRecord.LEASE.minusMinutes(1).plusSeconds(1));
            });
    assertThatThrownBy(() -> stage.watched("first").destroy(Disk.DROP, YES))
        .isInstanceOf(VmException.LockLost.class);
    assertThat(after).as("nothing more was done").isEmpty();
    expect(Status.DESTROYING);
    assertThat(stage.journal().lock()).as("not released").isPresent();
    stage.expireLock();
    vm("b").destroy(Disk.DROP, YES);
    expectNothing();
  }

  @Test
  protected void aWriteThatFailsStopsTheDeployAndKeepsWhatWasCreated() throws Exception {
    stage.at("after create subnet", () -> stage.troubled().always(TroubledSpace.Write.BROKEN));
    assertThatThrownBy(() -> stage.watched("first").deploy(spec, YES))
        .isInstanceOf(VmException.StoreFailed.class)
        .hasMessageContaining("What was created is kept");
    List<String> before = stage.everything();
    assertThat(before).hasSize(2);
    stage.expireLock();
    vm("b").deploy(spec, YES);
    assertThat(stage.everything()).containsAll(before);
    expectWhole(Status.RUNNING);
  }

  @Test
  protected void aStoreThatCannotBeReachedIsAnErrorAndNothingIsDoneElsewhere() throws Exception {
    stage.troubled().unreachable(true);
    assertThatThrownBy(() -> stage.watched("first").deploy(spec, YES))
        .isInstanceOf(VmException.StoreFailed.class)
        .hasMessageContaining("the store cannot be reached")
        .hasMessageContaining(stage.space.location());
    assertThat(stage.everything()).isEmpty();
    assertThat(stage.space.names()).isEmpty();
  }

  @Test
  protected void whatWasDeletedByHandIsCreatedAgainByDeploy() throws Exception {
    deploy();
    String old = stage.id(Kind.INSTANCE);
    stage.deleteByHand(Kind.INSTANCE);
    assertThat(vm("b").status().cloud()).contains("instance " + old + " does not exist any more");
    vm("b").deploy(spec, YES);
    assertThat(stage.everything()).doesNotContain(old);
    expectWhole(Status.RUNNING);
  }

  // ---- killed in the middle

  @Test
  protected void aKilledDeployIsFinishedByTheNext() throws Exception {
    for (String moment : List.of("after create security group", "after bind")) {
      stage.killedAt(moment, vm -> vm.deploy(spec, YES));
      stage.expireLock();
      vm("b").deploy(spec, YES);
      expectWhole(Status.RUNNING);
      vm("b").destroy(Disk.DROP, YES);
      expectNothing();
    }
  }

  @Test
  protected void aKilledSuspendOrResumeIsFinishedByTheNext() throws Exception {
    deploy();
    for (String when : List.of("before ", "after ")) {
      stage.killedAt(when + "stop", vm -> vm.suspend(YES));
      stage.expireLock();
      vm("b").suspend(YES);
      expectWhole(Status.SUSPENDED);
      assertThat(stage.phase()).isEqualTo(stage.suspended());
      stage.killedAt(when + "start", vm -> vm.resume(YES));
      stage.expireLock();
      vm("b").resume(YES);
      expectWhole(Status.RUNNING);
      assertThat(stage.phase()).isEqualTo(Phase.RUNNING);
    }
  }

  @Test
  protected void aKilledDestroyIsFinishedByTheNext() throws Exception {
    for (String moment : List.of("after create snapshot", "after delete instance")) {
      deploy();
      stage.killedAt(moment, vm -> vm.destroy(Disk.KEEP, YES));
      stage.expireLock();
      vm("b").destroy(Disk.KEEP, YES);
      expectWhole(Status.DESTROYED);
      assertThat(stage.everything()).containsExactly(snapshot());
      vm("b").destroy(Disk.DROP, YES);
      expectNothing();
    }
    deploy();
    stage.killedAt("before delete network", vm -> vm.destroy(Disk.DROP, YES));
    stage.expireLock();
    vm("b").destroy(Disk.DROP, YES);
    expectNothing();
  }

  @Test
  protected void lostAnswersAndThrottlingCostTimeOnly() throws Exception {
    scene.fail(Fault.after("create", Kind.NETWORK, Trouble.UNAVAILABLE).times(2));
    scene.fail(Fault.before("create", Kind.INSTANCE, Trouble.THROTTLED).times(3));
    scene.fail(Fault.after("create", Kind.INSTANCE, Trouble.UNAVAILABLE));
    deploy();
    expectWhole(Status.RUNNING);
    scene.fail(Fault.after("delete", Kind.INSTANCE, Trouble.UNAVAILABLE));
    scene.fail(Fault.after("delete", Kind.NETWORK, Trouble.UNAVAILABLE));
    vm("a").destroy(Disk.DROP, YES);
    expectNothing();
  }

  // ---- two clients

  @Test
  protected void everyTakeOverHasAGreaterFencingNumber() throws Exception {
    deploy();
    long last = stage.journal().fencing();
    for (Options options : List.of(YES.forcing(), YES.forcing(), YES)) {
      if (!options.force()) {
        stage.expireLock();
      }
      stage.killedAt("before stop", vm -> vm.suspend(options));
      assertThat(stage.journal().fencing()).isEqualTo(last + 1);
      assertThat(stage.fields("state.json").get("fencing")).isEqualTo(last + 1);
      assertThat(stage.fields(".lock").get("fencing")).isEqualTo(last + 1);
      last = stage.journal().fencing();
    }
  }

  @Test
  protected void aStolenLockStopsTheLoserBeforeItsNextDeed() throws Exception {
    deploy();
    List<String> after =
        stage.at("after delete address", () -> vm("thief").destroy(Disk.DROP, YES.forcing()));
    assertThatThrownBy(() -> stage.watched("loser").destroy(Disk.DROP, YES))
        .isInstanceOf(VmException.LockLost.class)
        .hasMessageContaining("its lock was taken over");
    assertThat(after).as("nothing more was done or written").isEmpty();
    expectNothing();
  }

  @Test
  protected void aHolderPausedBeyondItsLeaseDoesNothingMore() throws Exception {
    deploy();
    List<String> after =
        stage.at(
            "after describe instance",
            () -> {
              stage.expireLock();
              vm("next").destroy(Disk.DROP, YES);
            });
    assertThatThrownBy(() -> stage.watched("sleeper").suspend(YES))
        .isInstanceOf(VmException.LockLost.class);
    assertThat(after).isEmpty();
    expectNothing();
  }

  // ---- snapshots

  @Test
  protected void theSnapshotIsFinishedBeforeTheFirstDelete() throws Exception {
    deploy();
    List<String> deletes =
        stage.atEach(
            "before delete",
            () -> {
              String id = stage.journal().backup().map(Backup::snapshotId).orElseThrow();
              assertThat(scene.isFinished(id)).isTrue();
            });
    stage.watched("a").destroy(Disk.KEEP, YES);
    assertThat(deletes.stream().distinct())
        .containsExactly(
            "before delete application",
            "before delete address",
            "before delete instance",
            "before delete key pair",
            "before delete security group",
            "before delete subnet",
            "before delete network");
    expectWhole(Status.DESTROYED);
  }

  @Test
  protected void aReplacedSnapshotIsDeleted() throws Exception {
    deploy();
    vm("a").destroy(Disk.KEEP, YES);
    String first = snapshot();
    vm("a").deploy(spec, YES);
    vm("a").destroy(Disk.KEEP, YES);
    String second = snapshot();
    assertThat(second).isNotEqualTo(first);
    assertThat(stage.everything()).containsExactly(second);
    assertThat(stage.fields("backup.json").get("snapshot_id")).isEqualTo(second);
    expectWhole(Status.DESTROYED);
  }

  @Test
  protected void aDeclinedSnapshotIsDeletedNotOnlyItsFile() throws Exception {
    deploy();
    vm("a").destroy(Disk.KEEP, YES);
    vm("a").deploy(spec, YES);
    vm("a").destroy(Disk.DROP, YES);
    expectNothing();
    assertThat(stage.file("backup.json")).isEmpty();
  }

  @Test
  protected void theLastSnapshotOfADestroyedVmCanBeDroppedToo() throws Exception {
    deploy();
    vm("a").destroy(Disk.KEEP, YES);
    assertThat(vm("a").destroy(Disk.KEEP, YES)).isInstanceOf(Outcome.Unchanged.class);
    vm("a").destroy(Disk.DROP, YES);
    expectNothing();
  }

  @Test
  protected void whatWouldNotGoIsListedAndTriedAgain() throws Exception {
    deploy();
    vm("a").destroy(Disk.KEEP, YES);
    String snapshot = snapshot();
    vm("a").deploy(spec, YES);
    scene.fail(Fault.before("delete", Kind.SNAPSHOT, Trouble.DENIED).times(9));
    Outcome.Done done = (Outcome.Done) vm("a").destroy(Disk.DROP, YES);
    assertThat(done.left()).extracting(c -> c.id()).containsExactly(snapshot);
    assertThat(stage.status()).isEmpty();
    assertThat(stage.everything()).containsExactly(snapshot);
    scene.mend();
    SweepReport report = stage.vms("b").sweep(FOR_REAL);
    assertThat(report.with(Result.REMOVED)).hasSize(1);
    expectNothing();
  }

  // ---- questions

  @Test
  protected void questionsKeepTheirForm() throws Exception {
    List<String> asked = new ArrayList<>();
    Options asking =
        Options.DEFAULT.asking(
            q -> {
              asked.add(q.prompt());
              return Questions.Answer.YES;
            });
    stage.killedAt("after create subnet", vm -> vm.deploy(spec, YES));
    scene.elapse(Duration.ofMinutes(2));
    vm("b").deploy(spec, asking.forcing());
    vm("b").destroy(Disk.ASK, asking);
    assertThat(asked.get(0))
        .matches(
            "deploy of VM default is under way by dead \\(started 2 min( \\d+ s)? ago\\)\\. Take it"
                + " over\\? \\[y/N\\]");
    assertThat(asked.subList(1, asked.size()))
        .containsExactly(
            "The last deploy of VM default was not finished. Continue it? [Y/n]",
            "Keep the disk of VM default as a snapshot? [Y/n]");
    expectWhole(Status.DESTROYED);
  }

  @Test
  protected void noMeansThatNothingHappens() throws Exception {
    stage.killedAt("after create subnet", vm -> vm.deploy(spec, YES));
    long before = stage.journal().sequence();
    List<String> there = stage.everything();
    Options no = Options.DEFAULT.asking(q -> Questions.Answer.NO);
    assertThatThrownBy(() -> vm("b").deploy(spec, no.forcing()))
        .isInstanceOf(VmException.LockHeld.class);
    stage.expireLock();
    assertThatThrownBy(() -> vm("b").deploy(spec, no))
        .isInstanceOf(VmException.Declined.class)
        .hasMessageContaining("the answer was no. Run `destroy`");
    assertThatThrownBy(() -> vm("b").deploy(spec, Options.DEFAULT))
        .isInstanceOf(VmException.Unanswered.class)
        .hasMessageContaining("--yes");
    assertThat(stage.journal().sequence()).isEqualTo(before);
    assertThat(stage.everything()).isEqualTo(there);
  }

  // ---- 3.1.2, files

  @Test
  protected void stateHasTheDesignsFields() throws Exception {
    deploy();
    Map<?, ?> state = stage.fields("state.json");
    assertThat(state.get("version")).isEqualTo("0.3.0");
    assertThat(state.get("status")).isEqualTo("running");
    assertThat(state.get("previous_status")).isEqualTo("");
    assertThat(state.get("region")).isEqualTo(spec.region());
    assertThat(Instant.parse((String) state.get("updated_at")))
        .isBetween(stage.space.now().minus(Duration.ofMinutes(30)), stage.space.now());
    assertThat(state.get("fencing")).isEqualTo(stage.journal().fencing());
    Map<?, ?> resources = (Map<?, ?>) state.get("resources");
    for (Kind kind : stage.state().resources().keySet()) {
      Map<?, ?> resource = (Map<?, ?>) resources.get(kind.key());
      assertThat(resource.get(kind == Kind.KEY_PAIR ? "name" : "id")).isEqualTo(stage.id(kind));
    }
    assertThat(stage.state().resources())
        .containsKeys(
            Kind.NETWORK,
            Kind.SUBNET,
            Kind.SECURITY_GROUP,
            Kind.KEY_PAIR,
            Kind.INSTANCE,
            Kind.ADDRESS);
    assertThat(part(resources, "vpc").get("cidr")).isEqualTo("192.168.0.0/16");
    assertThat((String) part(resources, "vswitch").get("zone_id")).isNotBlank();
    assertThat(part(resources, "ecs").get("instance_type")).isEqualTo(spec.instanceType());
    assertThat((String) part(resources, "eip").get("ip")).matches("[0-9.]+");
  }

  private static Map<?, ?> part(Map<?, ?> resources, String key) {
    return (Map<?, ?>) resources.get(key);
  }

  @Test
  protected void theLockHasTheDesignsFieldsWhileItIsHeld() throws Exception {
    deploy();
    assertThat(stage.file(".lock")).isEmpty();
    stage.at(
        "before stop",
        () -> {
          LockRecord held = stage.journal().lock().orElseThrow();
          Map<?, ?> lock = stage.fields(".lock");
          assertThat(lock.get("operation")).isEqualTo("suspend");
          assertThat(lock.get("client_id")).isEqualTo("a");
          assertThat(lock.get("started_at")).isEqualTo(held.startedAt().toString());
          assertThat(Instant.parse((String) lock.get("started_at")))
              .isBetween(stage.space.now().minus(Duration.ofMinutes(1)), stage.space.now());
          assertThat(lock.get("fencing")).isEqualTo(held.fencing());
          assertThat(lock.toString())
              .as("whoever knows it could act for them")
              .doesNotContain(held.nonce());
        });
    stage.watched("a").suspend(YES);
    assertThat(stage.file(".lock")).isEmpty();
  }

  @Test
  protected void theBackupHasTheDesignsFieldsWhileThereIsOne() throws Exception {
    deploy();
    assertThat(stage.file("backup.json")).isEmpty();
    String instance = stage.id(Kind.INSTANCE);
    vm("a").destroy(Disk.KEEP, YES);
    Map<?, ?> backup = stage.fields("backup.json");
    assertThat(backup.get("snapshot_id")).isEqualTo(snapshot());
    assertThat(backup.get("baton_version")).isEqualTo("0.3.0");
    assertThat(backup.get("region")).isEqualTo(spec.region());
    assertThat(backup.get("disk_size")).isEqualTo((long) spec.diskGb());
    assertThat(backup.get("instance")).isEqualTo(instance);
    assertThat(Instant.parse((String) backup.get("created_at")))
        .isBetween(stage.space.now().minus(Duration.ofMinutes(30)), stage.space.now());
    assertThat(stage.fields("state.json").get("status")).isEqualTo("destroyed");
  }

  @Test
  protected void everyOperationLeavesARecord() throws Exception {
    deploy();
    vm("a").suspend(YES);
    scene.fail(Fault.before("start", Kind.INSTANCE, Trouble.DENIED));
    assertThatThrownBy(() -> vm("b").resume(YES)).isInstanceOf(VmException.CloudFailed.class);
    List<String> files = stage.space.list(NAME, "history");
    assertThat(files)
        .hasSize(3)
        .allMatch(
            f -> f.matches("history/\\d{4}-\\d\\d-\\d\\dT\\d\\d-\\d\\d-\\d\\d(_\\d)?\\.json"));

    Map<?, ?> suspended = stage.fields(files.get(1));
    assertThat(suspended.get("operation")).isEqualTo("suspend");
    assertThat(suspended.get("from_status")).isEqualTo("running");
    assertThat(suspended.get("to_status")).isEqualTo("suspended");
    assertThat(suspended.get("client_id")).isEqualTo("a");
    assertThat(suspended.get("success")).isEqualTo(true);
    assertThat(suspended.containsKey("error")).isTrue();
    assertThat(suspended.get("error")).isNull();
    assertThat((Long) suspended.get("duration_ms")).isNotNegative();
    assertThat(files.get(1))
        .contains(((String) suspended.get("timestamp")).substring(0, 19).replace(':', '-'));

    Map<?, ?> refused = stage.fields(files.get(2));
    assertThat(refused.get("operation")).isEqualTo("resume");
    assertThat(refused.get("to_status")).isEqualTo("suspended");
    assertThat(refused.get("success")).isEqualTo(false);
    assertThat((String) refused.get("error")).startsWith("resume of VM default has failed: ");

    assertThat(vm("b").history(10))
        .extracting(HistoryRecord::operation)
        .containsExactly(Operation.RESUME, Operation.SUSPEND, Operation.DEPLOY);
    assertThat(vm("b").history(2)).hasSize(2);
  }

  /** Unless the space itself sees to it. */
  @Test
  protected void historyIsPrunedAtThirtyDays() throws Exception {
    deploy();
    List<String> old = stage.space.list(NAME, "history");
    assertThat(old).hasSize(1);
    scene.elapse(Duration.ofDays(31));
    vm("a").suspend(YES);
    List<String> now = stage.space.list(NAME, "history");
    if (stage.space.historyKept().isPresent()) {
      assertThat(now).hasSize(1).doesNotContainAnyElementsOf(old);
    } else {
      assertThat(now).hasSize(2).containsAll(old);
    }
  }

  @Test
  protected void copiesThatCouldNotBeMadeAreToldAndMadeUpForByStatus() throws Exception {
    deploy();
    List<String> notes = new ArrayList<>();
    stage.troubled().copiesFail(true);
    stage
        .watched("a")
        .suspend(
            YES.telling(
                new Progress() {
                  @Override
                  public void started(Step step) {
                    // not what is looked at
                  }

                  @Override
                  public void finished(Step step, String result, Duration took) {
                    // not what is looked at
                  }

                  @Override
                  public void note(String text) {
                    notes.add(text);
                  }
                }));
    assertThat(notes).isNotEmpty().allMatch(n -> n.contains("the journal is safe"));
    assertThat(stage.fields("state.json").get("status")).isEqualTo("running");
    vm("b").status();
    assertThat(stage.fields("state.json").get("status")).isEqualTo("suspended");
    assertThat(stage.space.list(NAME, "history")).hasSize(2);
  }

  @Test
  protected void anOperationThatHasNothingToDoMakesUpForCopiesToo() throws Exception {
    deploy();
    stage.killedAt("after the write: suspend of default is done", vm -> vm.suspend(YES));
    assertThat(stage.file(".lock")).isPresent();
    assertThat(vm("b").suspend(YES)).isInstanceOf(Outcome.Unchanged.class);
    assertThat(stage.file(".lock")).isEmpty();
    expectWhole(Status.SUSPENDED);
  }

  @Test
  protected void aBrokenCopyIsWrittenAnew() throws Exception {
    deploy();
    stage.space.put(NAME, "state.json", "{ what");
    vm("b").status();
    expectWhole(Status.RUNNING);
  }

  // ---- sweep and life

  @Test
  protected void sweepRemovesOnlyWhatIsItsOwnUnclaimedAndOldEnough() throws Exception {
    deploy();
    String old = stage.stray(new Owner(stage.home, NAME));
    String ofNoVm = stage.stray(new Owner(stage.home, new VmName("never-seen")));
    List<String> foreign = new ArrayList<>();
    foreign.add(stage.stray(new Owner(othersHome(), NAME)));
    foreign.add(stage.stray(new Owner(stage.home + "0", NAME)));
    scene.stranger().ifPresent(foreign::add);
    scene.elapse(Duration.ofMinutes(20));
    String young = stage.stray(new Owner(stage.home, NAME));

    SweepReport dry = stage.vms("b").sweep(SweepOptions.DRY_RUN);
    assertThat(dry.with(Result.WOULD_REMOVE))
        .extracting(SweepReport.Finding::id)
        .containsExactlyInAnyOrder(old, ofNoVm);
    assertThat(dry.findings())
        .anyMatch(f -> f.reason() == Reason.TOO_YOUNG && f.id().equals(young));
    assertThat(stage.everything()).contains(old, ofNoVm, young).containsAll(foreign);

    SweepReport report = stage.vms("b").sweep(FOR_REAL);
    assertThat(report.with(Result.REMOVED))
        .extracting(SweepReport.Finding::id)
        .containsExactlyInAnyOrder(old, ofNoVm);
    List<String> left = new ArrayList<>(stage.recorded());
    left.addAll(foreign);
    left.add(young);
    assertThat(stage.everything()).containsExactlyInAnyOrderElementsOf(left);
    assertThat(vm("b").status().cloud()).isEmpty();

    stage.vms("b").sweep(FOR_REAL.olderThan(Duration.ZERO));
    vm("b").takeDown(YES);
    assertThat(stage.everything()).containsExactlyInAnyOrderElementsOf(foreign);
  }

  private String othersHome() {
    return new StringBuilder(stage.home).reverse().append("00").toString();
  }

  @Test
  protected void sweepLeavesAVmAloneThatSomebodyWorksOn() throws Exception {
    deploy();
    String stray = stage.stray(new Owner(stage.home, NAME));
    scene.elapse(Duration.ofMinutes(20));
    List<SweepReport> reports = new ArrayList<>();
    stage.at("before stop", () -> reports.add(stage.vms("b").sweep(FOR_REAL)));
    stage.watched("a").suspend(YES);
    assertThat(reports.get(0).findings())
        .extracting(SweepReport.Finding::reason)
        .containsExactly(Reason.BUSY);
    assertThat(stage.everything()).contains(stray).containsAll(stage.recorded());
    expect(Status.SUSPENDED);
  }

  @Test
  protected void sweepFinishesAnInterruptedDestroyAsItWasMeant() throws Exception {
    deploy();
    stage.killedAt("after delete address", vm -> vm.destroy(Disk.KEEP, YES));
    stage.expireLock();
    assertThat(stage.vms("b").sweep(SweepOptions.DRY_RUN).with(Result.WOULD_REMOVE)).hasSize(1);
    expect(Status.DESTROYING);
    stage.vms("b").sweep(FOR_REAL);
    expectWhole(Status.DESTROYED);
    assertThat(stage.everything()).containsExactly(snapshot());
  }

  @Test
  protected void sweepLeavesAnInterruptedDeployToItsOwner() throws Exception {
    stage.killedAt("after create instance", vm -> vm.deploy(spec, YES));
    List<String> before = stage.everything();
    scene.elapse(Duration.ofHours(1));
    SweepReport report = stage.vms("b").sweep(FOR_REAL);
    assertThat(report.findings())
        .extracting(SweepReport.Finding::reason)
        .contains(Reason.INTERRUPTED_DEPLOY);
    assertThat(stage.everything()).isEqualTo(before);
    vm("b").deploy(spec, YES);
    assertThat(stage.everything()).containsAll(before);
    expectWhole(Status.RUNNING);
  }

  @Test
  protected void aVmOfAJobIsSweptWhenItsTimeIsOverAndNotWhenItWasExtended() throws Exception {
    assumeThat(scene.provider().traits().deadManSwitch()).isTrue();
    vm("a").deploy(spec.livingAtMost(Duration.ofHours(1)), YES);
    String instance = stage.id(Kind.INSTANCE);
    scene.elapse(Duration.ofMinutes(50));
    vm("a").extend(Duration.ofHours(1), YES);
    scene.elapse(Duration.ofMinutes(30));
    stage.vms("b").sweep(FOR_REAL);
    expectWhole(Status.RUNNING);
    scene.elapse(Duration.ofMinutes(32));
    assertThat(stage.everything())
        .as("the cloud's own switch took the instance")
        .isNotEmpty()
        .doesNotContain(instance);
    stage.vms("b").sweep(FOR_REAL);
    expectNothing();
  }

  @Test
  protected void aSuspendedVmOutlivesItsJob() throws Exception {
    vm("a").deploy(spec.livingAtMost(Duration.ofHours(1)), YES);
    String instance = stage.id(Kind.INSTANCE);
    vm("a").suspend(YES);
    scene.elapse(Duration.ofDays(9));
    stage.vms("b").sweep(FOR_REAL);
    vm("b").resume(YES);
    assertThat(stage.id(Kind.INSTANCE)).isEqualTo(instance);
    expectWhole(Status.RUNNING);
  }

  // ---- the end, from everywhere

  @Test
  protected void takeDownWorksFromWhereverADeployWasKilled() throws Exception {
    vm("a").takeDown(YES);
    expectNothing();
    for (String moment : List.of("after create subnet", "after create application")) {
      stage.killedAt(moment, vm -> vm.deploy(spec, YES));
      stage.expireLock();
      vm("b").takeDown(Options.DEFAULT);
      expectNothing();
    }
  }

  @Test
  protected void takeDownWorksFromEveryStatus() throws Exception {
    deploy();
    vm("b").takeDown(Options.DEFAULT);
    expectNothing();

    deploy();
    stage.killedAt("before stop", vm -> vm.suspend(YES));
    stage.expireLock();
    vm("b").takeDown(Options.DEFAULT);
    expectNothing();

    deploy();
    vm("a").suspend(YES);
    stage.killedAt("after start", vm -> vm.resume(YES));
    stage.expireLock();
    vm("b").takeDown(Options.DEFAULT);
    expectNothing();
  }

  @Test
  protected void takeDownLeavesNoSnapshot() throws Exception {
    deploy();
    vm("a").suspend(YES);
    stage.killedAt("after create snapshot", vm -> vm.destroy(Disk.KEEP, YES));
    stage.expireLock();
    vm("b").takeDown(Options.DEFAULT);
    expectNothing();

    deploy();
    vm("a").destroy(Disk.KEEP, YES);
    vm("b").takeDown(Options.DEFAULT);
    expectNothing();
  }

  // ---- what not every cloud can do: stop and start

  private interface Wish {
    void of(BuildVm vm) throws Exception;
  }

  /**
   * Where the cloud cannot do that, it says so and changes nothing.
   *
   * @return whether it can
   */
  private boolean isPossible(boolean can, Wish wish) throws Exception {
    deploy();
    if (can) {
      return true;
    }
    long before = stage.journal().sequence();
    assertThatThrownBy(() -> wish.of(vm("a")))
        .isInstanceOfSatisfying(
            VmException.Impossible.class,
            e -> {
              assertThat(e.what()).contains(scene.provider().traits().name() + " cannot");
              assertThat(e.next()).isNotBlank();
            });
    assertThat(stage.journal().sequence()).isEqualTo(before);
    expectWhole(Status.RUNNING);
    return false;
  }

  private boolean canStop() throws Exception {
    return isPossible(scene.provider().power().isPresent(), vm -> vm.stop(YES));
  }

  @Test
  protected void aStopShutsItDownAndAStartBootsIt() throws Exception {
    if (!canStop()) {
      assertThatThrownBy(() -> vm("a").start(YES)).isInstanceOf(VmException.Impossible.class);
      return;
    }
    String instance = stage.id(Kind.INSTANCE);
    assertThat(stage.statuses(vm -> vm.stop(YES)))
        .containsExactly(at(Status.RUNNING), at(Status.STOPPING), at(Status.STOPPED));
    expectWhole(Status.STOPPED);
    assertThat(stage.phase()).isEqualTo(Phase.STOPPED);
    assertThat(vm("a").stop(YES)).isInstanceOf(Outcome.Unchanged.class);
    assertThatThrownBy(() -> vm("a").suspend(YES)).isInstanceOf(VmException.NotAllowed.class);
    assertThatThrownBy(() -> vm("a").resume(YES))
        .isInstanceOf(VmException.NotAllowed.class)
        .hasMessageContaining("`start`");
    assertThat(stage.statuses(vm -> vm.start(YES)))
        .containsExactly(at(Status.STOPPED), at(Status.STARTING), at(Status.RUNNING));
    expectWhole(Status.RUNNING);
    assertThat(stage.phase()).isEqualTo(Phase.RUNNING);
    assertThat(stage.id(Kind.INSTANCE)).isEqualTo(instance);
    assertThat(vm("a").start(YES)).isInstanceOf(Outcome.Unchanged.class);
    vm("a").stop(YES);
    vm("a").destroy(Disk.DROP, YES);
    expectNothing();
  }

  @Test
  protected void aStopOrStartThatFailsGoesBack() throws Exception {
    if (!canStop()) {
      return;
    }
    scene.fail(Fault.before("powerOff", Kind.INSTANCE, Trouble.DENIED));
    assertThatThrownBy(() -> vm("a").stop(YES)).isInstanceOf(VmException.CloudFailed.class);
    expectWhole(Status.RUNNING);
    assertThat(lastRecord().isSuccess()).isFalse();
    vm("a").stop(YES);
    scene.fail(Fault.before("start", Kind.INSTANCE, Trouble.DENIED));
    assertThatThrownBy(() -> vm("a").start(YES)).isInstanceOf(VmException.CloudFailed.class);
    expectWhole(Status.STOPPED);
    assertThat(stage.phase()).isEqualTo(Phase.STOPPED);
    scene.fail(Fault.before("boot", Kind.INSTANCE, Trouble.BAD_REQUEST));
    assertThatThrownBy(() -> vm("a").start(YES))
        .isInstanceOf(VmException.CloudFailed.class)
        .hasMessageContaining("off again");
    expectWhole(Status.STOPPED);
    vm("a").start(YES);
    expectWhole(Status.RUNNING);
  }

  @Test
  protected void aKilledStopOrStartIsFinishedByTheNext() throws Exception {
    if (!canStop()) {
      return;
    }
    for (String when : List.of("before ", "after ")) {
      stage.killedAt(when + "power off", vm -> vm.stop(YES));
      assertThatThrownBy(() -> vm("b").stop(YES)).isInstanceOf(VmException.LockHeld.class);
      stage.expireLock();
      vm("b").stop(YES);
      vm("b").status();
      expectWhole(Status.STOPPED);
      assertThat(stage.phase()).isEqualTo(Phase.STOPPED);
      stage.killedAt(when + "start", vm -> vm.start(YES));
      stage.expireLock();
      vm("b").start(YES);
      vm("b").status();
      expectWhole(Status.RUNNING);
      assertThat(stage.phase()).isEqualTo(Phase.RUNNING);
    }
  }

  @Test
  protected void statusTellsWhatAnInterruptedStopOrStartHasComeTo() throws Exception {
    if (!canStop()) {
      return;
    }
    stage.killedAt("before power off", vm -> vm.stop(YES));
    stage.expireLock();
    StatusReport kept = vm("b").status();
    assertThat(kept.corrected())
        .contains(new StatusReport.Correction(Status.STOPPING, Status.RUNNING));
    assertThat(kept.advice()).anyMatch(a -> a.contains("`stop` again"));
    stage.killedAt("after power off", vm -> vm.stop(YES));
    stage.expireLock();
    assertThat(vm("b").status().corrected())
        .contains(new StatusReport.Correction(Status.STOPPING, Status.STOPPED));
    stage.killedAt("before start", vm -> vm.start(YES));
    stage.expireLock();
    StatusReport still = vm("b").status();
    assertThat(still.corrected())
        .contains(new StatusReport.Correction(Status.STARTING, Status.STOPPED));
    assertThat(still.advice()).anyMatch(a -> a.contains("`start` again"));
    expectWhole(Status.STOPPED);
  }

  @Test
  protected void whatIsSuspendedLosesItsMemoryOnlyAfterAYes() throws Exception {
    if (!canStop()) {
      return;
    }
    vm("a").suspend(YES);
    long before = stage.journal().sequence();
    assertThatThrownBy(() -> vm("a").stop(Options.DEFAULT))
        .isInstanceOf(VmException.Unanswered.class)
        .hasMessageContaining("memory");
    assertThatThrownBy(() -> vm("a").stop(Options.DEFAULT.asking(q -> Questions.Answer.NO)))
        .isInstanceOf(VmException.Declined.class);
    assertThatThrownBy(() -> vm("a").start(YES))
        .isInstanceOf(VmException.NotAllowed.class)
        .hasMessageContaining("`resume`");
    assertThat(stage.journal().sequence()).isEqualTo(before);
    assertThat(stage.phase()).isEqualTo(Phase.SUSPENDED);
    vm("a").stop(YES);
    expectWhole(Status.STOPPED);
    assertThat(stage.phase()).isEqualTo(Phase.STOPPED);
  }

  @Test
  protected void aSuspendThatKeptNoMemoryLeavesAVmThatIsStopped() throws Exception {
    if (!canStop()) {
      return;
    }
    stage.killedAt("before stop", vm -> vm.suspend(YES));
    stage.stopByHand();
    stage.expireLock();
    assertThat(vm("b").status().corrected())
        .contains(new StatusReport.Correction(Status.SUSPENDING, Status.STOPPED));
    expectWhole(Status.STOPPED);
    vm("b").start(YES);
    stage.stopByHand();
    assertThatThrownBy(() -> vm("b").suspend(YES))
        .isInstanceOf(VmException.CloudFailed.class)
        .hasMessageContaining("`stop`");
    expect(Status.RUNNING);
    vm("b").stop(YES);
    expectWhole(Status.STOPPED);
  }

  @Test
  protected void aVmOfAJobThatIsStoppedHasNoEnd() throws Exception {
    if (scene.provider().power().isEmpty()) {
      return;
    }
    vm("a").deploy(spec.livingAtMost(Duration.ofHours(1)), YES);
    vm("a").stop(YES);
    assertThat(stage.state().expiresAt()).isEmpty();
    assertThat(stage.releaseTime()).isEmpty();
    scene.elapse(Duration.ofHours(2));
    stage.sweep();
    expectWhole(Status.STOPPED);
    vm("a").start(YES);
    assertThat(stage.wrongEnds()).isEmpty();
    scene.elapse(Duration.ofHours(2));
    stage.sweep();
    expectNothing();
  }

  // ---- resize

  private boolean canResize() throws Exception {
    return isPossible(
        scene.provider().sizes().isPresent(), vm -> vm.resize(scene.otherSize(), YES));
  }

  /** What the cloud says of the instance, as far as its size is concerned. */
  private Map<String, String> size() throws Exception {
    Found instance = stage.found(Kind.INSTANCE).orElseThrow();
    Map<String, String> size = new TreeMap<>(instance.attributes());
    Map<String, String> planned =
        scene
            .provider()
            .sizes()
            .orElseThrow()
            .resized(instance, scene.otherSize(), stage.patient());
    size.keySet().retainAll(planned.keySet());
    return size;
  }

  private void expectRecorded(Map<String, String> size) throws Exception {
    assertThat(stage.state().resource(Kind.INSTANCE).orElseThrow().attributes())
        .containsAllEntriesOf(size);
  }

  @Test
  protected void aResizeStopsAndStartsWhatRunsAndLeavesWhatIsStopped() throws Exception {
    if (!canResize()) {
      return;
    }
    Map<String, String> old = size();
    assertThat(stage.statuses(vm -> vm.resize(scene.otherSize(), YES)))
        .containsExactly(at(Status.RUNNING), at(Status.RESIZING), at(Status.RUNNING));
    expectWhole(Status.RUNNING);
    assertThat(stage.phase()).isEqualTo(Phase.RUNNING);
    Map<String, String> next = size();
    assertThat(next).isNotEqualTo(old);
    expectRecorded(next);
    assertThat(vm("a").resize(scene.otherSize(), YES)).isInstanceOf(Outcome.Unchanged.class);
    vm("a").destroy(Disk.DROP, YES);
    expectNothing();

    deploy();
    vm("a").stop(YES);
    assertThat(stage.statuses(vm -> vm.resize(scene.otherSize(), YES)))
        .containsExactly(at(Status.STOPPED), at(Status.RESIZING), at(Status.STOPPED));
    assertThat(stage.phase()).isEqualTo(Phase.STOPPED);
    assertThat(size()).isEqualTo(next);
    expectWhole(Status.STOPPED);
  }

  @Test
  protected void aSizeThatThereIsNotChangesNothing() throws Exception {
    if (!canResize()) {
      return;
    }
    long before = stage.journal().sequence();
    assertThatThrownBy(() -> vm("a").resize(SizeChange.toMemoryMb(16 * 1024 * 1024), YES))
        .isInstanceOf(VmException.Impossible.class);
    assertThatThrownBy(() -> vm("a").resize(SizeChange.AS_BEFORE, YES))
        .isInstanceOf(VmException.Impossible.class);
    assertThat(stage.journal().sequence()).isEqualTo(before);
    vm("a").suspend(YES);
    assertThatThrownBy(() -> vm("a").resize(scene.otherSize(), YES))
        .isInstanceOf(VmException.NotAllowed.class);
    expectWhole(Status.SUSPENDED);
  }

  @Test
  protected void aSizeThatDoesNotComeUpIsRolledBack() throws Exception {
    if (!canResize()) {
      return;
    }
    Map<String, String> old = size();
    scene.fail(Fault.before("boot", Kind.INSTANCE, Trouble.BAD_REQUEST));
    assertThatThrownBy(() -> vm("a").resize(scene.otherSize(), YES))
        .isInstanceOf(VmException.CloudFailed.class)
        .hasMessageContaining("has its old size again");
    expectWhole(Status.RUNNING);
    assertThat(stage.phase()).isEqualTo(Phase.RUNNING);
    assertThat(size()).isEqualTo(old);
    expectRecorded(old);
    assertThat(lastRecord().isSuccess()).isFalse();
  }

  @Test
  protected void aKilledResizeIsFinishedOrGivenUpOrTakenDown() throws Exception {
    if (!canResize()) {
      return;
    }
    Map<String, String> old = size();
    stage.killedAt("after resize", vm -> vm.resize(scene.otherSize(), YES));
    stage.expireLock();
    StatusReport report = vm("b").status();
    assertThat(report.state().orElseThrow().status()).isEqualTo(Status.RESIZING);
    assertThat(report.advice()).anyMatch(a -> a.contains("`resize`") && a.contains("`abandon`"));
    assertThatThrownBy(() -> vm("b").start(YES)).isInstanceOf(VmException.NotAllowed.class);
    assertThat(stage.vms("b").sweep(FOR_REAL).findings())
        .anyMatch(f -> f.reason() == Reason.INTERRUPTED_RESIZE && f.result() == Result.LEFT_ALONE);
    vm("b").resize(SizeChange.AS_BEFORE, YES);
    expectWhole(Status.RUNNING);
    Map<String, String> next = size();
    assertThat(next).isNotEqualTo(old);
    vm("b").destroy(Disk.DROP, YES);

    deploy();
    stage.killedAt("after resize", vm -> vm.resize(scene.otherSize(), YES));
    stage.expireLock();
    vm("b").abandon(YES);
    expectWhole(Status.RUNNING);
    assertThat(stage.phase()).isEqualTo(Phase.RUNNING);
    assertThat(size()).isEqualTo(old);
    expectRecorded(old);

    stage.killedAt("after resize", vm -> vm.resize(scene.otherSize(), YES));
    stage.expireLock();
    vm("b").takeDown(Options.DEFAULT);
    expectNothing();
  }

  // ---- further disks

  private static final Optional<Integer> ONE_GB = Optional.of(1);
  private static final Optional<Integer> THE_SAME = Optional.empty();

  private boolean canAttach() throws Exception {
    return isPossible(scene.provider().disks().isPresent(), vm -> vm.attach("cache", ONE_GB, YES));
  }

  private Optional<String> attachedTo(DataDisk disk) throws Exception {
    Found found = stage.found(Kind.DISK, disk.id()).orElseThrow();
    return Optional.ofNullable(found.attributes().get(Disks.INSTANCE));
  }

  private DataDisk disk(String name) throws Exception {
    return stage.state().disk(name).orElseThrow();
  }

  @Test
  protected void aDiskIsAttachedAndDetachedWhileTheVmIsOff() throws Exception {
    if (!canAttach()) {
      return;
    }
    assertThatThrownBy(() -> vm("a").attach("cache", ONE_GB, YES))
        .isInstanceOf(VmException.NotAllowed.class)
        .hasMessageContaining("cannot attach a disk to a VM that is running")
        .hasMessageContaining("`stop` first");
    vm("a").stop(YES);
    assertThatThrownBy(() -> vm("a").attach("cache", THE_SAME, YES))
        .isInstanceOf(VmException.Impossible.class)
        .hasMessageContaining("no disk cache yet");
    vm("a").attach("cache", ONE_GB, YES);
    DataDisk disk = disk("cache");
    assertThat(disk.wanted()).isEqualTo(DataDisk.Wanted.ATTACHED);
    assertThat(attachedTo(disk)).contains(stage.id(Kind.INSTANCE));
    expectWhole(Status.STOPPED);
    assertThat(vm("a").attach("cache", ONE_GB, YES)).isInstanceOf(Outcome.Unchanged.class);
    assertThatThrownBy(() -> vm("a").attach("cache", Optional.of(2), YES))
        .isInstanceOf(VmException.Impossible.class);
    vm("a").start(YES);
    expectWhole(Status.RUNNING);
    vm("a").stop(YES);

    vm("a").detach("cache", false, YES);
    assertThat(attachedTo(disk)).isEmpty();
    expectWhole(Status.STOPPED);
    assertThat(vm("a").detach("cache", false, YES)).isInstanceOf(Outcome.Unchanged.class);
    vm("a").start(YES);
    assertThat(attachedTo(disk)).as("kept beside the VM").isEmpty();
    vm("a").stop(YES);
    vm("a").attach("cache", THE_SAME, YES);
    assertThat(disk("cache")).isEqualTo(disk);
    assertThat(attachedTo(disk)).isPresent();

    assertThatThrownBy(() -> vm("a").detach("cache", true, Options.DEFAULT))
        .isInstanceOf(VmException.Unanswered.class);
    assertThat(attachedTo(disk)).isPresent();
    vm("a").detach("cache", true, YES);
    assertThat(stage.state().disks()).isEmpty();
    expectWhole(Status.STOPPED);
    assertThat(vm("a").detach("cache", true, YES)).isInstanceOf(Outcome.Unchanged.class);
    assertThatThrownBy(() -> vm("a").detach("cache", false, YES))
        .isInstanceOf(VmException.Impossible.class);
  }

  @Test
  protected void disksGoWithTheVmOrAreKeptWithItsSnapshot() throws Exception {
    if (!canAttach()) {
      return;
    }
    vm("a").stop(YES);
    vm("a").attach("cache", ONE_GB, YES);
    vm("a").attach("spare", ONE_GB, YES);
    vm("a").detach("spare", false, YES);
    vm("a").destroy(Disk.KEEP, YES);
    expectWhole(Status.DESTROYED);
    assertThat(stage.state().disks()).hasSize(2);
    vm("a").deploy(spec, YES);
    expectWhole(Status.RUNNING);
    assertThat(attachedTo(disk("cache"))).contains(stage.id(Kind.INSTANCE));
    assertThat(attachedTo(disk("spare"))).isEmpty();
    stage.deleteByHand(Kind.INSTANCE);
    vm("a").deploy(spec, YES);
    expectWhole(Status.RUNNING);
    assertThat(attachedTo(disk("cache"))).contains(stage.id(Kind.INSTANCE));
    vm("a").destroy(Disk.KEEP, YES);
    vm("a").destroy(Disk.DROP, YES);
    expectNothing();

    deploy();
    vm("a").stop(YES);
    vm("a").attach("cache", ONE_GB, YES);
    vm("a").destroy(Disk.DROP, YES);
    expectNothing();
  }

  @Test
  protected void aDiskThatIsGoneIsTakenOffTheList() throws Exception {
    if (!canAttach()) {
      return;
    }
    vm("a").stop(YES);
    vm("a").attach("cache", ONE_GB, YES);
    String old = disk("cache").id();
    scene.deleteByHand(Kind.DISK, old);
    assertThat(vm("a").status().cloud()).anyMatch(c -> c.contains("disk cache"));
    assertThatThrownBy(() -> vm("a").attach("cache", THE_SAME, YES))
        .isInstanceOf(VmException.CloudFailed.class);
    vm("a").attach("cache", ONE_GB, YES);
    assertThat(disk("cache").id()).isNotEqualTo(old);
    scene.deleteByHand(Kind.DISK, disk("cache").id());
    Outcome.Done done = (Outcome.Done) vm("a").start(YES);
    assertThat(done.notes()).anyMatch(n -> n.contains("disk cache"));
    assertThat(stage.state().disks()).isEmpty();
    expectWhole(Status.RUNNING);
  }

  @Test
  protected void aDiskOfAKilledAttachIsFoundByASweep() throws Exception {
    if (!canAttach()) {
      return;
    }
    vm("a").stop(YES);
    List<String> before = stage.everything();
    stage.killedAt("after create disk", vm -> vm.attach("cache", ONE_GB, YES));
    assertThat(stage.everything()).hasSize(before.size() + 1);
    scene.elapse(Duration.ofMinutes(16));
    assertThat(stage.vms("b").sweep(FOR_REAL).findings())
        .anyMatch(f -> f.kind().equals(Optional.of(Kind.DISK)) && f.result() == Result.REMOVED);
    assertThat(stage.everything()).isEqualTo(before);
    expectWhole(Status.STOPPED);
    stage.killedAt("after create disk", vm -> vm.attach("cache", ONE_GB, YES));
    stage.expireLock();
    vm("b").attach("cache", ONE_GB, YES);
    expectWhole(Status.STOPPED);
  }

  // ---- warm starts

  private boolean canStartWarm() throws Exception {
    if (scene.provider().warmStarts().isPresent()) {
      return true;
    }
    assertThatThrownBy(() -> vm("a").deploy(spec.startingWarm(true), YES))
        .isInstanceOf(VmException.Impossible.class)
        .hasMessageContaining(scene.provider().traits().name() + " cannot");
    assertThat(stage.journal().sequence()).isZero();
    return false;
  }

  private VmName prepared() throws Exception {
    return stage.vms("reader").names().stream()
        .filter(n -> n.value().startsWith("warm-"))
        .findFirst()
        .orElseThrow();
  }

  private Optional<String> startedFrom() throws Exception {
    return Optional.ofNullable(
        stage.state().resource(Kind.INSTANCE).orElseThrow().attributes().get(WarmStarts.PREPARED));
  }

  @Test
  protected void aWarmStartIsPreparedOnceAndIsAVmLikeAnyOther() throws Exception {
    if (!canStartWarm()) {
      return;
    }
    vm("a").deploy(spec.startingWarm(true), YES);
    expect(Status.RUNNING);
    Journal made = stage.journal(prepared());
    assertThat(made.status()).contains(Status.DESTROYED);
    Backup backup = made.backup().orElseThrow();
    assertThat(backup.withMemory()).isTrue();
    assertThat(startedFrom()).contains(backup.snapshotId());
    assertThat(stage.found(Kind.APPLICATION)).isPresent();
    assertThat(stage.troubles()).isEmpty();
    String hostKey = hostKey();

    vm("a").destroy(Disk.DROP, YES);
    assertThat(stage.everything()).containsExactly(backup.snapshotId());
    stage.sweep();
    assertThat(stage.everything()).as("it is claimed").containsExactly(backup.snapshotId());
    vm("a").deploy(spec.startingWarm(true), YES);
    assertThat(startedFrom()).contains(backup.snapshotId());
    assertThat(hostKey()).as("what must not be shared").isNotEqualTo(hostKey);
    vm("a").suspend(YES);
    vm("a").resume(YES);

    stage.vms("a").vm(prepared()).destroy(Disk.DROP, YES);
    vm("a").destroy(Disk.DROP, YES);
    expectNothing();
  }

  private String hostKey() throws Exception {
    return stage.state().resource(Kind.INSTANCE).orElseThrow().attributes().get("host_key");
  }

  @Test
  protected void anotherScriptIsPreparedApartAndRunsOnAWarmVmToo() throws Exception {
    if (!canStartWarm()) {
      return;
    }
    vm("a").deploy(spec.startingWarm(true), YES);
    VmName first = prepared();
    vm("a").deploy(spec.withApplication("echo other"), YES);
    assertThat(stage.state().resource(Kind.APPLICATION).orElseThrow().attributes())
        .containsEntry("fingerprint", new DeploySpec.Application("echo other").fingerprint());
    vm("a").destroy(Disk.DROP, YES);
    vm("a").deploy(spec.withApplication("echo other").startingWarm(true), YES);
    assertThat(stage.vms("a").names()).hasSize(3).contains(first);
  }

  @Test
  protected void aWarmStartThatIsNotToBeHadBoots() throws Exception {
    if (!canStartWarm()) {
      return;
    }
    scene.fail(Fault.before("create", Kind.SNAPSHOT, Trouble.QUOTA_EXCEEDED));
    Outcome.Done done = (Outcome.Done) vm("a").deploy(spec.startingWarm(true), YES);
    assertThat(done.notes()).anyMatch(n -> n.startsWith("not started warm: "));
    assertThat(startedFrom()).isEmpty();
    expect(Status.RUNNING);
    assertThat(stage.found(Kind.APPLICATION)).isPresent();
    vm("a").destroy(Disk.DROP, YES);

    vm("a").deploy(spec.startingWarm(true), YES);
    assertThat(startedFrom()).as("what was left of the first is finished").isPresent();
    vm("a").destroy(Disk.DROP, YES);
    Fault gone = Fault.before("create", Kind.INSTANCE, Trouble.NOT_FOUND);
    scene.fail(gone);
    vm("a").deploy(spec.startingWarm(true), YES);
    assertThat(startedFrom()).isEmpty();
    expect(Status.RUNNING);
  }

  @Test
  protected void whatIsPreparedIsMadeAgainOrSweptWhenItIsAWeekOld() throws Exception {
    if (!canStartWarm()) {
      return;
    }
    vm("a").deploy(spec.startingWarm(true), YES);
    Optional<String> first = startedFrom();
    vm("a").destroy(Disk.DROP, YES);
    scene.elapse(Duration.ofDays(8));
    vm("a").deploy(spec.startingWarm(true), YES);
    assertThat(startedFrom()).isPresent().isNotEqualTo(first);
    vm("a").destroy(Disk.DROP, YES);
    assertThat(stage.everything()).hasSize(1);
    scene.elapse(Duration.ofDays(6));
    stage.sweep();
    assertThat(stage.everything()).hasSize(1);
    scene.elapse(Duration.ofDays(2));
    stage.sweep();
    expectNothing();
  }

  @Test
  protected void anInterruptedPreparationIsSweptWhenItIsOld() throws Exception {
    if (!canStartWarm()) {
      return;
    }
    stage.killedAt("after create snapshot", vm -> vm.deploy(spec.startingWarm(true), YES));
    scene.elapse(Duration.ofHours(9));
    stage.sweep();
    vm("b").takeDown(Options.DEFAULT);
    assertThat(stage.journal(prepared()).status()).contains(Status.DESTROYED);
    stage.vms("b").vm(prepared()).takeDown(Options.DEFAULT);
    assertThat(stage.everything()).isEmpty();
  }

  // ---- what is worth knowing

  @Test
  protected void statusHasTheFactsOfTheProvider() throws Exception {
    deploy();
    Found instance = stage.found(Kind.INSTANCE).orElseThrow();
    assertThat(vm("a").status().facts()).isEqualTo(scene.provider().facts(instance));
  }
}
