package dev.baton.qemu.cloud;

import dev.baton.qemu.node.Machine;
import dev.baton.qemu.node.Node;
import dev.baton.qemu.node.NodeException;
import dev.baton.qemu.node.Origin;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Kind;
import dev.baton.vm.Trouble;
import dev.baton.vm.spi.Disks;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.spi.WarmStarts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * Snapshots with memory, for copies to start from: beside the disk {@code
 * snapshots/ID.memory.qcow2} and {@code ID.key}, by which a copy is let into until it has a key of
 * its own.
 */
final class WarmSnapshots {
  private static final String HOST_KEY = "origin_host_key";
  private static final String LOGIN_KEY = "origin_login_key";
  private static final String MAC = "origin_mac";
  private static final String MEMORY_FILE = ".memory.qcow2";
  private static final String KEY_FILE = ".key";

  /** What must be the same in the copy, or its guest would find other devices than it had. */
  private static final List<String> HARDWARE =
      List.of(QemuProvider.CPUS, QemuProvider.MEMORY, QemuProvider.DISK);

  private final QemuSettings settings;
  private final Node node;
  private final Library library;
  private final Books books;

  WarmSnapshots(QemuSettings settings, Node node, Library library, Books books) {
    this.settings = settings;
    this.node = node;
    this.library = library;
    this.books = books;
  }

  static Path file(Node node, String id, String end) {
    return node.settings().root().resolve("snapshots").resolve(id + end);
  }

  /** All that a memory depends on: what is in it, the devices it knows, and who can read it. */
  String key(DeploySpec spec, Size size, String image)
      throws ProviderException, InterruptedException {
    if (!settings.bridge().isEmpty()) {
      // Two with one address at the same bridge would disturb each other until one is renamed.
      throw new ProviderException(
          Trouble.BAD_REQUEST, "VMs at a bridge boot, each with an address of its own");
    }
    try {
      String version =
          node.host()
              .run(
                  List.of(node.settings().qemu(), "--version"), new byte[0], Duration.ofSeconds(30))
              .output();
      List<String> parts =
          List.of(
              "1",
              size.toString(),
              Integer.toString(spec.diskGb()),
              library.checksum(image),
              spec.publicKey(),
              spec.application().map(DeploySpec.Application::fingerprint).orElse(""),
              Boolean.toString(settings.restricted()),
              node.accelerator().kind().word(),
              version);
      byte[] hash =
          MessageDigest.getInstance("SHA-256")
              .digest(String.join("\n", parts).getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash);
    } catch (NodeException e) {
      throw Troubles.of(e);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** Keeps disk and memory of a machine that runs. */
  Entry keep(
      Machine machine, Entry instance, Entry snapshot, Path base, Machine.Meanwhile meanwhile)
      throws ProviderException, NodeException, InterruptedException {
    Path disk = file(node, snapshot.id(), ".qcow2");
    try {
      node.directory("snapshots");
    } catch (IOException e) {
      throw Troubles.of("make", disk.getParent(), e);
    }
    Origin origin =
        machine.copyWithMemory(
            base,
            disk,
            file(node, snapshot.id(), MEMORY_FILE),
            file(node, snapshot.id(), KEY_FILE),
            meanwhile);
    Entry kept =
        snapshot
            .with(WarmStarts.MEMORY, "true")
            .with(HOST_KEY, origin.hostKey())
            .with(LOGIN_KEY, origin.loginKey())
            .with(MAC, origin.mac());
    for (String name : HARDWARE) {
      kept = kept.with(name, instance.attributes().get(name));
    }
    return kept;
  }

  /** What an instance is to start from. */
  Entry require(Map<String, String> parameters) throws ProviderException {
    String id = parameters.get(WarmStarts.PREPARED);
    Entry snapshot =
        books
            .get(Kind.SNAPSHOT, id)
            .orElseThrow(
                () ->
                    new ProviderException(Trouble.NOT_FOUND, "snapshot " + id + " does not exist"));
    if (!snapshot.attributes().containsKey(WarmStarts.MEMORY)) {
      throw new ProviderException(
          Trouble.BAD_REQUEST, "snapshot " + id + " has no memory to start from");
    }
    if (parameters.containsKey(Disks.PARAMETER)) {
      throw new ProviderException(
          Trouble.BAD_REQUEST, "snapshot " + id + " knows nothing of the further disks of this VM");
    }
    Size size = Size.of(parameters.get("instance_type"));
    if (!Integer.toString(size.cpus()).equals(snapshot.attributes().get(QemuProvider.CPUS))
        || !Integer.toString(size.memoryMb()).equals(snapshot.attributes().get(QemuProvider.MEMORY))
        || !parameters
            .get(QemuProvider.DISK)
            .equals(snapshot.attributes().get(QemuProvider.DISK))) {
      throw new ProviderException(
          Trouble.BAD_REQUEST, "snapshot " + id + " was made of a VM of another size");
    }
    return snapshot;
  }

  void apply(Machine machine, Entry snapshot) throws NodeException, InterruptedException {
    machine.startFrom(
        new Origin(
            snapshot.attributes().get(HOST_KEY),
            snapshot.attributes().get(LOGIN_KEY),
            snapshot.attributes().get(MAC),
            false,
            false),
        file(node, snapshot.id(), MEMORY_FILE),
        file(node, snapshot.id(), KEY_FILE));
  }

  void remove(String id) throws IOException {
    for (String end : List.of(MEMORY_FILE, MEMORY_FILE + ".tmp", KEY_FILE)) {
      Files.deleteIfExists(file(node, id, end));
    }
  }
}
