package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.terminal.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VmCommandsTest {

  @TempDir Path home;
  private Path place;
  private Cli cli;

  @BeforeEach
  void makePlace() {
    place = home.resolve("vms");
    cli = new Cli(home).with("BATON_VM_STORE", "file:vms").with("NO_COLOR", "1");
  }

  private List<String> resources() throws IOException {
    Path all = place.resolve(".cloud/resources");
    if (!Files.isDirectory(all)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(all)) {
      return files.map(f -> f.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void throughAWholeLife() throws IOException {
    assertThat(cli.ok("vm", "status").out()).contains("not deployed");
    Cli.Result deployed = cli.ok("vm", "deploy");
    assertThat(deployed.err()).contains("[1/5] network").contains("[5/5] address");
    assertThat(deployed.out()).contains("VM default is running at 203.0.113.");
    assertThat(resources()).hasSize(5);
    assertThat(place.resolve("state.json")).content().contains("\"status\": \"running\"");
    assertThat(place.resolve(".lock")).doesNotExist();

    assertThat(cli.ok("vm", "suspend").out()).contains("is suspended");
    assertThat(cli.ok("vm", "suspend").out()).startsWith("Nothing to do");
    assertThat(cli.ok("vm", "resume").out()).contains("is running");

    Cli.Result kept = cli.ok("vm", "destroy", "--keep-snapshot", "--yes");
    assertThat(kept.out()).contains("is destroyed");
    assertThat(kept.err()).contains("[1/7] snapshot").contains("[7/7] leftovers");
    assertThat(place.resolve("backup.json")).exists();
    assertThat(resources()).hasSize(1);
    assertThat(cli.ok("vm", "deploy").out()).contains("from its snapshot");
    Cli.Result gone = cli.ok("vm", "destroy", "--no-snapshot", "--yes");
    assertThat(gone.out()).contains("is gone");
    assertThat(gone.err()).contains("[6/6] leftovers");
    assertThat(resources()).isEmpty();
    assertThat(place.resolve("state.json")).doesNotExist();

    JsonNode history = cli.json("vm", "history");
    assertThat(history).hasSize(6);
    assertThat(history.get(5).get("operation").asText()).isEqualTo("destroy");
    assertThat(history.get(0).get("to_status").asText()).isEqualTo("running");
    assertThat(history).allMatch(r -> r.get("success").asBoolean());
  }

  @Test
  void namesKeepThemApart() {
    cli.ok("vm", "deploy", "--vm", "a");
    cli.ok("vm", "deploy", "--vm", "b");
    cli.ok("vm", "suspend", "--vm", "a");
    JsonNode all = cli.json("vm", "status", "--all");
    assertThat(all.findValuesAsText("vm")).containsExactly("a", "b");
    assertThat(all.findValuesAsText("status")).containsExactly("suspended", "running");
    assertThat(place.resolve("a/state.json")).exists();
    assertThat(cli.with("BATON_VM", "b").json("vm", "status").get("vm").asText()).isEqualTo("b");
  }

  @Test
  void destroyAsksOnATerminalAndNeedsAYesWithoutOne() throws IOException {
    cli.ok("vm", "deploy");
    for (String[] words :
        List.of(
            new String[] {"vm", "destroy"},
            new String[] {"vm", "destroy", "--no-snapshot"},
            new String[] {"vm", "destroy", "--no-snapshot", "--json"})) {
      Cli.Result nobody = cli.run(words);
      assertThat(nobody.code()).isEqualTo(ExitCode.USAGE.code);
      assertThat(nobody.err()).contains("there is no terminal to ask on").contains("--yes");
    }
    Cli.Result no = cli.typing("n\n").run("vm", "destroy", "--no-snapshot");
    assertThat(no.code()).isEqualTo(ExitCode.REFUSED.code);
    assertThat(no.err())
        .contains("VM default is running at 203.0.113.")
        .contains("instance       i-4")
        .contains("Destroy VM default? [y/N]")
        .contains("Nothing was changed.");
    assertThat(resources()).hasSize(5);
    // An empty answer is the one in capitals.
    assertThat(cli.typing("\n").run("vm", "destroy").code()).isEqualTo(ExitCode.REFUSED.code);

    assertThat(cli.typing("y\n").ok("vm", "destroy", "--no-snapshot").out()).contains("is gone");
    assertThat(resources()).isEmpty();
    assertThat(cli.typing("").ok("vm", "destroy").err())
        .as("nothing to ask")
        .doesNotContain("[y/N]");
  }

  @Test
  void destroyAlsoAsksAboutTheSnapshot() throws IOException {
    cli.ok("vm", "deploy");
    assertThat(cli.typing("y\nn\n").ok("vm", "destroy").out()).contains("is gone");
    cli.ok("vm", "deploy");
    Cli.Result kept = cli.typing("y\n\n").ok("vm", "destroy");
    assertThat(kept.err()).contains("Keep the disk of VM default as a snapshot? [Y/n]");
    assertThat(kept.out()).contains("is destroyed");
    assertThat(resources()).hasSize(1);
    cli.ok("vm", "deploy");
    assertThat(cli.piping("").ok("vm", "destroy", "--yes").out()).contains("is destroyed");
  }

  @Test
  void destroySaysWhatBecomesOfAnEarlierSnapshot() throws IOException {
    cli.ok("vm", "deploy");
    assertThat(cli.ok("vm", "destroy", "--keep-snapshot", "--yes").out())
        .contains(
            "VM default is destroyed, and its disk is kept: `baton vm deploy` brings it back");
    assertThat(cli.typing("y\n\n").run("vm", "destroy").err())
        .contains("Keep s-6, the snapshot of VM default? [Y/n]");
    assertThat(cli.typing("n\n").run("vm", "destroy", "--keep-snapshot").err())
        .contains("Destroy VM default and keep its snapshot s-6? [y/N]");
    assertThat(cli.typing("n\n").run("vm", "destroy", "--no-snapshot").err())
        .contains("Destroy VM default and its snapshot s-6? [y/N]");
    cli.ok("vm", "deploy");
    assertThat(cli.typing("n\n").run("vm", "destroy", "--keep-snapshot").err())
        .contains("Destroy VM default? A new snapshot replaces s-6. [y/N]");
    assertThat(cli.typing("n\n").run("vm", "destroy", "--no-snapshot").err())
        .contains("Destroy VM default and its snapshot s-6? [y/N]");
    assertThat(resources()).hasSize(6);
  }

  @Test
  void aLockedVmSaysHowToWaitOrToTakeOver() throws Exception {
    Files.createDirectories(place.resolve(".cloud"));
    Files.writeString(place.resolve(".cloud/cloud.json"), "{\"ready_ms\": 600000}");
    Cli other = new Cli(home).with("BATON_VM_STORE", "file:vms");
    Thread deploying = new Thread(() -> other.run("vm", "deploy"));
    deploying.start();
    try {
      long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
      while (!Files.exists(place.resolve(".lock"))) {
        assertThat(System.nanoTime()).as("began in time").isLessThan(end);
        Thread.sleep(20);
      }
      String ways = "`--wait 15m` waits for it; `--force` takes the lock over now.";
      Cli.Result refused = cli.run("vm", "destroy", "--yes");
      assertThat(refused.code()).isEqualTo(ExitCode.REFUSED.code);
      assertThat(refused.err()).contains("VM default is locked: deploy by ").contains(ways);
      assertThat(cli.ok("vm", "status").out()).contains(ways);
      assertThat(cli.json("vm", "status").get("advice").get(1).asText()).isEqualTo(ways);
    } finally {
      deploying.interrupt();
      deploying.join();
    }
  }

  /** The cloud refuses an address. */
  private void interruptedDeploy() throws IOException {
    Path cloud = place.resolve(".cloud");
    Files.createDirectories(cloud);
    Files.writeString(
        cloud.resolve("cloud.json"),
        "{\"faults\": [{\"call\": \"create\", \"kind\": \"eip\", \"trouble\": \"denied\"}]}");
    Cli.Result failed = cli.run("vm", "deploy", "--vm", "x");
    assertThat(failed.code()).isNotZero();
    Files.delete(cloud.resolve("cloud.json"));
    assertThat(cli.ok("vm", "status", "--vm", "x").out())
        .contains("VM x is deploying")
        .contains(
            "Run `baton vm --vm x deploy` to finish, or `baton vm --vm x destroy` to delete what"
                + " it has created.");
  }

  @Test
  void anInterruptedDeployGoesOnWithoutAQuestionWhereNobodyCanBeAsked() throws IOException {
    interruptedDeploy();
    assertThat(cli.ok("vm", "deploy", "--vm", "x").out())
        .contains("VM x is running")
        .contains("continued where it was interrupted");
  }

  @Test
  void anInterruptedDeployCanBeDestroyed() throws IOException {
    interruptedDeploy();
    assertThat(cli.ok("vm", "destroy", "--vm", "x", "--yes").out()).contains("VM x is gone");
    assertThat(resources()).isEmpty();
  }

  @Test
  void aRepairSaysWhatItHasCreated() throws IOException {
    cli.ok("vm", "deploy");
    assertThat(cli.ok("vm", "deploy").out()).contains("nothing was missing");
    Files.delete(place.resolve(".cloud/resources/i-4.json"));
    Files.delete(place.resolve(".cloud/resources/eip-5.json"));
    assertThat(cli.ok("vm", "deploy").out())
        .contains("repaired: instance and address created")
        .doesNotContain("looked over");
  }

  @Test
  void whoTriesItOutReadsThatTheCloudIsSimulated() {
    String where = "The cloud is simulated: files in " + place.resolve(".cloud") + ".";
    assertThat(cli.ok("vm", "deploy").out()).contains(where);
    assertThat(cli.ok("vm", "status").out()).contains(where);
    assertThat(cli.json("vm", "status").get("simulated").asBoolean()).isTrue();
    assertThat(cli.ok("vm", "destroy", "--no-snapshot", "--yes").out()).doesNotContain("simulated");
  }

  @Test
  void aCommandRunsInItsOwnDirectoryAndItsCodeComesBack() throws IOException {
    assertThat(cli.run("vm", "exec", "--", "true").code()).isEqualTo(ExitCode.REFUSED.code);
    assertThat(cli.run("vm", "--vm", "x", "exec", "--", "true").err())
        .contains("VM x is not deployed")
        .contains("Bring it up with `baton vm --vm x deploy`.");
    cli.ok("vm", "deploy");
    Path said = home.resolve("said");
    int code =
        cli.run(
                "vm",
                "exec",
                "--",
                "sh",
                "-c",
                "echo $BATON_VM $BATON_VM_IP $(pwd) > " + said + "; exit 7")
            .code();
    assertThat(code).isEqualTo(7);
    assertThat(said).content().startsWith("default 203.0.113.").contains(".cloud/disks/i-");
    assertThat(cli.run("vm", "exec", "--", "no-such-command").code())
        .isEqualTo(ExitCode.NOT_FOUND.code);
  }

  @Test
  void aSweepSaysWhatItWouldDoAndDoesItWhenTold() throws IOException {
    cli.ok("vm", "deploy");
    // As if somebody had lost all that was known about the VM but the id of the place.
    for (String file : List.of("state.json", ".journal/journal.json")) {
      Files.delete(place.resolve(file));
    }
    for (String old : List.of("previous", "previous-2")) {
      Files.deleteIfExists(place.resolve(".journal/journal." + old + ".json"));
    }
    assertThat(cli.ok("vm", "sweep").out()).contains("too young");
    assertThat(cli.ok("vm", "sweep", "--min-age", "0").out())
        .contains("would remove")
        .contains("Nothing was removed yet. `baton vm sweep --yes` removes it.");
    assertThat(resources()).hasSize(5);
    JsonNode swept = cli.json("vm", "sweep", "--yes", "--min-age", "0");
    assertThat(swept.get("findings")).isNotEmpty();
    assertThat(swept.get("findings").findValuesAsText("result")).containsOnly("removed");
    assertThat(resources()).isEmpty();
    assertThat(cli.ok("vm", "sweep", "--min-age", "0").out()).contains("Nothing was left behind");
  }

  private Duration left(Cli who) {
    String end = who.json("vm", "status").get("expiresAt").asText();
    return Duration.between(Instant.now(), Instant.parse(end));
  }

  @Test
  void underALockOfTheQueueAVmLivesAsLongAsThatMayBeHeld() {
    cli.ok("vm", "deploy", "--max-life", "1h");
    cli.ok("vm", "exec", "--", "true");
    assertThat(left(cli)).isLessThanOrEqualTo(Duration.ofHours(1));
    Cli inside = cli.with("BATON_TICKET", "4").with("BATON_FENCING_TOKEN", "7");
    inside.ok("vm", "exec", "--", "true");
    assertThat(left(cli)).isBetween(Duration.ofMinutes(350), Duration.ofHours(6));
    assertThat(cli.ok("vm", "status").out()).contains(", or 1 h after its last use");
    assertThat(cli.json("vm", "status").get("maxLifeSeconds").asInt()).isEqualTo(3600);
    assertThat(cli.json("vm", "history")).as("leaves no record").hasSize(1);
  }

  @Test
  void whoeverIsInAVmWithoutAnEndGivesItNone() {
    cli.ok("vm", "deploy");
    cli.with("BATON_TICKET", "4").ok("vm", "exec", "--", "true");
    assertThat(cli.json("vm", "status").has("expiresAt")).isFalse();
  }

  @Test
  void aVmThatIsStoppedAndStillBilledIsToldEverywhere() {
    cli.ok("vm", "deploy", "--type", "sim.local");
    Cli.Result suspended = cli.ok("vm", "suspend");
    assertThat(suspended.out())
        .contains("is suspended")
        .contains("note: ")
        .contains("still billed");
    assertThat(cli.ok("vm", "status").out()).contains("VM default is suspended").contains("billed");
    assertThat(cli.json("vm", "status").get("billedWhileStopped").asBoolean()).isTrue();
    assertThat(cli.ok("vm", "history").out()).contains("note: the instance is stopped but still");
    assertThat(cli.json("vm", "history").get(1).get("note").asText()).contains("still billed");
    assertThat(cli.json("vm", "resume").get("billedWhileStopped").asBoolean()).isFalse();
    assertThat(cli.json("vm", "suspend").get("notes").get(0).asText()).contains("still billed");
  }

  @Test
  void theScriptIsNeverWrittenDown() throws IOException {
    Files.writeString(home.resolve("setup.sh"), "register --token s3cr3t\n");
    cli.ok("vm", "deploy", "--script", "setup.sh", "--max-life", "8h");
    assertThat(cli.ok("vm", "status").out())
        .contains("taken down in 7 h 59 min, or 8 h after its last use");
    try (Stream<Path> files = Files.walk(place)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        assertThat(Files.readString(file)).as(file.toString()).doesNotContain("s3cr3t");
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "vm suspend                        | 5 | cannot suspend a VM that is not deployed",
        "vm resume                         | 5 | cannot resume a VM that is not deployed",
        "vm deploy --type huge             | 2 | unknown instance type \"huge\"",
        "vm deploy --disk 0                | 2 | disk must have 1 to 32768 GB: 0",
        "vm deploy --script missing.sh     | 2 | the file missing.sh cannot be read",
        "vm deploy --vm Bad_Name           | 2 | VM name must be",
        "vm status --cloud moon            | 2 | unsupported cloud \"moon\"",
        "vm status --cloud qemuu           | 2 | Did you mean qemu?",
        "vm status --vm-store ftp://x      | 2 | unsupported store for VM states \"ftp://x\"",
        "vm history --limit 0              | 2 | --limit must be positive",
        "vm destroy --keep-snapshot --no-snapshot | 2 | mutually exclusive",
        "vm explode                        | 2 | unknown",
      })
  void badInputIsTwoLinesAndChangesNothing(String line, int code, String what) throws IOException {
    Cli.Result result = cli.run(line.split(" +"));
    assertThat(result.code()).as(result.err()).isEqualTo(code);
    assertThat(result.err().lines()).as(result.err()).hasSize(2);
    assertThat(result.err()).contains(what);
    assertThat(resources()).isEmpty();
    assertThat(place.resolve("state.json")).doesNotExist();
  }

  @Test
  void helpTeaches() {
    String help = cli.run("vm", "deploy", "--help").out();
    assertThat(help).contains("--max-life").contains("baton vm deploy --vm nightly");
    assertThat(cli.run("help", "vm").out()).contains("sweep").contains("Examples:");
  }

  private void cloudIs(String settings) throws IOException {
    Files.writeString(
        Files.createDirectories(place.resolve(".cloud")).resolve("cloud.json"), settings);
  }

  @Test
  void stoppedResizedAndStartedAgain() throws IOException {
    cli.ok("vm", "deploy");
    assertThat(cli.ok("vm", "status").out()).contains("processors", "memory         2 GB");
    Cli.Result stopped = cli.ok("vm", "stop");
    assertThat(stopped.out()).contains("VM default is stopped");
    assertThat(cli.ok("vm", "stop").out()).startsWith("Nothing to do");
    assertThat(cli.run("vm", "exec", "--", "true").err()).contains("`baton vm start`");
    assertThat(cli.ok("vm", "resize", "--cpus", "2", "--memory", "4g").err())
        .contains("[1/1] size: instance_type sim.small, cpus 2, memory_mb 4096");
    assertThat(cli.ok("vm", "resize", "--cpus", "2").out())
        .contains("VM default has that size already");
    assertThat(cli.ok("vm", "start").out()).contains("VM default is running");
    JsonNode status = cli.json("vm", "status");
    assertThat(status.get("facts").get("cpus").asText()).isEqualTo("2");
    assertThat(status.get("resources").get("ecs").get("memory_mb").asText()).isEqualTo("4096");
    assertThat(cli.ok("vm", "resize", "--type", "sim.large").err())
        .contains("[1/3] stop the instance", "[3/3] start the instance");
  }

  @Test
  void aResizeThatDoesNotComeUpSaysThatItIsBack() throws IOException {
    cli.ok("vm", "deploy");
    cloudIs("{\"faults\": [{\"call\": \"boot\", \"trouble\": \"bad_request\"}]}");
    Cli.Result failed = cli.run("vm", "resize", "--cpus", "2");
    assertThat(failed.code()).isNotZero();
    assertThat(failed.err())
        .contains("VM default has its old size again", "cpus 1", "Choose another size");
    assertThat(cli.json("vm", "status").get("status").asText()).isEqualTo("running");
  }

  @Test
  void disksComeAndGo() throws IOException {
    cli.ok("vm", "deploy");
    Cli.Result early = cli.run("vm", "attach", "cache", "--size", "20");
    assertThat(early.code()).isEqualTo(ExitCode.REFUSED.code);
    assertThat(early.err())
        .contains("cannot attach a disk to a VM that is running", "`baton vm stop` first");
    cli.ok("vm", "stop");
    assertThat(cli.ok("vm", "attach", "cache", "--size", "20").out())
        .contains("VM default is stopped, and its disk is attached");
    assertThat(cli.ok("vm", "attach", "cache").out()).contains("is already attached");
    assertThat(cli.ok("vm", "status").out()).containsPattern("disk cache +d-\\d+, 20 GB\\n");
    cli.ok("vm", "detach", "cache");
    assertThat(cli.ok("vm", "status").out()).contains("20 GB, detached");
    JsonNode disk = cli.json("vm", "status").get("disks").get(0);
    assertThat(disk.get("name").asText()).isEqualTo("cache");
    assertThat(disk.get("wanted").asText()).isEqualTo("detached");
    Cli.Result unasked = cli.run("vm", "detach", "cache", "--delete");
    assertThat(unasked.code()).isEqualTo(ExitCode.USAGE.code);
    assertThat(unasked.err()).contains("Delete disk cache", "Add --yes");
    cli.ok("vm", "detach", "cache", "--delete", "--yes");
    assertThat(cli.json("vm", "status").get("disks")).isEmpty();
    cli.ok("vm", "destroy", "--no-snapshot", "--yes");
    assertThat(resources()).isEmpty();
  }

  @Test
  void imagesAreCheckedUsedAndKept() throws IOException {
    Files.writeString(home.resolve("debian.img"), "a disk\n");
    String sum = "f".repeat(64);
    Cli.Result wrong = cli.run("vm", "image", "add", "debian", "debian.img", "--sha256", sum);
    assertThat(wrong.code()).isEqualTo(ExitCode.USAGE.code);
    assertThat(wrong.err()).contains("the checksum of ", "not " + sum);
    assertThat(cli.ok("vm", "image", "list").out()).contains("There are no images");
    assertThat(cli.ok("vm", "image", "add", "debian", "debian.img").out())
        .contains("Image debian is there", "`baton vm deploy --image debian`");
    assertThat(cli.run("vm", "deploy", "--image", "ubuntu").err())
        .contains("unknown image \"ubuntu\"", "`baton vm image list`");
    cli.ok("vm", "deploy", "--image", "debian");
    JsonNode image = cli.json("vm", "image", "list").get(0);
    assertThat(image.get("usedBy").get(0).asText()).isEqualTo("default");
    assertThat(cli.run("vm", "image", "remove", "debian").err()).contains("Add --yes");
    Cli.Result used = cli.run("vm", "image", "remove", "debian", "--yes");
    assertThat(used.code()).isNotZero();
    assertThat(used.err()).contains("is used by VM default", "Destroy what uses it first");
    cli.ok("vm", "destroy", "--no-snapshot", "--yes");
    assertThat(cli.ok("vm", "image", "remove", "debian", "--yes").out()).contains("is gone");
    assertThat(cli.run("vm", "image", "remove", "debian", "--yes").err())
        .contains("there is no image", "`baton vm image list`");
  }

  @Test
  void aWarmStartIsListedAndRemoved() throws IOException {
    Files.writeString(home.resolve("setup.sh"), "true\n");
    Cli.Result first = cli.ok("vm", "deploy", "--script", "setup.sh", "--warm");
    assertThat(first.err()).contains("prepared VM: s-");
    Cli.Result second = cli.ok("vm", "deploy", "--vm", "b", "--script", "setup.sh", "--warm");
    assertThat(second.err()).contains("prepared VM: s-").doesNotContain("warm-");
    String all = cli.ok("vm", "status", "--all").out();
    assertThat(all).contains("for warm starts", "New VMs start warm from its snapshot");
    String prepared = all.substring(all.indexOf("VM warm-") + 3).split(" ")[0];
    for (String vm : List.of("default", "b", prepared)) {
      cli.ok("vm", "destroy", "--vm", vm, "--no-snapshot", "--yes");
    }
    assertThat(resources()).isEmpty();
  }

  @Test
  void aCloudThatCannotSaysWhatToDoInstead() throws IOException {
    cloudIs("{\"no_memory\": true}");
    cli.ok("vm", "deploy");
    assertThat(cli.run("vm", "stop").err())
        .contains("the cloud simulated cannot stop a VM apart", "Run `baton vm suspend`");
    assertThat(cli.run("vm", "start").err()).contains("Run `baton vm resume`");
    assertThat(cli.run("vm", "resize", "--cpus", "2").err()).contains("cannot resize a VM");
    assertThat(cli.run("vm", "attach", "cache", "--size", "1").err())
        .contains("cannot attach or detach disks");
    assertThat(cli.run("vm", "deploy", "--vm", "b", "--warm").err())
        .contains("cannot start a VM from a prepared one");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "vm resize                        | Give --cpus, --memory or --type",
        "vm resize --memory lots          | memory must be a size such as 512M or 4G",
        "vm resize --cpus 0               | processors must be 1 to 1024",
        "vm resize --cpus many            | a whole number",
        "vm resize --memory 16384G        | no simulated machine has as much",
        "vm attach Cache --size 1         | disk name must be 1 to 20",
        "vm attach cache --size 0         | disk must have 1 to 32768 GB",
        "vm detach a/b                    | disk name must be 1 to 20",
        "vm image add ../x setup.sh       | image name must be 1 to 63",
        "vm image add x nowhere.img       | is not a file that can be read",
        "vm image add x setup.sh --sha256 1 | has 64 of 0-9 and a-f",
      })
  void whatCannotBeIsAnsweredInOneMessage(String line, String said) throws IOException {
    Files.writeString(home.resolve("setup.sh"), "true\n");
    cli.ok("vm", "deploy");
    Cli.Result result = cli.run(line.strip().split(" +"));
    assertThat(result.code()).as(result.err()).isEqualTo(ExitCode.USAGE.code);
    assertThat(result.err()).contains(said).doesNotContain("Exception");
  }
}
