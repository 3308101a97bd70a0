package dev.baton.vm.internal.operation;

import static dev.baton.vm.internal.operation.Yard.NAME;
import static dev.baton.vm.internal.operation.Yard.YES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.core.Extra;
import dev.baton.store.Version;
import dev.baton.vm.BuildVm;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.HistoryRecord;
import dev.baton.vm.Journal;
import dev.baton.vm.Kind;
import dev.baton.vm.Legacy;
import dev.baton.vm.LockRecord;
import dev.baton.vm.Operation;
import dev.baton.vm.Options;
import dev.baton.vm.Outcome;
import dev.baton.vm.Question;
import dev.baton.vm.Questions;
import dev.baton.vm.Resource;
import dev.baton.vm.Status;
import dev.baton.vm.SweepOptions;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import dev.baton.vm.VmState;
import dev.baton.vm.internal.codec.VmCodec;
import dev.baton.vm.simulated.CloudSettings;
import dev.baton.vm.spi.Phase;
import dev.baton.vm.store.MemoryVmSpace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A VM that an earlier tool deployed is taken over. Here that tool was Baton with another place for
 * its states, so that nothing bears this place's mark.
 */
class MigrationTest {
  private static final DeploySpec SPEC =
      DeploySpec.of("eu", "sim.small").withPublicKey("ssh-ed25519 AAAA test");

  private final Yard yard = new Yard();
  private final MemoryVmSpace old = new MemoryVmSpace("elsewhere000", yard.world::now);
  private final List<String> aside = new ArrayList<>();
  private Legacy legacy;

  @BeforeEach
  void deployWithTheEarlierTool() throws Exception {
    // As all of those clouds did.
    yard.cloud.configure(CloudSettings::withoutMemory);
    yard.vms("earlier", old).vm(NAME).deploy(SPEC, YES);
    legacy = record();
  }

  private Legacy record() throws Exception {
    Journal journal = VmCodec.decode(old.journal(NAME).read().content().orElseThrow());
    return new Legacy(
        "~/.cloudcode",
        "0.2.1",
        "eu",
        journal.state().map(VmState::resources).orElse(Map.of()),
        journal.backup(),
        new Extra(Map.of("cloudcode", Map.of("domain", "oc.example.com"))));
  }

  private Outcome migrate(String client, Options options) throws Exception {
    return yard.vms(client).migrate(NAME, legacy, options, () -> aside.add(client));
  }

  private String instance() {
    return legacy.resources().get(Kind.INSTANCE).id();
  }

  @Test
  void oneThatRuns() throws Exception {
    Outcome outcome = migrate("laptop", yard.told());
    assertThat(outcome).isInstanceOf(Outcome.Done.class);
    assertThat(yard.status()).contains(Status.RUNNING);
    assertThat(yard.state().resources()).isEqualTo(legacy.resources());
    assertThat(yard.state().instanceMissing()).isFalse();
    assertThat(aside).containsExactly("laptop");
    assertThat(yard.journal().lock()).isEmpty();
    assertThat(yard.memory.get(NAME, "state.json").orElseThrow())
        .contains("oc.example.com")
        .contains("\"status\": \"running\"");
    HistoryRecord last = yard.lastRecord("laptop");
    assertThat(last.operation()).isEqualTo(Operation.MIGRATE);
    assertThat(last.from()).isEmpty();
    assertThat(last.to()).contains(Status.RUNNING);
    assertThat(yard.vm("laptop").status().cloud()).isEmpty();
  }

  @Test
  void afterwardsItIsAVmLikeAnyOther() throws Exception {
    migrate("laptop", YES);
    yard.vm("desk").suspend(YES);
    assertThat(yard.phase()).isEqualTo(Phase.STOPPED);
    yard.vm("desk").resume(YES);
    yard.vm("desk").deploy(SPEC, YES);
    assertThat(yard.id(Kind.INSTANCE)).isEqualTo(instance());
    yard.vm("desk").destroy(BuildVm.Disk.DROP, YES);
    assertThat(yard.cloudIds()).isEmpty();
    assertThat(yard.status()).isEmpty();
  }

