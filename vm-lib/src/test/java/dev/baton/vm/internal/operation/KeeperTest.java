package dev.baton.vm.internal.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.core.FakeWorld;
import dev.baton.vm.BuildVm;
import dev.baton.vm.Client;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Keeper;
import dev.baton.vm.Kind;
import dev.baton.vm.Options;
import dev.baton.vm.Questions;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import dev.baton.vm.internal.codec.VmCodec;
import dev.baton.vm.operation.Vms;
import dev.baton.vm.simulated.Fault;
import dev.baton.vm.simulated.SimulatedCloud;
import dev.baton.vm.store.MemoryVmSpace;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What keeps a VM alive, on a machine whose time goes by when the test says so. */
class KeeperTest {

  private static final VmName NAME = VmName.DEFAULT;
  private static final Options YES = Options.DEFAULT.asking(Questions.assumeYes());
  private static final DeploySpec SPEC = DeploySpec.of("eu", "sim.small");
  private static final Duration DAY = Duration.ofDays(1);

  private final FakeWorld world = new FakeWorld();
  private final SimulatedCloud cloud = SimulatedCloud.inMemory(world);
  private final MemoryVmSpace space = new MemoryVmSpace("keeper000000", world::now);
  private final AtomicInteger nonces = new AtomicInteger();
  private final Vms vms =
      Vms.open(
          space,
          cloud,
          new Client("keeper", world, () -> "nonce-" + nonces.incrementAndGet() + "-000", true));
  private final BuildVm vm = vms.vm(NAME);
  private Keeper keeper;
  private final List<String> warnings = Collections.synchronizedList(new ArrayList<>());

  @AfterEach
  void nobodyIsLeft() {
    if (keeper != null) {
      keeper.close();
    }
    assertThat(world.living()).isEmpty();
  }

  private interface Work {
    void run() throws VmException, InterruptedException;
  }

  /** Whatever waits must be a task of this world. */
  private void does(Work work) {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    world.start(
        "work",
        () -> {
          try {
            work.run();
          } catch (VmException | InterruptedException | RuntimeException e) {
            failure.set(e);
          }
        });
    world.settle();
    assertThat(failure.get()).isNull();
  }

  private void deployed(DeploySpec spec) {
    does(() -> vm.deploy(spec, YES));
  }

  private void keep(Duration atLeast) {
    keeper = vms.keepAlive(NAME, atLeast, warnings::add);
    world.settle();
  }

  private Optional<Instant> end() throws Exception {
    return VmCodec.decode(space.journal(NAME).read().content().orElseThrow())
        .state()
        .orElseThrow()
        .expiresAt();
  }

  private Duration left() throws Exception {
    return Duration.between(world.now(), end().orElseThrow());
  }

  private boolean isThere() throws Exception {
    return cloud.everything().stream().anyMatch(f -> f.kind() == Kind.INSTANCE);
  }

  @Test
  void aVmThatSomebodyUsesIsNeverTakenAndOneThatNobodyUsesIs() throws Exception {
    deployed(SPEC.livingAtMost(Duration.ofHours(8)));
    keep(Duration.ZERO);
    for (int i = 0; i < 48; i++) {
      world.advance(Duration.ofHours(1));
      assertThat(left()).isBetween(Duration.ofHours(5), Duration.ofHours(8));
      assertThat(isThere()).isTrue();
    }
    keeper.close();
    world.advance(Duration.ofHours(8));
    assertThat(isThere()).as("nobody uses it any more").isFalse();
    assertThat(warnings).isEmpty();
  }

  @Test
  void theFirstPushComesAtOnceWhenItIsDue() throws Exception {
    deployed(SPEC.livingAtMost(Duration.ofHours(8)));
    world.advance(Duration.ofHours(7));
    keep(Duration.ZERO);
    assertThat(left()).isEqualTo(Duration.ofHours(8));
  }

  @Test
  void aLeaseThatIsLongerThanTheLifeCounts() throws Exception {
    deployed(SPEC.livingAtMost(Duration.ofHours(1)));
    keep(Duration.ofHours(6));
    assertThat(left()).isEqualTo(Duration.ofHours(6));
    world.advance(Duration.ofHours(30));
    assertThat(left()).isGreaterThanOrEqualTo(Duration.ofHours(3));
  }

  @Test
  void aShortLifeIsPushedOften() throws Exception {
    deployed(SPEC.livingAtMost(Duration.ofMinutes(4)));
    keep(Duration.ZERO);
    for (int i = 0; i < 60; i++) {
      world.advance(Duration.ofMinutes(1));
      assertThat(left()).isGreaterThanOrEqualTo(Duration.ofMinutes(2));
    }
  }

  @Test
  void aLongLifeIsLookedAtEachHour() throws Exception {
    deployed(SPEC.livingAtMost(Duration.ofHours(40)));
    keep(Duration.ZERO);
    for (int i = 0; i < 100; i++) {
      world.advance(Duration.ofHours(1));
      assertThat(left()).isGreaterThanOrEqualTo(Duration.ofHours(29));
    }
  }

  @Test
  void aVmWithoutAnEndIsLetBe() throws Exception {
    deployed(SPEC);
    long sequence = sequence();
    keep(DAY);
    assertThat(world.living()).as("there is nothing to wait for").isEmpty();
    assertThat(end()).isEmpty();
    assertThat(sequence()).isEqualTo(sequence);
  }

  private long sequence() throws Exception {
    return VmCodec.decode(space.journal(NAME).read().content().orElseThrow()).sequence();
  }

  @Test
  void aSuspendedVmIsLetBeAndKeptAgainWhenItRuns() throws Exception {
    deployed(SPEC.livingAtMost(Duration.ofHours(2)));
    keep(Duration.ZERO);
    does(() -> vm.suspend(YES));
    world.advance(DAY);
    assertThat(end()).isEmpty();
    does(() -> vm.resume(YES));
    world.advance(DAY);
    assertThat(left()).isPositive();
    assertThat(isThere()).isTrue();
  }

  @Test
  void aVmThatIsTakenDownEndsIt() throws Exception {
    deployed(SPEC.livingAtMost(Duration.ofHours(2)));
    keep(Duration.ZERO);
    does(() -> vm.takeDown(YES));
    world.advance(DAY);
    assertThat(world.living()).isEmpty();
    assertThat(cloud.everything()).isEmpty();
    assertThat(warnings).isEmpty();
  }

  @Test
  void aPushThatFailsIsToldOnceAndMadeUpFor() throws Exception {
    deployed(SPEC.livingAtMost(Duration.ofHours(8)));
    cloud.configure(
        s -> s.with(Fault.before("releaseAfter", Kind.INSTANCE, Trouble.UNAVAILABLE).times(3)));
    world.advance(Duration.ofHours(4));
    keep(Duration.ZERO);
    String instance =
        cloud.everything().stream()
            .filter(f -> f.kind() == Kind.INSTANCE)
            .findFirst()
            .orElseThrow()
            .id();
    assertThat(left()).as("the journal comes first").isEqualTo(Duration.ofHours(8));
    assertThat(cloud.releaseTime(instance)).contains(world.now().plus(Duration.ofHours(4)));
    world.advance(Duration.ofMinutes(20));
    assertThat(cloud.releaseTime(instance)).isEqualTo(end());
    assertThat(warnings)
        .singleElement()
        .asString()
        .contains("The end of VM default cannot be moved")
        .contains("tried again");
  }

  @Test
  void aNegativeLeaseIsRefused() {
    assertThatThrownBy(() -> vms.keepAlive(NAME, Duration.ofHours(-1), warnings::add))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PT-1H");
  }
}
