package dev.baton.qemu.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.qemu.node.Machine.Power;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Machines with real QEMU processes, and a real guest in them. */
class RealMachineTest {
  private static final String COUNT =
      "(setsid sh -c 'i=0; while :; do i=$((i+1)); echo $i > /run/count; sleep 0.2; done'"
          + " > /dev/null 2>&1 < /dev/null &)";

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
