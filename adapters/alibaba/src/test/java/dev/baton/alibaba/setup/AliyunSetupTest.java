package dev.baton.alibaba.setup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.baton.alibaba.DocumentedPolicy;
import dev.baton.alibaba.fake.FakeOss;
import dev.baton.core.BadSetting;
import dev.baton.testing.service.Call;
import dev.baton.testing.service.Fault;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import dev.baton.vm.spi.CloudSetup.Done;
import dev.baton.vm.spi.CloudSetup.Given;
import dev.baton.vm.spi.CloudSetup.Needs;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What {@code baton vm init} does to an account and to a home directory. */
class AliyunSetupTest {

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

  private static String mode(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  private List<String> files() throws IOException {
    try (Stream<Path> all = Files.walk(home)) {
      return all.filter(Files::isRegularFile)
          .map(f -> home.relativize(f).toString())
          .sorted()
          .toList();
    }
  }

  private long writes() {
    return ann.oss.log().stream().filter(c -> !c.method().equals("GET")).count();
  }

  // ---- when all is well

  @Test
  void fromNothing() throws Exception {
    List<Done> done = ann.run(Newcomer.typed());

    assertThat(done).allMatch(d -> d.changed() || d.part().equals("access key"));
    assertThat(ann.oss.acl(Newcomer.BUCKET)).isEqualTo("private");
    assertThat(ann.oss.encryption(Newcomer.BUCKET)).isEqualTo("AES256");
    assertThat(ann.oss.log().stream().filter(c -> c.kind().equals("PutBucket")))
        .singleElement()
        .satisfies(c -> assertThat(c.headers()).containsEntry("x-oss-acl", "private"));
    assertThat(files())
        .containsExactly(".baton/credentials", ".baton/ssh_key", ".baton/ssh_key.pub");
    assertThat(mode(home.resolve(".baton"))).isEqualTo("rwx------");
    assertThat(mode(home.resolve(".baton/credentials"))).isEqualTo("rw-------");
    assertThat(mode(home.resolve(".baton/ssh_key"))).isEqualTo("rw-------");
    assertThat(home.resolve(".baton/credentials"))
        .hasContent(
            "access_key_id="
                + Newcomer.ID
                + "\naccess_key_secret="
                + Newcomer.SECRET
                + "\nregion=cn-hangzhou\n");
    assertThat(done.toString()).doesNotContain(Newcomer.ID, Newcomer.SECRET);
  }

  @Test
  void theSecondTimeChangesNothing() throws Exception {
    ann.run(Newcomer.typed());
    String key = Files.readString(home.resolve(".baton/ssh_key"));
    ann.oss.forget();

    List<Done> again = ann.run(Newcomer.nothing());
    assertThat(again).noneMatch(Done::changed);
    assertThat(writes()).isZero();
    assertThat(ann.run(Newcomer.typed())).noneMatch(Done::changed);
    assertThat(home.resolve(".baton/ssh_key")).hasContent(key);
  }

  @Test
  void aKeyInTheEnvironmentIsUsedAndNotWrittenDown() throws Exception {
    ann.withKeyInTheEnvironment();
    Needs needs = ann.setup().needs(ann.host(), false);
    assertThat(needs.keysFrom()).contains("ALIBABA_CLOUD_ACCESS_KEY_ID");
    assertThat(needs.keysAreKept()).isTrue();

    ann.run(Newcomer.nothing());
    assertThat(home.resolve(".baton/credentials")).hasContent("region=cn-hangzhou\n");
    assertThat(ann.setup().needs(ann.host(), false).region()).contains("cn-hangzhou");

    ann.with("ALIBABA_CLOUD_REGION_ID", "cn-hangzhou");
    Files.delete(home.resolve(".baton/credentials"));
    ann.run(Newcomer.nothing());
    assertThat(home.resolve(".baton/credentials")).doesNotExist();
  }

  @Test
  void aFileWithTheRegionAloneIsNoKey() throws Exception {
    ann.withKeyInTheEnvironment().run(Newcomer.nothing());
    ann.environment.remove("ALIBABA_CLOUD_ACCESS_KEY_ID");
    ann.environment.remove("ALIBABA_CLOUD_ACCESS_KEY_SECRET");
    assertThat(ann.setup().needs(ann.host(), false).keysFrom()).isEmpty();
    ann.run(Newcomer.typed());
    assertThat(ann.setup().needs(ann.host(), false).keysFrom()).isPresent();
  }

  @Test
  void otherLinesOfTheFileStay() throws Exception {
    Path file = home.resolve(".baton/credentials");
    Files.createDirectories(file.getParent());
    Files.writeString(file, "# mine\naccess_key_id = old\naccess_key_secret=old\nnote=kept");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    ann.run(Newcomer.typed());
    assertThat(file)
        .content()
        .startsWith("# mine\nnote=kept\n")
        .doesNotContain("old")
        .contains(Newcomer.ID);
    assertThat(mode(file)).isEqualTo("rw-------");
  }

  @Test
  void whoeverWasStoppedAfterTheBucketWasMadeGetsTheRest() throws Exception {
    ann.oss.failNext(1, c -> c.kind().equals("PutBucketEncryption"), new Fault.Dropped(false));
    assertThatThrownBy(() -> ann.run(Newcomer.typed()))
        .isInstanceOf(VmException.CloudFailed.class)
        .hasMessageContaining("cannot encrypt the bucket " + Newcomer.BUCKET);
    assertThat(files()).isEmpty();
    assertThat(ann.run(Newcomer.typed()).get(1).result()).endsWith("is now encrypted");
    assertThat(ann.oss.encryption(Newcomer.BUCKET)).isEqualTo("AES256");
  }

  @Test
  void somebodyElseOfTheSameAccountIsFaster() throws Exception {
    ann.oss.failNext(
        1, c -> c.kind().equals("PutBucket"), new Fault.Failed(409, "BucketAlreadyExists", true));
    assertThat(ann.run(Newcomer.typed()).get(1).result()).contains(Newcomer.BUCKET);
  }

  @Test
  void aBucketOfOnesOwnIsReusedAndItsEncryptionLeftAlone() throws Exception {
    ann.oss.addBucket("ours", Newcomer.ACCOUNT);
    assertThat(ann.run(Newcomer.bucket("ours")).get(1).result()).contains("is now encrypted");
    assertThat(ann.run(Newcomer.bucket("ours")).get(1).changed()).isFalse();
    assertThat(ann.oss.hasBucket(Newcomer.BUCKET)).isFalse();
  }

  @Test
  void theBucketThatIsSetIsTheOne() throws Exception {
    ann.oss.addBucket("ours", Newcomer.ACCOUNT);
    Given given =
        new Given(
            List.of(Newcomer.ID, Newcomer.SECRET),
            Optional.of(FakeOss.REGION),
            Optional.empty(),
            Optional.of("oss://ours/vms"));
    var session = ann.setup().open(ann.host(), given);
    session.identify();
    session.place();
    assertThat(session.store()).isEqualTo("oss://ours/vms");
    assertThat(ann.oss.hasBucket(Newcomer.BUCKET)).isFalse();
  }

  @Test
  void batonsOwnBucketIsMadePrivateAndNobodyElses() throws Exception {
    ann.run(Newcomer.typed());
    ann.oss.acl(Newcomer.BUCKET, "public-read");
    assertThat(ann.run(Newcomer.typed()).get(1).result()).endsWith("is now private");
    assertThat(ann.oss.acl(Newcomer.BUCKET)).isEqualTo("private");

    ann.oss.addBucket("web-site", Newcomer.ACCOUNT);
    ann.oss.acl("web-site", "public-read");
    assertThatThrownBy(() -> ann.run(Newcomer.bucket("web-site")))
        .hasMessageContaining("everybody may read the bucket web-site")
        .hasMessageContaining("--bucket NAME");
    assertThat(ann.oss.acl("web-site")).isEqualTo("public-read");
  }

  @Test
  void aFileThatIsALinkStaysOne() throws Exception {
    Path real = Files.createDirectories(home.resolve("dotfiles")).resolve("credentials");
    Files.createFile(
        real, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.createDirectories(home.resolve(".baton"));
    Files.createSymbolicLink(home.resolve(".baton/credentials"), real);
    Files.writeString(real, "region=cn-hangzhou\n");
    ann.run(Newcomer.typed());
    assertThat(home.resolve(".baton/credentials")).isSymbolicLink();
    assertThat(real).content().contains(Newcomer.SECRET);
  }

  // ---- what has to be allowed

  @Test
  void thePolicyInTheDocumentationAllowsWhatIsDoneAndNothingElse() throws Exception {
    ann.run(Newcomer.typed());
    ann.oss.acl(Newcomer.BUCKET, "public-read");
    ann.run(Newcomer.typed());
    assertThat(DocumentedPolicy.forSetup())
        .containsExactlyInAnyOrderElementsOf(
            ann.oss.log().stream().map(c -> "oss:" + c.kind()).distinct().toList());
    assertThat(ann.cloud.counts()).as("needs no permission").containsOnlyKeys("GetCallerIdentity");
  }

  // ---- the SSH key

  @Test
  void anSshKeyThatIsThereIsNeverReplaced() throws Exception {
    SshKey mine = SshKey.create("mine");
    Files.createDirectories(home.resolve(".baton"));
    Files.writeString(home.resolve(".baton/ssh_key"), mine.privateText());
    ann.run(Newcomer.typed());
    assertThat(home.resolve(".baton/ssh_key")).hasContent(mine.privateText());
    assertThat(home.resolve(".baton/ssh_key.pub"))
        .content()
        .startsWith(mine.publicLine().replace(" mine", " "));

    Files.writeString(home.resolve(".baton/ssh_key"), "-----BEGIN RSA PRIVATE KEY-----\nx\n");
    Files.delete(home.resolve(".baton/ssh_key.pub"));
    assertThat(ann.run(Newcomer.typed()).toString()).contains("ssh-keygen -y");
    assertThat(home.resolve(".baton/ssh_key")).content().contains("RSA");
  }

  @Test
  void theKeyOfAVmThatIsTakenOverIsCopied() throws Exception {
    SshKey old = SshKey.create("old");
    Path earlier = Files.writeString(home.resolve("old_key"), old.privateText());
    var session = ann.setup().open(ann.host(), Newcomer.typed());
    assertThat(session.sshKey(Optional.of(earlier)).result()).endsWith("copied from " + earlier);
    assertThat(home.resolve(".baton/ssh_key")).hasContent(old.privateText());
    assertThat(mode(home.resolve(".baton/ssh_key"))).isEqualTo("rw-------");
    assertThat(home.resolve(".baton/ssh_key.pub")).exists();
    assertThat(session.sshKey(Optional.of(earlier)))
        .as("the same")
        .isEqualTo(new Done("SSH key", home.resolve(".baton/ssh_key") + " is there", false));
  }

  @Test
  void theKeyOfAVmThatIsTakenOverIsToldWhereThereIsAnother() throws Exception {
    ann.run(Newcomer.typed());
    String mine = Files.readString(home.resolve(".baton/ssh_key"));
    Path earlier = Files.writeString(home.resolve("old_key"), SshKey.create("old").privateText());
    var session = ann.setup().open(ann.host(), Newcomer.nothing());
    Done done = session.sshKey(Optional.of(earlier));
    assertThat(done.changed()).isFalse();
    assertThat(done.result())
        .contains("is not the key of the VM that is taken over, which is " + earlier)
        .contains("copy that one to " + home.resolve(".baton/ssh_key"));
    assertThat(home.resolve(".baton/ssh_key")).hasContent(mine);
  }

  @Test
  void anSshKeyThatOthersMayReadIsTightened() throws Exception {
    ann.run(Newcomer.typed());
    Path key = home.resolve(".baton/ssh_key");
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
    List<Done> done = ann.run(Newcomer.nothing());
    assertThat(done.get(done.size() - 1))
        .isEqualTo(
            new Done("SSH key", key + " is there; others could read it, now only you can", true));
    assertThat(mode(key)).isEqualTo("rw-------");
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("r--------"));
    assertThat(ann.run(Newcomer.nothing())).noneMatch(Done::changed);
    assertThat(mode(key)).isEqualTo("r--------");
  }

  @Test
  void anSshKeyThatIsNoTextIsSaidToBeOne() throws Exception {
    byte[] noText = {(byte) 0xff, (byte) 0xfe, 0, 1};
    Path earlier = Files.write(home.resolve("old_key"), noText);
    var session = ann.setup().open(ann.host(), Newcomer.typed());
    assertThat(session.sshKey(Optional.of(earlier)).result())
        .contains("in another format than OpenSSH's")
        .contains("ssh-keygen -y");
    assertThat(home.resolve(".baton/ssh_key"))
        .hasBinaryContent(new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1, '\n'});
  }