  @Test
  void aSweepLeavesItAlone() throws Exception {
    migrate("laptop", YES);
    List<String> before = yard.cloudIds();
    yard.world.advance(Duration.ofDays(2));
    assertThat(
            yard.vms("sweeper")
                .sweep(SweepOptions.DRY_RUN.forReal().olderThan(Duration.ZERO))
                .findings())
        .isEmpty();
    assertThat(yard.cloudIds()).isEqualTo(before);
    assertThat(yard.vm("laptop").status().cloud()).isEmpty();
  }

  @Test
  void oneThatIsStopped() throws Exception {
    yard.cloud.setPhaseByHand(instance(), Phase.STOPPED);
    migrate("laptop", YES);
    assertThat(yard.status()).contains(Status.SUSPENDED);
    yard.vm("laptop").resume(YES);
    assertThat(yard.phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  void oneThatIsJustStoppingIsNotGuessed() throws Exception {
    yard.cloud.setPhaseByHand(instance(), Phase.STOPPING);
    assertThatThrownBy(() -> migrate("laptop", YES))
        .isInstanceOf(VmException.CloudFailed.class)
        .hasMessageContaining("just starting or stopping");
    assertThat(aside).isEmpty();
    assertThat(yard.memory.names()).isEmpty();
  }

  @Test
  void oneWhoseInstanceIsGone() throws Exception {
    yard.cloud.deleteByHand(instance());
    migrate("laptop", yard.told());
    assertThat(yard.status()).contains(Status.RUNNING);
    assertThat(yard.state().instanceMissing()).isTrue();
    assertThat(yard.notes).anyMatch(n -> n.contains(instance() + " does not exist any more"));
    yard.vm("laptop").deploy(SPEC, YES);
    assertThat(yard.phase()).isEqualTo(Phase.RUNNING);
    yard.vm("laptop").destroy(BuildVm.Disk.DROP, YES);
    assertThat(yard.cloudIds()).isEmpty();
  }

  @Test
  void oneThatIsGoneButForItsSnapshot() throws Exception {
    yard.vms("earlier", old).vm(NAME).destroy(BuildVm.Disk.KEEP, YES);
    Map<Kind, dev.baton.vm.Resource> gone = legacy.resources();
    Legacy kept = record();
    legacy = new Legacy("~/.cloudcode", "0.2.1", "eu", gone, kept.backup(), kept.extra());
    migrate("laptop", YES);
    assertThat(yard.status()).contains(Status.DESTROYED);
    assertThat(yard.state().resources()).isEmpty();
    assertThat(yard.memory.get(NAME, "backup.json")).isPresent();
    Outcome deployed = yard.vm("laptop").deploy(SPEC, YES);
    assertThat(((Outcome.Done) deployed).how()).isEqualTo(Outcome.How.FROM_SNAPSHOT);
  }

  @Test
  void ofOneThatIsGoneNothingIsWritten() throws Exception {
    yard.vms("earlier", old).vm(NAME).destroy(BuildVm.Disk.DROP, YES);
    Outcome outcome = migrate("laptop", YES);
    assertThat(outcome)
        .isInstanceOfSatisfying(
            Outcome.Unchanged.class,
            same -> {
              assertThat(same.state()).isEmpty();
              assertThat(same.why()).contains("~/.cloudcode").contains("in eu");
            });
    assertThat(aside).isEmpty();
    assertThat(yard.memory.names()).isEmpty();
  }

  @Test
  void aStateThatIsThereWins() throws Exception {
    yard.vm("desk").deploy(SPEC, YES);
    String mine = yard.id(Kind.INSTANCE);
    Outcome outcome = migrate("laptop", YES);
    assertThat(outcome).isInstanceOf(Outcome.Unchanged.class);
    assertThat(outcome.state()).isPresent();
    assertThat(yard.id(Kind.INSTANCE)).isEqualTo(mine);
    assertThat(legacy.isOf(yard.state(), Optional.empty())).isFalse();
    assertThat(aside).isEmpty();
  }

  /** The second look: between the question and its answer another machine has done it. */
  @Test
  void ofTwoMachinesOneWins() throws Exception {
    Questions slow =
        question -> {
          try {
            migrate("desk", YES);
          } catch (Exception e) {
            throw new AssertionError(e);
          }
          return Questions.Answer.YES;
        };
    Outcome outcome = migrate("laptop", Options.DEFAULT.asking(slow));
    assertThat(outcome).isInstanceOf(Outcome.Unchanged.class);
    assertThat(aside).containsExactly("desk");
    assertThat(yard.vm("laptop").history(10)).hasSize(1);
    assertThat(legacy.isOf(yard.state(), Optional.empty())).isTrue();
  }

  @Test
  void withoutAYesNothingIsWritten() throws Exception {
    List<String> asked = new ArrayList<>();
    Questions no =
        question -> {
          asked.add(question.prompt());
          assertThat(question.topic()).isEqualTo(Question.Topic.MIGRATE);
          return Questions.Answer.NO;
        };
    assertThatThrownBy(() -> migrate("laptop", Options.DEFAULT.asking(no)))
        .isInstanceOf(VmException.Declined.class)
        .hasMessageContaining("--no-migrate");
    assertThat(asked).singleElement().asString().contains(instance()).endsWith("[Y/n]");
    assertThatThrownBy(() -> migrate("laptop", Options.DEFAULT))
        .isInstanceOf(VmException.Unanswered.class);
    assertThat(aside).isEmpty();
    assertThat(yard.memory.names()).isEmpty();
  }

  /** Killed while the record was put aside: the state is there, and it counts at once. */
  @Test
  void whoeverWasKilledHasLeftAWholeState() throws Exception {
    assertThatThrownBy(
            () ->
                yard.vms("dead")
                    .migrate(
                        NAME,
                        legacy,
                        YES,
                        () -> {
                          assertThat(state().lock()).isPresent();
                          throw new dev.baton.vm.crash.KillSwitch.Killed("here");
                        }))
        .isInstanceOf(dev.baton.vm.crash.KillSwitch.Killed.class);
    assertThat(yard.status()).contains(Status.RUNNING);
    assertThat(migrate("laptop", YES)).isInstanceOf(Outcome.Unchanged.class);
    assertThat(legacy.isOf(yard.state(), Optional.empty())).isTrue();
    assertThat(yard.journal().lock()).as("the dead one's").isPresent();
    yard.expireLock();
    yard.vm("laptop").destroy(BuildVm.Disk.DROP, YES);
    assertThat(yard.cloudIds()).isEmpty();
  }

  /** As of a destroy that removes leftovers. */
  private void lock() throws Exception {
    LockRecord lock =
        new LockRecord(
            Operation.DESTROY,
            "desk",
            yard.world.now(),
            yard.world.now(),
            1,
            "nonce-of-the-desk-00",
            Optional.empty(),
            Optional.empty());
    Journal journal = Journal.empty(NAME).withFencing(1).withLock(Optional.of(lock)).numbered(1);
    yard.memory.journal(NAME).write(Version.ABSENT, VmCodec.encode(journal), "desk");
  }

  @Test
  void aLockWithoutAStateIsWaitedForAndNotForced() throws Exception {
    lock();
    assertThatThrownBy(() -> migrate("laptop", YES))
        .isInstanceOf(VmException.LockHeld.class)
        .hasMessageContaining("destroy by desk")
        .hasMessageContaining(
            "If it has died, its lock ends in 15 min. Then run the same command again")
        .hasMessageNotContaining("--force");
    yard.expireLock();
    assertThat(migrate("laptop", YES)).isInstanceOf(Outcome.Done.class);
  }

  /** Between the first look and the lock another machine begins, and still works. */
  @Test
  void aStateThatIsWrittenMeanwhileCountsAlthoughItIsLocked() throws Exception {
    Questions slow =
        question -> {
          assertThatThrownBy(
                  () ->
                      yard.vms("desk")
                          .migrate(
                              NAME,
                              legacy,
                              YES,
                              () -> {
                                throw new dev.baton.vm.crash.KillSwitch.Killed("here");
                              }))
              .isInstanceOf(dev.baton.vm.crash.KillSwitch.Killed.class);
          return Questions.Answer.YES;
        };
    Outcome outcome = migrate("laptop", Options.DEFAULT.asking(slow));
    assertThat(outcome).isInstanceOf(Outcome.Unchanged.class);
    assertThat(outcome.state()).isPresent();
    assertThat(aside).isEmpty();
    assertThat(yard.journal().lock().orElseThrow().clientId()).isEqualTo("desk");
  }

  @Test
  void whatTheCloudKnowsBetterIsTakenFromThere() throws Exception {
    Map<Kind, Resource> recorded = new EnumMap<>(Kind.class);
    legacy.resources().forEach((k, r) -> recorded.put(k, new Resource(k, r.id(), Map.of())));
    String ip = legacy.resources().get(Kind.ADDRESS).attributes().get("ip");
    assertThat(ip).isNotBlank();
    String type = legacy.resources().get(Kind.INSTANCE).attributes().get("instance_type");
    recorded.computeIfPresent(Kind.ADDRESS, (k, r) -> r.with("note", "mine"));
    recorded.computeIfPresent(Kind.INSTANCE, (k, r) -> r.with("instance_type", "out of date"));
    legacy = new Legacy("~/old", "0.2.1", "eu", recorded, Optional.empty(), Extra.NONE);
    migrate("laptop", YES);
    assertThat(yard.state().ip()).contains(ip);
    assertThat(yard.state().resource(Kind.ADDRESS).orElseThrow().attributes())
        .containsEntry("note", "mine")
        .containsEntry("ip", ip);
    assertThat(yard.state().resource(Kind.INSTANCE).orElseThrow().attributes())
        .containsEntry("instance_type", type);
  }

  /** Its own limits are wider than a journal's, in which it stands one level deeper. */
  @Test
  void aRecordThatCouldNotBeReadBackIsRefused() throws Exception {
    for (Object deep : List.of(nested(31), "x".repeat(600_000))) {
      legacy =
          new Legacy(
              "~/.cloudcode",
              "0.2.1",
              "eu",
              legacy.resources(),
              Optional.empty(),
              new Extra(Map.of("deep", deep)));
      assertThatThrownBy(() -> migrate("laptop", YES))
          .isInstanceOf(VmException.BrokenState.class)
          .hasMessageContaining("~/.cloudcode")
          .hasMessageContaining("could not be read back")
          .hasMessageContaining("--no-migrate");
      assertThat(yard.memory.names()).isEmpty();
    }
    assertThat(aside).isEmpty();
  }

  private static Object nested(int depth) {
    Object value = "core";
    for (int i = 0; i < depth; i++) {
      value = Map.of("in", value);
    }
    return value;
  }

  @Test
  void aRecordOfAnotherVmIsNotForgotten() throws Exception {
    yard.vm("desk").deploy(SPEC, YES);
    assertThat(yard.vms("laptop").unclaimed(legacy))
        .containsExactlyElementsOf(legacy.resources().values());
    yard.cloud.deleteByHand(instance());
    assertThat(yard.vms("laptop").unclaimed(legacy))
        .isNotEmpty()
        .noneMatch(r -> r.kind() == Kind.INSTANCE);
    yard.vms("earlier", old).vm(NAME).destroy(BuildVm.Disk.DROP, YES);
    assertThat(yard.vms("laptop").unclaimed(legacy)).isEmpty();
  }

  @Test
  void whatIsItsOwnOrThatOfAnotherNameIsClaimed() throws Exception {
    yard.vms("laptop").migrate(new VmName("second"), legacy, YES, () -> aside.add("laptop"));
    yard.vm("desk").deploy(SPEC, YES);
    assertThat(yard.vms("laptop").unclaimed(legacy)).isEmpty();
  }

  @Test
  void aRecordWithoutAnInstanceIsKnownAgain() throws Exception {
    Map<Kind, Resource> rest = new EnumMap<>(legacy.resources());
    rest.remove(Kind.INSTANCE);
    legacy = new Legacy("~/old", "0.2.1", "eu", rest, Optional.empty(), Extra.NONE);
    migrate("laptop", YES);
    assertThat(legacy.isOf(yard.state(), Optional.empty())).isTrue();
    rest.computeIfPresent(Kind.NETWORK, (k, r) -> new Resource(k, "another", Map.of()));
    Legacy other = new Legacy("~/old", "0.2.1", "eu", rest, Optional.empty(), Extra.NONE);
    assertThat(other.isOf(yard.state(), Optional.empty())).isFalse();
  }

  private Journal state() {
    try {
      return yard.journal();
    } catch (dev.baton.store.StoreException e) {
      throw new AssertionError(e);
    }
  }
}
