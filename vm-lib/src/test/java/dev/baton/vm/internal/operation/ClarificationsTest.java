package dev.baton.vm.internal.operation;

import static dev.baton.vm.internal.operation.Yard.NAME;
import static dev.baton.vm.internal.operation.Yard.SPEC;
import static dev.baton.vm.internal.operation.Yard.YES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.store.StoreException;
import dev.baton.vm.BuildVm.Disk;
import dev.baton.vm.Kind;
import dev.baton.vm.Status;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import dev.baton.vm.simulated.Fault;
import dev.baton.vm.spi.ProviderException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Where the design is silent, on a cloud whose ways and times are chosen. What holds on every cloud
 * is in the contract of the lifecycle.
 */
class ClarificationsTest {

  private final Yard yard = new Yard();

  private void deploy() throws Exception {
    yard.vm("first").deploy(SPEC, YES);
  }

  // ---- files and history

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
  void progressTellsEachStepWithItsTime() throws Exception {
    yard.cloud.configure(s -> s.taking(Duration.ofSeconds(20), Duration.ZERO, Duration.ZERO));
    yard.vm("a").deploy(SPEC, yard.told());
    assertThat(yard.steps)
        .startsWith("1/7 network", "network: vpc-1 in 0 s")
        .contains("5/7 instance")
        .anyMatch(s -> s.matches("instance: i-5 in (2\\d|3\\d) s"));
  }

