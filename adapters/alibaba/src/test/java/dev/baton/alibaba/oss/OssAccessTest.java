package dev.baton.alibaba.oss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.alibaba.account.Keys;
import dev.baton.client.adapter.Extensions;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.core.BadSetting;
import dev.baton.queue.spi.StoreProvider;
import dev.baton.store.StoreSpace;
import dev.baton.store.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses, endpoints, regions and keys, as people set them. */
class OssAccessTest {
  private static final Map<String, String> KEYS =
      Map.of("ALIBABA_CLOUD_ACCESS_KEY_ID", "LTAIx", "ALIBABA_CLOUD_ACCESS_KEY_SECRET", "s3cret");

  @TempDir private Path home;

  private static Map<String, String> with(String... more) {
    Map<String, String> all = new HashMap<>(KEYS);
    for (int i = 0; i < more.length; i += 2) {
      all.put(more[i], more[i + 1]);
    }
    return all;
  }

  private static OssAccess access(Map<String, String> environment, Path home) {
    return OssAccess.of(
        new Host(
            environment, home, home, "Linux", "ann", () -> "desk", Setting::id, Extensions.NONE));
  }

  private Path file(String mode, String... lines) throws IOException {
    Path file = home.resolve(".baton/credentials");
    Files.createDirectories(file.getParent());
    Files.write(file, java.util.List.of(lines));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    return file;
  }

  // ---- addresses

