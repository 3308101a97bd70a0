package dev.baton.qemu.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.SystemWorld;
import dev.baton.qemu.node.Accelerator;
import dev.baton.qemu.node.Guest;
import dev.baton.qemu.node.HostMachine;
import dev.baton.qemu.node.Machine;
import dev.baton.qemu.node.Node;
import dev.baton.qemu.node.NodeException;
import dev.baton.qemu.node.NodeSettings;
import dev.baton.qemu.node.RealGuest;
import dev.baton.vm.BuildVm;
import dev.baton.vm.Client;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Kind;
import dev.baton.vm.Options;
import dev.baton.vm.Questions;
import dev.baton.vm.Status;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import dev.baton.vm.operation.Vms;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.spi.VmSpace;
import dev.baton.vm.store.FileVmSpace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The cloud qemu with real QEMU processes and the tiny guest, and states in files. */
final class RealCloud implements AutoCloseable {
  static final Options YES = Options.DEFAULT.asking(Questions.assumeYes()).forcing();
  static final DeploySpec SPEC =
      DeploySpec.of(QemuProvider.REGION, "1x128m")
          .withImage("tiny")
          .withDisk(1)
          .withApplication("echo installed > /var/lib/installed");

  final Path root;
  final HostMachine host = RealGuest.host();
  private final NodeSettings settings;
  private final VmSpace space;
  private final List<Node> nodes = new ArrayList<>();

  RealCloud(Path root) throws ProviderException, InterruptedException {
    this(root, RealGuest.image());
  }

  /**
   * @param image that is known as {@code tiny}
   */
  RealCloud(Path root, Path image) throws ProviderException, InterruptedException {
    this.root = root;
    NodeSettings usual = NodeSettings.in(root.resolve("q"));
    settings =
        new NodeSettings(
            usual.root(),
            usual.qemu(),
            usual.qemuImg(),
            usual.ssh(),
            Optional.empty(),
            Optional.of(Accelerator.Kind.TCG),
            Duration.ofMinutes(10));
    space = FileVmSpace.in(root.resolve("states"));
    new Library(node(host)).add("tiny", image, Optional.empty(), Instant.now());
  }

  private Node node(HostMachine seen) {
    Node node = new Node(settings, seen);
    nodes.add(node);
    return node;
  }

  /** The VM, for a client that sees the machine so. */
  BuildVm vm(HostMachine seen) {
    return vms(seen).vm(VmName.DEFAULT);
  }

  private Vms vms(HostMachine seen) {
    Node node = node(seen);
    QemuProvider provider =
        new QemuProvider(QemuSettings.in(settings), node, new Library(node), new SystemWorld());
    return Vms.open(space, provider, Client.named("test"));
  }

  /** Also what others start from. */
  void takeDownAll() throws VmException, InterruptedException {
    for (VmName name : vms(host).names()) {
      vms(host).vm(name).takeDown(YES);
    }
  }

  BuildVm vm() {
    return vm(host);
  }

  Machine machine() throws VmException, InterruptedException {
    return node(host)
        .machine(vm().status().state().orElseThrow().resource(Kind.INSTANCE).orElseThrow().id());
  }

  /** What a command on the VM says. */
  String run(String command) throws VmException, NodeException, InterruptedException {
    Guest guest = machine().guest().orElseThrow();
    return guest.run(command, "", Duration.ofMinutes(1)).strip();
  }

  Optional<Status> status() throws VmException, InterruptedException {
    return vm().status().state().map(s -> s.status());
  }

  /** Processes and files of machines, whoever has lost them. */
  List<String> left() {
    List<String> left = new ArrayList<>();
    for (String directory : List.of("vms", "run", "snapshots", "disks", "resources")) {
      Path d = settings.root().resolve(directory);
      if (Files.isDirectory(d)) {
        try (Stream<Path> all = Files.list(d)) {
          all.forEach(p -> left.add(root.relativize(p).toString()));
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
    ProcessHandle.allProcesses()
        .filter(p -> p.info().commandLine().filter(l -> l.contains("-uuid")).isPresent())
        .filter(this::isMine)
        .forEach(p -> left.add("process " + p.pid()));
    return left;
  }

  private boolean isMine(ProcessHandle process) {
    try {
      return Files.readSymbolicLink(Path.of("/proc/" + process.pid() + "/cwd")).startsWith(root);
    } catch (IOException e) {
      return false;
    }
  }

  void expectNothingLeft() {
    assertThat(left()).isEmpty();
  }

  @Override
  public void close() {
    try {
      takeDownAll();
    } catch (VmException | InterruptedException e) {
      throw new AssertionError(e);
    } finally {
      nodes.forEach(Node::close);
      ProcessHandle.allProcesses().filter(this::isMine).forEach(ProcessHandle::destroyForcibly);
    }
  }
}
