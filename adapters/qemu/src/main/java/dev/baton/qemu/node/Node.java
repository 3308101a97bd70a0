package dev.baton.qemu.node;

import dev.baton.core.BrokenDocumentException;
import dev.baton.core.json.PlainJson;
import dev.baton.qemu.node.NodeException.Reason;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The virtual machines on one machine, and what they need there:
 *
 * <pre>
 * vms/ID/          a machine: machine.json, disk.qcow2, what cloud-init reads, the console, keys
 * run/ID.sock      the monitor of its QEMU
 * disks/           further ones
 * snapshots/       of disks, some with memory
 * accelerator      what was found out about KVM, since this boot
 * </pre>
 *
 * <p>Any number of processes may use the same directory: what works on a machine locks it. Safe for
 * use by several threads.
 */
public final class Node implements AutoCloseable {
  /** The kernel takes no longer name of a socket, with the zero at its end. */
  private static final int LONGEST_SOCKET = 107;

  private static final Duration CONNECT = Duration.ofSeconds(15);
  private static final Duration TRIAL = Duration.ofSeconds(20);
  private static final Duration TRIAL_RUN = Duration.ofSeconds(1);

  private final NodeSettings settings;
  private final HostMachine host;
  private final Map<String, Monitor> monitors = new ConcurrentHashMap<>();

  public Node(NodeSettings settings, HostMachine host) {
    this.settings = settings;
    this.host = host;
  }

  public NodeSettings settings() {
    return settings;
  }

  public HostMachine host() {
    return host;
  }

  public QemuImg disks() {
    return new QemuImg(host, settings.qemuImg());
  }

  /** A machine, whether it exists or not. */
  public Machine machine(String id) {
    if (!id.matches("[a-z0-9-]{1,40}")) {
      throw new IllegalArgumentException("not the id of a machine: " + id);
    }
    return new Machine(this, id);
  }

  /** Those that have a directory. */
  public List<String> machines() throws NodeException {
    Path all = settings.root().resolve("vms");
    List<String> ids = new ArrayList<>();
    if (Files.isDirectory(all)) {
      try (DirectoryStream<Path> found = Files.newDirectoryStream(all)) {
        found.forEach(p -> ids.add(p.getFileName().toString()));
      } catch (IOException e) {
        throw Texts.cannot("read", all, e);
      }
    }
    return ids;
  }

  /** Makes the directories, for this user alone. */
  void prepare() throws NodeException {
    Path longest = socket("i-" + "0".repeat(12));
    if (longest.toString().getBytes(StandardCharsets.UTF_8).length > LONGEST_SOCKET) {
      throw new NodeException(
          Reason.BAD_INPUT,
          settings.root() + " is too long for the names of sockets in it",
          "Set BATON_QEMU_HOME to a directory with a shorter name.");
    }
    for (String name : List.of("vms", "run", "disks", "snapshots")) {
      try {
        Path directory = directory(name);
        if (name.equals("run")) {
          give(directory);
        }
      } catch (IOException e) {
        throw Texts.cannot("make", settings.root().resolve(name), e);
      }
    }
  }

  /**
   * A directory of these, which is made where it is not there. What guests have on their disks is
   * for this user alone; the one that QEMU runs as gets to the files that it is given.
   */
  public Path directory(String name) throws IOException {
    Path directory = settings.root().resolve(name);
    if (!Files.isDirectory(directory)) {
      Files.createDirectories(directory);
    }
    Files.setPosixFilePermissions(
        directory,
        PosixFilePermissions.fromString(settings.user().isPresent() ? "rwx--x--x" : "rwx------"));
    return directory;
  }

  Path socket(String id) {
    return settings.root().resolve("run").resolve(id + ".sock");
  }

  /** To the user that QEMU runs as. */
  public void give(Path file) throws IOException {
    if (settings.user().isPresent()) {
      Files.setOwner(
          file,
          file.getFileSystem()
              .getUserPrincipalLookupService()
              .lookupPrincipalByName(settings.user().get()));
    }
  }

  // ---- monitors

  /** The one connection to a machine; a new one where the last one has gone. */
  Monitor monitor(String id) throws NodeException, InterruptedException {
    Monitor kept = monitors.get(id);
    if (kept != null && kept.isOpen()) {
      return kept;
    }
    Monitor opened = host.connect(socket(id), CONNECT);
    monitors.put(id, opened);
    return opened;
  }

  /** Lets others talk to it. */
  void hangUp(String id) {
    Monitor kept = monitors.remove(id);
    if (kept != null) {
      kept.close();
    }
  }

  // ---- who works on what

  /** What is done on a machine while nothing else is. */
  interface Work<T> {
    T run() throws NodeException, InterruptedException;
  }

  <T> T alone(String id, Work<T> work) throws NodeException, InterruptedException {
    prepare();
    Path file = settings.root().resolve("run").resolve(id + ".lock");
    // Interned strings are the same for every copy of this class in the process, and the system
    // does not let one process lock a file twice.
    synchronized (("dev.baton.qemu " + file).intern()) {
      try (FileChannel channel =
              FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          FileLock lock = channel.lock()) {
        if (!lock.isValid()) {
          throw new IOException("the lock is not valid");
        }
        return work.run();
      } catch (IOException e) {
        throw Texts.cannot("lock", file, e);
      } finally {
        // Another process may want to talk to it next.
        hangUp(id);
      }
    }
  }

