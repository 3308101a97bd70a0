package dev.baton.qemu.cloud;

import dev.baton.vm.DeploySpec;
import dev.baton.vm.spi.Provider;
import dev.baton.vm.spi.ProviderContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;

/** The contract on simulated QEMU processes. */
class QemuProviderContractTest extends ProviderContract {
  private final QemuScene scene = new QemuScene();

  @AfterEach
  void close() {
    scene.close();
  }

  @Override
  protected Provider provider() {
    return scene.provider();
  }

  @Override
  protected void elapse(Duration time) {
    scene.elapse(time);
  }

  @Override
  protected DeploySpec spec() {
    return scene.spec();
  }
}