  // ---- when it is not

  private record Scene(
      String name, Given given, Consumer<Newcomer> before, String what, String next) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static Arguments scene(
      String name,
      Given given,
      Consumer<Newcomer> before,
      Trouble trouble,
      String what,
      String next) {
    return Arguments.of(new Scene(name, given, before, what, next), trouble);
  }

  static Stream<Arguments> scenes() {
    Given typed = Newcomer.typed();
    return Stream.of(
        scene(
            "a key that nobody knows",
            Newcomer.typing("LTAI5tSomebodyElses00000", Newcomer.SECRET),
            n -> {},
            Trouble.DENIED,
            "does not know the access key from your input",
            "Copy it again"),
        scene(
            "a wrong secret",
            Newcomer.typing(Newcomer.ID, Newcomer.SECRET + "x"),
            n -> {},
            Trouble.DENIED,
            "the secret is not that of the access key",
            "Copy both again"),
        scene(
            "a temporary key that has expired",
            Newcomer.nothing(),
            n -> {
              n.cloud.addTemporaryKey("STS.x", "temporary-secret", "tok", Instant.EPOCH);
              n.with("ALIBABA_CLOUD_ACCESS_KEY_ID", "STS.x")
                  .with("ALIBABA_CLOUD_ACCESS_KEY_SECRET", "temporary-secret")
                  .with("ALIBABA_CLOUD_SECURITY_TOKEN", "tok");
            },
            Trouble.DENIED,
            "is a temporary one that has expired",
            "ALIBABA_CLOUD_SECURITY_TOKEN"),
        scene(
            "a clock that is off, says STS",
            typed,
            n -> n.cloud.advance(Duration.ofMinutes(20)),
            Trouble.BAD_REQUEST,
            "the clock of this machine is more than 15 minutes off",
            "Set the clock"),
        scene(
            "a clock that is off, says OSS",
            typed,
            n -> n.oss.advance(Duration.ofMinutes(20)),
            Trouble.BAD_REQUEST,
            "the clock of this machine is more than 15 minutes off",
            "Set the clock"),
        scene(
            "OSS does not know the key yet",
            typed,
            n -> n.oss.removeKey(Newcomer.ID),
            Trouble.DENIED,
            "OSS does not know the access key",
            "A new one takes a minute"),
        scene(
            "OSS was never opened",
            typed,
            n -> n.oss.disable(Newcomer.ACCOUNT),
            Trouble.DENIED,
            "OSS is not open for this account",
            "Open OSS in the console"),
        scene(
            "no right to look",
            typed,
            n -> n.oss.deny("GetBucketInfo"),
            Trouble.DENIED,
            "may not do this",
            "Allow oss:GetBucketInfo to it in a RAM policy (AliyunOSSFullAccess"),
        scene(
            "no right to create",
            typed,
            n -> n.oss.deny("PutBucket"),
            Trouble.DENIED,
            "cannot create the bucket " + Newcomer.BUCKET,
            "Allow oss:PutBucket"),
        scene(
            "the name is another account's",
            Newcomer.bucket("taken"),
            n -> n.oss.addBucket("taken", Newcomer.OTHER_ACCOUNT),
            Trouble.BAD_REQUEST,
            "the bucket taken is not available: another account has it, or the access key may not",
            "Choose another name with --bucket NAME"),
        scene(
            "another account lets us use its bucket",
            Newcomer.bucket("shared"),
            n -> {
              n.oss.addBucket("shared", Newcomer.OTHER_ACCOUNT);
              n.oss.share("shared");
            },
            Trouble.BAD_REQUEST,
            "it belongs to account " + Newcomer.OTHER_ACCOUNT,
            "--bucket NAME"),
        scene(
            "the bucket is in another region",
            Newcomer.bucket("far-away"),
            n -> n.oss.addBucketElsewhere("far-away"),
            Trouble.BAD_REQUEST,
            "the bucket far-away is in region eu-central-1, not in cn-hangzhou",
            "--region eu-central-1"),
        scene(
            "another region than the endpoint's",
            new Given(
                List.of(Newcomer.ID, Newcomer.SECRET),
                Optional.of("cn-beijing"),
                Optional.empty(),
                Optional.empty()),
            n -> {},
            Trouble.BAD_REQUEST,
            "another region",
            "--region"),
        scene(
            "the bucket keeps versions",
            Newcomer.bucket("versioned"),
            n -> {
              n.oss.addBucket("versioned", Newcomer.ACCOUNT);
              n.oss.versioning("versioned", "Suspended");
            },
            Trouble.BAD_REQUEST,
            "keeps versions of its objects (versioning: Suspended)",
            "never enabled, with --bucket NAME"),
        scene(
            "STS cannot be reached",
            typed,
            n -> n.with("BATON_STS_ENDPOINT", "http://127.0.0.1:1"),
            Trouble.UNAVAILABLE,
            "could not reach Alibaba Cloud STS at http://127.0.0.1:1",
            "Check the network and HTTPS_PROXY"),
        scene(
            "OSS cannot be reached",
            typed,
            n -> n.with("BATON_OSS_ENDPOINT", "http://127.0.0.1:1"),
            Trouble.UNAVAILABLE,
            "OSS cannot be reached at http://127.0.0.1:1",
            "that there is a region cn-hangzhou"),
        scene(
            "OSS is busy",
            typed,
            n -> n.oss.failNext(9, c -> true, Fault.throttled("QpsLimitExceeded")),
            Trouble.THROTTLED,
            "OSS is asked too often",
            "Wait a minute"));
  }

