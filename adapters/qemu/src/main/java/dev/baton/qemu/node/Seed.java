package dev.baton.qemu.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What cloud-init finds in the guest, on a disk labelled {@code cidata}. */
final class Seed {
  private static final String KEY = "[a-z0-9@.-]{1,80} [A-Za-z0-9+/]+=*";

  private Seed() {}

  /**
   * @param id the guest sets itself up once for each
   * @param hostKey that it has from its first boot on
   * @param authorized who may log in as root; a line each
   */
  static void write(
      Path directory,
      String id,
      String name,
      SshKeyPair hostKey,
      MachineConfig config,
      List<String> authorized)
      throws IOException {
    Files.createDirectories(directory);
    StringBuilder user = new StringBuilder("#cloud-config\n");
    user.append("disable_root: false\n");
    // No other keys than the one that is known here.
    user.append("ssh_deletekeys: true\n");
    user.append("ssh_keys:\n  ed25519_private: |\n");
    hostKey.privateText().lines().forEach(l -> user.append("    ").append(l).append('\n'));
    user.append("  ed25519_public: ").append(hostKey.publicLine()).append(" baton\n");
    user.append("ssh_authorized_keys:\n");
    for (String key : authorized) {
      user.append("  - ").append(quotable(key)).append('\n');
    }
    Files.writeString(directory.resolve("user-data"), user.toString());
    Files.writeString(
        directory.resolve("meta-data"), "instance-id: " + id + "\nlocal-hostname: " + name + "\n");
    if (config.lan().isPresent()) {
      // Without it, cloud-init sets up one card and no more.
      Files.writeString(
          directory.resolve("network-config"),
          "version: 2\nethernets:\n"
              + card("net", config.mac(), "")
              + card("lan", CommandLine.second(config.mac()), "    optional: true\n"));
    }
  }

  private static String card(String name, String mac, String more) {
    return "  " + name + ":\n    match: {macaddress: '" + mac + "'}\n    dhcp4: true\n" + more;
  }

  /** The name that the guest gets from there. */
  static String name(Path directory) throws IOException {
    String start = "local-hostname: ";
    return Files.readAllLines(directory.resolve("meta-data")).stream()
        .filter(l -> l.startsWith(start))
        .map(l -> l.substring(start.length()))
        .findFirst()
        .orElseThrow(() -> new IOException(directory + " has no name"));
  }

  /** A line with a key cannot become another key of the document; its comment is of no use. */
  private static String quotable(String line) {
    String[] parts = line.strip().split(" ");
    if (parts.length < 2 || !(parts[0] + " " + parts[1]).matches(KEY)) {
      throw new IllegalArgumentException("an SSH public key must be a type, a key and a name");
    }
    return parts[0] + " " + parts[1];
  }
}
