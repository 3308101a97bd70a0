package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.alibaba.fake.FakeAliyun;
import dev.baton.alibaba.fake.FakeOss;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.client.vm.VmClient;
import dev.baton.testing.service.Fault;
import dev.baton.vm.Client;
import dev.baton.vm.Legacy;
import dev.baton.vm.Options;
import dev.baton.vm.Questions;
import dev.baton.vm.VmName;
import dev.baton.vm.internal.codec.LegacyCodec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code baton vm init} from the first prompt to the first VM, on an account on loopback. */
class VmInitTest {
  private static final String ACCOUNT = "1000000000000001";
  private static final String BUCKET = "baton-state-" + ACCOUNT;
  private static final String ID = "LTAI5tTheIdOfTheseTests0";
  private static final String SECRET = "TheSecretOfTheseTests0123456789";
  private static final String TYPED = ID + "\n" + SECRET + "\ncn-hangzhou\n";

  @TempDir Path home;
  private FakeOss oss;
  private FakeAliyun cloud;
  private Cli cli;

  @BeforeEach
  void open() {
    oss = FakeOss.start();
    cloud = FakeAliyun.start(ACCOUNT);
    oss.addKey(ID, SECRET, ACCOUNT);
    cloud.addKey(ID, SECRET);
    cli = at(home);
  }

  private Cli at(Path someHome) {
    return new Cli(someHome)
        .with("NO_COLOR", "1")
        .with("BATON_OSS_ENDPOINT", oss.endpoint())
        .with("BATON_STS_ENDPOINT", "http://" + cloud.endpoint())
        .with("BATON_ECS_ENDPOINT", "http://" + cloud.endpoint())
        .with("BATON_VPC_ENDPOINT", "http://" + cloud.endpoint());
  }

  @AfterEach
  void close() {
    oss.close();
    cloud.close();
  }

  private List<String> files() throws IOException {
    try (Stream<Path> all = Files.walk(home)) {
      return all.filter(Files::isRegularFile)
          .map(f -> home.relativize(f).toString())
          .sorted()
          .toList();
    }
  }

  private static void clean(Cli.Result result) {
    assertThat(result.out() + result.err()).doesNotContain(ID, SECRET);
  }

  // ---- when all is well

  @Test
  void fromThePromptsToTheFirstVm() throws IOException {
    Cli.Result result = cli.typing(TYPED).ok("vm", "init");
    assertThat(result.err())
        .startsWith("Access key id: Access key secret: Region [ap-southeast-1]: ✓ access key")
        .contains("✓ bucket      " + BUCKET + " in cn-hangzhou is created, private and encrypted")
        .contains("✓ settings    vm-store and cloud saved to ");
    assertThat(result.out()).isEqualTo("Ready. Next: baton vm deploy\n");
    clean(result);
    assertThat(files())
        .containsExactly(
            ".baton/credentials",
            ".baton/ssh_key",
            ".baton/ssh_key.pub",
            ".config/baton/config.properties");
    assertThat(home.resolve(".config/baton/config.properties"))
        .hasContent("vm-store=oss://" + BUCKET + "\ncloud=aliyun\n");

    // Without a flag.
    assertThat(cli.ok("vm", "deploy").out()).contains("VM default is running");
    assertThat(oss.text(BUCKET, "state.json").orElseThrow()).contains("\"status\": \"running\"");
    assertThat(cloud.log().stream().filter(c -> c.kind().equals("ImportKeyPair")))
        .as("the new SSH key may log in")
        .singleElement();
    cli.ok("vm", "destroy", "--no-snapshot", "--yes");
  }

  @Test
  void theSecondTimeSaysSo() throws IOException {
    cli.typing(TYPED).ok("vm", "init");
    oss.forget();
    Cli.Result again = cli.ok("vm", "init");
    assertThat(again.out()).startsWith("Nothing to do: all of it was there.");
    assertThat(oss.log()).allMatch(c -> c.method().equals("GET"));
    JsonNode json = cli.json("vm", "init");
    assertThat(json.get("changed").asBoolean()).isFalse();
    assertThat(json.get("vmStore").asText()).isEqualTo("oss://" + BUCKET);
    assertThat(json.get("account").asText()).isEqualTo(ACCOUNT);
    assertThat(json.get("parts")).hasSize(5);
    clean(again);
  }

