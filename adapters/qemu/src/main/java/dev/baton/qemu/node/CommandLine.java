package dev.baton.qemu.node;

import dev.baton.core.json.PlainJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The arguments of QEMU, from typed values alone. Devices are given as JSON, in which no comma
 * needs doubling; files are named as seen from the machine's own directory.
 */
final class CommandLine {
  static final String DISK = "disk";
  static final String MEMORY = "memory";
  static final String NETWORK = "net";

  private CommandLine() {}

  /**
   * @param binary QEMU
   * @param socket of its monitor
   * @param withMemory whether the file with the memory that was kept is attached
   * @param foreignMemory whether that memory, or what has become of it, was another machine's
   */
  static List<String> of(
      String binary,
      Accelerator.Kind how,
      MachineConfig m,
      String socket,
      boolean withMemory,
      boolean foreignMemory) {
    List<String> line = new ArrayList<>(List.of(binary));
    // Nothing but what stands here, and nothing that listens but the monitor.
    line.addAll(List.of("-nodefaults", "-no-user-config", "-display", "none", "-vga", "none"));
    line.addAll(
        List.of(
            "-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"));
    line.addAll(List.of("-uuid", m.uuid().toString(), "-S"));
    line.addAll(List.of("-machine", "q35,accel=" + how.word(), "-cpu", how.cpu()));
    line.addAll(List.of("-smp", Integer.toString(m.cpus()), "-m", m.memoryMb() + "M"));
    line.addAll(List.of("-qmp", "unix:" + socket + ",server=on,wait=off"));
    line.addAll(List.of("-serial", "file:" + Machine.CONSOLE));
    disk(line, DISK, qcow2(DISK, Machine.DISK), Map.of("bootindex", 1));
    disk(line, "seed", seed(), Map.of());
    for (int i = 0; i < m.disks().size(); i++) {
      MachineConfig.Drive drive = m.disks().get(i);
      disk(line, "data" + i, qcow2("data" + i, drive.file()), Map.of("serial", drive.serial()));
    }
    if (withMemory) {
      line.addAll(List.of("-blockdev", PlainJson.text(qcow2(MEMORY, Machine.MEMORY))));
    }
    Map<String, Object> user = new LinkedHashMap<>();
    user.put("type", "user");
    user.put("id", NETWORK);
    user.put("net", m.subnet());
    user.put("restrict", m.restricted());
    // The other's card has the first address still; the second is what this guest gets then.
    user.put("dhcpstart", m.address(foreignMemory ? -1 : 0));
    line.addAll(List.of("-netdev", PlainJson.text(user)));
    line.addAll(List.of("-device", card(NETWORK, m.mac())));
    if (m.lan().isPresent()) {
      Map<String, Object> tap = new LinkedHashMap<>();
      tap.put("type", "tap");
      tap.put("id", "lan");
      tap.put("ifname", m.lan().get().tap());
      tap.put("script", "no");
      tap.put("downscript", "no");
      line.addAll(List.of("-netdev", PlainJson.text(tap)));
      line.addAll(List.of("-device", card("lan", second(m.mac()))));
    }
    line.addAll(List.of("-device", "virtio-rng-pci"));
    line.addAll(List.of("-device", "vmgenid,guid=" + m.generation()));
    return line;
  }

  private static void disk(
      List<String> line, String node, Map<String, Object> blockdev, Map<String, Object> more) {
    Map<String, Object> device = new LinkedHashMap<>();
    device.put("driver", "virtio-blk-pci");
    device.put("id", node + "-device");
    device.put("drive", node);
    device.putAll(more);
    line.addAll(List.of("-blockdev", PlainJson.text(blockdev)));
    line.addAll(List.of("-device", PlainJson.text(device)));
  }

  static Map<String, Object> qcow2(String node, String file) {
    Map<String, Object> blockdev = new LinkedHashMap<>();
    blockdev.put("driver", "qcow2");
    blockdev.put("node-name", node);
    blockdev.put("discard", "unmap");
    blockdev.put("file", Map.of("driver", "file", "filename", file));
    return blockdev;
  }

  private static Map<String, Object> seed() {
    Map<String, Object> blockdev = new LinkedHashMap<>();
    blockdev.put("driver", "vvfat");
    blockdev.put("node-name", "seed");
    blockdev.put("dir", Machine.SEED);
    blockdev.put("label", "cidata");
    // What may be written to could not be suspended.
    blockdev.put("read-only", true);
    return blockdev;
  }

  private static String card(String netdev, String mac) {
    Map<String, Object> device = new LinkedHashMap<>();
    device.put("driver", "virtio-net-pci");
    device.put("id", netdev + "-device");
    device.put("netdev", netdev);
    device.put("mac", mac);
    // It starts from its disk alone.
    device.put("romfile", "");
    return PlainJson.text(device);
  }

  /** Of another card of the same machine. */
  static String second(String mac) {
    return "56" + mac.substring(2);
  }
}
