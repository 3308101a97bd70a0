package dev.baton.vm.internal.operation;

import static dev.baton.vm.internal.operation.Yard.SPEC;
import static dev.baton.vm.internal.operation.Yard.YES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.baton.store.StoreException;
import dev.baton.vm.BuildVm;
import dev.baton.vm.BuildVm.Disk;
import dev.baton.vm.BuildVm.Push;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.HistoryRecord;
import dev.baton.vm.Journal;
import dev.baton.vm.Kind;
import dev.baton.vm.Outcome;
import dev.baton.vm.Status;
import dev.baton.vm.StatusReport;
import dev.baton.vm.SweepOptions;
import dev.baton.vm.SweepReport.Reason;
import dev.baton.vm.SweepReport.Result;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import dev.baton.vm.VmState;
import dev.baton.vm.internal.codec.VmCodec;
import dev.baton.vm.simulated.CloudSettings;
import dev.baton.vm.simulated.Fault;
import dev.baton.vm.spi.Cancel;
import dev.baton.vm.spi.Phase;
import dev.baton.vm.spi.ProviderException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** VMs of jobs: when they end, who may move that, and what a stopped one costs. */
class LifeTest {

  private static final Duration LIFE = Duration.ofHours(8);
  private static final DeploySpec OF_A_JOB = SPEC.livingAtMost(LIFE);
  private static final SweepOptions FOR_REAL = SweepOptions.DRY_RUN.forReal();

  private static final Cancel NEVER =
      new Cancel() {
        @Override
        public void check() {}

        @Override
        public void pause(Duration time) {}
      };

  private final Yard yard = new Yard();
  private final BuildVm vm = yard.vm("a");

  private Instant in(Duration time) {
    return yard.world.now().plus(time);
  }

  private Optional<Instant> release() throws StoreException, ProviderException {
    return yard.cloud.releaseTime(yard.id(Kind.INSTANCE));
  }

  private void endsIn(Duration time) throws Exception {
    assertThat(yard.state().expiresAt()).as("by its state").contains(in(time));
    assertThat(release()).as("at the cloud").contains(in(time));
  }

  private void hasNoEnd() throws Exception {
    assertThat(yard.state().expiresAt()).as("by its state").isEmpty();
    assertThat(release()).as("at the cloud").isEmpty();
  }

  // ---- what is kept with the VM