  @ParameterizedTest
  @MethodSource("scenes")
  void isSaidWithWhatToDoAndNothingIsCreatedOrSaved(Scene scene, Trouble trouble)
      throws IOException {
    scene.before().accept(ann);
    Throwable thrown = catchThrowable(() -> ann.run(scene.given()));

    assertThat(thrown)
        .isInstanceOfSatisfying(
            VmException.CloudFailed.class,
            e -> {
              assertThat(e.trouble()).isEqualTo(trouble);
              assertThat(e.what()).contains(scene.what()).doesNotContain("\n");
              assertThat(e.next()).contains(scene.next()).endsWith(".");
            });
    StringWriter all = new StringWriter();
    thrown.printStackTrace(new PrintWriter(all));
    assertThat(all.toString())
        .doesNotContain(
            Newcomer.ID, Newcomer.SECRET, "LTAI5tSomebodyElses00000", "temporary-secret", "STS.x");
    assertThat(ann.oss.log().stream().map(Call::headers).map(h -> h.get("authorization")))
        .allSatisfy(a -> assertThat(all.toString()).doesNotContain(a));
    assertThat(ann.oss.hasBucket(Newcomer.BUCKET)).isFalse();
    assertThat(files()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Hangzhou|           |      |your input is not the name of a region",
        "cn-hangzhou|A_b     |      |is not a valid bucket name",
        "cn-hangzhou|        |s p   |the access key has a space",
        "eu-central-1|       |      |ALIBABA_CLOUD_REGION_ID is cn-hangzhou",
      })
  void whatCannotWorkIsSaidBeforeAnybodyIsAsked(
      String region, String bucket, String secret, String what) throws IOException {
    if (region.equals("eu-central-1")) {
      ann.with("ALIBABA_CLOUD_REGION_ID", "cn-hangzhou");
    }
    Given given =
        new Given(
            List.of(Newcomer.ID, secret == null ? Newcomer.SECRET : secret),
            Optional.of(region),
            Optional.ofNullable(bucket),
            Optional.empty());
    assertThatThrownBy(() -> ann.setup().open(ann.host(), given))
        .isInstanceOfSatisfying(
            BadSetting.class,
            bad -> {
              assertThat(bad).hasMessageContaining(what);
              assertThat(bad.getMessage() + bad.next())
                  .doesNotContain(Newcomer.ID, Newcomer.SECRET, "s p");
              assertThat(bad.next()).isNotBlank();
            });
    assertThat(ann.oss.count() + ann.cloud.count()).isZero();
    assertThat(files()).isEmpty();
  }

