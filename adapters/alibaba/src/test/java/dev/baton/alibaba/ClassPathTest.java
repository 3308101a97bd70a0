package dev.baton.alibaba;

import static org.assertj.core.api.Assertions.assertThat;

import com.aliyun.teaopenapi.models.Config;
import com.aliyun.vpc20160428.models.CreateVpcRequest;
import dev.baton.alibaba.account.Keys;
import dev.baton.alibaba.fake.FakeAliyun;
import dev.baton.alibaba.fake.FakeOss;
import dev.baton.alibaba.fake.Kind;
import dev.baton.alibaba.oss.OssAccess;
import dev.baton.alibaba.oss.OssPlace;
import dev.baton.alibaba.oss.OssSpace;
import dev.baton.core.SystemWorld;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.Limits;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import dev.baton.queue.github.GitHubConnection;
import dev.baton.queue.github.GitHubPlace;
import dev.baton.queue.github.GitHubSpace;
import dev.baton.store.Version;
import dev.baton.store.WriteResult;
import java.net.URI;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * GitHub's client and Alibaba Cloud's, which were made for different HTTP clients, side by side.
 */
class ClassPathTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "okhttp3/OkHttpClient.class",
        "okio/Buffer.class",
        "com/google/gson/Gson.class",
        "org/bouncycastle/jce/provider/BouncyCastleProvider.class",
        "org/apache/http/client/HttpClient.class",
        "org/slf4j/Logger.class"
      })
  void thereIsOneOfEach(String resource) throws Exception {
    assertThat(Collections.list(getClass().getClassLoader().getResources(resource))).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "org.bouncycastle.cert.X509CertificateHolder",
        "com.sun.xml.bind.v2.ContextFactory",
        "org.jacoco.agent.rt.internal_c13123e.PreMain",
        "io.opentelemetry.api.trace.Tracer",
        "com.aliyuncs.IAcsClient"
      })
  void whatIsNotUsedIsNotThere(String name) {
    assertThat(getClass().getClassLoader().getResource(name.replace('.', '/') + ".class")).isNull();
  }

  @Test
  void gitHubOssAndTheApiWorkInOneProcess() throws Exception {
    try (GitHubSim sim = GitHubSim.start(SimSettings.defaults().withLimits(Limits.none()));
        FakeOss oss = FakeOss.start();
        FakeAliyun cloud = FakeAliyun.start("1000000000000001")) {
      sim.addRepository("octo/app", true);
      sim.addToken(Token.classic("ann", "token-of-ann", "octo/app"));
      oss.addKey("id", "secret", "me");
      oss.addBucket("mine", "me");
      cloud.addKey("id", "secret");
      for (int round = 0; round < 2; round++) {
        try (GitHubSpace space =
                GitHubSpace.open(
                    GitHubPlace.parse("github:octo/app", URI.create(sim.baseUrl())),
                    GitHubConnection.builder().token(() -> "token-of-ann").build(),
                    new SystemWorld());
            OssSpace bucket =
                OssSpace.open(
                    new OssPlace("mine", "ci"),
                    "build",
                    OssAccess.of(
                        URI.create(oss.endpoint()),
                        FakeOss.REGION,
                        () -> new Keys.Pair("id", "secret", "")))) {
          String name = "document-" + round;
          assertThat(space.document(name).write(Version.ABSENT, "one", "test"))
              .isInstanceOf(WriteResult.Written.class);
          assertThat(bucket.document(name).write(Version.ABSENT, "one", "test"))
              .isInstanceOf(WriteResult.Written.class);
          new com.aliyun.vpc20160428.Client(
                  new Config()
                      .setAccessKeyId("id")
                      .setAccessKeySecret("secret")
                      .setRegionId(FakeAliyun.REGION)
                      .setEndpoint(cloud.endpoint())
                      .setProtocol("http"))
              .createVpc(new CreateVpcRequest().setRegionId(FakeAliyun.REGION));
        }
      }
      assertThat(cloud.ids(Kind.VPC)).hasSize(2);
    }
  }
}