  @Test
  void aLongWaitIsToldOnceAMinute() throws Exception {
    yard.cloud.configure(
        s -> s.taking(Duration.ofMinutes(4), Duration.ofMinutes(3), Duration.ofMinutes(2)));
    yard.vm("a").deploy(SPEC, yard.told());
    assertThat(yard.notes)
        .hasSize(3)
        .allMatch(n -> n.startsWith("instance i-5 is pending; waiting for "))
        .allMatch(n -> n.endsWith(", at most 15 min"));
    assertThat(yard.notes.get(1)).contains("waiting for 2 min");
    yard.notes.clear();
    yard.vm("a").destroy(Disk.KEEP, yard.told());
    assertThat(yard.notes)
        .anyMatch(n -> n.matches("snapshot s-\\d+ is pending; waiting for 2 min.*, .* 3 h"))
        .anyMatch(n -> n.contains(" is still in use; waiting for "))
        .anyMatch(n -> n.startsWith("what was deleted is still there; "));
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
  void aTokenThatTheCloudHasForgottenMakesNoSecondInstance() throws Exception {
    yard.killedAt("after create instance", vm -> vm.deploy(SPEC, YES));
    List<String> before = yard.cloudIds();
    yard.world.advance(Duration.ofHours(25));
    yard.vm("b").deploy(SPEC, YES);
    assertThat(yard.cloudIds()).containsAll(before).hasSize(7);
  }

  /** Not even if nobody can tell whether what was asked for first has come to be. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whoChangesHisMindIsNotHeldToWhatHeAskedForFirst(boolean created) throws Exception {
    Fault fault =
        created
            ? Fault.after("create", Kind.INSTANCE, Trouble.UNAVAILABLE)
            : Fault.before("create", Kind.INSTANCE, Trouble.UNAVAILABLE);
    yard.cloud.configure(s -> s.with(fault.times(2 * Pauses.ATTEMPTS)));
    assertThatThrownBy(() -> yard.vm("a").deploy(SPEC, YES))
        .isInstanceOf(VmException.CloudFailed.class);
    assertThat(yard.journal().intent(Kind.INSTANCE)).isPresent();
    yard.vm("a").deploy(SPEC.withType("sim.large"), YES);
    assertThat(yard.state().resource(Kind.INSTANCE).orElseThrow().attributes())
        .containsEntry("instance_type", "sim.large");
    assertThat(yard.cloudIds()).hasSize(7);
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
  void aSubnetThatComesToAnotherZoneWhenItIsAskedForAgainTakesThePlaceOfTheFirst()
      throws Exception {
    yard.cloud.configure(s -> s.taking(Duration.ZERO, Duration.ZERO, Duration.ofSeconds(20)));
    yard.killedAt("after create subnet", vm -> vm.deploy(SPEC, YES));
    yard.cloud.configure(s -> s.withOutOfStock("sim.small@eu-a"));
    yard.expireLock();
    yard.vm("b").deploy(SPEC, YES);
    assertThat(yard.status()).contains(Status.RUNNING);
    assertThat(yard.state().resource(Kind.SUBNET).orElseThrow().attributes())
        .containsEntry("zone_id", "eu-b");
    assertThat(yard.journal().cleanup()).isEmpty();
    assertThat(yard.cloudIds()).hasSize(7);
  }

  @Test
  void aTypeThatSellsOutWhereItsSubnetIsGetsOneInTheNextZone() throws Exception {
    yard.cloud.configure(s -> s.taking(Duration.ZERO, Duration.ZERO, Duration.ofSeconds(20)));
    boolean[] sold = {false};
    yard.kills.watch(
        point -> {
          if (!sold[0] && point.where().equals("before create instance")) {
            sold[0] = true;
            sellOut("sim.small@eu-a");
          }
        });
    yard.watched("a").deploy(SPEC.inZone("eu-a,eu-b"), YES);
    assertThat(sold[0]).isTrue();
    assertThat(yard.state().resource(Kind.SUBNET).orElseThrow().attributes())
        .containsEntry("zone_id", "eu-b");
    assertThat(yard.cloudIds()).hasSize(7);
  }

  @Test
  void whatIsBeingDeletedIsNotDeletedAgainAlsoWhereTheCloudDoesNotSaySo() throws Exception {
    yard.vm("a").deploy(SPEC, YES);
    yard.cloud.configure(
        s -> s.deletingSilently().taking(Duration.ZERO, Duration.ZERO, Duration.ofSeconds(20)));
    String snapshot = "before delete snapshot";
    yard.vm("a").destroy(Disk.KEEP, YES);
    yard.kills.arm(-1);
    yard.watched("a").destroy(Disk.DROP, YES);
    assertThat(yard.kills.points()).filteredOn(p -> p.where().equals(snapshot)).hasSize(1);
    assertThat(yard.status()).isEmpty();
    assertThat(yard.cloudIds()).as("it was waited for").isEmpty();
  }

  @Test
  void aSubnetIsGoneBeforeTheNextOneHasItsAddressesAlsoWhereTheCloudDoesNotSaySo()
      throws Exception {
    yard.cloud.configure(
        s -> s.deletingSilently().taking(Duration.ZERO, Duration.ZERO, Duration.ofSeconds(20)));
    yard.killedAt("after create subnet", vm -> vm.deploy(SPEC, YES));
    yard.cloud.configure(s -> s.withOutOfStock("sim.small@eu-a"));
    yard.expireLock();
    yard.vm("b").deploy(SPEC, YES);
    assertThat(yard.status()).contains(Status.RUNNING);
    assertThat(yard.cloudIds()).hasSize(7);
  }

  // ---- disks

  @Test
  void aDiskThatIsMadeOfASnapshotIsAtLeastAsLarge() throws Exception {
    yard.vm("a").deploy(SPEC.withDisk(100), YES);
    yard.vm("a").destroy(Disk.KEEP, YES);
    assertThat(yard.journal().backup().orElseThrow().diskSize()).isEqualTo(100);
    yard.vm("a").deploy(SPEC, yard.told());
    assertThat(disk()).isEqualTo("100");
    assertThat(yard.notes).singleElement().asString().contains("100 GB");
    yard.vm("a").destroy(Disk.KEEP, YES);
    yard.vm("a").deploy(SPEC.withDisk(200), YES);
    assertThat(disk()).isEqualTo("200");
    yard.vm("a").destroy(Disk.KEEP, YES);
    yard.vm("a").deploy(SPEC.fromScratch(), YES);
    assertThat(disk()).isEqualTo("40");
  }

  private String disk() throws StoreException {
    return yard.state().resource(Kind.INSTANCE).orElseThrow().attributes().get("disk_gb");
  }

  private void sellOut(String what) {
    try {
      yard.cloud.configure(s -> s.withOutOfStock(what));
    } catch (ProviderException e) {
      throw new AssertionError(e);
    }
  }
}
