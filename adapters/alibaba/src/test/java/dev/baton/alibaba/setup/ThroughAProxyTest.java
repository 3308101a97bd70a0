package dev.baton.alibaba.setup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.alibaba.account.AlibabaAccount;
import dev.baton.alibaba.account.Keys;
import dev.baton.alibaba.account.PipeProxy;
import dev.baton.alibaba.fake.FakeOss;
import dev.baton.alibaba.oss.OssAccess;
import dev.baton.alibaba.oss.OssPlace;
import dev.baton.alibaba.oss.OssSpace;
import dev.baton.alibaba.oss.StateBucket;
import dev.baton.core.Proxies;
import dev.baton.store.Version;
import dev.baton.store.WriteResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the way out leads through a proxy, everything goes through it. */
class ThroughAProxyTest {
  private static final String BASIC =
      Base64.getEncoder().encodeToString("ann:p@ss".getBytes(StandardCharsets.UTF_8));

  @TempDir Path home;
  private Newcomer ann;

  @BeforeEach
  void arrive() {
    ann = new Newcomer(home);
  }

  @AfterEach
  void leave() {
    ann.close();
  }

  private static AlibabaAccount account(Proxies proxies) {
    Keys.Pair pair = new Keys.Pair(Newcomer.ID, Newcomer.SECRET, "");
    return AlibabaAccount.of(FakeOss.REGION, Keys.given("a test", () -> pair), proxies);
  }

  @Test
  void theStoreAndTheSetupOfABucket() throws Exception {
    try (PipeProxy proxy = new PipeProxy(ann.oss.endpoint())) {
      OssAccess access = OssAccess.of(ann.environment, account(proxy.rules("ann:p%40ss")));
      try (StateBucket bucket = new StateBucket(Newcomer.BUCKET, access)) {
        bucket.ensure(Newcomer.ACCOUNT, true);
      }
      try (OssSpace space = OssSpace.open(new OssPlace(Newcomer.BUCKET, "ci"), "build", access)) {
        assertThat(space.document("queue").write(Version.ABSENT, "one", "test"))
            .isInstanceOf(WriteResult.Written.class);
      }
      String start = " " + ann.oss.endpoint() + "/" + Newcomer.BUCKET + "/";
      assertThat(proxy.heard().split("PUT" + start, -1)).hasSizeGreaterThan(3);
      assertThat(proxy.heard())
          .contains("GET" + start)
          .contains("Proxy-Authorization: Basic " + BASIC)
          .doesNotContain("p@ss");
    }
  }

  @Test
  void theQuestionWhoseKeyItIs() throws Exception {
    try (PipeProxy proxy = new PipeProxy(ann.cloud.endpoint())) {
      assertThat(new Sts(ann.environment, account(proxy.rules("ann:p%40ss"))).accountId())
          .isEqualTo(Newcomer.ACCOUNT);
      assertThat(proxy.heard()).contains("http://" + ann.cloud.endpoint() + "/");
    }
  }

  @Test
  void withoutOneNobodyIsAskedOnTheWay() throws Exception {
    try (PipeProxy proxy = new PipeProxy(ann.cloud.endpoint())) {
      assertThat(new Sts(ann.environment, account(Proxies.NONE)).accountId())
          .isEqualTo(Newcomer.ACCOUNT);
      assertThat(proxy.heard()).isEmpty();
    }
  }
}
