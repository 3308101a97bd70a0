package dev.baton.vm.contract;

import dev.baton.vm.crash.LifecycleScene;
import dev.baton.vm.crash.SimulatedScene;
import dev.baton.vm.crash.SkippingWorld;
import dev.baton.vm.simulated.CloudSettings;
import dev.baton.vm.simulated.SimulatedCloud;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.store.MemoryVmSpace;

/** A cloud in which a suspend is a power-off, and that says so of a stop. */
class WithoutMemoryLifecycleTest extends LifecycleContract {

  @Override
  protected LifecycleScene open() {
    SkippingWorld world = new SkippingWorld();
    MemoryVmSpace space = new MemoryVmSpace("memory000000", world::now);
    SimulatedCloud cloud = SimulatedCloud.inMemory(world);
    try {
      cloud.configure(CloudSettings::withoutMemory);
    } catch (ProviderException e) {
      throw new AssertionError(e);
    }
    return new SimulatedScene(world, cloud, () -> space);
  }
}
