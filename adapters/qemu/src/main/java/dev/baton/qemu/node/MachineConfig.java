package dev.baton.qemu.node;

import dev.baton.core.json.Fields;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * What a virtual machine is like. Every value has a form that needs no quoting anywhere: names and
 * titles of people's are not among them.
 *
 * @param uuid by which its process is recognised
 * @param generation the id by which a guest notices that it is a copy
 * @param mac of its network card
 * @param subnet of QEMU's own network
 * @param restricted whether the guest reaches nothing but who comes in by a forwarded port
 * @param lan where a second network card leads; empty: it has none
 * @param port of the loopback address that leads to its SSH server; empty: none yet
 * @param disks further ones, by the file that they are in
 * @param hostKey the public half of its host key
 */
public record MachineConfig(
    UUID uuid,
    UUID generation,
    int cpus,
    int memoryMb,
    String mac,
    String subnet,
    boolean restricted,
    Optional<Lan> lan,
    Optional<Integer> port,
    List<Drive> disks,
    String hostKey) {
  private static final int HOST = 15;

  /**
   * A further disk.
   *
   * @param serial what the guest sees in {@code /dev/disk/by-id}
   */
  public record Drive(String file, String serial) {
    public Drive {
      require("file of a disk", file, "/[^\\x00-\\x1f]{1,4000}");
      require("serial of a disk", serial, "[a-z0-9-]{1,20}");
    }
  }

  /**
   * A network of this machine's.
   *
   * @param tap the device that is the machine's alone
   * @param bridge that the device is a port of
   */
  public record Lan(String tap, String bridge) {
    public Lan {
      require("tap device", tap, "[a-z0-9]{1,15}");
      require("bridge", bridge, "[a-zA-Z0-9_.-]{1,15}");
    }
  }

  public MachineConfig {
    if (cpus < 1 || cpus > 1_024) {
      throw new IllegalArgumentException("processors must be 1 to 1024: " + cpus);
    }
    if (memoryMb < 64 || memoryMb > 16 << 20) {
      throw new IllegalArgumentException("memory must be 64 MB to 16 TB: " + memoryMb + " MB");
    }
    require("MAC address", mac, "([0-9a-f]{2}:){5}[0-9a-f]{2}");
    require("subnet", subnet, "[0-9.]{7,15}/[0-9]{1,2}");
    Objects.requireNonNull(lan, "lan");
    if (port.filter(p -> p < 1 || p > 65_535).isPresent()) {
      throw new IllegalArgumentException("port must be 1 to 65535: " + port.get());
    }
    disks = List.copyOf(disks);
    require("host key", hostKey, "[a-z0-9-]+ [A-Za-z0-9+/=]+");
  }

  private static void require(String what, String value, String form) {
    if (!value.matches(form)) {
      throw new IllegalArgumentException(what + " has a wrong form: " + value);
    }
  }

  /** What its guest has on that network. */
  String address() {
    return address(0);
  }

  /** One that is so many after it. */
  String address(int after) {
    String network = subnet.substring(0, subnet.indexOf('/'));
    int dot = network.lastIndexOf('.') + 1;
    return network.substring(0, dot) + (Integer.parseInt(network.substring(dot)) + HOST + after);
  }

  public MachineConfig withPort(Optional<Integer> other) {
    return new MachineConfig(
        uuid, generation, cpus, memoryMb, mac, subnet, restricted, lan, other, disks, hostKey);
  }

  public MachineConfig withSize(int otherCpus, int otherMemoryMb) {
    return new MachineConfig(
        uuid,
        generation,
        otherCpus,
        otherMemoryMb,
        mac,
        subnet,
        restricted,
        lan,
        port,
        disks,
        hostKey);
  }

  public MachineConfig withDisks(List<Drive> others) {
    return new MachineConfig(
        uuid, generation, cpus, memoryMb, mac, subnet, restricted, lan, port, others, hostKey);
  }

  Map<String, Object> fields() {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("uuid", uuid.toString());
    m.put("generation", generation.toString());
    m.put("cpus", cpus);
    m.put("memory_mb", memoryMb);
    m.put("mac", mac);
    m.put("subnet", subnet);
    m.put("restricted", restricted);
    lan.ifPresent(l -> m.put("lan", Map.of("tap", l.tap(), "bridge", l.bridge())));
    port.ifPresent(p -> m.put("port", p));
    List<Map<String, Object>> drives = new ArrayList<>();
    for (Drive drive : disks) {
      drives.add(Map.of("file", drive.file(), "serial", drive.serial()));
    }
    m.put("disks", drives);
    m.put("host_key", hostKey);
    return m;
  }

  static MachineConfig of(Fields f) {
    return f.checked(
        () ->
            new MachineConfig(
                UUID.fromString(f.string("uuid")),
                UUID.fromString(f.string("generation")),
                f.integer("cpus"),
                f.integer("memory_mb"),
                f.string("mac"),
                f.string("subnet"),
                f.flag("restricted"),
                f.optionalObject("lan").map(l -> new Lan(l.string("tap"), l.string("bridge"))),
                f.optional("port", f::integer),
                f.objects("disks", d -> new Drive(d.string("file"), d.string("serial"))),
                f.string("host_key")));
  }
}
