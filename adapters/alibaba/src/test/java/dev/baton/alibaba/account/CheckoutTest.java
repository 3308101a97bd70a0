package dev.baton.alibaba.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.client.adapter.Extensions;
import dev.baton.client.settings.Host;
import dev.baton.core.BadSetting;
import dev.baton.vm.spi.CloudKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where {@code HOME} is a checkout, its author could choose the keys that are used. */
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
    environment.put("ALIBABA_CLOUD_REGION_ID", "cn-hangzhou");
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

  private static Path write(Path file, String... lines) throws IOException {
    Files.createDirectories(file.getParent());
    Files.write(file, List.of(lines));
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  private static Path credentials(Path home) throws IOException {
    return write(
        home.resolve(".baton/credentials"), "access_key_id=LTAIevil", "access_key_secret=evil");
  }

  private void openQueue() {
    host()
        .extensions()
        .storeProvider("oss")
        .orElseThrow()
        .open("oss://team-builds/ci", "build", host());
  }

  private void openCloud() {
    CloudKind kind =
        ServiceLoader.load(CloudKind.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter(k -> k.name().equals("aliyun"))
            .findFirst()
            .orElseThrow();
    kind.open(host()).defaults();
  }

  private void assertRefused(Path file) {
    assertThatThrownBy(this::openQueue).satisfies(e -> assertIsAbout(file, e));
    assertThatThrownBy(this::openCloud).satisfies(e -> assertIsAbout(file, e));
    assertThatThrownBy(
            () -> host().extensions().cloudSetup("aliyun").orElseThrow().needs(host(), false))
        .satisfies(e -> assertIsAbout(file, e));
  }

  private void assertIsAbout(Path file, Throwable e) {
    assertThat(e)
        .isInstanceOf(BadSetting.class)
        .hasMessageContaining(file + " is in the checkout " + checkout);
  }

  @Test
  void keysInACheckoutAreNotUsed() throws IOException {
    Path file = credentials(home);
    assertRefused(file);

    Files.delete(file);
    Files.createSymbolicLink(file, credentials(directory.resolve("elsewhere")));
    assertRefused(file);

    // Those of the environment are the user's own word.
    environment.put(Keys.ID, "LTAIx");
    environment.put(Keys.SECRET, "s3cret");
    openQueue();
    openCloud();
  }

  @Test
  void aFileOfTheAlibabaCliInACheckoutIsNotUsed() throws IOException {
    String evil =
        "{\"current\": \"default\", \"profiles\": [{\"name\": \"default\", \"mode\": \"AK\","
            + " \"access_key_id\": \"LTAIevil\", \"access_key_secret\": \"evil\"}]}";
    Path file = write(home.resolve(".aliyun/config.json"), evil);
    assertRefused(file);

    Files.delete(file);
    Files.createSymbolicLink(file, write(directory.resolve("elsewhere.json"), evil));
    assertRefused(file);

    environment.put(Keys.ID, "LTAIx");
    environment.put(Keys.SECRET, "s3cret");
    openQueue();
    openCloud();
  }

  @Test
  void aProfileInACheckoutIsNotUsed() throws IOException {
    assertRefused(
        write(
            home.resolve(".alibabacloud/credentials.ini"),
            "[default]",
            "enable=true",
            "type=access_key",
            "access_key_id=x",
            "access_key_secret=y"));
  }

  /** A variable that says that there is a chain: it would look at the profile before the rest. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "ALIBABA_CLOUD_ECS_METADATA",
        "ALIBABA_CLOUD_OIDC_TOKEN_FILE",
      })
  void aProfileInACheckoutIsNotUsedByTheChain(String sign) throws IOException {
    environment.put(sign, "builder");
    Path profile =
        write(
            home.resolve(".alibabacloud/credentials.ini"),
            "[default]",
            "enable=true",
            "type=access_key",
            "access_key_id=LTAIevil",
            "access_key_secret=evil");
    String before = System.setProperty("user.home", home.toString());
    try {
      assertRefused(profile);
      // As the system has it, whatever HOME says: that is where the chain looks.
      home = directory.resolve("home");
      assertRefused(profile);
    } finally {
      System.setProperty("user.home", before);
    }
  }

  @Test
  void noKeyIsSavedInACheckout() {
    CredentialsFile file = CredentialsFile.in(host());
    Optional<Keys.Pair> pair = Optional.of(new Keys.Pair("LTAIx", "s3cret", ""));
    assertThatThrownBy(() -> file.forgiving().save(pair, "cn-hangzhou"))
        .satisfies(e -> assertIsAbout(file.path(), e));
    assertThat(file.path()).doesNotExist();
  }

  @Test
  void noKeyOfACheckoutLogsInToAMachine() throws IOException {
    environment.put(Keys.ID, "LTAIx");
    environment.put(Keys.SECRET, "s3cret");
    Path key = write(home.resolve(".baton/ssh_key.pub"), "ssh-ed25519 AAAA evil");
    assertThatThrownBy(this::openCloud).satisfies(e -> assertIsAbout(key, e));
  }

  @Test
  void aHomeBesideTheCheckoutIsTheUsers() throws IOException {
    home = directory.resolve("home");
    credentials(home);
    openQueue();
    openCloud();
  }
}