  @ParameterizedTest
  @CsvSource({
    "oss://team-builds, oss://team-builds",
    "oss://team-builds/, oss://team-builds",
    "oss://team-builds/ci, oss://team-builds/ci",
    "oss://team-builds/ci/, oss://team-builds/ci",
    "oss://team-builds/a/b.c_d-E, oss://team-builds/a/b.c_d-E"
  })
  void addressesOfOnePlaceAreWrittenAlike(String written, String normal) {
    assertThat(new OssStoreProvider().normalized(written)).isEqualTo(normal);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "oss:",
        "oss:team-builds",
        "oss://",
        "oss://ab",
        "oss://-ab",
        "oss://Team",
        "oss://a_b_c",
        "oss:///ci",
        "oss://team-builds//ci",
        "oss://team-builds/a//b",
        "oss://team-builds/../b",
        "oss://team-builds/a/.",
        "oss://team-builds/a b",
        "oss://team-builds/ä",
        "https://team-builds"
      })
  void addressesThatCannotBeAreRefused(String address) {
    assertThatThrownBy(() -> new OssStoreProvider().normalized(address))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"oss://LTAIx:s3cret@team-builds/ci", "oss://team-builds/ci?key=s3cret"})
  void keysInAnAddressAreRefusedAndNotRepeated(String address) {
    assertThatThrownBy(() -> new OssStoreProvider().normalized(address))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("keys belong into the environment")
        .hasMessageNotContaining("s3cret");
  }

  // ---- where

  @Test
  void theEndpointFollowsFromTheRegion() {
    for (String variable : new String[] {"ALIBABA_CLOUD_REGION_ID", "ALIBABA_CLOUD_REGION"}) {
      OssAccess access = access(with(variable, "eu-central-1"), home);
      assertThat(access.region()).isEqualTo("eu-central-1");
      assertThat(access.endpoint()).hasToString("https://oss-eu-central-1.aliyuncs.com");
    }
  }

  @Test
  void theRegionFollowsFromTheEndpoint() {
    OssAccess access =
        access(with("BATON_OSS_ENDPOINT", "oss-cn-beijing-internal.aliyuncs.com"), home);
    assertThat(access.region()).isEqualTo("cn-beijing");
    assertThat(access.endpoint()).hasToString("https://oss-cn-beijing-internal.aliyuncs.com");
  }

  @Test
  void nobodySaysWhere() {
    assertThatThrownBy(() -> access(KEYS, home))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Set ALIBABA_CLOUD_REGION_ID");
    assertThatThrownBy(() -> access(with("BATON_OSS_ENDPOINT", "https://oss.example"), home))
        .hasMessageContaining("Set ALIBABA_CLOUD_REGION_ID");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://oss-cn-beijing.aliyuncs.com",
        "http://127.0.0.1.evil.example",
        "ftp://oss-cn-beijing.aliyuncs.com",
        "https://oss-cn-beijing.aliyuncs.com/bucket",
        "https://me:s3cret@oss-cn-beijing.aliyuncs.com",
        "https://",
        "https://a b"
      })
  void endpointsThatCannotBeAreRefused(String endpoint) {
    assertThatThrownBy(
            () ->
                access(
                    with("BATON_OSS_ENDPOINT", endpoint, "ALIBABA_CLOUD_REGION_ID", "cn-beijing"),
                    home))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("BATON_OSS_ENDPOINT")
        .hasMessageNotContaining("s3cret");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Hangzhou", "cn hangzhou", "cn", "cn-hangzhou.evil.example", "../x"})
  void regionsThatCannotBeAreRefused(String region) {
    assertThatThrownBy(() -> access(with("ALIBABA_CLOUD_REGION_ID", region), home))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is not the name of a region");
  }

  // ---- keys

  @Test
  void noKeysAtAll() {
    assertThatThrownBy(() -> access(Map.of("ALIBABA_CLOUD_REGION_ID", "cn-hangzhou"), home))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("there are no credentials for Alibaba Cloud")
        .hasMessageContaining("Set ALIBABA_CLOUD_ACCESS_KEY_ID and ALIBABA_CLOUD_ACCESS_KEY_SECRET")
        .hasMessageContaining(home.resolve(".baton/credentials").toString());
  }

  @Test
  void halfOfAKey() {
    assertThatThrownBy(() -> access(Map.of("ALIBABA_CLOUD_ACCESS_KEY_SECRET", "s3cret"), home))
        .hasMessageContaining("ALIBABA_CLOUD_ACCESS_KEY_ID is not")
        .hasMessageNotContaining("s3cret");
  }

  @ParameterizedTest
  @ValueSource(strings = {"s3c\nret", "s3c ret", "s3cretä", "s3cret\r\nx-evil: 1"})
  void aKeyThatCannotBeSent(String secret) {
    assertThatThrownBy(
            () ->
                access(
                    with(
                        "ALIBABA_CLOUD_ACCESS_KEY_SECRET",
                        secret,
                        "ALIBABA_CLOUD_REGION_ID",
                        "cn-hangzhou"),
                    home))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Copy it again")
        .hasMessageNotContaining("s3c");
  }

  @Test
  void theFileIsForThoseWhoHaveNothingInTheEnvironment() throws IOException {
    Path file =
        file(
            "rw-------",
            "access_key_id = LTAIfile",
            "access_key_secret = filesecret",
            "region = cn-shanghai");

    OssAccess fromFile = access(Map.of(), home);
    assertThat(fromFile.account().pair()).isEqualTo(new Keys.Pair("LTAIfile", "filesecret", ""));
    assertThat(fromFile.region()).isEqualTo("cn-shanghai");
    assertThat(fromFile.toString()).contains(file.toString()).doesNotContain("filesecret");

    OssAccess preferred = access(with("ALIBABA_CLOUD_SECURITY_TOKEN", "t"), home);
    assertThat(preferred.account().pair()).isEqualTo(new Keys.Pair("LTAIx", "s3cret", "t"));
    assertThat(preferred.region()).isEqualTo("cn-shanghai");
  }

  @ParameterizedTest
  @ValueSource(strings = {"rw-r-----", "rw----r--", "rw--w----", "rwx------"})
  void aFileThatOthersMayReadIsRefused(String mode) throws IOException {
    Path file = file(mode, "access_key_id=LTAIfile", "access_key_secret=filesecret");

    assertThatThrownBy(() -> access(Map.of(), home))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("chmod 600 " + file)
        .hasMessageNotContaining("filesecret");
  }

  @Test
  void aFileThatLacksSomething() throws IOException {
    file("rw-------", "access_key_id=LTAIfile", "secret=filesecret");

    assertThatThrownBy(() -> access(Map.of(), home))
        .hasMessageContaining("has no access_key_secret")
        .hasMessageNotContaining("filesecret");
  }

  @Test
  void aFileThatIsNone() throws IOException {
    file("rw-------", "access_key_id=\\uXYZ filesecret");

    assertThatThrownBy(() -> access(Map.of(), home))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cannot be read")
        .hasMessageNotContaining("filesecret");
  }

  private Path ini(String... lines) throws IOException {
    Path ini = home.resolve(".alibabacloud/credentials.ini");
    Files.createDirectories(ini.getParent());
    return Files.write(ini, java.util.List.of(lines));
  }

  @Test
  void theChainIsAskedOnlyWhenSomethingPointsToIt() throws IOException {
    file("rw-------", "access_key_id=LTAIfile", "access_key_secret=f", "region=cn-shanghai");
    Path ini =
        ini(
            "[default]",
            "enable = true",
            "type = access_key",
            "access_key_id = LTAIini",
            "access_key_secret = inisecret");

    assertThat(access(Map.of(), home).toString())
        .contains("default chain (" + ini + ")")
        .doesNotContain("inisecret");
    assertThat(access(KEYS, home).toString()).contains("ALIBABA_CLOUD_ACCESS_KEY_ID");
    assertThat(access(Map.of("ALIBABA_CLOUD_ECS_METADATA", "role"), home).toString())
        .contains("default chain (ALIBABA_CLOUD_ECS_METADATA)");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[default]",
        "[default]|enable=true|type=access_key",
        "[default]|enable=true|type=access_key|access_key_id=x|access_key_secret=",
        "[default]|enable=true|access_key_id=x|access_key_secret=y",
        "[default]|enable=false|type=access_key|access_key_id=x|access_key_secret=y",
        "[default]|type=access_key|access_key_id=x|access_key_secret=y",
        "[client1]|enable=true|type=access_key|access_key_id=x|access_key_secret=y",
        "[default]|;enable=true|type=access_key|access_key_id=x|access_key_secret=y",
        "[default]|enable=true|type=ecs_ram_role",
        "[default]|enable=true|type=ram_role_arn|access_key_id=x|access_key_secret=y"
      })
  void aProfileThatTheChainCannotUseIsNone(String lines) throws IOException {
    Path file =
        file("rw-------", "access_key_id=LTAIfile", "access_key_secret=f", "region=cn-shanghai");
    ini(lines.split("\\|"));
    assertThat(access(Map.of(), home).account().source()).isEqualTo(file.toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "# mine|[client1]|enable=false|[default]|enable: TRUE|type: ecs_ram_role|role_name: r",
        "[default]|enable=true|type=rsa_key_pair|public_key_id=x|private_key_file=y",
        "[default]|enable=true|type=oidc_role_arn|role_arn=x"
      })
  void aProfileOfARoleIsOne(String lines) throws IOException {
    file("rw-------", "access_key_id=LTAIfile", "access_key_secret=f", "region=cn-shanghai");
    ini(lines.split("\\|"));
    assertThat(access(Map.of(), home).account().source()).contains("default chain");
  }

  @Test
  void theChainFindsWhatTheProcessWasGiven() {
    System.setProperty("alibabacloud.accessKeyId", "LTAIchain");
    System.setProperty("alibabacloud.accessKeyIdSecret", "chainsecret");
    try {
      OssAccess access =
          access(
              Map.of(
                  "ALIBABA_CLOUD_REGION_ID",
                  "cn-hangzhou",
                  "ALIBABA_CLOUD_CREDENTIALS_FILE",
                  home.resolve("none").toString()),
              home);
      assertThat(access.account().pair()).isEqualTo(new Keys.Pair("LTAIchain", "chainsecret", ""));
    } finally {
      System.clearProperty("alibabacloud.accessKeyId");
      System.clearProperty("alibabacloud.accessKeyIdSecret");
    }
  }

  // ---- as the front ends find it

  @Test
  void theProviderIsFoundAndOpensAQueue() throws Exception {
    try (Desk desk = new Desk()) {
      // What is saved in the home directory that HOME names.
      file("rw-------", "access_key_id=" + Desk.ID, "access_key_secret=" + Desk.SECRET);
      Host host =
          Host.system(
              Map.of(
                  "HOME",
                  home.toString(),
                  "ALIBABA_CLOUD_REGION_ID",
                  "cn-hangzhou",
                  "BATON_OSS_ENDPOINT",
                  desk.oss.endpoint()),
              home,
              Setting::id);
      StoreProvider provider = host.extensions().storeProvider("oss").orElseThrow();
      StoreSpace space = provider.open("oss://team-builds/ci", "build", host);
      assertThat(desk.oss.count()).as("opening asks nobody").isZero();
      Desk.written(space.document("queue"), Version.ABSENT, "one");
      assertThat(desk.oss.keys(Desk.BUCKET)).containsExactly("ci/build/queue/9999999998-1.json");
      assertThat(space.traits().location()).isEqualTo("oss://team-builds/ci, queue build");
      ((AutoCloseable) space).close();
    }
  }

  @Test
  void aQueueNeedsAName() {
    assertThatThrownBy(
            () ->
                new OssStoreProvider()
                    .open(
                        "oss://team-builds",
                        "../x",
                        Host.system(
                            with("ALIBABA_CLOUD_REGION_ID", "cn-hangzhou"), home, Setting::id)))
        .isInstanceOf(BadSetting.class);
  }
}