  @Test
  void aVmOfAJobKeepsItsLongestLifeAndOneDeployedByHandHasNone() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    assertThat(yard.state().maxLife()).contains(LIFE);
    endsIn(LIFE);
    assertThat(yard.memory.get(Yard.NAME, "state.json").orElseThrow())
        .contains("\"max_life\": \"PT8H\"");
    vm.takeDown(YES);
    vm.deploy(SPEC, YES);
    assertThat(yard.state().maxLife()).isEmpty();
    hasNoEnd();
  }

  @Test
  void aRepairGivesTheWholeLifeAgain() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    yard.world.advance(Duration.ofHours(7));
    vm.deploy(SPEC, YES);
    assertThat(yard.state().maxLife()).contains(LIFE);
    endsIn(LIFE);
  }

  @Test
  void aRepairCanGiveALifeAndTakesNoneFromOthers() throws Exception {
    vm.deploy(SPEC, YES);
    vm.deploy(OF_A_JOB, YES);
    endsIn(LIFE);
    vm.push(Duration.ofHours(20), false);
    vm.deploy(SPEC.livingAtMost(Duration.ofHours(1)), YES);
    assertThat(yard.state().maxLife()).contains(Duration.ofHours(1));
    endsIn(Duration.ofHours(20));
  }

  @Test
  void aDeployThatIsContinuedKeepsTheLifeThatItBeganWithAndGivesItAnew() throws Exception {
    yard.killedAt("after create instance", v -> v.deploy(OF_A_JOB, YES));
    yard.world.advance(Duration.ofHours(5));
    vm.deploy(SPEC, YES);
    assertThat(yard.state().maxLife()).contains(LIFE);
    endsIn(LIFE);
  }

  @Test
  void aDeployThatTookLongHasItsWholeLifeBeforeIt() throws Exception {
    yard.cloud.configure(s -> s.taking(Duration.ofMinutes(8), Duration.ZERO, Duration.ZERO));
    Duration life = Duration.ofMinutes(20);
    vm.deploy(SPEC.livingAtMost(life), YES);
    endsIn(life);
  }

  @Test
  void theSnapshotOfADestroyedVmHasNoEnd() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    vm.destroy(Disk.KEEP, YES);
    assertThat(yard.state().expiresAt()).isEmpty();
    assertThat(yard.state().maxLife()).isEmpty();
    vm.deploy(SPEC, YES);
    hasNoEnd();
  }

  @Test
  void theCloudDoesNotTakeTheDiskWhileItsSnapshotIsMade() throws Exception {
    vm.deploy(SPEC.livingAtMost(Duration.ofHours(1)), YES);
    yard.cloud.configure(s -> s.taking(Duration.ZERO, Duration.ofMinutes(12), Duration.ZERO));
    yard.world.advance(Duration.ofMinutes(59));
    vm.destroy(Disk.KEEP, YES);
    assertThat(yard.status()).contains(Status.DESTROYED);
    assertThat(yard.cloudIds()).containsExactly(yard.journal().backup().orElseThrow().snapshotId());
  }

  // ---- suspend and resume

  @Test
  void suspendTakesTheEndAwayAndResumeGivesTheWholeLifeAgain() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    yard.world.advance(Duration.ofHours(7));
    vm.suspend(YES);
    hasNoEnd();
    assertThat(yard.state().maxLife()).contains(LIFE);
    yard.world.advance(Duration.ofDays(30));
    yard.vms("b").sweep(FOR_REAL);
    assertThat(yard.status()).contains(Status.SUSPENDED);
    vm.resume(YES);
    endsIn(LIFE);
  }

  @Test
  void aVmThatWasPastItsLifeWhenItWasSuspendedIsStillSwept() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    yard.cloud.releaseAfter(yard.id(Kind.INSTANCE), Optional.empty(), NEVER);
    yard.world.advance(LIFE.plusMinutes(1));
    vm.suspend(YES);
    assertThat(yard.vms("b").sweep(FOR_REAL).with(Result.REMOVED))
        .extracting("reason", "note")
        .containsExactly(tuple(Reason.EXPIRED, "should have been taken down 1 min ago"));
    assertThat(yard.cloudIds()).isEmpty();
  }

  @Test
  void aVmThatWasPastItsLifeHasAllOfItAgainWhenItIsResumed() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    yard.cloud.releaseAfter(yard.id(Kind.INSTANCE), Optional.empty(), NEVER);
    yard.world.advance(LIFE.plusMinutes(1));
    vm.suspend(YES);
    vm.resume(YES);
    endsIn(LIFE);
  }

  @Test
  void aSuspendThatIsKilledNeverLeavesASuspendedVmWithAnEnd() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    yard.killedAt("after stop", v -> v.suspend(YES));
    yard.world.advance(Duration.ofDays(1));
    yard.vms("b").sweep(FOR_REAL);
    assertThat(yard.status()).contains(Status.SUSPENDED);
    hasNoEnd();
  }

  @Test
  void aSuspendThatIsKilledBeforeItStopsAnythingLeavesAVmWithAnEnd() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    yard.killedAt("before stop", v -> v.suspend(YES));
    yard.expireLock();
    yard.vm("b").status();
    assertThat(yard.status()).contains(Status.RUNNING);
    endsIn(LIFE);
    yard.world.advance(LIFE.plusSeconds(1));
    yard.vms("b").sweep(FOR_REAL);
    assertThat(yard.cloudIds()).isEmpty();
  }

  @Test
  void aResumeThatIsKilledBeforeItStartsAnythingIsNoReasonToSweep() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    vm.suspend(YES);
    yard.killedAt("before start", v -> v.resume(YES));
    yard.world.advance(Duration.ofDays(1));
    assertThat(yard.vms("b").sweep(SweepOptions.DRY_RUN).with(Result.WOULD_REMOVE)).isEmpty();
    yard.vms("b").sweep(FOR_REAL);
    assertThat(yard.status()).contains(Status.SUSPENDED);
    hasNoEnd();
  }

  @Test
  void aSuspendThatFailsGivesTheEndBack() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    yard.world.advance(Duration.ofHours(1));
    yard.cloud.configure(s -> s.with(Fault.before("stop", Kind.INSTANCE, Trouble.DENIED)));
    assertThatThrownBy(() -> vm.suspend(YES)).isInstanceOf(VmException.CloudFailed.class);
    assertThat(yard.status()).contains(Status.RUNNING);
    endsIn(LIFE);
  }

  @Test
  void aResumeThatFailsLeavesTheVmWithoutAnEnd() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    vm.suspend(YES);
    yard.cloud.configure(s -> s.withOutOfStock("sim.small"));
    assertThatThrownBy(() -> vm.resume(YES)).isInstanceOf(VmException.CloudFailed.class);
    assertThat(yard.status()).contains(Status.SUSPENDED);
    hasNoEnd();
  }

  /** What is done at the first such moment. */
  private void once(String where, Change change) {
    boolean[] done = {false};
    yard.kills.watch(
        point -> {
          if (!done[0] && point.where().equals(where)) {
            done[0] = true;
            try {
              yard.cloud.configure(change::of);
            } catch (ProviderException e) {
              throw new AssertionError(e);
            }
          }
        });
  }

  private interface Change {
    CloudSettings of(CloudSettings settings);
  }

  private static Change blind(int times) {
    Fault fault = Fault.before("describe", Kind.INSTANCE, Trouble.UNAVAILABLE);
    return s -> s.with(fault.times(times));
  }

  @Test
  void aResumeThatLooksInVainForAWhileIsDoneAllTheSame() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    vm.suspend(YES);
    once("after start", blind(Pauses.ATTEMPTS));
    Instant began = yard.world.now();
    yard.watched("a").resume(YES);
    assertThat(yard.status()).contains(Status.RUNNING);
    assertThat(yard.state().expiresAt()).contains(began.plus(LIFE));
    assertThat(release()).contains(in(LIFE));
  }

  @Test
  void aResumeThatCannotTellWhatItHasComeToIsPutRightByTheNextLook() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    vm.suspend(YES);
    once("after start", blind(1000));
    assertThatThrownBy(() -> yard.watched("a").resume(YES))
        .isInstanceOf(VmException.CloudFailed.class)
        .hasMessageContaining("`status`");
    yard.cloud.configure(s -> s.withFaults(List.of()));
    assertThat(yard.phase()).isEqualTo(Phase.RUNNING);
    assertThat(yard.journal().lock()).isEmpty();
    yard.vms("b").sweep(FOR_REAL);
    assertThat(yard.status()).contains(Status.RUNNING);
    assertThat(yard.state().expiresAt()).isPresent();
    yard.world.advance(LIFE.plusSeconds(1));
    yard.vms("b").sweep(FOR_REAL);
    assertThat(yard.cloudIds()).isEmpty();
  }

  @Test
  void aResumeThatFailsOnTheWayStopsTheInstanceAgain() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    vm.suspend(YES);
    Fault lost = Fault.after("start", Kind.INSTANCE, Trouble.UNAVAILABLE).times(Pauses.ATTEMPTS);
    yard.cloud.configure(
        s -> s.with(lost).taking(Duration.ofHours(1), Duration.ZERO, Duration.ZERO));
    once("before stop", s -> s.taking(Duration.ZERO, Duration.ZERO, Duration.ZERO));
    assertThatThrownBy(() -> yard.watched("a").resume(YES))
        .hasMessageContaining("UNAVAILABLE of start");
    assertThat(yard.status()).contains(Status.SUSPENDED);
    assertThat(yard.phase()).isEqualTo(Phase.SUSPENDED);
    hasNoEnd();
  }

  @Test
  void aSuspendThatLooksInVainForAWhileIsDoneAllTheSame() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    once("after stop", blind(Pauses.ATTEMPTS));
    yard.watched("a").suspend(YES);
    assertThat(yard.status()).contains(Status.SUSPENDED);
    hasNoEnd();
  }

  @Test
  void aSuspendThatCannotTellWhatItHasComeToIsPutRightByTheNextLook() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    once("after stop", blind(1000));
    assertThatThrownBy(() -> yard.watched("a").suspend(YES))
        .isInstanceOf(VmException.CloudFailed.class);
    yard.cloud.configure(s -> s.withFaults(List.of()));
    yard.world.advance(LIFE.plusSeconds(1));
    yard.vms("b").sweep(FOR_REAL);
    assertThat(yard.status()).contains(Status.SUSPENDED);
    assertThat(yard.phase()).isEqualTo(Phase.SUSPENDED);
    hasNoEnd();
  }

  @Test
  void aResumeWorksWhereTheCloudTakesNoEnd() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    vm.suspend(YES);
    yard.cloud.configure(s -> s.with(Fault.before("releaseAfter", Kind.INSTANCE, Trouble.DENIED)));
    Outcome.Done done = (Outcome.Done) vm.resume(YES);
    assertThat(done.notes()).singleElement().asString().contains("when to delete the instance");
    assertThat(yard.state().expiresAt()).contains(in(LIFE));
  }

  @Test
  void aStateOfBeforeThereWasALongestLifeIsReadAndSuspendedWithoutLoss() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    var store = yard.memory.journal(Yard.NAME);
    var there = store.read();
    String old = there.content().orElseThrow().replace("\"max_life\": \"PT8H\",", "");
    assertThat(VmCodec.decode(old).state().flatMap(VmState::maxLife)).isEmpty();
    store.write(there.version(), old, "an older version wrote it");
    assertThat(vm.push(Duration.ZERO, false).result()).isEqualTo(Push.Result.NOT_MEANT);
    yard.world.advance(Duration.ofHours(3));
    vm.suspend(YES);
    hasNoEnd();
    vm.resume(YES);
    endsIn(Duration.ofHours(5));
  }

  @Test
  void whoPutsAnInterruptedResumeRightTellsTheCloud() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    vm.suspend(YES);
    yard.killedAt("after start", v -> v.resume(YES));
    yard.world.advance(Duration.ofHours(1));
    vm.resume(YES);
    assertThat(yard.status()).contains(Status.RUNNING);
    assertThat(release()).isPresent().isEqualTo(yard.state().expiresAt());
  }

  @Test
  void whoPutsTheStatusRightTellsNoEndThatIsOver() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    vm.suspend(YES);
    yard.killedAt("after start", v -> v.resume(YES));
    yard.world.advance(LIFE.plusSeconds(1));
    assertThat(vm.status().corrected()).isPresent();
    assertThat(release()).isEmpty();
    assertThat(yard.phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  void whoPushesWhileTheStatusIsPutRightHasTheLastWordAtTheCloud() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    vm.suspend(YES);
    yard.killedAt("after start", v -> v.resume(YES));
    yard.world.advance(Duration.ofHours(4));
    boolean[] first = {true};
    yard.kills.watch(
        point -> {
          if (first[0] && point.where().equals("before release after")) {
            first[0] = false;
            unchecked(() -> yard.vm("b").push(Duration.ZERO, false));
          }
        });
    yard.watched("a").status();
    assertThat(first[0]).isFalse();
    endsIn(LIFE);
  }

  // ---- destroying

  @Test
  void aDestroyThatFailsLeavesASuspendedVmWithoutAnEnd() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    vm.suspend(YES);
    yard.cloud.configure(s -> s.with(Fault.before("create", Kind.SNAPSHOT, Trouble.DENIED)));
    assertThatThrownBy(() -> vm.destroy(Disk.KEEP, YES))
        .isInstanceOf(VmException.CloudFailed.class);
    assertThat(yard.status()).contains(Status.SUSPENDED);
    hasNoEnd();
  }

  @Test
  void aDestroyThatIsAbandonedLeavesASuspendedVmWithoutAnEnd() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    vm.suspend(YES);
    yard.killedAt("after create snapshot", v -> v.destroy(Disk.KEEP, YES));
    yard.expireLock();
    // As an earlier version has told the cloud.
    yard.cloud.releaseAfter(yard.id(Kind.INSTANCE), Optional.of(LIFE), NEVER);
    vm.abandon(YES);
    assertThat(yard.status()).contains(Status.SUSPENDED);
    hasNoEnd();
  }

  @Test
  void aRunningVmIsKeptForAsLongAsASnapshotMayTake() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    yard.world.advance(Duration.ofHours(7));
    yard.killedAt("after create snapshot", v -> v.destroy(Disk.KEEP, YES));
    assertThat(release()).contains(in(Duration.ofHours(3)));
    assertThat(yard.state().expiresAt()).contains(in(Duration.ofHours(1)));
  }

  @Test
  void aSnapshotThatWasFinishedBeforeTheCloudTookTheInstanceIsKept() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    String instance = yard.id(Kind.INSTANCE);
    yard.killedAt("after create snapshot", v -> v.destroy(Disk.KEEP, YES));
    yard.world.advance(LIFE.plusMinutes(1));
    assertThat(yard.cloudIds()).doesNotContain(instance);
    vm.destroy(Disk.KEEP, YES);
    assertThat(yard.status()).contains(Status.DESTROYED);
    assertThat(yard.cloudIds()).containsExactly(yard.journal().backup().orElseThrow().snapshotId());
    assertThat(yard.journal().backup().orElseThrow().instance()).isEqualTo(instance);
  }

  /** Nobody asked for it in vain because somebody else came too late to finish it. */
  @Test
  void aSweepThatComesAfterTheEndKeepsTheSnapshotThatWasAskedFor() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    yard.killedAt("after create snapshot", v -> v.destroy(Disk.KEEP, YES));
    yard.world.advance(LIFE.plusMinutes(1));
    yard.vms("b").sweep(FOR_REAL);
    assertThat(yard.status()).contains(Status.DESTROYED);
    assertThat(yard.cloudIds()).containsExactly(yard.journal().backup().orElseThrow().snapshotId());
  }

  @Test
  void aSnapshotThatCannotBeHadAfterTheEndKeepsNothingAlive() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    yard.killedAt("before create snapshot", v -> v.destroy(Disk.KEEP, YES));
    yard.world.advance(LIFE.plusMinutes(1));
    yard.vms("b").sweep(FOR_REAL);
    yard.vms("b").sweep(FOR_REAL);
    assertThat(yard.cloudIds()).isEmpty();
  }

  @Test
  void aSnapshotThatTheCloudCouldNotFinishIsNoneToKeep() throws Exception {
    yard.cloud.configure(s -> s.taking(Duration.ZERO, Duration.ofMinutes(5), Duration.ZERO));
    vm.deploy(OF_A_JOB, YES);
    yard.killedAt("after create snapshot", v -> v.destroy(Disk.KEEP, YES));
    yard.cloud.delete(Kind.INSTANCE, yard.id(Kind.INSTANCE), NEVER);
    yard.expireLock();
    assertThatThrownBy(() -> vm.destroy(Disk.KEEP, YES)).hasMessageContaining("no disk to keep");
    vm.destroy(Disk.DROP, YES);
    assertThat(yard.cloudIds()).isEmpty();
  }

  // ---- more than a cloud takes

  @Test
  void aLifeThatIsLongerThanACloudTakesCreatesNothing() throws Exception {
    Duration threeYears = Duration.ofDays(3 * 365);
    assertThatThrownBy(() -> vm.deploy(SPEC.livingAtMost(threeYears.plusSeconds(1)), YES))
        .isInstanceOf(VmException.Impossible.class)
        .hasMessageContaining("1095 days");
    assertThat(yard.cloudIds()).isEmpty();
    assertThat(yard.status()).isEmpty();
    vm.deploy(SPEC.livingAtMost(threeYears), YES);
    assertThatThrownBy(() -> vm.extend(threeYears.plusSeconds(1), YES))
        .isInstanceOf(VmException.Impossible.class);
    endsIn(threeYears);
  }

  // ---- pushing

  @Test
  void aPushGivesTheWholeLifeWhenAQuarterIsSpent() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    yard.world.advance(Duration.ofHours(2));
    assertThat(vm.push(Duration.ZERO, false).result()).isEqualTo(Push.Result.ENOUGH_LEFT);
    endsIn(Duration.ofHours(6));
    yard.world.advance(Duration.ofMillis(1));
    assertThat(vm.push(Duration.ZERO, false)).isEqualTo(pushed(LIFE));
    endsIn(LIFE);
    Journal journal = yard.journal();
    assertThat(yard.memory.get(Yard.NAME, "state.json"))
        .contains(VmCodec.stateFile(yard.state(), journal));
  }

  private static Push pushed(Duration life) {
    return new Push(Push.Result.PUSHED, Optional.of(life));
  }

  @Test
  void aPushIsNeverShorterThanWhatIsAskedFor() throws Exception {
    vm.deploy(SPEC.livingAtMost(Duration.ofHours(1)), YES);
    Duration lease = Duration.ofHours(6);
    assertThat(vm.push(lease, false)).isEqualTo(pushed(lease));
    endsIn(lease);
  }

  @Test
  void aPushLeavesNoRecordAndTakesNoLock() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    long fencing = yard.journal().fencing();
    List<HistoryRecord> before = vm.history(100);
    yard.world.advance(Duration.ofHours(4));
    vm.push(Duration.ZERO, false);
    assertThat(vm.history(100)).isEqualTo(before);
    assertThat(yard.journal().fencing()).isEqualTo(fencing);
    assertThat(yard.journal().lock()).isEmpty();
  }

  @Test
  void aPushDoesNothingToAVmThatSomebodyWorksOnAndGoesOnAfterHeDied() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    yard.world.advance(Duration.ofHours(4));
    yard.killedAt("before find owned", v -> v.destroy(Disk.DROP, YES));
    String journal = yard.memory.journal(Yard.NAME).read().content().orElseThrow();
    assertThat(vm.push(Duration.ZERO, false).result()).isEqualTo(Push.Result.BUSY);
    assertThat(yard.memory.journal(Yard.NAME).read().content()).contains(journal);
    yard.expireLock();
    yard.vm("b").abandon(YES);
    yard.killedAt("after describe network", v -> v.deploy(SPEC, YES));
    assertThat(vm.push(Duration.ZERO, false).result()).isEqualTo(Push.Result.BUSY);
    yard.world.advance(Duration.ofHours(3));
    assertThat(vm.push(Duration.ZERO, false).result()).isEqualTo(Push.Result.PUSHED);
    assertThat(yard.journal().lock()).as("of the dead").isPresent();
    endsIn(LIFE);
  }

  @Test
  void aPushDoesNothingToAVmWithoutALifeOrThatDoesNotRun() throws Exception {
    Push nothing = new Push(Push.Result.NOT_MEANT, Optional.empty());
    assertThat(vm.push(LIFE, true)).as("not deployed").isEqualTo(nothing);
    vm.deploy(SPEC, YES);
    assertThat(vm.push(LIFE, true)).as("without a life").isEqualTo(nothing);
    hasNoEnd();
    vm.takeDown(YES);
    vm.deploy(OF_A_JOB, YES);
    vm.suspend(YES);
    assertThat(vm.push(LIFE, true))
        .as("suspended")
        .isEqualTo(new Push(Push.Result.NOT_MEANT, Optional.of(LIFE)));
    hasNoEnd();
    vm.destroy(Disk.KEEP, YES);
    assertThat(vm.push(LIFE, true)).as("destroyed").isEqualTo(nothing);
  }

  @Test
  void whoIsFasterKeepsAPushFromWriting() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    yard.world.advance(Duration.ofHours(4));
    BuildVm watched = yard.watched("a");
    boolean[] first = {true};
    yard.kills.watch(
        point -> {
          if (first[0] && point.where().startsWith("before the write")) {
            first[0] = false;
            unchecked(() -> yard.vm("b").suspend(YES));
          }
        });
    assertThat(watched.push(Duration.ZERO, false).result()).isEqualTo(Push.Result.BUSY);
    assertThat(first[0]).isFalse();
    hasNoEnd();
  }

  @Test
  void whoSuspendsWhileTheCloudIsToldKeepsAVmWithoutAnEnd() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    yard.world.advance(Duration.ofHours(4));
    boolean[] first = {true};
    yard.kills.watch(
        point -> {
          if (first[0] && point.where().equals("before release after")) {
            first[0] = false;
            unchecked(() -> yard.vm("b").suspend(YES));
          }
        });
    yard.watched("a").push(Duration.ZERO, false);
    assertThat(first[0]).isFalse();
    assertThat(yard.status()).contains(Status.SUSPENDED);
    hasNoEnd();
  }

  @Test
  void aCloudThatDoesNotTakeBackAnEndOfASuspendedVmIsAskedAgain() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    yard.world.advance(Duration.ofHours(4));
    int[] calls = {0};
    yard.kills.watch(
        point -> {
          if (point.where().equals("before release after")) {
            calls[0]++;
            if (calls[0] == 1) {
              unchecked(() -> yard.vm("b").suspend(YES));
            } else if (calls[0] == 2) {
              refuseEnds(Pauses.ATTEMPTS - 1);
            }
          }
        });
    yard.watched("a").push(Duration.ZERO, false);
    assertThat(calls[0]).isEqualTo(1 + Pauses.ATTEMPTS);
    assertThat(yard.status()).contains(Status.SUSPENDED);
    hasNoEnd();
  }

  @Test
  void whoCouldNotTakeAnEndBackDoesSoTheNextTime() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    vm.suspend(YES);
    // As a push has left it that told the cloud late and could not take it back.
    yard.cloud.releaseAfter(yard.id(Kind.INSTANCE), Optional.of(LIFE), NEVER);
    assertThat(vm.push(Duration.ZERO, false).result()).isEqualTo(Push.Result.NOT_MEANT);
    assertThat(release()).as("nobody was behind").isPresent();
    assertThat(vm.push(Duration.ZERO, true).result()).isEqualTo(Push.Result.NOT_MEANT);
    hasNoEnd();
  }

  private void refuseEnds(int times) {
    Fault fault = Fault.before("releaseAfter", Kind.INSTANCE, Trouble.UNAVAILABLE).times(times);
    try {
      yard.cloud.configure(s -> s.with(fault));
    } catch (ProviderException e) {
      throw new AssertionError(e);
    }
  }

  private interface Work {
    void run() throws VmException, InterruptedException;
  }

  private static void unchecked(Work work) {
    try {
      work.run();
    } catch (VmException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void whoIsKilledBetweenJournalAndCloudIsMadeUpForByTheNextPush() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    yard.world.advance(Duration.ofHours(3));
    yard.killedAt("before release after", v -> v.push(Duration.ZERO, false));
    assertThat(yard.state().expiresAt()).contains(in(LIFE));
    assertThat(release()).contains(in(Duration.ofHours(5)));
    yard.world.advance(Duration.ofHours(2).plusMillis(1));
    vm.push(Duration.ZERO, false);
    endsIn(LIFE);
  }

  // ---- nobody comes back

  @Test
  void whatTheCloudsOwnSwitchLeavesIsSwept() throws Exception {
    vm.deploy(OF_A_JOB, YES);
    yard.world.advance(LIFE.plusSeconds(1));
    assertThat(yard.cloudIds())
        .as("the instance is gone, the rest is not")
        .hasSizeGreaterThan(4)
        .noneMatch(id -> id.startsWith("i-"));
    yard.vms("sweeper").sweep(FOR_REAL);
    assertThat(yard.cloudIds()).isEmpty();
    assertThat(yard.status()).isEmpty();
  }

  // ---- what a stopped one costs

  @Test
  void aTypeThatIsBilledWhileItIsStoppedIsToldEverywhere() throws Exception {
    vm.deploy(SPEC.withType("sim.local"), YES);
    Outcome.Done done = (Outcome.Done) vm.suspend(yard.told());
    assertThat(done.notes()).singleElement().asString().contains("still billed");
    assertThat(yard.notes).isEqualTo(done.notes());
    assertThat(yard.lastRecord("a").note()).contains(done.notes().get(0));
    assertThat(yard.state().billedWhileStopped()).isTrue();
    assertThat(yard.memory.get(Yard.NAME, "state.json").orElseThrow())
        .contains("\"billed_while_stopped\": true");
    StatusReport report = vm.status();
    assertThat(report.advice()).anyMatch(a -> a.contains("stopped but still billed"));
    assertThat(report.cloud()).isEmpty();
    yard.cloud.configure(s -> s.withOutOfStock("sim.local"));
    assertThatThrownBy(() -> vm.resume(YES)).isInstanceOf(VmException.CloudFailed.class);
    assertThat(yard.state().billedWhileStopped()).as("it did not start").isTrue();
    yard.cloud.configure(s -> s.withOutOfStock());
    vm.resume(YES);
    assertThat(yard.state().billedWhileStopped()).isFalse();
    assertThat(yard.lastRecord("a").note()).isEmpty();
  }

  @Test
  void aTypeThatStopsWithoutBeingBilledHasNoNote() throws Exception {
    vm.deploy(SPEC, YES);
    assertThat(((Outcome.Done) vm.suspend(yard.told())).notes()).isEmpty();
    assertThat(yard.notes).isEmpty();
    assertThat(yard.state().billedWhileStopped()).isFalse();
    assertThat(vm.status().advice()).noneMatch(a -> a.contains("billed"));
  }

  @Test
  void whoFinishesAnInterruptedSuspendTellsItToo() throws Exception {
    vm.deploy(SPEC.withType("sim.local"), YES);
    yard.killedAt("after stop", v -> v.suspend(YES));
    yard.expireLock();
    assertThat(yard.phase()).isEqualTo(Phase.SUSPENDED);
    assertThat(yard.vm("b").status().advice()).anyMatch(a -> a.contains("billed"));
    assertThat(yard.state().billedWhileStopped()).isTrue();
    assertThat(yard.lastRecord("b").note()).isPresent();
  }
}