  @Test
  void withoutAKeyItSaysHowToGiveOne() {
    assertThat(ann.setup().needs(ann.host(), false).keysFrom()).isEmpty();
    assertThatThrownBy(() -> ann.setup().open(ann.host(), Newcomer.nothing()))
        .isInstanceOfSatisfying(
            BadSetting.class, bad -> assertThat(bad.next()).contains("--credentials-stdin"));
  }

  @Test
  void aFileThatOthersMayReadIsNotUsed() throws Exception {
    ann.run(Newcomer.typed());
    Files.setPosixFilePermissions(
        home.resolve(".baton/credentials"), PosixFilePermissions.fromString("rw-r--r--"));
    assertThatThrownBy(() -> ann.setup().needs(ann.host(), false))
        .isInstanceOfSatisfying(
            BadSetting.class, bad -> assertThat(bad.next()).contains("chmod 600"));
  }

  /** Whatever is in the file: with a key that is given, init can put it right. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "rw-------|",
        "rw-------|access_key_id=old",
        "rw-------|access_key_secret=old",
        "rw-------|access_key_id=\\uXYZ",
        "rw-------|note=\\uXYZ",
        "rw-r--r--|access_key_id=old",
      })
  void aDamagedFileIsRepairedByAKeyThatIsGiven(String mode, String line) throws Exception {
    Path file = home.resolve(".baton/credentials");
    Files.createDirectories(file.getParent());
    Files.writeString(file, line == null ? "" : line + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    assertThat(ann.setup().needs(ann.host(), true).keysFrom()).isEmpty();
    ann.run(Newcomer.typed());
    assertThat(file)
        .hasContent(
            "access_key_id="
                + Newcomer.ID
                + "\naccess_key_secret="
                + Newcomer.SECRET
                + "\nregion=cn-hangzhou\n");
    assertThat(mode(file)).isEqualTo("rw-------");
    assertThat(ann.run(Newcomer.nothing())).noneMatch(Done::changed);
  }

  @Test
  void aFileThatIsNoTextIsReplaced() throws Exception {
    Path file = home.resolve(".baton/credentials");
    Files.createDirectories(file.getParent());
    Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe});
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    assertThatThrownBy(() -> ann.setup().needs(ann.host(), false))
        .isInstanceOfSatisfying(
            BadSetting.class, bad -> assertThat(bad.next()).contains("baton vm init --new-keys"));
    ann.run(Newcomer.typed());
    assertThat(ann.setup().needs(ann.host(), false).keysFrom()).contains(file.toString());
  }

  @Test
  void anEmptyFileIsNoKey() throws Exception {
    Path file = home.resolve(".baton/credentials");
    Files.createDirectories(file.getParent());
    Files.writeString(file, "");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    assertThat(ann.setup().needs(ann.host(), false).keysFrom()).isEmpty();
  }

  @Test
  void whatSomebodyLeftWhoWasKilledIsRemoved() throws Exception {
    Path left = home.resolve(".baton/.credentials123456.tmp");
    Files.createDirectories(left.getParent());
    Files.writeString(left, "access_key_secret=half");
    Files.setLastModifiedTime(left, FileTime.from(Instant.now().minusSeconds(3600)));
    Path young = Files.writeString(home.resolve(".baton/.credentials654321.tmp"), "");
    Path others = Files.writeString(home.resolve(".baton/.credentials.tmp"), "");
    Files.setLastModifiedTime(others, FileTime.from(Instant.now().minusSeconds(3600)));
    ann.run(Newcomer.typed());
    assertThat(left).doesNotExist();
    assertThat(young).exists();
    assertThat(others).exists();
  }

  @ParameterizedTest
  @CsvSource({"PutBucketEncryption,encrypt", "GetBucketVersioning,look at the versioning of"})
  void aBucketThatWasCreatedIsSaidToBeThere(String denied, String doing) {
    ann.oss.deny(denied);
    assertThatThrownBy(() -> ann.run(Newcomer.typed()))
        .isInstanceOf(VmException.CloudFailed.class)
        .hasMessageContaining("cannot " + doing + " the bucket " + Newcomer.BUCKET)
        .hasMessageContaining("the bucket itself was created");
    assertThat(ann.oss.hasBucket(Newcomer.BUCKET)).isTrue();
    assertThatThrownBy(() -> ann.run(Newcomer.typed()))
        .hasMessageNotContaining("the bucket itself was created");
  }

  @Test
  void whatOssCallsABucketsOwnerCannotGarbleTheMessage() {
    ann.oss.addBucket("odd", "7\u202e" + "x".repeat(500));
    ann.oss.share("odd");
    Throwable thrown = catchThrowable(() -> ann.run(Newcomer.bucket("odd")));
    assertThat(thrown).isInstanceOf(VmException.CloudFailed.class);
    assertThat(thrown.getMessage())
        .contains("it belongs to account")
        .doesNotContain("\u202e")
        .hasSizeLessThan(400);
  }

  @Test
  void theRegionAloneIsInTheFile() throws Exception {
    ann.withKeyInTheEnvironment().run(Newcomer.nothing());
    assertThat(ann.run(Newcomer.nothing()).toString()).contains("region is in ");
  }

  @Test
  void aDiskThatCannotBeWrittenToLosesNothing() throws Exception {
    Files.writeString(home.resolve(".baton"), "a file where a directory should be");
    assertThatThrownBy(() -> ann.run(Newcomer.typed()))
        .isInstanceOf(VmException.FileFailed.class)
        .hasMessageContaining("cannot be read or written")
        .hasMessageContaining("run `baton vm init` again")
        .hasMessageNotContaining(Newcomer.SECRET);
    assertThat(home.resolve(".baton")).hasContent("a file where a directory should be");
  }
}
