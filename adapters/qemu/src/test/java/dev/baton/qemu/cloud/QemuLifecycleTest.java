package dev.baton.qemu.cloud;

import dev.baton.vm.contract.LifecycleContract;
import dev.baton.vm.crash.LifecycleScene;

/** The contract on simulated QEMU processes. */
class QemuLifecycleTest extends LifecycleContract {
  @Override
  protected LifecycleScene open() {
    return new QemuScene();
  }
}
