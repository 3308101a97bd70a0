package dev.baton.aws.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.aws.fake.FakeS3;
import dev.baton.client.adapter.Extensions;
import dev.baton.client.settings.Host;
import dev.baton.core.BadSetting;
import dev.baton.store.StoreSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where {@code HOME} is a checkout, its author could have programs started. */
class CheckoutTest {

  @TempDir private Path directory;
  private final Map<String, String> environment = new HashMap<>();
  private Path checkout;
  private Path home;

  @BeforeEach
  void makeCheckout() throws IOException {
    checkout = Files.createDirectories(directory.resolve("checkout"));
    Files.createDirectories(checkout.resolve(".git"));
    home = checkout;
    environment.put("AWS_REGION", FakeS3.REGION);
  }

  private Host host() {
    return new Host(
        environment,
        checkout,
        home,
        "Linux",
        "ann",
        () -> "desk",
        s -> "--" + s.id(),
        Extensions.NONE);
  }

  private void open(FakeS3 s3) throws Exception {
    environment.put("AWS_ENDPOINT_URL_S3", s3.endpoint());
    StoreSpace space =
        host()
            .extensions()
            .storeProvider("s3")
            .orElseThrow()
            .open("s3://team-builds/ci", "build", host());
    try (AutoCloseable closed = (AutoCloseable) space) {
      assertThat(closed).isNotNull();
      space.document("queue").read();
    }
  }

  private static Path write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  @Test
  void noProgramOfACheckoutIsStartedForACredential() throws Exception {
    Path trace = directory.resolve("trace");
    Path config =
        write(
            home.resolve(".aws/config"),
            "[default]\ncredential_process = /usr/bin/touch " + trace + "\n");
    try (FakeS3 s3 = FakeS3.start()) {
      assertThatThrownBy(() -> open(s3))
          .isInstanceOf(BadSetting.class)
          .hasMessageContaining(config.toString())
          .hasMessageContaining("may have come with it");
    }
    assertThat(trace).as("what the program would have made").doesNotExist();
  }

  @Test
  void noKeyOfACheckoutIsUsed() throws Exception {
    write(
        home.resolve(".aws/credentials"),
        "[default]\naws_access_key_id = AKIAEVIL\naws_secret_access_key = evil\n");
    try (FakeS3 s3 = FakeS3.start()) {
      assertThatThrownBy(() -> open(s3))
          .isInstanceOf(BadSetting.class)
          .hasMessageContaining("may have come with it");
    }
  }

  /** The profile says where requests go, whoever's the keys are. */
  @Test
  void besideKeysOfTheEnvironmentItIsRefusedToo() throws Exception {
    environment.put("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE");
    environment.put("AWS_SECRET_ACCESS_KEY", "secret");
    write(home.resolve(".aws/config"), "[default]\nendpoint_url = https://localhost:1\n");
    assertThatThrownBy(() -> AwsAccount.of(host()))
        .isInstanceOf(BadSetting.class)
        .hasMessageContaining("may have come with it");
  }

  @Test
  void aLinkInTheCheckoutDoesNotBringOneEither() throws Exception {
    Path elsewhere =
        write(directory.resolve("elsewhere/config"), "[default]\nregion = eu-west-1\n");
    Files.createSymbolicLink(checkout.resolve(".aws"), elsewhere.getParent());
    assertThatThrownBy(() -> AwsAccount.of(host()))
        .isInstanceOf(BadSetting.class)
        .hasMessageContaining("may have come with it");
  }

  @Test
  void whereverElseHomeIsAndWhateverTheEnvironmentNamesIsUsed() throws Exception {
    home = directory.resolve("home");
    write(home.resolve(".aws/config"), "[default]\nregion = eu-west-1\n");
    environment.remove("AWS_REGION");
    assertThat(AwsAccount.of(host()).region()).hasToString("eu-west-1");

    home = checkout;
    write(home.resolve(".aws/config"), "[default]\nregion = evil-1\n");
    Path named = write(directory.resolve("named"), "[default]\nregion = eu-west-2\n");
    environment.put("AWS_CONFIG_FILE", named.toString());
    assertThat(AwsAccount.of(host()).region()).hasToString("eu-west-2");
  }
}
