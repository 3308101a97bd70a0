package dev.baton.alibaba.ecs;

import dev.baton.alibaba.account.AlibabaAccount;
import dev.baton.alibaba.account.Keys;
import dev.baton.alibaba.fake.FakeAliyun;
import dev.baton.vm.spi.Cancel;
import java.time.Duration;

/** A cloud of this test's own, with a key to it. */
final class Sky implements AutoCloseable {
  static final String ID = "LTAI5tTheIdOfTheseTests0";
  static final String SECRET = "TheSecretOfTheseTests0123456789";

  final FakeAliyun cloud = FakeAliyun.start("1000000000000001");

  /** Waiting lets the time of the cloud's resources go on. */
  final Cancel patient =
      new Cancel() {
        @Override
        public void check() {
          // nobody stops it
        }

        @Override
        public void pause(Duration time) {
          cloud.pass(time);
        }
      };

  Sky() {
    cloud.addKey(ID, SECRET);
  }

  AliyunProvider provider() {
    return provider(AliyunSettings.DEFAULT.lettingIn("198.51.100.7"));
  }

  AliyunProvider provider(AliyunSettings settings) {
    return provider(settings, ID, SECRET, FakeAliyun.REGION);
  }

  AliyunProvider provider(AliyunSettings settings, String id, String secret, String region) {
    AlibabaAccount account = AlibabaAccount.of(region, () -> new Keys.Pair(id, secret, ""));
    Api api =
        new Api(
            account,
            Endpoints.onLoopback(cloud.endpoint()),
            new CloudClock(cloud::resourceTime, false));
    return new AliyunProvider(api, settings);
  }

  @Override
  public void close() {
    cloud.close();
  }
}
