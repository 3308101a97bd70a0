package dev.baton.aws.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.aws.s3.S3Desk;
import dev.baton.core.BadSetting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The client of AWS sends a proxy's password through the tunnel to the service behind it, and not
 * to the proxy.
 */
class ProxyPasswordTest {

  private final Map<String, String> environment =
      new HashMap<>(
          Map.of(
              "AWS_REGION", "eu-central-1",
              "AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE",
              "AWS_SECRET_ACCESS_KEY", "secret",
              "HTTPS_PROXY", "http://ann:p%40ss@proxy.example:3128"));

  private AwsAccount account() {
    return AwsAccount.of(S3Desk.host(environment));
  }

  private static void assertRefused(ThrowingCallable use, String server) {
    assertThatThrownBy(use)
        .isInstanceOf(BadSetting.class)
        .hasMessageContaining("HTTPS_PROXY")
        .hasMessageContaining(server)
        .satisfies(
            e -> {
              assertThat(e.toString()).doesNotContain("p%40ss", "p@ss");
              assertThat(((BadSetting) e).next()).contains("NO_PROXY");
            });
  }

  @Test
  void noServiceIsAskedThatWouldGetIt() {
    AwsAccount account = account();
    for (AwsAccount.Service service : AwsAccount.Service.values()) {
      assertRefused(() -> account.http(service), "eu-central-1.amazonaws.com");
    }
  }

  @Test
  void noRoleIsAskedForWhereThatWouldGetIt(@TempDir Path directory) throws IOException {
    environment.remove("AWS_ACCESS_KEY_ID");
    environment.remove("AWS_SECRET_ACCESS_KEY");
    Path config = directory.resolve("config");
    environment.put("AWS_CONFIG_FILE", config.toString());
    for (String profile :
        new String[] {"role_arn = arn:aws:iam::1:role/r", "sso_session = s", "sso_region = r"}) {
      Files.writeString(config, "[default]\n" + profile + "\n");
      assertRefused(this::account, "sts.eu-central-1.amazonaws.com");
    }
    Files.writeString(config, "[default]\noutput = json\n");
    assertThat(account()).isNotNull();

    environment.put("AWS_ROLE_ARN", "arn:aws:iam::1:role/r");
    environment.put("AWS_WEB_IDENTITY_TOKEN_FILE", "token");
    assertRefused(this::account, "sts.eu-central-1.amazonaws.com");
    environment.put("NO_PROXY", ".amazonaws.com");
    assertThat(account()).isNotNull();
  }

  @Test
  void aProxyWithoutOneAndAServiceThatIsNotBehindItAreFine() {
    environment.put("HTTPS_PROXY", "http://proxy.example:3128");
    account().http(AwsAccount.Service.S3).close();
    environment.put("HTTPS_PROXY", "http://ann:p%40ss@proxy.example:3128");
    environment.put("NO_PROXY", "s3.eu-central-1.amazonaws.com");
    account().http(AwsAccount.Service.S3).close();
  }
}
