package dev.baton.qemu.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Machines with the tiny guest, in a directory of a test. */
public final class RealGuest implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  public final Node node;

  private RealGuest(Path root, HostMachine host) {
    NodeSettings usual = NodeSettings.in(root);
    // KVM may be there and abort; TrialTest looks at it.
    node =
        new Node(
            new NodeSettings(
                root,
                usual.qemu(),
                usual.qemuImg(),
                usual.ssh(),
                Optional.empty(),
                Optional.of(Accelerator.Kind.TCG),
                PATIENCE),
            host);
  }

  public static HostMachine host() {
    return new LinuxHost(
        List.of(), Map.of("PATH", System.getenv("PATH") + ":/usr/sbin", "LC_ALL", "C"));
  }

  /** Leaves out the test where there is no QEMU; the build says so. */
  public static RealGuest in(Path root) {
    assumeThat(image()).exists();
    return in(root, host());
  }

  static RealGuest in(Path root, HostMachine host) {
    assumeThat(image()).exists();
    return new RealGuest(root, host);
  }

  public static Path image() {
    return Path.of(System.getProperty("baton.qemu.guest"));
  }

  /** One that was made and not started. */
  public Machine machine(String id, int port) throws NodeException, InterruptedException {
    Machine machine = node.machine(id);
    SshKeyPair hostKey = SshKeyPair.create();
    machine.prepare(config(hostKey).withPort(Optional.of(port)), hostKey, "baton-" + id, List.of());
    machine.overlay(image(), 1L << 30);
    return machine;
  }

  /** One that is a port of a bridge too. */
  Machine machine(String id, int port, MachineConfig.Lan lan)
      throws NodeException, InterruptedException {
    Machine machine = node.machine(id);
    SshKeyPair hostKey = SshKeyPair.create();
    machine.prepare(
        config(hostKey, "52:54:00:12:34:56", Optional.of(lan)).withPort(Optional.of(port)),
        hostKey,
        "baton-" + id,
        List.of());
    machine.overlay(image(), 1L << 30);
    return machine;
  }

  /** One with the disk of another. */
  Machine machine(String id, int port, String mac, Path disk)
      throws NodeException, InterruptedException {
    Machine machine = node.machine(id);
    SshKeyPair hostKey = SshKeyPair.create();
    machine.prepare(
        config(hostKey, mac, Optional.empty()).withPort(Optional.of(port)),
        hostKey,
        "baton-" + id,
        List.of());
    machine.copy(disk, Optional.of(image()), 1L << 30);
    return machine;
  }

  public static MachineConfig config(SshKeyPair hostKey) {
    return config(hostKey, "52:54:00:12:34:56", Optional.empty());
  }

  private static MachineConfig config(
      SshKeyPair hostKey, String mac, Optional<MachineConfig.Lan> lan) {
    return new MachineConfig(
        UUID.randomUUID(),
        UUID.randomUUID(),
        1,
        128,
        mac,
        "192.168.231.0/24",
        true,
        lan,
        Optional.empty(),
        List.of(),
        hostKey.publicLine());
  }

  public int freePort() {
    for (int port = 21_000; port < 30_000; port++) {
      if (node.host().isFree(port)) {
        return port;
      }
    }
    throw new IllegalStateException("no port is free");
  }

  public void awaitReady(Machine machine) throws NodeException, InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!machine.isReady()) {
      assertThat(System.nanoTime()).as(() -> console(machine)).isLessThan(end);
      assertThat(machine.power()).as(() -> console(machine)).isEqualTo(Machine.Power.RUNNING);
      Thread.sleep(300);
    }
  }

  public static String console(Machine machine) {
    try {
      return Files.readString(machine.console());
    } catch (IOException e) {
      return e.toString();
    }
  }

  public static String run(Machine machine, String command)
      throws NodeException, InterruptedException {
    return machine.guest().orElseThrow().run(command, "", Duration.ofMinutes(1)).strip();
  }

  @Override
  public void close() {
    try {
      for (String id : node.machines()) {
        node.machine(id).remove();
      }
    } catch (NodeException | InterruptedException e) {
      throw new AssertionError(e);
    }
    node.close();
  }
}
