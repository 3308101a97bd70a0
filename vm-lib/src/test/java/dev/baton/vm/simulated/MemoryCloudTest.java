package dev.baton.vm.simulated;

import dev.baton.vm.DeploySpec;
import dev.baton.vm.crash.SkippingWorld;
import dev.baton.vm.spi.Provider;
import dev.baton.vm.spi.ProviderContract;
import java.time.Duration;

class MemoryCloudTest extends ProviderContract {

  private final SkippingWorld world = new SkippingWorld();
  private final SimulatedCloud cloud = SimulatedCloud.inMemory(world);

  @Override
  protected Provider provider() {
    return cloud;
  }

  @Override
  protected void elapse(Duration time) {
    world.advance(time);
  }

  @Override
  protected DeploySpec spec() {
    return DeploySpec.of("eu", "sim.small")
        .withPublicKey("ssh-ed25519 AAAA")
        .withApplication("echo hello");
  }
}
