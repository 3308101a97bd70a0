package dev.baton.vm.crash;

import dev.baton.core.World;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Kind;
import dev.baton.vm.simulated.Fault;
import dev.baton.vm.simulated.SimulatedCloud;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.Phase;
import dev.baton.vm.spi.Provider;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.spi.VmSpace;
import dev.baton.vm.store.MemoryVmSpace;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** A simulated cloud that takes its time, with any space. */
public final class SimulatedScene implements LifecycleScene {
  private final SkippingWorld world;
  private final SimulatedCloud cloud;
  private final Supplier<VmSpace> spaces;

  public SimulatedScene(SkippingWorld world, SimulatedCloud cloud, Supplier<VmSpace> spaces) {
    this.world = world;
    this.cloud = cloud;
    this.spaces = spaces;
    try {
      cloud.configure(
          s ->
              s.visibleAfter(Duration.ofSeconds(3))
                  .taking(Duration.ofSeconds(20), Duration.ofSeconds(60), Duration.ofSeconds(5)));
    } catch (ProviderException e) {
      throw new AssertionError(e);
    }
  }

  public static SimulatedScene inMemory() {
    SkippingWorld world = new SkippingWorld();
    MemoryVmSpace space = new MemoryVmSpace("memory000000", world::now);
    return new SimulatedScene(world, SimulatedCloud.inMemory(world), () -> space);
  }

  @Override
  public Provider provider() {
    return cloud;
  }

  @Override
  public VmSpace space() {
    return spaces.get();
  }

  @Override
  public World world() {
    return world;
  }

  @Override
  public DeploySpec spec() {
    return DeploySpec.of("eu", "sim.small")
        .withPublicKey("ssh-ed25519 AAAA contract")
        .withApplication("echo hello");
  }

  @Override
  public String zones() {
    return "eu-a,eu-b";
  }

  @Override
  public void elapse(Duration time) {
    world.advance(time);
  }

  @Override
  public List<Thing> things() throws ProviderException {
    List<Found> all = cloud.everything();
    boolean instance = all.stream().anyMatch(f -> f.kind() == Kind.INSTANCE);
    return all.stream()
        .map(
            f ->
                new Thing(
                    f.kind().name(),
                    Optional.of(f.kind()),
                    f.id(),
                    instance && f.kind() == Kind.APPLICATION))
        .toList();
  }

  @Override
  public Optional<Instant> releaseTime(String instance) throws ProviderException {
    return cloud.releaseTime(instance);
  }

  @Override
  public boolean isFinished(String snapshot) throws ProviderException {
    return cloud.everything().stream()
        .anyMatch(f -> f.id().equals(snapshot) && f.phase() == Phase.READY);
  }

  @Override
  public void deleteByHand(Kind kind, String id) throws ProviderException {
    cloud.deleteByHand(id);
  }

  @Override
  public void fail(Fault fault) throws ProviderException {
    cloud.configure(s -> s.with(fault));
  }

  @Override
  public void mend() throws ProviderException {
    cloud.configure(s -> s.withFaults(List.of()));
  }

  /** Here all have an owner. */
  @Override
  public Optional<String> stranger() {
    return Optional.empty();
  }

  @Override
  public void close() {
    // nothing is open
  }
}
