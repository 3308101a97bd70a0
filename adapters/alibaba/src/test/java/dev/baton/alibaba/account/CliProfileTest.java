package dev.baton.alibaba.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.core.BadSetting;
import dev.baton.core.HostEnvironment;
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

/** What {@code aliyun configure} saves. */
class CliProfileTest {

  @TempDir Path home;
  private final Map<String, String> environment = new HashMap<>();

  private final HostEnvironment host =
      new HostEnvironment() {
        @Override
        public Map<String, String> environment() {
          return environment;
        }

        @Override
        public Path directory() {
          return home;
        }

        @Override
        public Path home() {
          return home;
        }
      };

  private Path file() {
    return home.resolve(".aliyun/config.json");
  }

  private void save(String text) throws IOException {
    Files.createDirectories(file().getParent());
    Files.writeString(file(), text);
    Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-------"));
  }

  private void configured(String... profiles) throws IOException {
    save("{\"current\": \"work\", \"profiles\": [" + String.join(", ", profiles) + "]}");
  }

  private static String profile(String name, String mode, String more) {
    return "{\"name\": \""
        + name
        + "\", \"mode\": \""
        + mode
        + "\", \"region_id\": \"cn-beijing\", \"output_format\": \"json\", \"retry_count\": 3"
        + (more.isEmpty() ? "" : ", " + more)
        + "}";
  }

  private static String key(String id) {
    return "\"access_key_id\": \"" + id + "\", \"access_key_secret\": \"s3cr3t\"";
  }

  private AlibabaAccount account() {
    return AlibabaAccount.of(host);
  }

  @Test
  void theCurrentProfileIsUsedAndSaysWhereItIsFrom() throws IOException {
    configured(profile("default", "AK", key("LTAIa")), profile("work", "AK", key("LTAIb")));
    assertThat(account().pair()).isEqualTo(new Keys.Pair("LTAIb", "s3cr3t", ""));
    assertThat(account().region()).isEqualTo("cn-beijing");
    assertThat(account().source()).isEqualTo(file() + " (profile work)");
  }

  @Test
  void theEnvironmentChoosesAnotherOrNone() throws IOException {
    configured(profile("default", "AK", key("LTAIa")), profile("work", "AK", key("LTAIb")));
    environment.put("ALIBABA_CLOUD_PROFILE", "default");
    assertThat(account().pair().id()).isEqualTo("LTAIa");
    environment.put("ALIBABA_CLOUD_PROFILE", "none");
    assertThatThrownBy(this::account)
        .isInstanceOf(BadSetting.class)
        .hasMessageContaining("has no profile \"none\"");
    environment.put("ALIBABA_CLOUD_IGNORE_PROFILE", "TRUE");
    assertThatThrownBy(this::account).isInstanceOf(BadSetting.NoToken.class);
  }

  @Test
  void aTemporaryKeyHasItsToken() throws IOException {
    configured(profile("work", "StsToken", key("STS.x") + ", \"sts_token\": \"t0ken\""));
    assertThat(account().pair()).isEqualTo(new Keys.Pair("STS.x", "s3cr3t", "t0ken"));
  }

  @Test
  void rolesAreTakenByAlibabaCloudsOwnClient() throws IOException {
    configured(
        profile(
            "work",
            "RamRoleArn",
            key("LTAIa")
                + ", \"ram_role_arn\": \"acs:ram::1:role/ci\", \"ram_session_name\": \"ann\","
                + " \"expired_seconds\": 900, \"sts_region\": \"cn-hangzhou\""));
    assertThat(account().source()).contains("default chain").contains("profile work");
    configured(profile("work", "EcsRamRole", "\"ram_role_name\": \"builder\""));
    assertThat(account().source()).contains("profile work");
  }

  @Test
  void otherKeysComeFirst() throws IOException {
    configured(profile("work", "AK", key("LTAIcli")));
    Path saved = home.resolve(".baton/credentials");
    Files.createDirectories(saved.getParent());
    Files.writeString(saved, "access_key_id=LTAIown\naccess_key_secret=x\nregion=cn-shanghai\n");
    Files.setPosixFilePermissions(saved, PosixFilePermissions.fromString("rw-------"));
    assertThat(account().pair().id()).isEqualTo("LTAIown");
    assertThat(account().region()).isEqualTo("cn-shanghai");
    environment.put(Keys.ID, "LTAIenv");
    environment.put(Keys.SECRET, "y");
    save("{ broken");
    assertThat(account().pair().id()).isEqualTo("LTAIenv");
  }

  @ParameterizedTest
  @CsvSource({"External", "CredentialsURI", "OAuth", "CloudSSO", "OIDC", "ChainableRamRoleArn"})
  void modesThatStartProgramsOrAskElsewhereAreRefused(String mode) throws IOException {
    configured(profile("work", mode, "\"process_command\": \"touch here\""));
    assertThatThrownBy(this::account)
        .isInstanceOf(BadSetting.class)
        .hasMessageContaining("has the mode \"" + mode + "\", which Baton does not support")
        .hasMessageContaining("ALIBABA_CLOUD_PROFILE");
    assertThat(home.resolve("here")).doesNotExist();
  }

  @Test
  void anEndpointCannotBeNamed() throws IOException {
    configured(
        profile(
            "work",
            "RamRoleArn",
            key("LTAIa")
                + ", \"ram_role_arn\": \"acs:ram::1:role/ci\","
                + " \"sts_region\": \"evil.example/\""));
    assertThatThrownBy(this::account)
        .isInstanceOf(BadSetting.class)
        .hasMessageContaining("is not the name of a region");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"current\": \"work\", \"profiles\": [{\"access_key_secret\": \"s3cr3t\",",
        "{\"profiles\": \"s3cr3t\"}",
        "[\"s3cr3t\"]",
        "",
      })
  void aBrokenFileIsRefusedWithoutAWordOfIt(String text) throws IOException {
    save(text);
    assertThatThrownBy(this::account)
        .isInstanceOf(BadSetting.class)
        .hasMessageContaining(file() + " cannot be read")
        .hasMessageNotContaining("s3cr3t")
        .hasNoCause();
  }

  @Test
  void aHugeFileIsNotRead() throws IOException {
    save("{\"current\": \"work\", \"x\": \"" + "x".repeat(300_000) + "\"}");
    assertThatThrownBy(this::account).hasMessageContaining("cannot be read");
  }

  @Test
  void aMissingPartIsNamedAndNoSecretIsShown() throws IOException {
    configured(profile("work", "StsToken", key("STS.x")));
    assertThatThrownBy(this::account)
        .isInstanceOf(BadSetting.class)
        .hasMessageContaining("has no sts_token")
        .hasMessageNotContaining("s3cr3t");
  }

  @Test
  void aFileThatOthersMayReadIsRefused() throws IOException {
    configured(profile("work", "AK", key("LTAIa")));
    Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-r--r--"));
    assertThatThrownBy(this::account).hasMessageContaining("others may read the keys in " + file());
  }

  @Test
  void whereNothingWasConfiguredYetNothingIsFound() throws IOException {
    configured(profile("work", "AK", ""));
    assertThatThrownBy(this::account).isInstanceOf(BadSetting.NoToken.class);
    configured();
    assertThatThrownBy(this::account).isInstanceOf(BadSetting.NoToken.class);
  }
}
