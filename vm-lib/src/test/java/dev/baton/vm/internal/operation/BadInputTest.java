package dev.baton.vm.internal.operation;

import static dev.baton.vm.internal.operation.Yard.NAME;
import static dev.baton.vm.internal.operation.Yard.SPEC;
import static dev.baton.vm.internal.operation.Yard.YES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.vm.BuildVm.Disk;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Kind;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One clear message that says what to do; nothing created, nothing lost. */
class BadInputTest {

  private final Yard yard = new Yard();

  private void refused(
      Class<? extends VmException> kind, ThrowingCallable act, String what, String next)
      throws Exception {
    var journal = yard.memory.journal(NAME).read();
    var copy = yard.memory.get(NAME, "state.json");
    var cloud = yard.cloudIds();
    assertThatThrownBy(act)
        .isInstanceOfSatisfying(
            VmException.class,
            e -> {
              assertThat(e.what()).contains(what);
              assertThat(e.next()).contains(next);
              assertThat(e).hasMessage(e.what() + ". " + e.next());
            })
        .isInstanceOf(kind);
    assertThat(yard.memory.journal(NAME).read()).isEqualTo(journal);
    assertThat(yard.memory.get(NAME, "state.json")).isEqualTo(copy);
    assertThat(yard.cloudIds()).isEqualTo(cloud);
  }

  @Test
  void unknownInstanceType() throws Exception {
    refused(
        VmException.Impossible.class,
        () -> yard.vm("a").deploy(SPEC.withType("huge"), YES),
        "unknown instance type \"huge\"",
        "Choose one of sim.small, sim.medium, sim.large, sim.local.");
  }

  @Test
  void quotaExceeded() throws Exception {
    yard.cloud.configure(s -> s.withQuota(Kind.ADDRESS, 0));
    refused(
        VmException.Impossible.class,
        () -> yard.vm("a").deploy(SPEC, YES),
        "the quota for address is 0, and there are 0",
        "larger quota");
    assertThatThrownBy(() -> yard.vm("a").deploy(SPEC, YES))
        .isInstanceOfSatisfying(
            VmException.Impossible.class,
            e -> assertThat(e.trouble()).isEqualTo(Trouble.QUOTA_EXCEEDED));
  }

  @Test
  void aQuotaThatIsFullOfOnesOwnIsNoReasonNotToRepair() throws Exception {
    yard.vm("a").deploy(SPEC, YES);
    yard.cloud.configure(s -> s.withQuota(Kind.NETWORK, 1));
    yard.cloud.deleteByHand(yard.id(Kind.ADDRESS));
    yard.vm("a").deploy(SPEC, YES);
    assertThat(yard.cloudIds()).hasSize(7);
  }

