package dev.baton.vm.operation;

import static dev.baton.vm.operation.Yard.NAME;
import static dev.baton.vm.operation.Yard.SPEC;
import static dev.baton.vm.operation.Yard.YES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.vm.Backup;
import dev.baton.vm.BuildVm.Disk;
import dev.baton.vm.Kind;
import dev.baton.vm.Options;
import dev.baton.vm.Outcome;
import dev.baton.vm.Question;
import dev.baton.vm.Questions;
import dev.baton.vm.Status;
import dev.baton.vm.SweepOptions;
import dev.baton.vm.SweepReport;
import dev.baton.vm.SweepReport.Reason;
import dev.baton.vm.SweepReport.Result;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import dev.baton.vm.provider.Cancel;
import dev.baton.vm.provider.Owner;
import dev.baton.vm.provider.Request;
import dev.baton.vm.provider.simulated.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Where the design is silent or contradicts itself. */
class ClarificationsTest {

  private static final Cancel NEVER =
      new Cancel() {
        @Override
        public void check() {}

        @Override
        public void pause(Duration time) {}
      };

  private final Yard yard = new Yard();

  private void deploy() throws Exception {
    yard.vm("first").deploy(SPEC, YES);
  }

  @Test
  void destroyThatFailsAfterTheInstanceIsGoneMarksThat() throws Exception {
    deploy();
    yard.cloud.configure(s -> s.with(Fault.before("delete", Kind.NETWORK, Trouble.DENIED)));
    assertThatThrownBy(() -> yard.vm("a").destroy(Disk.KEEP, YES))
        .isInstanceOf(VmException.Incomplete.class);
    assertThat(yard.status()).contains(Status.RUNNING);
    assertThat(yard.state().instanceMissing()).isTrue();
    assertThat(yard.state().resources()).containsOnlyKeys(Kind.NETWORK);
    assertThat(yard.memory.get(NAME, "state.json").orElseThrow()).contains("instance_missing");

    assertThatThrownBy(() -> yard.vm("a").suspend(YES))
        .isInstanceOf(VmException.NotAllowed.class)
        .hasMessageContaining("Its instance is gone");
    assertThatThrownBy(() -> yard.vm("a").resume(YES)).isInstanceOf(VmException.NotAllowed.class);

    Backup backup = yard.journal().backup().orElseThrow();
    yard.vm("a").deploy(SPEC, YES);
    assertThat(yard.status()).contains(Status.RUNNING);
    assertThat(yard.state().instanceMissing()).isFalse();
    assertThat(yard.state().resource(Kind.IMAGE).orElseThrow().attributes())
        .as("its disk comes back")
        .containsEntry("snapshot", backup.snapshotId());
  }

  @Test
  void deployOnRunningNeverLeavesRunning() throws Exception {
    deploy();
    yard.cloud.deleteByHand(yard.id(Kind.INSTANCE));
    List<Optional<Status>> seen = new ArrayList<>();
    yard.kills.watch(
        point -> {
          try {
            seen.add(yard.status());
          } catch (dev.baton.store.StoreException e) {
            throw new AssertionError(e);
          }
        });
    yard.watched("a").deploy(SPEC, YES);
    assertThat(seen).isNotEmpty().containsOnly(Optional.of(Status.RUNNING));
  }

  @Test
  void abandonOfADeployCleansUp() throws Exception {
    yard.killedAt("after create address", vm -> vm.deploy(SPEC, YES));
    yard.expireLock();
    yard.vm("b").abandon(YES);
    assertThat(yard.cloudIds()).isEmpty();
    assertThat(yard.status()).isEmpty();
    assertThat(yard.memory.get(NAME, "state.json")).isEmpty();
  }

  @Test
  void abandonOfADeployFromASnapshotKeepsTheSnapshot() throws Exception {
    deploy();
    yard.vm("a").destroy(Disk.KEEP, YES);
    yard.killedAt("after create instance", vm -> vm.deploy(SPEC, YES));
    yard.expireLock();
    yard.vm("b").abandon(YES);
    assertThat(yard.status()).contains(Status.DESTROYED);
    assertThat(yard.cloudIds()).containsExactly(yard.journal().backup().orElseThrow().snapshotId());
  }

