package dev.baton.alibaba.ecs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.alibaba.fake.FakeAliyun;
import dev.baton.alibaba.fake.FakeOss;
import dev.baton.alibaba.fake.Kind;
import dev.baton.client.adapter.Extensions;
import dev.baton.client.settings.Host;
import dev.baton.core.BadSetting;
import dev.baton.vm.BuildVm;
import dev.baton.vm.Client;
import dev.baton.vm.Options;
import dev.baton.vm.Questions;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import dev.baton.vm.VmState;
import dev.baton.vm.operation.Vms;
import dev.baton.vm.spi.Access;
import dev.baton.vm.spi.Cloud;
import dev.baton.vm.spi.CloudKind;
import dev.baton.vm.spi.VmSpace;
import dev.baton.vm.spi.VmSpaceKind;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Alibaba Cloud and OSS as a front end finds them: by name, with what the environment says. */
class AliyunCloudKindTest {
  private final Sky sky = new Sky();
  private final FakeOss oss = FakeOss.start();

  @TempDir Path home;

  @AfterEach
  void close() {
    sky.close();
    oss.close();
  }

  private Map<String, String> environment() {
    oss.addKey(Sky.ID, Sky.SECRET, "me");
    Map<String, String> e = new HashMap<>();
    e.put("ALIBABA_CLOUD_ACCESS_KEY_ID", Sky.ID);
    e.put("ALIBABA_CLOUD_ACCESS_KEY_SECRET", Sky.SECRET);
    e.put("ALIBABA_CLOUD_REGION_ID", FakeAliyun.REGION);
    e.put("BATON_OSS_ENDPOINT", oss.endpoint());
    e.put("BATON_ECS_ENDPOINT", "http://" + sky.cloud.endpoint());
    e.put("BATON_VPC_ENDPOINT", "http://" + sky.cloud.endpoint());
    e.put("BATON_ALIYUN_SSH_FROM", "198.51.100.0/24");
    return e;
  }

  private Host host(Map<String, String> environment) {
    return new Host(
        environment, home, home, "Linux", "ann", () -> "desk", Enum::toString, Extensions.NONE);
  }

  private static CloudKind kind() {
    return ServiceLoader.load(CloudKind.class).stream()
        .map(ServiceLoader.Provider::get)
        .filter(k -> k.name().equals("aliyun"))
        .findFirst()
        .orElseThrow();
  }

