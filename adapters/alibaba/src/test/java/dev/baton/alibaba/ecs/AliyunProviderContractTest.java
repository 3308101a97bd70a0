package dev.baton.alibaba.ecs;

import dev.baton.alibaba.fake.FakeAliyun;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.spi.Provider;
import dev.baton.vm.spi.ProviderContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What every cloud promises, through Alibaba Cloud's own clients. */
class AliyunProviderContractTest extends ProviderContract {
  private final Sky sky = new Sky();
  private final Provider provider = sky.provider();

  @BeforeEach
  void takeTime() {
    sky.cloud.slowness(Duration.ofSeconds(20));
  }

  @AfterEach
  void close() {
    sky.close();
  }

  @Override
  protected Provider provider() {
    return provider;
  }

  @Override
  protected void elapse(Duration time) {
    sky.cloud.pass(time);
  }

  @Override
  protected DeploySpec spec() {
    return DeploySpec.of(FakeAliyun.REGION, FakeAliyun.TYPES.get(0))
        .withPublicKey(FakeAliyun.PUBLIC_KEY)
        .withApplication("echo secret-of-the-contract");
  }
}
