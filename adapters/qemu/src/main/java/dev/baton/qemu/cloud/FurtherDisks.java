package dev.baton.qemu.cloud;

import dev.baton.qemu.node.MachineConfig;
import dev.baton.qemu.node.Node;
import dev.baton.qemu.node.NodeException;
import dev.baton.vm.Kind;
import dev.baton.vm.Trouble;
import dev.baton.vm.spi.Disks;
import dev.baton.vm.spi.ProviderException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Disks beside those that machines start from: {@code disks/ID.qcow2}. */
final class FurtherDisks {
  static final String NAME = "name";
  static final String SIZE = "size_gb";

  private final Node node;
  private final Books books;

  FurtherDisks(Node node, Books books) {
    this.node = node;
    this.books = books;
  }

  static Map<String, String> plan(String name, int gigabytes) {
    Map<String, String> p = new LinkedHashMap<>();
    p.put(NAME, name);
    p.put(SIZE, Integer.toString(gigabytes));
    return p;
  }

  private Path file(String id) {
    return node.settings().root().resolve("disks").resolve(id + ".qcow2");
  }

  void make(Entry disk) throws NodeException, ProviderException, InterruptedException {
    Path file = file(disk.id());
    try {
      node.directory("disks");
      if (!Files.exists(file)) {
        node.disks().create(file, Long.parseLong(disk.parameters().get(SIZE)) << 30);
      }
      node.give(file);
    } catch (IOException e) {
      throw Troubles.of("write", file, e);
    }
  }

  void remove(String id) throws ProviderException {
    try {
      Files.deleteIfExists(file(id));
    } catch (IOException e) {
      throw Troubles.of("remove", file(id), e);
    }
  }

  /** Those that an instance has, by their names. */
  List<MachineConfig.Drive> of(String instance) throws ProviderException {
    List<Entry> disks = new ArrayList<>();
    for (Entry e : books.all()) {
      if (e.kind() == Kind.DISK && instance.equals(e.attributes().get(Disks.INSTANCE))) {
        disks.add(e);
      }
    }
    return disks.stream()
        .map(e -> new MachineConfig.Drive(file(e.id()).toString(), e.parameters().get(NAME)))
        .sorted((a, b) -> a.serial().compareTo(b.serial()))
        .toList();
  }

  /**
   * @param ids with commas
   */
  void attachAll(String ids, String instance) throws ProviderException {
    for (String id : ids.split(",")) {
      if (!id.isBlank()) {
        attach(id, instance);
      }
    }
  }

  void attach(String id, String instance) throws ProviderException {
    books.alone(
        () -> {
          Entry disk =
              books
                  .get(Kind.DISK, id)
                  .orElseThrow(
                      () ->
                          new ProviderException(
                              Trouble.NOT_FOUND, "disk " + id + " does not exist"));
          requireUnattached(disk, instance);
          books.put(disk.with(Disks.INSTANCE, instance));
          return null;
        });
  }

  void detach(String id) throws ProviderException {
    books.alone(
        () -> {
          books.put(books.get(Kind.DISK, id).orElseThrow().without(Disks.INSTANCE));
          return null;
        });
  }

  /**
   * @param but that instance may have it
   */
  void requireUnattached(Entry disk, String but) throws ProviderException {
    String instance = disk.attributes().getOrDefault(Disks.INSTANCE, "");
    if (!instance.isEmpty()
        && !instance.equals(but)
        && books.get(Kind.INSTANCE, instance).isPresent()) {
      throw new ProviderException(
          Trouble.DEPENDENCY, "disk " + disk.id() + " is attached to " + instance);
    }
  }
}
