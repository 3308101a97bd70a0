package dev.baton.alibaba.fake;

import java.util.LinkedHashMap;
import java.util.Map;

/** Variables by which a program takes the fakes for Alibaba Cloud. */
public final class FakeAccount {

  private FakeAccount() {}

  public static Map<String, String> variables(
      FakeOss oss, FakeAliyun cloud, String id, String secret) {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("ALIBABA_CLOUD_ACCESS_KEY_ID", id);
    all.put("ALIBABA_CLOUD_ACCESS_KEY_SECRET", secret);
    all.put("ALIBABA_CLOUD_REGION_ID", FakeOss.REGION);
    all.put("BATON_OSS_ENDPOINT", oss.endpoint());
    all.put("BATON_ECS_ENDPOINT", "http://" + cloud.endpoint());
    all.put("BATON_VPC_ENDPOINT", "http://" + cloud.endpoint());
    return all;
  }
}
