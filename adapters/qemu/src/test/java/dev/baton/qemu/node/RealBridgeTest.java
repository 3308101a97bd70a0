package dev.baton.qemu.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.baton.qemu.fake.ForwardingHost;
import dev.baton.qemu.node.MachineConfig.Lan;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A machine at a bridge, in a network namespace of the test's: only root can make one. */
class RealBridgeTest {
  private static final Lan LAN = new Lan("bi1", "br0");

  @TempDir Path root;
  private final String name = "baton-" + ProcessHandle.current().pid();
  private final HostMachine plain = RealGuest.host();
  private boolean made;

  @BeforeEach
  void make() throws Exception {
    assumeThat(System.getProperty("user.name"))
        .as("network namespaces need root")
        .isEqualTo("root");
    assumeThat(ip("netns", "add", name)).as("ip, of iproute2, makes network namespaces").isTrue();
    made = true;
    assertThat(ip("-n", name, "link", "set", "lo", "up")).isTrue();
    assertThat(ip("-n", name, "link", "add", "br0", "type", "bridge")).isTrue();
    assertThat(ip("-n", name, "address", "add", "10.9.0.1/24", "dev", "br0")).isTrue();
    assertThat(ip("-n", name, "link", "set", "br0", "up")).isTrue();
  }

  @AfterEach
  void remove() throws Exception {
    if (made) {
      ip("netns", "delete", name);
    }
  }

  private boolean ip(String... arguments) throws InterruptedException {
    List<String> line = new ArrayList<>(List.of("ip"));
    line.addAll(List.of(arguments));
    try {
      return plain.run(line, new byte[0], Duration.ofSeconds(20)).isGood();
    } catch (NodeException e) {
      return false;
    }
  }

  private List<String> inside() {
    return List.of("ip", "netns", "exec", name);
  }

  /** This machine, as it is in that namespace. */
  private HostMachine host() {
    LinuxHost linux =
        new LinuxHost(
            inside(), Map.of("PATH", System.getenv("PATH") + ":/usr/sbin", "LC_ALL", "C"));
    return new ForwardingHost(linux) {
      @Override
      public Finished run(List<String> line, byte[] input, Duration patience)
          throws NodeException, InterruptedException {
        List<String> all = new ArrayList<>(inside());
        all.addAll(line);
        return super.run(all, input, patience);
      }

      @Override
      public boolean isSshThere(int port, Duration patience) {
        // Not from here: `ssh` finds out.
        return true;
      }
    };
  }

  @Test
  void theDeviceIsThereAsLongAsTheMachineAndThePacketsGoThrough() throws Exception {
    HostMachine host = host();
    assertThat(new Taps(host).hasBridge("br0")).isTrue();
    assertThat(new Taps(host).hasBridge("br1")).isFalse();
    assertThat(new Taps(host).hasBridge("lo")).isFalse();
    try (RealGuest real = RealGuest.in(root, host)) {
      Machine machine = real.machine("i-1", real.freePort(), LAN);
      assertThat(isThere()).as("before it is started").isFalse();
      machine.start();
      real.awaitReady(machine);
      assertThat(
              RealGuest.run(
                  machine,
                  "ip address add 10.9.0.2/24 dev eth1 && ping -c 3 -w 20 10.9.0.1 > /dev/null &&"
                      + " echo through"))
          .isEqualTo("through");
      machine.suspend();
      machine.start();
      real.awaitReady(machine);
      assertThat(RealGuest.run(machine, "ping -c 1 -w 20 10.9.0.1 > /dev/null && echo through"))
          .isEqualTo("through");
      machine.remove();
      assertThat(isThere()).as("after it is gone").isFalse();
    }
  }

  private boolean isThere() throws InterruptedException {
    return ip("-n", name, "link", "show", "dev", LAN.tap());
  }
}