  private void journalIs(String text) throws Exception {
    VersionedStore store = yard.memory.journal(NAME);
    Version version = store.read().version();
    store.write(version, text, "by hand");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "what?",
        "{}",
        "[1]",
        "{\"format\": \"baton-vm/1\"}",
        "{\"format\": \"baton-vm/1\", \"vm\": \"other\", \"sequence\": 1, \"fencing\": 0}",
        "{\"format\": \"baton-vm/1\", \"vm\": \"default\", \"sequence\": -1, \"fencing\": 0}",
        "{\"format\": \"a-novel/1\"}"
      })
  void brokenJournal(String text) throws Exception {
    yard.vm("a").deploy(SPEC, YES);
    journalIs(text);
    refused(
        VmException.BrokenState.class,
        () -> yard.vm("a").destroy(Disk.DROP, YES),
        "the journal of VM default in " + yard.space.location() + " is broken: ",
        "ut");
    refused(VmException.BrokenState.class, () -> yard.vm("a").status(), "is broken", "ut");
  }

  @Test
  void journalOfANewerFormat() throws Exception {
    journalIs("{\"format\": \"baton-vm/3\", \"anything\": 1}");
    refused(
        VmException.NewerFormat.class,
        () -> yard.vm("a").deploy(SPEC, YES),
        "has the format baton-vm/3, and this version of Baton knows baton-vm/2",
        "Use a newer version");
  }

  @Test
  void brokenStateFileWithoutAJournal() throws Exception {
    yard.memory.put(NAME, "state.json", "{\"version\": \"0.3.0\", ");
    refused(
        VmException.BrokenState.class,
        () -> yard.vm("a").deploy(SPEC, YES),
        "state.json of VM default",
        "Repair it, or move it away");
  }

  @Test
  void stateFileOfANewerFormatWithoutAJournal() throws Exception {
    yard.memory.put(NAME, "state.json", "{\"version\": \"0.5.0\", \"status\": \"hibernating\"}");
    refused(
        VmException.NewerFormat.class,
        () -> yard.vm("a").deploy(SPEC, YES),
        "has the format 0.5.0, and this version of Baton knows 0.4.0",
        "newer version");
  }

  @Test
  void stateFileOfAnotherTool() throws Exception {
    yard.memory.put(NAME, "state.json", "{\"version\": \"0.3.0\", \"status\": \"running\"}");
    refused(
        VmException.ForeignState.class,
        () -> yard.vm("a").deploy(SPEC, YES),
        "was not written by Baton",
        "move the file away");
  }

  @Test
  void operationNotAllowedInThisStatus() throws Exception {
    refused(
        VmException.NotAllowed.class,
        () -> yard.vm("a").suspend(YES),
        "cannot suspend a VM that is not deployed",
        "Run `deploy` first");
    yard.vm("a").deploy(SPEC, YES);
    yard.vm("a").suspend(YES);
    refused(
        VmException.NotAllowed.class,
        () -> yard.vm("a").deploy(SPEC, YES),
        "cannot deploy a VM that is suspended",
        "Next: `resume` or `destroy`");
  }

  @Test
  void lockHeldByAnother() throws Exception {
    yard.vm("a").deploy(SPEC, YES);
    yard.killedAt("before stop", vm -> vm.suspend(YES));
    yard.world.advance(Duration.ofMinutes(3));
    refused(
        VmException.LockHeld.class,
        () -> yard.vm("b").resume(YES),
        "VM default is locked: suspend by dead, started 3 min ago",
        "If it has died, its lock ends in 12 min; --force takes it over now");
  }

  @Test
  void anotherRegion() throws Exception {
    yard.vm("a").deploy(SPEC, YES);
    refused(
        VmException.Impossible.class,
        () -> yard.vm("a").deploy(DeploySpec.of("us", "sim.small"), YES),
        "is in region eu, not in us",
        "Use that region");
  }

  @Test
  void aSnapshotThatIsGone() throws Exception {
    yard.vm("a").deploy(SPEC, YES);
    yard.vm("a").destroy(Disk.KEEP, YES);
    yard.cloud.deleteByHand(yard.journal().backup().orElseThrow().snapshotId());
    refused(
        VmException.Impossible.class,
        () -> yard.vm("a").deploy(SPEC, YES),
        "does not exist any more",
        "--fresh");
    yard.vm("a").deploy(SPEC.fromScratch(), YES);
    assertThat(yard.journal().backup()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-a", "a-", "A", "a/b", "..", "history", "journal", "a b", "ä"})
  void namesThatWouldLeadElsewhere(String name) {
    assertThatThrownBy(() -> new VmName(name)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aScriptNeverAppearsAnywhere() throws Exception {
    DeploySpec secret = SPEC.withApplication("register --token hunter2");
    yard.vm("a").deploy(secret, yard.told());
    assertThat(secret.toString()).doesNotContain("hunter2");
    assertThat(yard.memory.journal(NAME).read().content().orElseThrow()).doesNotContain("hunter2");
    assertThat(yard.cloud.everything().toString()).doesNotContain("hunter2");
    assertThat(yard.steps.toString() + yard.notes).doesNotContain("hunter2");
  }
}
