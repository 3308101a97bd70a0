package dev.baton.qemu.cloud;

import dev.baton.core.World;
import dev.baton.qemu.fake.FakeHost;
import dev.baton.qemu.node.Accelerator;
import dev.baton.qemu.node.HostMachine;
import dev.baton.qemu.node.Node;
import dev.baton.qemu.node.NodeSettings;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Kind;
import dev.baton.vm.crash.LifecycleScene;
import dev.baton.vm.crash.SkippingWorld;
import dev.baton.vm.simulated.Fault;
import dev.baton.vm.spi.Cancel;
import dev.baton.vm.spi.Provider;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.spi.VmSpace;
import dev.baton.vm.store.MemoryVmSpace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The cloud qemu on a machine whose QEMU processes are simulated; its files are real. */
final class QemuScene implements LifecycleScene {
  static final DeploySpec SPEC =
      DeploySpec.of(QemuProvider.REGION, "1x512m")
          .withImage("tiny")
          .withDisk(10)
          .withPublicKey("ssh-ed25519 AAAA contract")
          .withApplication("echo installed");

  final SkippingWorld world = new SkippingWorld();
  final FakeHost host = new FakeHost(world);
  final Path root;
  final NodeSettings settings;
  private final FaultyProvider provider;
  private final QemuProvider real;
  private final VmSpace space = new MemoryVmSpace("memory000000", world::now);

  QemuScene() {
    try {
      // Thousands of small files in a row: in memory where there is such a directory.
      Path memory = Path.of("/dev/shm");
      root =
          Files.isWritable(memory)
              ? Files.createTempDirectory(memory, "bq")
              : Files.createTempDirectory("bq");
      Path images = Files.createDirectories(root.resolve("images"));
      Files.writeString(images.resolve("tiny.qcow2"), "disk 1073741824 ");
      Files.writeString(
          images.resolve("tiny.json"),
          """
          {"sha256": "%s", "format": "qcow2", "bytes": 16, "virtual_bytes": 1073741824,
           "added_at": "2026-01-01T00:00:00Z"}
          """
              .formatted("0".repeat(64)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    NodeSettings usual = NodeSettings.in(root);
    settings =
        new NodeSettings(
            usual.root(),
            usual.qemu(),
            usual.qemuImg(),
            usual.ssh(),
            Optional.empty(),
            Optional.of(Accelerator.Kind.TCG),
            usual.boot());
    real = on(host);
    provider = new FaultyProvider(real);
  }

  /** Another client's cloud, on the same machine as it sees that. */
  QemuProvider on(HostMachine seen) {
    Node node = new Node(settings, seen);
    return new QemuProvider(QemuSettings.in(settings), node, new Library(node), world);
  }

  @Override
  public Provider provider() {
    return provider;
  }

  @Override
  public VmSpace space() {
    return space;
  }

  @Override
  public World world() {
    return world;
  }

  @Override
  public DeploySpec spec() {
    return SPEC;
  }

  @Override
  public String zones() {
    throw new UnsupportedOperationException("there is one place");
  }

  @Override
  public void elapse(Duration time) {
    world.advance(time);
  }

  private Books books() {
    return new Books(root);
  }

  /** What is written down, and whatever else there is on the machine. */
  @Override
  public List<Thing> things() throws ProviderException {
    List<Thing> things = new ArrayList<>();
    List<Entry> entries = books().all();
    List<String> instances =
        entries.stream().filter(e -> e.kind() == Kind.INSTANCE).map(Entry::id).toList();
    for (Entry e : entries) {
      boolean part =
          e.kind() == Kind.APPLICATION
              && instances.contains(e.parameters().get(Kind.INSTANCE.key()));
      things.add(new Thing(e.kind().name(), Optional.of(e.kind()), e.id(), part));
    }
    if (instances.isEmpty()) {
      host.pids().forEach(p -> things.add(new Thing("PROCESS", Optional.empty(), "" + p, false)));
    }
    List<String> ids = entries.stream().map(Entry::id).toList();
    for (String directory : List.of("vms", "run", "snapshots", "disks")) {
      for (Path file : files(root.resolve(directory))) {
        String name = file.getFileName().toString();
        if (!ids.contains(name.replaceAll("\\..*", ""))) {
          things.add(new Thing("FILE", Optional.empty(), directory + "/" + name, false));
        }
      }
    }
    return things;
  }

  private static List<Path> files(Path directory) {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(directory)) {
      return all.toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Optional<Instant> releaseTime(String instance) {
    return Optional.empty();
  }

  @Override
  public boolean isFinished(String snapshot) throws ProviderException {
    return books().get(Kind.SNAPSHOT, snapshot).filter(Entry::done).isPresent();
  }

  @Override
  public void deleteByHand(Kind kind, String id) throws ProviderException, InterruptedException {
    if (kind == Kind.DISK) {
      Entry disk = books().get(kind, id).orElseThrow();
      books().put(disk.without("instance"));
    }
    if (kind == Kind.NETWORK) {
      books().remove(id);
    } else {
      real.delete(kind, id, patient());
    }
  }

  private Cancel patient() {
    return new Cancel() {
      @Override
      public void check() {}

      @Override
      public void pause(Duration time) {
        elapse(time);
      }
    };
  }

  @Override
  public void fail(Fault fault) {
    if (fault.call().equals("boot")) {
      host.nextBootFails();
    } else {
      provider.fail(fault);
    }
  }

  @Override
  public void mend() {
    provider.mend();
  }

  @Override
  public Optional<String> stranger() {
    return Optional.empty();
  }

  @Override
  public void close() {
    try (Stream<Path> all = Files.walk(root)) {
      for (Path p : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(p);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