  @Test
  void abandonOfADestroyGoesBackToThePreviousStatus() throws Exception {
    deploy();
    yard.vm("a").suspend(YES);
    yard.killedAt("after create snapshot", vm -> vm.destroy(Disk.KEEP, YES));
    yard.expireLock();
    yard.vm("b").abandon(YES);
    assertThat(yard.status()).contains(Status.SUSPENDED);
    assertThat(yard.state().instanceMissing()).isFalse();
    assertThat(yard.cloudIds()).as("the snapshot of nobody is gone").hasSize(7);
    yard.vm("b").resume(YES);
    assertThat(yard.status()).contains(Status.RUNNING);
  }

  @Test
  void abandonIsRefusedWhereNothingIsUnfinished() throws Exception {
    deploy();
    assertThatThrownBy(() -> yard.vm("b").abandon(YES)).isInstanceOf(VmException.NotAllowed.class);
  }

  @Test
  void theSnapshotIsFinishedBeforeTheFirstDelete() throws Exception {
    yard.cloud.configure(
        s -> s.taking(Duration.ofSeconds(20), Duration.ofMinutes(10), Duration.ZERO));
    deploy();
    List<String> deletes = new ArrayList<>();
    yard.kills.watch(
        point -> {
          if (point.where().startsWith("before delete")) {
            deletes.add(point.where());
            try {
              assertThat(yard.journal().backup()).isPresent();
              assertThat(yard.cloud.everything())
                  .noneMatch(f -> f.phase() == dev.baton.vm.provider.Phase.PENDING);
            } catch (Exception e) {
              throw new AssertionError(e);
            }
          }
        });
    yard.watched("a").destroy(Disk.KEEP, YES);
    assertThat(deletes)
        .containsExactly(
            "before delete application",
            "before delete address",
            "before delete instance",
            "before delete key pair",
            "before delete security group",
            "before delete subnet",
            "before delete network");
    assertThat(yard.status()).contains(Status.DESTROYED);
  }

  @Test
  void aReplacedSnapshotIsDeleted() throws Exception {
    deploy();
    yard.vm("a").destroy(Disk.KEEP, YES);
    String first = yard.journal().backup().orElseThrow().snapshotId();
    yard.vm("a").deploy(SPEC, YES);
    yard.vm("a").destroy(Disk.KEEP, YES);
    String second = yard.journal().backup().orElseThrow().snapshotId();
    assertThat(second).isNotEqualTo(first);
    assertThat(yard.cloudIds()).containsExactly(second);
    assertThat(yard.memory.get(NAME, "backup.json").orElseThrow()).contains(second);
  }

  @Test
  void aDeclinedSnapshotIsDeletedNotOnlyItsFile() throws Exception {
    deploy();
    yard.vm("a").destroy(Disk.KEEP, YES);
    yard.vm("a").deploy(SPEC, YES);
    yard.vm("a").destroy(Disk.DROP, YES);
    assertThat(yard.cloudIds()).isEmpty();
    assertThat(yard.memory.get(NAME, "backup.json")).isEmpty();
  }

  @Test
  void theLastSnapshotOfADestroyedVmCanBeDroppedToo() throws Exception {
    deploy();
    yard.vm("a").destroy(Disk.KEEP, YES);
    assertThat(yard.vm("a").destroy(Disk.KEEP, YES)).isInstanceOf(Outcome.Unchanged.class);
    yard.vm("a").destroy(Disk.DROP, YES);
    assertThat(yard.cloudIds()).isEmpty();
    assertThat(yard.status()).isEmpty();
  }

  @Test
  void whatWouldNotGoIsListedAndTriedAgain() throws Exception {
    deploy();
    yard.vm("a").destroy(Disk.KEEP, YES);
    yard.vm("a").deploy(SPEC, YES);
    yard.cloud.configure(
        s -> s.with(Fault.before("delete", Kind.SNAPSHOT, Trouble.DENIED).times(9)));
    Outcome.Done done = (Outcome.Done) yard.vm("a").destroy(Disk.DROP, YES);
    assertThat(done.left()).hasSize(1);
    assertThat(yard.status()).isEmpty();
    assertThat(yard.cloudIds()).hasSize(1);
    yard.cloud.configure(s -> s.withFaults(List.of()));
    SweepReport report = yard.vms("b").sweep(SweepOptions.DRY_RUN.forReal());
    assertThat(report.with(Result.REMOVED)).hasSize(1);
    assertThat(yard.cloudIds()).isEmpty();
    assertThat(yard.journal().cleanup()).isEmpty();
  }

  // ---- questions