  // ---- files

  static Optional<Map<String, Object>> read(Path file) throws NodeException {
    try {
      return Optional.of(PlainJson.object(Files.readString(file)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw Texts.cannot("read", file, e);
    } catch (BrokenDocumentException e) {
      throw new NodeException(
          Reason.BROKEN, file + " is damaged: " + e.what(), "Repair or delete it.", e);
    }
  }

  /** In one step: a process that is killed here leaves the old file or the new one. */
  static void write(Path file, String content) throws NodeException {
    Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
    try {
      Files.writeString(temporary, content);
      Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw Texts.cannot("write", file, e);
    }
  }

  // ---- KVM

  /**
   * KVM if a machine runs with it here, as was tried since the last boot; it may be there and not
   * work.
   */
  public Accelerator accelerator() throws NodeException, InterruptedException {
    if (settings.accelerator().isPresent()) {
      Accelerator.Kind kind = settings.accelerator().get();
      return new Accelerator(kind, kind == Accelerator.Kind.KVM ? "" : "asked for");
    }
    return alone(
        "accelerator",
        () -> {
          Path file = settings.root().resolve("accelerator");
          ProcessIdentity self = host.self();
          Optional<Map<String, Object>> known = read(file);
          if (known.filter(k -> self.boot().equals(k.get("boot"))).isPresent()) {
            return new Accelerator(
                Accelerator.Kind.valueOf((String) known.get().get("kind")),
                String.valueOf(known.get().get("why")));
          }
          Accelerator found = tried();
          write(
              file,
              PlainJson.text(
                      Map.of("boot", self.boot(), "kind", found.kind().name(), "why", found.why()))
                  + "\n");
          return found;
        });
  }

  private Accelerator tried() throws NodeException, InterruptedException {
    UUID trial = UUID.randomUUID();
    Path output = settings.root().resolve("run").resolve("trial.log");
    Path socket = socket("trial");
    ProcessIdentity process = null;
    try {
      Files.deleteIfExists(output);
      Files.deleteIfExists(socket);
      process =
          host.start(
              List.of(
                  settings.qemu(),
                  "-nodefaults",
                  "-no-user-config",
                  "-display",
                  "none",
                  "-uuid",
                  trial.toString(),
                  "-S",
                  "-machine",
                  "q35,accel=kvm",
                  "-cpu",
                  "host",
                  "-m",
                  "64M",
                  "-qmp",
                  "unix:" + socket.getFileName() + ",server=on,wait=off"),
              socket.getParent(),
              output);
      try (Monitor monitor = await(socket, process, output, TRIAL)) {
        // Its firmware runs for a moment: what does not work aborts at the first instruction.
        monitor.execute("cont", Map.of(), TRIAL);
        long start = host.nanos();
        while (host.nanos() - start < TRIAL_RUN.toNanos()) {
          host.pause(Duration.ofMillis(100));
          Object status = monitor.execute("query-status", Map.of(), TRIAL);
          if (!(status instanceof Map<?, ?> m && "running".equals(m.get("status")))) {
            return new Accelerator(Accelerator.Kind.TCG, "KVM does not work: " + status);
          }
        }
      }
      return new Accelerator(Accelerator.Kind.KVM, "");
    } catch (NodeException e) {
      return new Accelerator(Accelerator.Kind.TCG, "KVM does not work: " + e.what());
    } catch (IOException e) {
      throw Texts.cannot("write", output, e);
    } finally {
      if (process != null) {
        host.kill(process);
      }
      socket.toFile().delete();
      output.toFile().delete();
    }
  }

  /**
   * Waits until QEMU listens.
   *
   * @throws NodeException with what QEMU has written, when it has ended
   */
  Monitor await(Path socket, ProcessIdentity process, Path output, Duration patience)
      throws NodeException, InterruptedException {
    long start = host.nanos();
    while (true) {
      try {
        return host.connect(socket, CONNECT);
      } catch (NodeException e) {
        if (e.reason() != Reason.MISSING) {
          throw e;
        }
        if (!host.isAlive(process)) {
          throw new NodeException(Reason.BROKEN, "QEMU does not start: " + words(output), "", e);
        }
        if (host.nanos() - start > patience.toNanos()) {
          throw new NodeException(
              Reason.SILENT,
              "QEMU has not opened its monitor after " + patience.toSeconds() + " s",
              "",
              e);
        }
        host.pause(Duration.ofMillis(20));
      }
    }
  }

  /** What QEMU says is wrong: the last lines of its output, without its name. */
  static String words(Path output) {
    try {
      List<String> lines =
          Files.readAllLines(output, StandardCharsets.ISO_8859_1).stream()
              .map(l -> l.replaceAll("[^ -~]", "").strip())
              .filter(l -> !l.isEmpty() && !l.contains("warning:"))
              .toList();
      return lines.isEmpty()
          ? "it has written nothing"
          : String.join("; ", lines.subList(Math.max(0, lines.size() - 3), lines.size()));
    } catch (IOException e) {
      return "its output in " + output + " cannot be read";
    }
  }

  @Override
  public void close() {
    List.copyOf(monitors.keySet()).forEach(this::hangUp);
  }
}
