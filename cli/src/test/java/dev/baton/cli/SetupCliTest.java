package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.aws.fake.FakeS3;
import dev.baton.cli.terminal.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code baton ADAPTER init}, with the adapter of S3. */
class SetupCliTest {
  private static final String HERE = "s3://company-deployer-state";

  @TempDir Path home;
  private final FakeS3 s3 = FakeS3.start();
  private Cli cli;

  @BeforeEach
  void start() {
    s3.addKey("AKIAIOSFODNN7EXAMPLE", "123456789012");
    cli =
        new Cli(home)
            .with("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
            .with("AWS_SECRET_ACCESS_KEY", "TheSecretOfTheseTests")
            .with("AWS_REGION", FakeS3.REGION)
            .with("AWS_ENDPOINT_URL", s3.endpoint());
  }

  @AfterEach
  void stop() {
    s3.close();
  }

  private long writes() {
    return s3.log().stream().filter(c -> c.method().equals("PUT")).count();
  }

  @Test
  void aCheckChangesNothingAndSaysWhatIsMissing() {
    Cli.Result check = cli.run("aws", "init", "--check", HERE);
    assertThat(check.code()).isEqualTo(ExitCode.NOT_SET_UP.code);
    assertThat(check.out())
        .contains("the bucket company-deployer-state\n")
        .contains("+ versioning: off; will be enabled")
        .contains("Not ready. Run it without --check");
    assertThat(writes()).isZero();
  }

  @Test
  void itAsksBeforeItWrites() {
    Cli.Result no = cli.typing("n\n").run("aws", "init", HERE);
    assertThat(no.code()).isEqualTo(ExitCode.REFUSED.code);
    assertThat(no.err())
        .contains("bucket: does not exist; will be created in eu-central-1")
        .contains("5 of these will be created or changed.\nGo on? [y/N]")
        .contains("Nothing was changed.");
    assertThat(writes()).isZero();

    Cli.Result nobody = cli.piping("y\n").run("aws", "init", HERE);
    assertThat(nobody.code()).isEqualTo(ExitCode.USAGE.code);
    assertThat(nobody.err()).contains("5 things are to be changed").contains("Add --yes");
    assertThat(writes()).isZero();

    Cli.Result yes = cli.typing("y\n").run("aws", "init", HERE);
    assertThat(yes.code()).isZero();
    assertThat(yes.out()).contains("versioning: enabled").endsWith("Ready.\n");
  }

  @Test
  void theSecondTimeNothingIsAskedOrWritten() {
    cli.ok("aws", "init", HERE, "--yes");
    s3.forget();
    assertThat(cli.piping("").ok("aws", "init", HERE).out())
        .endsWith("Ready: nothing is to be changed.\n");
    assertThat(cli.run("aws", "init", HERE, "--check").code()).isZero();
    assertThat(writes()).isZero();
  }

  @Test
  void forProgramsItIsJson() {
    Cli.Result before = cli.run("aws", "init", HERE, "--check", "--json");
    assertThat(before.code()).isEqualTo(ExitCode.NOT_SET_UP.code);
    assertThat(before.json().path("ready").asBoolean()).isFalse();
    JsonNode after = cli.json("aws", "init", HERE, "--yes");
    assertThat(after.path("ready").asBoolean()).isTrue();
    assertThat(after.path("changed")).hasSize(5);
    assertThat(after.path("parts").get(0).path("state").asText()).isEqualTo("ready");
    assertThat(after.path("stores").get(0).asText()).isEqualTo(HERE);
  }

  @Test
  void theStoresOfTheSettingsAreMeantButNotThoseOfACheckout() throws Exception {
    assertThat(cli.with("BATON_STATE_STORE", HERE).run("aws", "init", "--check").out())
        .contains("the bucket company-deployer-state");
    Path checkout = Files.createDirectories(home.resolve("work/.git")).getParent();
    Files.writeString(checkout.resolve(".baton.properties"), "store=s3://theirs/ci\n");
    s3.forget();
    Cli.Result result = cli.on(checkout).run("aws", "init", "--yes");
    assertThat(result.code()).isEqualTo(ExitCode.USAGE.code);
    assertThat(result.err()).contains("named only by").contains("baton aws init STORE");
    assertThat(s3.count()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"file:/tmp/x", "AKIAKEY:secret@bucket", "github:octo/app", "bucket", ""})
  void anotherStoreIsRefused(String store) {
    Cli.Result result = cli.run("aws", "init", store, "--yes");
    assertThat(result.code()).isEqualTo(ExitCode.USAGE.code);
    assertThat(result.err())
        .contains("is not an address of AWS", "s3://BUCKET/PREFIX or dynamodb://TABLE/KEY")
        .doesNotContain("secret");
    assertThat(s3.count()).isZero();
  }

  /** Two who mean one lock would have it at once, each at another address. */
  @Test
  void aQueueThatIsAnotherLockThanItsStoreIsRefused() {
    cli.with("BATON_STORE", "dynamodb://locks/stack:shop:env:production");
    Cli.Result result = cli.run("status", "--queue", "stack:other:env:production");
    assertThat(result.code()).isEqualTo(ExitCode.USAGE.code);
    assertThat(result.err())
        .contains("the store is the lock stack:shop:env:production")
        .contains("the queue is the lock stack:other:env:production")
        .contains("Leave out --queue");
    assertThat(s3.count()).isZero();
  }

  @Test
  void withoutAStoreItSaysWhichThereAre() {
    assertThat(cli.run("aws", "init").err()).contains("it is not said what to set up");
    assertThat(cli.run("aws").code()).isEqualTo(ExitCode.USAGE.code);
    assertThat(cli.run("aws", "unit").err()).contains("unknown command 'unit'");
    assertThat(cli.run("asw", "init").err()).contains("unknown command 'asw'", "Did you mean aws?");
    assertThat(cli.ok("help", "aws", "init").out()).contains("docs/aws.md");
  }
}