  @Test
  void questionsKeepTheirForm() throws Exception {
    List<String> asked = new ArrayList<>();
    Options asking =
        Options.DEFAULT.asking(
            q -> {
              asked.add(q.prompt());
              return Questions.Answer.YES;
            });
    yard.killedAt("after create subnet", vm -> vm.deploy(SPEC, YES));
    yard.world.advance(Duration.ofMinutes(2));
    yard.vm("b").deploy(SPEC, asking.forcing());
    yard.vm("b").destroy(Disk.ASK, asking);
    assertThat(asked)
        .containsExactly(
            "deploy of VM default is under way by dead (started 2 minutes ago). Take it over?"
                + " [y/N]",
            "The last deploy of VM default was not finished. Continue it? [Y/n]",
            "Keep the disk of VM default as a snapshot? [Y/n]");
    assertThat(yard.status()).contains(Status.DESTROYED);
  }

  @Test
  void noMeansThatNothingHappens() throws Exception {
    yard.killedAt("after create subnet", vm -> vm.deploy(SPEC, YES));
    long before = yard.journal().sequence();
    Options no = Options.DEFAULT.asking(q -> Questions.Answer.NO);
    assertThatThrownBy(() -> yard.vm("b").deploy(SPEC, no.forcing()))
        .isInstanceOf(VmException.LockHeld.class);
    yard.expireLock();
    assertThatThrownBy(() -> yard.vm("b").deploy(SPEC, no))
        .isInstanceOf(VmException.Declined.class)
        .hasMessageContaining("abandon");
    assertThatThrownBy(() -> yard.vm("b").deploy(SPEC, Options.DEFAULT))
        .isInstanceOf(VmException.Unanswered.class)
        .hasMessageContaining("--yes");
    assertThat(yard.journal().sequence()).isEqualTo(before);
    assertThat(new Question(Question.Topic.TAKE_OVER, "So?", false).prompt())
        .isEqualTo("So? [y/N]");
  }

  // ---- files and history

  @Test
  void filesHaveTheDesignsFields() throws Exception {
    yard.kills.watch(
        point -> {
          if (point.where().equals("before stop")) {
            assertThat(yard.memory.get(NAME, ".lock").orElseThrow())
                .contains("\"operation\": \"suspend\"")
                .contains("\"client_id\": \"a\"")
                .contains("\"started_at\": \"2026-01-01T00:00:");
          }
        });
    deploy();
    yard.watched("a").suspend(YES);
    assertThat(yard.memory.get(NAME, "state.json").orElseThrow())
        .contains("\"version\": \"0.3.0\"")
        .contains("\"status\": \"suspended\"")
        .contains("\"previous_status\": \"\"")
        .contains("\"vpc\": {\"id\":\"vpc-1\"")
        .contains("\"ssh_key_pair\": {\"name\":\"key-")
        .contains("\"fencing\": 2");
    assertThat(yard.memory.get(NAME, ".lock")).isEmpty();
    String record = yard.memory.get(NAME, yard.memory.list(NAME, "history").get(1)).orElseThrow();
    assertThat(record)
        .contains("\"operation\": \"suspend\"")
        .contains("\"from_status\": \"running\"")
        .contains("\"to_status\": \"suspended\"")
        .contains("\"success\": true")
        .contains("\"error\": null")
        .contains("\"duration_ms\": ");
  }

  @Test
  void recordsOfTheSameSecondAllStay() throws Exception {
    deploy();
    yard.vm("a").suspend(YES);
    yard.vm("a").resume(YES);
    yard.vm("a").suspend(YES);
    assertThat(yard.memory.list(NAME, "history"))
        .containsExactly(
            "history/2026-01-01T00-00-00.json",
            "history/2026-01-01T00-00-00_2.json",
            "history/2026-01-01T00-00-00_3.json",
            "history/2026-01-01T00-00-00_4.json");
    assertThat(yard.vm("a").history(10)).hasSize(4);
    assertThat(yard.vm("a").history(2)).hasSize(2);
  }

  @Test
  void historyIsPrunedAtThirtyDays() throws Exception {
    deploy();
    yard.world.advance(Duration.ofDays(31));
    yard.vm("a").suspend(YES);
    assertThat(yard.memory.list(NAME, "history"))
        .containsExactly("history/2026-02-01T00-00-00.json");
  }

  @Test
  void copiesThatCouldNotBeMadeAreToldAndMadeUpForByStatus() throws Exception {
    deploy();
    yard.space.copiesFail = true;
    yard.vm("a").suspend(yard.told());
    assertThat(yard.notes).isNotEmpty().allMatch(n -> n.contains("the journal is safe"));
    assertThat(yard.memory.get(NAME, "state.json").orElseThrow()).contains("\"running\"");
    yard.space.copiesFail = false;
    yard.vm("b").status();
    assertThat(yard.memory.get(NAME, "state.json").orElseThrow()).contains("\"suspended\"");
    assertThat(yard.memory.list(NAME, "history")).hasSize(2);
  }