  @Test
  void forScriptsTheKeyComesThroughAPipe() {
    Cli.Result result =
        cli.piping(ID + "\n" + SECRET + "\n")
            .ok("vm", "init", "--credentials-stdin", "--region", "cn-hangzhou", "--json");
    assertThat(result.json().get("changed").asBoolean()).isTrue();
    assertThat(result.err()).isEmpty();
    clean(result);
    assertThat(home.resolve(".baton/credentials")).content().contains(SECRET);
  }

  @Test
  void aKeyInTheEnvironmentIsNotWrittenDown() throws IOException {
    cli.with("ALIBABA_CLOUD_ACCESS_KEY_ID", ID).with("ALIBABA_CLOUD_ACCESS_KEY_SECRET", SECRET);
    cli.ok("vm", "init", "--region", "cn-hangzhou");
    for (String file : files()) {
      assertThat(home.resolve(file)).content().doesNotContain(SECRET);
    }
    assertThat(cli.ok("vm", "status").out()).contains("not deployed");
    Cli.Result refused = cli.typing("x\ny\n").run("vm", "init", "--new-keys");
    assertThat(refused.code()).isEqualTo(ExitCode.USAGE.code);
    assertThat(refused.err()).contains("ALIBABA_CLOUD_ACCESS_KEY_ID, which comes first");
  }

  @Test
  void aBucketOfAnotherNameIsRemembered() {
    cli.typing(TYPED).ok("vm", "init", "--bucket", "our-states");
    assertThat(oss.hasBucket("our-states")).isTrue();
    assertThat(cli.json("vm", "init").get("vmStore").asText()).isEqualTo("oss://our-states");
    assertThat(oss.hasBucket(BUCKET)).isFalse();
  }