  private static VmSpaceKind spaces() {
    return ServiceLoader.load(VmSpaceKind.class).stream()
        .map(ServiceLoader.Provider::get)
        .filter(k -> k.scheme().equals("oss"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aVmIsDeployedEnteredAndTakenDown() throws Exception {
    oss.addBucket("states", "me");
    Host host = host(environment());
    VmSpace space = spaces().open("oss://states/vms", host);
    try (Cloud cloud = kind().open(host)) {
      assertThat(sky.cloud.count() + oss.count()).as("requests").isZero();
      BuildVm vm = Vms.open(space, cloud.provider(), Client.ofThisProcess()).vm(VmName.DEFAULT);
      Options options = Options.DEFAULT.asking(Questions.assumeYes());
      vm.deploy(cloud.defaults().withPublicKey(FakeAliyun.PUBLIC_KEY), options);
      sky.cloud.commands(
          (id, text) ->
              Map.entry(
                  0,
                  text.contains("ssh_host_ed25519_key.pub")
                      ? "ssh-ed25519 AAAAhost root@" + id + "\nssh-rsa AAAArsa root\n"
                      : ""));
      long asked = sky.cloud.counts().getOrDefault("RunCommand", 0L);
      for (int i = 0; i < 2; i++) {
        assertThat(cloud.access(vm.status().state().orElseThrow()))
            .isEqualTo(
                new Access.Ssh(
                    "203.0.113.1",
                    22,
                    "root",
                    home.resolve(".baton/ssh_key"),
                    "ssh-ed25519 AAAAhost"));
      }
      assertThat(sky.cloud.counts()).containsEntry("RunCommand", asked + 1);
      vm.takeDown(options);
      assertThat(sky.cloud.everything()).isEmpty();
    } finally {
      ((AutoCloseable) space).close();
    }
  }

  private List<String> letIn() {
    return sky.cloud.rules(sky.cloud.ids(Kind.SECURITY_GROUP).get(0));
  }

  @Test
  void sshIsLetInFromWhereItIsWantedNow() throws Exception {
    oss.addBucket("states", "me");
    Map<String, String> nobody = environment();
    nobody.remove("BATON_ALIYUN_SSH_FROM");
    VmSpace space = spaces().open("oss://states/vms", host(nobody));
    sky.cloud.commands((id, text) -> Map.entry(0, "ssh-ed25519 AAAAhost root@" + id + "\n"));
    VmState state;
    try (Cloud cloud = kind().open(host(nobody))) {
      BuildVm vm = Vms.open(space, cloud.provider(), Client.ofThisProcess()).vm(VmName.DEFAULT);
      vm.deploy(cloud.defaults(), Options.DEFAULT.asking(Questions.assumeYes()));
      state = vm.status().state().orElseThrow();
      sky.cloud.forget();
      assertThatThrownBy(() -> cloud.access(state))
          .isInstanceOf(VmException.class)
          .hasMessageContaining("nothing lets SSH in")
          .hasMessageContaining("BATON_ALIYUN_SSH_FROM=YOUR.ADDRESS");
      assertThat(sky.cloud.count()).as("requests").isZero();
      assertThat(letIn()).isEmpty();
    } finally {
      ((AutoCloseable) space).close();
    }
    try (Cloud cloud = kind().open(host(environment()))) {
      cloud.access(state);
      cloud.access(state);
      assertThat(letIn()).containsExactly("198.51.100.0/24 TCP 22/22");
    }
    Map<String, String> elsewhere = environment();
    elsewhere.put("BATON_ALIYUN_SSH_FROM", "203.0.113.9");
    try (Cloud cloud = kind().open(host(elsewhere))) {
      cloud.access(state);
      assertThat(letIn()).contains("203.0.113.9 TCP 22/22");
    }
    sky.cloud.deny("AuthorizeSecurityGroup");
    try (Cloud cloud = kind().open(host(elsewhere))) {
      assertThatThrownBy(() -> cloud.access(state)).hasMessageContaining("RAM policy");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ALIBABA_CLOUD_ACCESS_KEY_ID||ALIBABA_CLOUD_ACCESS_KEY_ID is not",
        "ALIBABA_CLOUD_REGION_ID||the region is not set",
        "ALIBABA_CLOUD_REGION_ID|not a region|is not the name of a region",
        "BATON_ECS_ENDPOINT|http://ecs.example.com|for all to read",
        "BATON_VPC_ENDPOINT|nonsense/path|is not an endpoint",
        "BATON_ALIYUN_SSH_FROM|everywhere|is not a network",
        "BATON_ALIYUN_SSH_FROM|300.1.1.1/8|is not a network",
        "BATON_ALIYUN_BANDWIDTH|9999|is not a bandwidth"
      })
  void whatCannotWorkIsSaidAtOnce(String name, String value, String what) {
    Map<String, String> e = environment();
    e.put(name, value == null ? "" : value);
    assertThatThrownBy(() -> kind().open(host(e)))
        .isInstanceOfSatisfying(
            BadSetting.class,
            bad -> {
              assertThat(bad.getMessage()).contains(what).doesNotContain(Sky.SECRET, Sky.ID);
              assertThat(bad.next()).isNotBlank();
            });
    assertThat(sky.cloud.count()).isZero();
  }

  @Test
  void withoutCredentialsItSaysWhereToPutThem() {
    for (Object open :
        new Object[] {
          (Runnable) () -> kind().open(host(Map.of())),
          (Runnable) () -> spaces().open("oss://states", host(Map.of()))
        }) {
      assertThatThrownBy(((Runnable) open)::run)
          .isInstanceOfSatisfying(
              BadSetting.NoToken.class,
              bad -> {
                assertThat(bad.getMessage()).contains("there are no credentials");
                assertThat(bad.next()).contains("ALIBABA_CLOUD_ACCESS_KEY_ID");
              });
    }
  }

  @Test
  void anAddressThatIsNoneIsRefused() {
    assertThatThrownBy(() -> spaces().open("oss://A", host(environment())))
        .isInstanceOf(BadSetting.class)
        .hasMessageContaining("is not a valid bucket name");
  }
}
