package dev.baton.qemu.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.qemu.node.Machine.Power;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Machines with real QEMU processes, and a real guest in them. */
class RealMachineTest {
  private static final String COUNT =
      "(setsid sh -c 'i=0; while :; do i=$((i+1)); echo $i > /run/count; sleep 0.2; done'"
          + " > /dev/null 2>&1 < /dev/null &)";

  /** Where it begins in what the table points to. */
  private static final int GENERATION = 40;

  @TempDir Path root;
  private RealGuest real;
  private Machine machine;

  @BeforeEach
  void boot() throws Exception {
    real = RealGuest.in(root);
    machine = real.machine("i-1", real.freePort());
  }

  @AfterEach
  void end() {
    if (real != null) {
      real.close();
      assertThat(root.resolve("run")).isEmptyDirectory();
      assertThat(root.resolve("vms")).isEmptyDirectory();
    }
  }

  private int count() throws Exception {
    return Integer.parseInt(RealGuest.run(machine, "cat /run/count"));
  }

  /** One long life, for a boot takes long. */
  @Test
  void aMachineBootsIsSuspendedGoesOnIsCopiedAndShutsDown() throws Exception {
    assertThat(machine.power()).isEqualTo(Power.OFF);
    machine.start();
    assertThat(machine.power()).isEqualTo(Power.RUNNING);
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(root.resolve("run/i-1.sock"))))
        .isEqualTo("rw-------");
    real.awaitReady(machine);
    assertThat(RealGuest.run(machine, "cat /var/lib/machine-id")).isEqualTo("i-1");
    RealGuest.run(machine, COUNT);
    RealGuest.run(machine, "echo kept > /var/lib/kept; sync; sleep 1");
    int before = count();
    assertThat(before).isPositive();

    machine.suspend();
    assertThat(machine.power()).isEqualTo(Power.SUSPENDED);
    assertThat(real.node.host().find(machine.config().uuid())).as("its memory is free").isEmpty();
    assertThat(machine.directory().resolve("memory.qcow2")).exists();
    machine.suspend();

    // As another process would, which knows only what is in the directory.
    machine = new Node(real.node.settings(), RealGuest.host()).machine("i-1");
    machine.start();
    real.awaitReady(machine);
    assertThat(machine.directory().resolve("memory.qcow2")).doesNotExist();
    int after = count();
    assertThat(after).as("it went on").isGreaterThanOrEqualTo(before);
    RealGuest.run(machine, "sleep 1");
    assertThat(count()).as("and goes on").isGreaterThan(after);

    Path copy = root.resolve("copy.qcow2");
    machine.copyDisk(RealGuest.image(), copy, () -> {});
    assertThat(real.node.disks().info(copy, Optional.of("qcow2")).backing())
        .contains(RealGuest.image().toString());

    machine.powerOff();
    assertThat(machine.power()).isEqualTo(Power.OFF);
    machine.start();
    real.awaitReady(machine);
    assertThat(RealGuest.run(machine, "cat /var/lib/kept; ls /run")).isEqualTo("kept");
  }

  @Test
  void aCopyOfAMachineThatRunsIsAnotherOne() throws Exception {
    machine.start();
    real.awaitReady(machine);
    RealGuest.run(machine, COUNT);
    String instance = RealGuest.run(machine, "cat /run/count");
    Files.createDirectories(root.resolve("kept"));
    Path disk = root.resolve("kept/d.qcow2");
    Path memory = root.resolve("kept/m.qcow2");
    Path key = root.resolve("kept/key");
    Origin origin = machine.copyWithMemory(RealGuest.image(), disk, memory, key, () -> {});
    RealGuest.run(machine, "echo later > /run/later");

    Machine copy = real.machine("i-2", real.freePort(), "52:54:00:65:43:21", disk);
    copy.startFrom(origin, memory, key);
    copy.start();
    real.awaitReady(copy);
    assertThat(RealGuest.run(copy, "cat /run/count")).isNotEmpty();
    assertThat(Integer.parseInt(RealGuest.run(copy, "cat /run/count")))
        .isGreaterThanOrEqualTo(Integer.parseInt(instance));
    assertThat(RealGuest.run(copy, "ls /run")).as("it did not boot").doesNotContain("later");
    assertThat(RealGuest.run(copy, "cat /sys/class/net/eth0/address"))
        .isEqualTo("52:54:00:65:43:21");
    assertThat(RealGuest.run(copy, "cat /var/lib/machine-id")).isEqualTo("i-2");
    assertThat(RealGuest.run(copy, "hostname")).isEqualTo("baton-i-2");
    assertThat(generation(copy)).isEqualTo(bytes(copy.config().generation()));
    assertThat(generation(machine)).isEqualTo(bytes(machine.config().generation()));
    assertThat(copy.directory().resolve("origin_key")).doesNotExist();
    // A lease of its own, at the address that the port leads to.
    RealGuest.run(copy, "udhcpc -i eth0 -q -n -s /bin/true > /run/lease 2>&1");
    assertThat(RealGuest.run(copy, "cat /run/lease")).contains("192.168.231.15");

    copy.suspend();
    copy.start();
    real.awaitReady(copy);
    assertThat(RealGuest.run(copy, "cat /sys/class/net/eth0/address"))
        .isEqualTo("52:54:00:65:43:21");
    copy.powerOff();
    copy.start();
    real.awaitReady(copy);
    assertThat(RealGuest.run(copy, "cat /sys/class/net/eth0/address"))
        .isEqualTo("52:54:00:65:43:21");
    assertThat(RealGuest.run(copy, "ls /run")).as("it booted").doesNotContain("count");
    assertThat(RealGuest.run(machine, "cat /run/later"))
        .as("and the other goes on")
        .isEqualTo("later");
  }

  /** The id by which a guest notices that it is a copy, as it is in the guest's memory. */
  private String generation(Machine machine) throws Exception {
    String table =
        RealGuest.run(machine, "cat /sys/firmware/acpi/tables/SSDT* | hexdump -ve '1/1 \"%02x\"'");
    // The name VGIA, and what it stands for: four bytes, the last one first.
    Matcher name = Pattern.compile("56474941" + "0c" + "(..)(..)(..)(..)").matcher(table);
    assertThat(name.find()).as(table).isTrue();
    long address =
        Long.parseLong(name.group(4) + name.group(3) + name.group(2) + name.group(1), 16);
    Object said =
        real.node
            .monitor(machine.id())
            .execute(
                "human-monitor-command",
                Map.of("command-line", "xp /16xb " + (address + GENERATION)),
                Duration.ofSeconds(10));
    real.node.hangUp(machine.id());
    return String.valueOf(said).replaceAll("(?m)^[0-9a-f]+:", "").replaceAll("0x|\\s", "");
  }

  /** The first three parts of an id have their last byte first there. */
  private static String bytes(UUID id) {
    return id.toString()
        .replace("-", "")
        .replaceFirst("(..)(..)(..)(..)(..)(..)(..)(..)", "$4$3$2$1$6$5$8$7");
  }

  @Test
  void aMachineWhoseProcessWasKilledIsOffAndBootsAgain() throws Exception {
    machine.start();
    ProcessIdentity process = real.node.host().find(machine.config().uuid()).orElseThrow();
    real.node.host().kill(process);
    while (real.node.host().isAlive(process)) {
      Thread.sleep(20);
    }
    assertThat(machine.power()).isEqualTo(Power.OFF);
    machine.start();
    assertThat(machine.power()).isEqualTo(Power.RUNNING);
  }

  @Test
  void whatQemuSaysAtItsStartIsShown() throws Exception {
    Files.writeString(machine.disk(), "not a disk");
    assertThatThrownBy(() -> machine.start())
        .isInstanceOf(NodeException.class)
        .hasMessageContaining("QEMU does not start: ")
        .hasMessageContaining("Image is not in qcow2 format");
    assertThat(machine.power()).isEqualTo(Power.OFF);
  }

  @Test
  void aStoppedProcessIsSilentAndCanBeEnded() throws Exception {
    machine.start();
    ProcessIdentity process = real.node.host().find(machine.config().uuid()).orElseThrow();
    new ProcessBuilder("kill", "-STOP", Long.toString(process.pid())).start().waitFor();
    assertThat(machine.power()).isEqualTo(Power.HANGS);
    int port = machine.config().port().orElseThrow();
    machine.remove();
    assertThat(real.node.host().isAlive(process)).isFalse();
    assertThat(real.node.host().isFree(port)).isTrue();
  }

  @Test
  void kvmIsTriedAndOtherwiseTheReasonIsTold() throws Exception {
    Node node = new Node(NodeSettings.in(root.resolve("trial")), RealGuest.host());
    Accelerator found = node.accelerator();
    if (found.kind() == Accelerator.Kind.TCG) {
      assertThat(found.why()).startsWith("KVM does not work: ");
    }
    assertThat(node.accelerator()).as("it is not tried twice").isEqualTo(found);
  }
}