  @Test
  void whatTheUserHasSetStaysAndIsTold() throws IOException {
    Path config = home.resolve(".config/baton/config.properties");
    Files.createDirectories(config.getParent());
    Files.writeString(config, "# mine\nvm-store=file:vms");
    Files.setPosixFilePermissions(config, PosixFilePermissions.fromString("rw-r--r--"));
    Cli.Result result = cli.typing(TYPED).ok("vm", "init");
    assertThat(config).hasContent("# mine\nvm-store=file:vms\ncloud=aliyun\n");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(config)))
        .isEqualTo("rw-r--r--");
    assertThat(result.err())
        .contains("! vm-store is file:vms by " + config)
        .contains("--vm-store oss://" + BUCKET);
  }

  @Test
  void aProjectsFileDoesNotHideWhatIsSaved() throws IOException {
    Path project = Files.createDirectories(home.resolve("project/.git")).getParent();
    Files.writeString(project.resolve(".baton.properties"), "queue=ours\n");
    Cli.Result result = cli.on(project).typing(TYPED).ok("vm", "init");
    assertThat(result.err()).doesNotContain("! ");
    assertThat(project.resolve(".baton.properties")).hasContent("queue=ours\n");
    assertThat(cli.ok("vm", "status").out()).contains("not deployed");
    assertThat(cli.json("vm", "init").get("vmStore").asText()).isEqualTo("oss://" + BUCKET);
  }

  // ---- when it is not

  @Test
  void aWrongKeyMayBeTypedAgain() throws IOException {
    Cli.Result result =
        cli.typing(ID + "\nwrong-secret\ncn-hangzhou\n" + ID + "\n" + SECRET + "\n")
            .ok("vm", "init");
    assertThat(result.err())
        .contains("✗ access key  the secret is not that of the access key")
        .contains("nothing was saved or created")
        .doesNotContain("wrong-secret");
    clean(result);
    assertThat(home.resolve(".baton/credentials")).content().contains(SECRET);
  }

  @Test
  void aKeyThatWasSavedAndIsNoLongerGoodCanBeReplaced() throws IOException {
    cli.typing(TYPED).ok("vm", "init");
    oss.addKey("LTAInew", "new-secret", ACCOUNT);
    cloud.addKey("LTAInew", "new-secret");
    cli.typing("LTAInew\nnew-secret\n\n").ok("vm", "init", "--new-keys");
    assertThat(home.resolve(".baton/credentials"))
        .hasContent("access_key_id=LTAInew\naccess_key_secret=new-secret\nregion=cn-hangzhou\n");
  }

  @Test
  void threeWrongKeysAreEnough() throws IOException {
    String wrong = ID + "\nwrong-secret\n";
    Cli.Result result =
        cli.typing(wrong + "cn-hangzhou\n" + wrong + wrong + wrong).run("vm", "init");
    assertThat(result.code()).isEqualTo(ExitCode.NO_PERMISSION.code);
    assertThat(result.err()).doesNotContain("wrong-secret");
    clean(result);
    assertThat(files()).isEmpty();
    assertThat(oss.count()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "vm init                                    | 7 | there are no credentials",
        "vm init --region cn-hangzhou               | 7 | there are no credentials",
        "vm init --credentials-stdin                | 2 | no line with the access key id",
        "vm init --new-keys                         | 2 | no terminal to ask on",
        "vm init --cloud moon                       | 2 | unsupported cloud \"moon\"",
        "vm init --cloud simulated                  | 2 | the simulated cloud needs no preparation",
        "vm init --migrate nowhere                  | 2 | neither state.json nor backup.json",
        "vm init --migrate x --no-migrate           | 2 | mutually exclusive",
        "vm init --secret x                         | 2 | unknown argument",
      })
  void badInputIsTwoLinesAndChangesNothing(String line, int code, String what) throws IOException {
    Cli.Result result = cli.run(line.split(" +"));
    assertThat(result.code()).as(result.err()).isEqualTo(code);
    assertThat(result.err().lines()).as(result.err()).hasSize(2);
    assertThat(result.err()).contains(what);
    assertThat(files()).isEmpty();
    assertThat(oss.count() + cloud.count()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "taken     | 2 | another account has it       | Choose another name with --bucket NAME",
        "elsewhere | 2 | is in region eu-central-1    | Use --region eu-central-1",
        "versioned | 2 | keeps versions               | never enabled, with --bucket NAME",
        "closed    | 7 | OSS is not open              | Open OSS in the console",
        "forbidden | 7 | may not do this              | Allow oss:PutBucket",
        "broken    | 8 | did not answer as it should  | Wait a minute",
      })
  void whatOssRefusesIsTwoLinesAndNothingIsSaved(String kind, int code, String what, String next)
      throws IOException {
    oss.addBucket("taken", "2000000000000002");
    oss.addBucketElsewhere("elsewhere");
    oss.addBucket("versioned", ACCOUNT);
    oss.versioning("versioned", "Enabled");
    switch (kind) {
      case "closed" -> oss.disable(ACCOUNT);
      case "forbidden" -> oss.deny("PutBucket");
      case "broken" -> oss.failNext(9, c -> true, new Fault.BadGateway(false));
      default -> {}
    }
    cli.piping(ID + "\n" + SECRET + "\n");
    String[] line = {
      "vm", "init", "--credentials-stdin", "--region", "cn-hangzhou", "--bucket", kind
    };
    Cli.Result result = cli.run(line);
    assertThat(result.code()).as(result.err()).isEqualTo(code);
    assertThat(result.err().lines().filter(l -> !l.startsWith("✓ access key")))
        .as(result.err())
        .hasSize(2);
    assertThat(result.err()).contains(what).contains(next);
    assertThat(files()).isEmpty();
    clean(result);
    String[] more = java.util.Arrays.copyOf(line, line.length + 2);
    more[line.length] = "--json";
    more[line.length + 1] = "-vv";
    clean(cli.run(more));
  }

  @Test
  void helpTeaches() {
    String help = cli.run("vm", "init", "--help").out();
    assertThat(help)
        .contains("--credentials-stdin")
        .contains("Examples:")
        .contains("printf '%s\\n' \"$ID\" \"$SECRET\" | baton vm init")
        .contains("never taken from the command line");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "vm init --access-key-secret=s3cr3t",
        "vm init -k=s3cr3t",
        "vm init -ks3cr3t9",
        "vm init s3cr3t",
        "vm init --region cn-hangzhou LTAIx s3cr3t",
        "vm init --credentials-stdin=s3cr3t",
        "vm init --new-keys=s3cr3t --json",
        "--token=s3cr3t vm init",
        "vm --key=s3cr3t init",
      })
  void aSecretOnTheCommandLineIsNotRepeated(String line) {
    Cli.Result result = cli.run(line.split(" "));
    assertThat(result.code()).as(result.err()).isEqualTo(ExitCode.USAGE.code);
    assertThat(result.out() + result.err()).doesNotContain("s3cr3t", "LTAIx");
    assertThat(cli.run((line + " -vv").split(" ")).err()).doesNotContain("s3cr3t", "LTAIx");
  }

  @Test
  void anUnknownFlagIsStillNamed() {
    assertThat(cli.run("vm", "init", "--access-key-secret=s3cr3t").err())
        .contains("unknown argument '--access-key-secret'")
        .contains("baton help vm init");
    assertThat(cli.run("status", "nonsense").err()).contains("unknown argument 'nonsense'");
  }

  // ---- keys that are refused, after init

  @Test
  void keysThatAreRefusedAreAMatterOfPermission() throws IOException {
    cli.typing(TYPED).ok("vm", "init");
    oss.addBucket("team-builds", ACCOUNT);
    oss.deny("ListObjectsV2");
    cli.piping("")
        .with("ALIBABA_CLOUD_ACCESS_KEY_ID", ID)
        .with("ALIBABA_CLOUD_ACCESS_KEY_SECRET", SECRET)
        .with("ALIBABA_CLOUD_REGION_ID", "cn-hangzhou");
    for (String line :
        List.of(
            "vm status",
            "vm deploy",
            "vm history",
            "vm sweep",
            "status --store oss://team-builds/ci",
            "init --store oss://team-builds/ci")) {
      Cli.Result denied = cli.run(line.split(" "));
      assertThat(denied.code()).as(denied.err()).isEqualTo(ExitCode.NO_PERMISSION.code);
      assertThat(denied.err().lines()).as(denied.err()).hasSize(2);
      assertThat(denied.err()).contains("Allow oss:ListObjects on ");
    }
    oss.removeKey(ID);
    for (String line : List.of("vm status", "status --store oss://team-builds/ci")) {
      Cli.Result unknown = cli.run(line.split(" "));
      assertThat(unknown.code()).as(unknown.err()).isEqualTo(ExitCode.NO_PERMISSION.code);
      assertThat(unknown.err()).contains("OSS does not know the access key");
    }
  }

  @Test
  void whatIsSetWrongForAQueueIsUsage() {
    Cli.Result half =
        cli.with("ALIBABA_CLOUD_ACCESS_KEY_ID", ID).run("status", "--store", "oss://team-builds");
    assertThat(half.code()).as(half.err()).isEqualTo(ExitCode.USAGE.code);
    assertThat(half.err()).contains("ALIBABA_CLOUD_ACCESS_KEY_SECRET is not");
  }

  // ---- a bucket and a region that are set

  @Test
  void aRegionIsNotChangedUnderABucketThatStays() throws IOException {
    cli.typing(TYPED).ok("vm", "init");
    String credentials = Files.readString(home.resolve(".baton/credentials"));
    Cli.Result refused =
        cli.piping("").run("vm", "init", "--bucket", "new-states", "--region", "eu-central-1");
    assertThat(refused.code()).as(refused.err()).isEqualTo(ExitCode.USAGE.code);
    assertThat(refused.err())
        .contains("vm-store is oss://" + BUCKET + " by ")
        .contains("Set vm-store=oss://new-states there first, or stay in cn-hangzhou");
    assertThat(home.resolve(".baton/credentials")).hasContent(credentials);
    assertThat(oss.hasBucket("new-states")).isFalse();
    cli.ok("vm", "init", "--bucket", "new-states");
    assertThat(cli.ok("vm", "status").out()).contains("not deployed");
  }

  // ---- what is saved already, and broken

  @Test
  void aBrokenFileIsRepairedByANewKey() throws IOException {
    cli.typing(TYPED).ok("vm", "init");
    Path file = home.resolve(".baton/credentials");
    Files.writeString(file, "access_key_id=\\uXYZ\n");
    Cli.Result broken = cli.typing("").run("vm", "init");
    assertThat(broken.code()).isEqualTo(ExitCode.USAGE.code);
    assertThat(broken.err()).contains("`baton vm init --new-keys`");
    cli.typing(TYPED).ok("vm", "init", "--new-keys");
    assertThat(file).content().contains(SECRET);

    Files.writeString(file, "access_key_id=half\n");
    cli.piping(ID + "\n" + SECRET + "\n")
        .ok("vm", "init", "--credentials-stdin", "--region", "cn-hangzhou");
    assertThat(file).content().contains(SECRET).doesNotContain("half");

    Files.writeString(file, "");
    cli.typing(TYPED).ok("vm", "init");
    assertThat(file).content().contains(SECRET);
  }

  // ---- a VM of an earlier version

  /** A VM, and its record as an earlier version wrote it; where it was deployed from is gone. */
  private Path earlierVm(Path directory) throws IOException {
    Path other = Files.createDirectories(home.resolve("other-machine"));
    Cli earlier = at(other);
    earlier.typing(TYPED).ok("vm", "init", "--bucket", "earlier-states");
    earlier.ok("vm", "deploy");
    ObjectMapper mapper = new ObjectMapper();
    ObjectNode state =
        (ObjectNode) mapper.readTree(oss.text("earlier-states", "state.json").orElseThrow());
    state.put("version", "0.2.3");
    state.remove(List.of("status", "previous_status", "fencing", "sequence"));
    state.putObject("cloudcode").put("domain", "oc.example.com");
    Files.createDirectories(directory);
    Files.writeString(directory.resolve("state.json"), mapper.writeValueAsString(state));
    Files.copy(other.resolve(".baton/ssh_key"), directory.resolve("ssh_key"));
    return directory;
  }

  @Test
  void aVmOfAnEarlierVersionIsTakenOver() throws IOException {
    Path old = earlierVm(home.resolve(".cloudcode"));
    String record = Files.readString(old.resolve("state.json"));
    String key = Files.readString(old.resolve("ssh_key"));
    Cli.Result result = cli.typing(ID + "\n" + SECRET + "\n\ny\n").ok("vm", "init");
    assertThat(result.err())
        .contains("Region [cn-hangzhou]: ")
        .contains("is the record of a VM by version 0.2.3, which is running (i-")
        .contains("[Y/n]")
        .contains("✓ migration   the VM recorded in " + old + " is taken over");
    assertThat(result.out()).isEqualTo("Ready. Next: baton vm status\n");
    assertThat(old.resolve("state.json")).doesNotExist();
    assertThat(old.resolve("state.json.bak")).hasContent(record);
    assertThat(home.resolve(".baton/ssh_key")).hasContent(key);
    assertThat(oss.text(BUCKET, "state.json").orElseThrow())
        .contains("\"status\": \"running\"")
        .contains("oc.example.com");

    assertThat(cli.ok("vm", "sweep", "--yes", "--min-age", "0").out())
        .contains("Nothing was left behind");
    assertThat(cli.ok("vm", "suspend").out()).contains("is suspended");
    assertThat(cli.ok("vm", "init").out()).startsWith("Nothing to do");
    cli.ok("vm", "destroy", "--no-snapshot", "--yes");
    assertThat(cloud.everything()).isEmpty();
  }

  @Test
  void whoeverSaysNoKeepsItAsItIs() throws IOException {
    Path old = earlierVm(home.resolve(".cloudcode"));
    Cli.Result no = cli.typing(ID + "\n" + SECRET + "\n\nn\n").run("vm", "init");
    assertThat(no.code()).isEqualTo(ExitCode.REFUSED.code);
    assertThat(no.err()).contains("--no-migrate");
    assertThat(old.resolve("state.json")).exists();
    assertThat(oss.text(BUCKET, "state.json")).isEmpty();

    Cli alone = at(home);
    assertThat(alone.run("vm", "init").code()).isEqualTo(ExitCode.USAGE.code);
    alone.ok("vm", "init", "--no-migrate");
    assertThat(old.resolve("state.json")).exists();
    JsonNode yes = alone.json("vm", "init", "--yes");
    assertThat(yes.get("migration").asText()).isEqualTo("moved");
    assertThat(old.resolve("state.json.bak")).exists();
  }

  @Test
  void aStateThatIsThereCountsAndTheRecordStays() throws IOException {
    Path old = earlierVm(home.resolve("old"));
    cli.typing(TYPED).ok("vm", "init");
    cli.ok("vm", "deploy");
    at(home.resolve("other-machine")).ok("vm", "destroy", "--no-snapshot", "--yes");
    JsonNode json = cli.json("vm", "init", "--migrate", "old");
    assertThat(json.get("migration").asText()).isEqualTo("out-of-date");
    assertThat(json.get("notes")).isEmpty();
    assertThat(old.resolve("state.json")).exists();
  }

  @Test
  void aRecordOfAnotherVmIsToldAndTakenOverByAnotherName() throws IOException {
    Path old = earlierVm(home.resolve("old"));
    String record = Files.readString(old.resolve("state.json"));
    String id = new ObjectMapper().readTree(record).at("/resources/ecs/id").asText();
    cli.typing(TYPED).ok("vm", "init");
    cli.ok("vm", "deploy");
    int before = cloud.everything().size();

    Cli.Result told = cli.ok("vm", "init", "--migrate", "old");
    assertThat(told.err())
        .contains("! the VM recorded in " + old + " is another one than default, exists (")
        .contains("instance " + id)
        .contains("`baton vm init --vm NAME --migrate " + old + "`")
        .doesNotContain("out of date");
    JsonNode json = cli.json("vm", "init", "--migrate", "old");
    assertThat(json.get("migration").asText()).isEqualTo("another-vm");
    assertThat(json.get("notes").toString()).contains(id);
    assertThat(old.resolve("state.json")).hasContent(record);

    JsonNode taken = cli.json("vm", "init", "--vm", "second", "--migrate", "old", "--yes");
    assertThat(taken.get("migration").asText()).isEqualTo("moved");
    assertThat(taken.get("parts").toString())
        .as("it has another SSH key")
        .contains("which is " + old.resolve("ssh_key"));
    assertThat(old.resolve("state.json.bak")).hasContent(record);
    assertThat(oss.text(BUCKET, "second/state.json").orElseThrow()).contains(id);
    assertThat(oss.text(BUCKET, "state.json").orElseThrow()).doesNotContain(id);
    assertThat(cloud.everything()).hasSize(before);
    cli.ok("vm", "destroy", "--vm", "second", "--no-snapshot", "--yes");
    assertThat(cli.ok("vm", "status").out()).contains("is running");
    cli.ok("vm", "destroy", "--no-snapshot", "--yes");
    assertThat(cloud.everything()).isEmpty();
  }

  /** A kill between the journal and the rename leaves a lock, which nobody has to wait for. */
  @Test
  void whoeverWasKilledBeforeTheRenameIsFinishedAtOnce() throws Exception {
    Path old = earlierVm(home.resolve(".cloudcode"));
    String record = Files.readString(old.resolve("state.json"));
    cli.typing(TYPED).ok("vm", "init", "--no-migrate");
    Files.delete(home.resolve(".baton/ssh_key"));
    Files.delete(home.resolve(".baton/ssh_key.pub"));
    Host host = cli.shell(new ByteArrayOutputStream(), new ByteArrayOutputStream()).asHost();
    Settings settings = new Settings();
    settings.put(
        Setting.VM_STORE, new Settings.Value("oss://" + BUCKET, "test", Settings.DIRECT, home));
    settings.put(Setting.CLOUD, new Settings.Value("aliyun", "test", Settings.DIRECT, home));
    Legacy legacy =
        LegacyCodec.decode(
                old.toString(), Optional.of(record), Optional.empty(), java.time.Instant.now())
            .orElseThrow();
    try (VmClient desk = VmClient.open(settings, host, Client.ofThisProcess())) {
      assertThatThrownBy(
              () ->
                  desk.vms()
                      .migrate(
                          VmName.DEFAULT,
                          legacy,
                          Options.DEFAULT.asking(Questions.assumeYes()),
                          () -> {
                            throw new AssertionError("killed");
                          }))
          .hasMessage("killed");
    }
    assertThat(oss.text(BUCKET, ".lock")).as("it is dead and does not know").isPresent();

    Cli.Result again = cli.typing("").ok("vm", "init");
    assertThat(again.err()).contains("✓ migration   the VM recorded in " + old + " is taken over");
    assertThat(old.resolve("state.json")).doesNotExist();
    assertThat(old.resolve("state.json.bak")).hasContent(record);
    assertThat(home.resolve(".baton/ssh_key")).hasContent(Files.readString(old.resolve("ssh_key")));
  }

  @Test
  void withoutAYesTheKeyOfTheVmIsNotCopied() throws IOException {
    earlierVm(home.resolve(".cloudcode"));
    Cli.Result no = cli.typing(ID + "\n" + SECRET + "\n\nn\n").run("vm", "init");
    assertThat(no.code()).isEqualTo(ExitCode.REFUSED.code);
    assertThat(home.resolve(".baton/ssh_key")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "state.json  | {\"version\":\"0.2.1\",\"resources\":{}}",
        "backup.json | {}",
      })
  void aRecordThatNamesNothingIsNoneAndSaidSo(String file, String text) throws IOException {
    Path old = Files.createDirectories(home.resolve(".cloudcode"));
    Files.writeString(old.resolve(file), text);
    Cli.Result result = cli.typing(TYPED).ok("vm", "init");
    assertThat(result.err())
        .contains("✓ migration   none: the record in " + old + " names nothing to take over");
    assertThat(result.out()).isEqualTo("Ready. Next: baton vm deploy\n");
    assertThat(old.resolve(file)).hasContent(text);
    assertThat(home.resolve(".baton/ssh_key")).exists();
  }

  @Test
  void aRecordThatIsMuchTooLongIsNotRead() throws IOException {
    Path old = Files.createDirectories(home.resolve(".cloudcode"));
    Files.writeString(
        old.resolve("state.json"),
        "{\"resources\":{\"ecs\":{\"id\":\"i-1\"}},\"x\":\"" + "x".repeat(100_000) + "\"}");
    Cli.Result result = cli.typing(TYPED).run("vm", "init");
    assertThat(result.code()).isEqualTo(ExitCode.FAILED.code);
    assertThat(result.err())
        .contains(old.resolve("state.json") + " has more than 100000 bytes")
        .contains("--no-migrate");
    assertThat(oss.count() + cloud.count()).isZero();
  }

  @Test
  void oneWhoWasStoppedAfterTheMoveIsFinished() throws IOException {
    Path old = earlierVm(home.resolve("old"));
    String record = Files.readString(old.resolve("state.json"));
    cli.typing(TYPED).ok("vm", "init");
    cli.ok("vm", "init", "--migrate", "old", "--yes");
    Files.writeString(old.resolve("state.json"), record);
    JsonNode json = cli.json("vm", "init", "--migrate", "old", "--yes");
    assertThat(json.get("migration").asText()).isEqualTo("moved-before");
    assertThat(old.resolve("state.json")).doesNotExist();
    assertThat(old.resolve("state.json.bak-2")).hasContent(record);
  }

  @Test
  void ofAVmThatIsGoneTheRecordStays() throws IOException {
    Path old = earlierVm(home.resolve("old"));
    at(home.resolve("other-machine")).ok("vm", "destroy", "--no-snapshot", "--yes");
    Cli.Result result = cli.typing(TYPED).ok("vm", "init", "--migrate", "old");
    assertThat(result.err()).contains("✓ migration   not needed: nothing of what " + old);
    assertThat(old.resolve("state.json")).exists();
    assertThat(cli.ok("vm", "status").out()).contains("not deployed");
  }

  @Test
  void aRecordOfAnotherRegionIsRefusedBeforeAnythingIsMade() throws IOException {
    Path old = earlierVm(home.resolve("old"));
    Files.writeString(
        old.resolve("state.json"),
        Files.readString(old.resolve("state.json")).replace("\"cn-hangzhou\"", "\"cn-beijing\""));
    Cli.Result result = cli.typing(TYPED).run("vm", "init", "--migrate", "old");
    assertThat(result.code()).isEqualTo(ExitCode.USAGE.code);
    assertThat(result.err()).contains("is in region cn-beijing, not in cn-hangzhou");
    assertThat(oss.hasBucket(BUCKET)).isFalse();
    assertThat(home.resolve(".baton")).doesNotExist();
  }

  @Test
  void aBrokenRecordIsRefusedBeforeAnythingIsAsked() throws IOException {
    Files.createDirectories(home.resolve(".cloudcode"));
    Files.writeString(home.resolve(".cloudcode/state.json"), "{\"version\": ");
    Cli.Result result = cli.typing(TYPED).run("vm", "init");
    assertThat(result.code()).isEqualTo(ExitCode.FAILED.code);
    assertThat(result.err().lines()).hasSize(2);
    assertThat(result.err()).contains("is broken").contains("--no-migrate");
    assertThat(oss.count() + cloud.count()).isZero();
    cli.typing(TYPED).ok("vm", "init", "--no-migrate");
  }
}
