package dev.baton.alibaba.ecs;

import dev.baton.alibaba.account.AlibabaAccount;
import dev.baton.core.BadSetting;
import dev.baton.core.HostEnvironment;
import dev.baton.vm.spi.Cloud;
import dev.baton.vm.spi.CloudKind;
import java.time.InstantSource;

/** Makes {@code aliyun} work wherever a cloud is named. */
public final class AliyunCloudKind implements CloudKind {

  @Override
  public String name() {
    return "aliyun";
  }

  @Override
  public Cloud open(HostEnvironment host) {
    try {
      AlibabaAccount account = AlibabaAccount.of(host);
      Api api =
          new Api(
              account,
              Endpoints.of(host.environment()),
              new CloudClock(InstantSource.system(), true));
      AliyunSettings settings = AliyunSettings.of(host.environment());
      return new AliyunCloud(account.region(), settings, new AliyunProvider(api, settings), host);
    } catch (IllegalArgumentException e) {
      throw BadSetting.of(e, "See docs/alibaba-cloud.md.");
    }
  }
}
