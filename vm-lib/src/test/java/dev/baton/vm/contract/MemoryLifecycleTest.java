package dev.baton.vm.contract;

import dev.baton.vm.crash.SkippingWorld;
import dev.baton.vm.provider.simulated.SimulatedCloud;
import dev.baton.vm.store.MemoryVmSpace;

class MemoryLifecycleTest extends LifecycleContract {

  @Override
  protected LifecycleScene open() {
    SkippingWorld world = new SkippingWorld();
    MemoryVmSpace space = new MemoryVmSpace("contract0000", world::now);
    return new SimulatedScene(world, SimulatedCloud.inMemory(world), () -> space);
  }
}