  @Test
  void anOperationThatHasNothingToDoMakesUpForCopiesToo() throws Exception {
    deploy();
    yard.killedAt("after the write: suspend of default is done", vm -> vm.suspend(YES));
    assertThat(yard.memory.get(NAME, ".lock")).isPresent();
    assertThat(yard.vm("b").suspend(YES)).isInstanceOf(Outcome.Unchanged.class);
    assertThat(yard.memory.get(NAME, ".lock")).isEmpty();
    assertThat(yard.memory.get(NAME, "state.json").orElseThrow()).contains("\"suspended\"");
  }

  @Test
  void aBrokenCopyIsWrittenAnew() throws Exception {
    deploy();
    yard.memory.put(NAME, "state.json", "{ what");
    yard.vm("b").status();
    assertThat(yard.memory.get(NAME, "state.json").orElseThrow()).contains("\"running\"");
  }

  @Test
  void progressTellsEachStepWithItsTime() throws Exception {
    yard.cloud.configure(s -> s.taking(Duration.ofSeconds(20), Duration.ZERO, Duration.ZERO));
    yard.vm("a").deploy(SPEC, yard.told());
    assertThat(yard.steps)
        .startsWith("1/7 network", "network: vpc-1 in 0 seconds")
        .contains("5/7 instance")
        .anyMatch(s -> s.matches("instance: i-5 in (2\\d|3\\d) seconds"));
  }

  // ---- intents

  @Test
  void aCloudWithoutTokensIsSearchedBeforeAReplay() throws Exception {
    yard.cloud.configure(s -> s.withoutClientTokens().visibleAfter(Duration.ofSeconds(30)));
    yard.killedAt("after create instance", vm -> vm.deploy(SPEC, YES));
    List<String> before = yard.cloudIds();
    yard.vm("b").deploy(SPEC, YES.forcing());
    assertThat(yard.cloudIds()).containsAll(before).hasSize(7);
  }

  @Test
  void aTokenThatTheCloudHasForgottenIsSearchedFor() throws Exception {
    yard.killedAt("after create instance", vm -> vm.deploy(SPEC, YES));
    List<String> before = yard.cloudIds();
    yard.world.advance(Duration.ofHours(30));
    yard.cloud.configure(s -> s.withoutClientTokens());
    yard.vm("b").deploy(SPEC, YES);
    assertThat(yard.cloudIds()).containsAll(before).hasSize(7);
  }

  @Test
  void aTypeThatIsOutOfStockCanBeReplacedByAnother() throws Exception {
    yard.cloud.configure(s -> s.withOutOfStock("sim.small"));
    assertThatThrownBy(() -> yard.vm("a").deploy(SPEC, YES))
        .isInstanceOf(VmException.CloudFailed.class)
        .hasMessageContaining("out of stock")
        .hasMessageContaining("another instance type");
    assertThat(yard.status()).contains(Status.DEPLOYING);
    assertThat(yard.journal().intents()).isEmpty();
    yard.vm("a").deploy(SPEC.withType("sim.large"), YES);
    assertThat(yard.state().resource(Kind.INSTANCE).orElseThrow().attributes())
        .containsEntry("instance_type", "sim.large");
  }

  @Test
  void lostAnswersAndThrottlingCostTimeOnly() throws Exception {
    yard.cloud.configure(
        s ->
            s.with(Fault.after("create", Kind.NETWORK, Trouble.UNAVAILABLE).times(2))
                .with(Fault.before("create", Kind.INSTANCE, Trouble.THROTTLED).times(3))
                .with(Fault.after("create", Kind.INSTANCE, Trouble.UNAVAILABLE)));
    deploy();
    assertThat(yard.cloudIds()).hasSize(7);
  }

  // ---- sweep and life

  private String stray(String space, VmName vm) throws Exception {
    return yard.cloud
        .create(
            new Request(
                Kind.NETWORK,
                Map.of(),
                "stray-" + space + vm + yard.cloudIds().size(),
                new Owner(space, vm),
                Optional.empty()),
            NEVER)
        .id();
  }

