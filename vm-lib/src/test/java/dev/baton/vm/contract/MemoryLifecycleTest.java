package dev.baton.vm.contract;

import dev.baton.vm.crash.LifecycleScene;
import dev.baton.vm.crash.SimulatedScene;

class MemoryLifecycleTest extends LifecycleContract {

  @Override
  protected LifecycleScene open() {
    return SimulatedScene.inMemory();
  }
}
