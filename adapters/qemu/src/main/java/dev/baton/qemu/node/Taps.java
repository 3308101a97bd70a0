package dev.baton.qemu.node;

import dev.baton.qemu.node.MachineConfig.Lan;
import dev.baton.qemu.node.NodeException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Devices by which machines are ports of a bridge. They need root, and do not outlive a reboot. */
public final class Taps {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final HostMachine host;

  public Taps(HostMachine host) {
    this.host = host;
  }

  /** Whether there is such a bridge. */
  public boolean hasBridge(String name) throws NodeException, InterruptedException {
    return ip(List.of("link", "show", "dev", name, "type", "bridge"))
        .filter(s -> !s.isBlank())
        .isPresent();
  }

  /**
   * Makes it a port of its bridge. Where it is one, nothing happens.
   *
   * @param user who may use the device
   */
  void make(Lan lan, Optional<String> user) throws NodeException, InterruptedException {
    if (ip(List.of("link", "show", "dev", lan.tap())).isEmpty()) {
      List<String> add = new ArrayList<>(List.of("tuntap", "add", "dev", lan.tap(), "mode", "tap"));
      user.ifPresent(u -> add.addAll(List.of("user", u)));
      require(lan, add);
    }
    require(lan, List.of("link", "set", "dev", lan.tap(), "master", lan.bridge(), "up"));
  }

  /** Nothing happens where it is gone. */
  void remove(Lan lan) throws NodeException, InterruptedException {
    if (ip(List.of("link", "show", "dev", lan.tap())).isPresent()) {
      require(lan, List.of("link", "delete", "dev", lan.tap()));
    }
  }

  private void require(Lan lan, List<String> arguments) throws NodeException, InterruptedException {
    HostMachine.Finished finished = host.run(line(arguments), new byte[0], PATIENCE);
    if (!finished.isGood()) {
      throw new NodeException(
          Reason.DENIED,
          "device " + lan.tap() + " of bridge " + lan.bridge() + ": " + finished.lastWords(),
          "Run Baton as root, or without a bridge.");
    }
  }

  private Optional<String> ip(List<String> arguments) throws NodeException, InterruptedException {
    HostMachine.Finished finished = host.run(line(arguments), new byte[0], PATIENCE);
    return finished.isGood() ? Optional.of(finished.output()) : Optional.empty();
  }

  private static List<String> line(List<String> arguments) {
    List<String> line = new ArrayList<>(List.of("ip"));
    line.addAll(arguments);
    return line;
  }
}
