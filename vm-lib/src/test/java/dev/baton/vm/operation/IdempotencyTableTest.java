package dev.baton.vm.operation;

import static dev.baton.vm.operation.Yard.SPEC;
import static dev.baton.vm.operation.Yard.YES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.vm.BuildVm.Disk;
import dev.baton.vm.Kind;
import dev.baton.vm.Outcome;
import dev.baton.vm.Status;
import dev.baton.vm.VmException;
import dev.baton.vm.provider.Phase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The design's table 3.1.7, line by line. */
class IdempotencyTableTest {

  private final Yard yard = new Yard();

  @BeforeEach
  void deployed() throws Exception {
    yard.vm("first").deploy(SPEC, YES);
  }

  @Test
  void suspendIsSkippedWhenSuspended() throws Exception {
    yard.vm("a").suspend(YES);
    long before = yard.journal().sequence();
    assertThat(yard.vm("b").suspend(YES)).isInstanceOf(Outcome.Unchanged.class);
    assertThat(yard.journal().sequence()).isEqualTo(before);
  }

  @Test
  void suspendWhileSuspendingWaits() throws Exception {
    yard.killedAt("after stop", vm -> vm.suspend(YES));
    Outcome outcome = yard.vm("b").suspend(YES.waitingAtMost(Duration.ofMinutes(20)));
    assertThat(outcome).isInstanceOf(Outcome.Done.class);
    assertThat(yard.status()).contains(Status.SUSPENDED);
  }

  @Test
  void suspendWhileSuspendingIsTakenOverByForce() throws Exception {
    yard.killedAt("before stop", vm -> vm.suspend(YES));
    assertThatThrownBy(() -> yard.vm("b").suspend(YES)).isInstanceOf(VmException.LockHeld.class);
    yard.vm("b").suspend(YES.forcing());
    assertThat(yard.status()).contains(Status.SUSPENDED);
    assertThat(yard.phase()).isEqualTo(Phase.STOPPED);
  }

  @Test
  void resumeIsSkippedWhenRunning() throws Exception {
    assertThat(yard.vm("b").resume(YES)).isInstanceOf(Outcome.Unchanged.class);
  }

  @Test
  void resumeWhileResumingWaits() throws Exception {
    yard.vm("a").suspend(YES);
    yard.killedAt("before start", vm -> vm.resume(YES));
    yard.vm("b").resume(YES.waitingAtMost(Duration.ofMinutes(20)));
    assertThat(yard.status()).contains(Status.RUNNING);
    assertThat(yard.phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  void resumeWhileResumingIsTakenOverByForce() throws Exception {
    yard.vm("a").suspend(YES);
    yard.killedAt("after start", vm -> vm.resume(YES));
    yard.vm("b").resume(YES.forcing());
    assertThat(yard.status()).contains(Status.RUNNING);
  }

  @Test
  void destroyDeletesWhatExistsAndSkipsWhatIsGone() throws Exception {
    yard.cloud.deleteByHand(yard.id(Kind.ADDRESS));
    yard.cloud.deleteByHand(yard.id(Kind.INSTANCE));
    yard.vm("b").destroy(Disk.DROP, YES);
    assertThat(yard.cloudIds()).isEmpty();
    assertThat(yard.status()).isEmpty();
    assertThat(yard.vm("b").destroy(Disk.DROP, YES)).isInstanceOf(Outcome.Unchanged.class);
  }

  @Test
  void deploySkipsWhatExistsAndIsWell() throws Exception {
    List<String> before = yard.cloudIds();
    Outcome outcome = yard.vm("b").deploy(SPEC, YES);
    assertThat(yard.cloudIds()).isEqualTo(before);
    assertThat(((Outcome.Done) outcome).how()).isEqualTo(Outcome.How.REPAIRED);
  }

  @Test
  void deployLooksWhetherTheInstanceIsWell() throws Exception {
    yard.cloud.setPhaseByHand(yard.id(Kind.INSTANCE), Phase.STOPPED);
    yard.vm("b").deploy(SPEC, YES);
    assertThat(yard.phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  void deployLooksWhetherTheAddressIsBound() throws Exception {
    String address = yard.id(Kind.ADDRESS);
    yard.cloud.deleteByHand(yard.id(Kind.INSTANCE));
    yard.vm("b").deploy(SPEC, YES);
    assertThat(yard.id(Kind.ADDRESS)).as("the address is kept").isEqualTo(address);
    assertThat(
            yard.cloud.everything().stream()
                .filter(f -> f.id().equals(address))
                .findFirst()
                .orElseThrow()
                .attributes())
        .containsEntry("instance", yard.id(Kind.INSTANCE));
  }

  @Test
  void deployCreatesAgainWhatWasDeletedByHand() throws Exception {
    for (Kind kind : List.of(Kind.KEY_PAIR, Kind.ADDRESS, Kind.APPLICATION, Kind.INSTANCE)) {
      String old = yard.id(kind);
      yard.cloud.deleteByHand(old);
      yard.vm("b").deploy(SPEC, YES);
      assertThat(yard.id(kind)).isNotEqualTo(old);
      assertThat(yard.cloudIds()).contains(yard.id(kind)).hasSize(7);
    }
  }

  @Test
  void deploySkipsANetworkThatExistsAndMakesANewOneOtherwise() throws Exception {
    String network = yard.id(Kind.NETWORK);
    String subnet = yard.id(Kind.SUBNET);
    yard.cloud.deleteByHand(network);
    yard.vm("b").deploy(SPEC, YES);
    assertThat(yard.id(Kind.NETWORK)).isNotEqualTo(network);
    assertThat(yard.id(Kind.SUBNET)).as("built on the new one").isNotEqualTo(subnet);
    assertThat(yard.state().resources().get(Kind.SUBNET).attributes())
        .containsEntry("vpc", yard.id(Kind.NETWORK));
    yard.vm("b").destroy(Disk.DROP, YES);
    assertThat(yard.cloudIds()).isEmpty();
  }
}