  @Test
  void sweepRemovesOnlyWhatIsItsOwnUnclaimedAndOldEnough() throws Exception {
    deploy();
    String old = stray("yard00000000", NAME);
    String ofNoVm = stray("yard00000000", new VmName("never-seen"));
    String foreign = stray("another00000", NAME);
    yard.world.advance(Duration.ofMinutes(20));
    String young = stray("yard00000000", NAME);

    SweepReport dry = yard.vms("b").sweep(SweepOptions.DRY_RUN);
    assertThat(dry.with(Result.WOULD_REMOVE))
        .extracting(SweepReport.Finding::id)
        .containsExactlyInAnyOrder(old, ofNoVm);
    assertThat(dry.findings())
        .anyMatch(f -> f.reason() == Reason.TOO_YOUNG && f.id().equals(young));
    assertThat(yard.cloudIds()).contains(old, ofNoVm, foreign, young);

    yard.vms("b").sweep(SweepOptions.DRY_RUN.forReal());
    assertThat(yard.cloudIds()).contains(foreign, young).doesNotContain(old, ofNoVm).hasSize(9);
    assertThat(yard.vm("b").status().cloud()).isEmpty();
  }

  @Test
  void sweepLeavesAVmAloneThatSomebodyWorksOn() throws Exception {
    deploy();
    stray("yard00000000", NAME);
    yard.world.advance(Duration.ofMinutes(20));
    List<SweepReport> reports = new ArrayList<>();
    yard.kills.watch(
        point -> {
          if (point.where().equals("before stop")) {
            try {
              reports.add(yard.vms("b").sweep(SweepOptions.DRY_RUN.forReal()));
            } catch (VmException | InterruptedException e) {
              throw new AssertionError(e);
            }
          }
        });
    yard.watched("a").suspend(YES);
    assertThat(reports.get(0).findings()).extracting("reason").containsExactly(Reason.BUSY);
    assertThat(yard.cloudIds()).hasSize(8);
  }

  @Test
  void sweepFinishesAnInterruptedDestroyAsItWasMeant() throws Exception {
    deploy();
    yard.killedAt("after delete address", vm -> vm.destroy(Disk.KEEP, YES));
    yard.expireLock();
    assertThat(yard.vms("b").sweep(SweepOptions.DRY_RUN).with(Result.WOULD_REMOVE)).hasSize(1);
    assertThat(yard.status()).contains(Status.DESTROYING);
    yard.vms("b").sweep(SweepOptions.DRY_RUN.forReal());
    assertThat(yard.status()).contains(Status.DESTROYED);
    assertThat(yard.cloudIds()).containsExactly(yard.journal().backup().orElseThrow().snapshotId());
  }

  @Test
  void aVmOfAJobIsSweptWhenItsTimeIsOverAndNotWhenItWasExtended() throws Exception {
    yard.vm("a").deploy(SPEC.livingAtMost(Duration.ofHours(1)), YES);
    yard.world.advance(Duration.ofMinutes(50));
    yard.vm("a").extend(Duration.ofHours(1), YES);
    yard.world.advance(Duration.ofMinutes(30));
    yard.vms("b").sweep(SweepOptions.DRY_RUN.forReal());
    assertThat(yard.status()).contains(Status.RUNNING);
    yard.world.advance(Duration.ofMinutes(31));
    assertThat(yard.cloudIds())
        .as("the cloud's own switch took the instance")
        .noneMatch(id -> id.startsWith("i-"));
    yard.vms("b").sweep(SweepOptions.DRY_RUN.forReal());
    assertThat(yard.status()).isEmpty();
    assertThat(yard.cloudIds()).isEmpty();
  }

  @Test
  void aSuspendedVmOutlivesItsJob() throws Exception {
    yard.vm("a").deploy(SPEC.livingAtMost(Duration.ofHours(1)), YES);
    yard.vm("a").suspend(YES);
    yard.world.advance(Duration.ofDays(9));
    yard.vms("b").sweep(SweepOptions.DRY_RUN.forReal());
    yard.vm("b").resume(YES);
    assertThat(yard.status()).contains(Status.RUNNING);
  }

  @Test
  void takeDownWorksFromEverywhere() throws Exception {
    yard.vm("a").takeDown(YES);
    for (String moment : List.of("after create subnet", "after create application")) {
      yard.killedAt(moment, vm -> vm.deploy(SPEC, YES));
      yard.expireLock();
      yard.vm("b").takeDown(Options.DEFAULT);
      assertThat(yard.cloudIds()).isEmpty();
    }
    deploy();
    yard.killedAt("before stop", vm -> vm.suspend(YES));
    yard.expireLock();
    yard.vm("b").takeDown(Options.DEFAULT);
    assertThat(yard.cloudIds()).isEmpty();
    assertThat(yard.status()).isEmpty();
  }
}
