package dev.baton.qemu.node;

import dev.baton.core.json.Fields;
import dev.baton.core.json.JsonFile;
import dev.baton.qemu.node.NodeException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One virtual machine, in a directory. Each method may be repeated, also after a process was killed
 * in the middle of it; each one that changes something locks the machine.
 *
 * <p>Memory that is kept is believed only when {@code machine.json} says that it is whole. That is
 * taken back before the guest goes on, so that no later start can go back to it.
 */
public final class Machine {
  static final String DISK = "disk.qcow2";
  static final String MEMORY = "memory.qcow2";
  static final String SEED = "seed";
  static final String CONSOLE = "console.log";

  private static final String OUTPUT = "qemu.log";
  private static final String FILE = "machine.json";
  private static final String TAG = "baton";
  private static final Duration START = Duration.ofSeconds(60);
  private static final Duration REPLY = Duration.ofSeconds(30);
  private static final Duration KINDNESS = Duration.ofSeconds(10);
  private static final Duration END = Duration.ofSeconds(20);
  private static final Duration SAVE = Duration.ofMinutes(15);
  private static final Duration RENAMING = Duration.ofMinutes(1);
  private static final long SPARE = 256L << 20;

  private final Node node;
  private final HostMachine host;
  private final String id;
  private final Path directory;

  Machine(Node node, String id) {
    this.node = node;
    this.host = node.host();
    this.id = id;
    this.directory = node.settings().root().resolve("vms").resolve(id);
  }

  /** What a machine does. */
  public enum Power {
    RUNNING,
    /** QEMU is there and the guest stands still, with its memory: something was interrupted. */
    PAUSED,
    /** QEMU is there and was not told to begin: something was interrupted. */
    PREPARED,
    /** QEMU is there and does not answer. */
    HANGS,
    /** The memory is kept, and QEMU is not needed any more. */
    SUSPENDED,
    OFF
  }

  /**
   * What is known of it.
   *
   * @param suspended the memory that is kept is whole, and nothing has happened since
   * @param complete its process has all that it needs, and has only to be told to begin
   * @param ready the guest has let us in since it began
   * @param origin what it is a copy of; empty: it has booted by itself
   */
  private record File(
      MachineConfig config,
      boolean suspended,
      boolean complete,
      boolean ready,
      Optional<Origin> origin,
      Optional<ProcessIdentity> process) {
    File suspended(boolean so) {
      return new File(config, so, complete, ready, origin, process);
    }

    File complete(boolean so) {
      return new File(config, suspended, so, ready, origin, process);
    }

    File ready(boolean so) {
      return new File(config, suspended, complete, so, origin, process);
    }

    File with(Origin other) {
      return new File(config, suspended, complete, ready, Optional.of(other), process);
    }

    File with(ProcessIdentity other) {
      return new File(config, suspended, complete, ready, origin, Optional.of(other));
    }

    File with(MachineConfig other) {
      return new File(other, suspended, complete, ready, origin, process);
    }

    /** Whether the memory that it has, or is to have, is that of a machine it was copied from. */
    boolean hasForeignMemory() {
      return origin.filter(o -> !o.booted()).isPresent();
    }

    /** Whether its guest still believes to be the one that it was copied from. */
    boolean isImpostor() {
      return origin.filter(o -> !o.booted() && !o.renamed()).isPresent();
    }
  }

  public String id() {
    return id;
  }

  public Path directory() {
    return directory;
  }

  public Path disk() {
    return directory.resolve(DISK);
  }

  public Path console() {
    return directory.resolve(CONSOLE);
  }

  /** The key that opens it. */
  public Path key() {
    return directory.resolve("id_ed25519");
  }

  private Path publicKey() {
    return directory.resolve("id_ed25519.pub");
  }

  /** For a guest that does not get it from cloud-init any more. */
  private Path hostKey() {
    return directory.resolve("host_key");
  }

  public boolean exists() {
    return Files.exists(directory.resolve(FILE));
  }

  public MachineConfig config() throws NodeException {
    return file().config();
  }

  private File file() throws NodeException {
    Fields f =
        Fields.ofDocument(
            Node.read(directory.resolve(FILE))
                .orElseThrow(
                    () -> new NodeException(Reason.MISSING, "there is no machine " + id, "")));
    return new File(
        MachineConfig.of(f.object("config")),
        f.flag("suspended"),
        f.flag("complete"),
        f.flag("ready"),
        f.optionalObject("origin").map(Origin::of),
        f.optionalObject("process")
            .map(p -> new ProcessIdentity(p.number("pid"), p.number("start"), p.string("boot"))));
  }

  private void write(File file) throws NodeException {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("config", file.config().fields());
    m.put("suspended", file.suspended());
    m.put("complete", file.complete());
    m.put("ready", file.ready());
    file.origin().ifPresent(o -> m.put("origin", o.fields()));
    file.process()
        .ifPresent(
            p -> m.put("process", Map.of("pid", p.pid(), "start", p.start(), "boot", p.boot())));
    Node.write(directory.resolve(FILE), JsonFile.of(m));
  }

  // ---- to be

  /**
   * Writes down what the machine is like, and what cloud-init reads. Where that was done, nothing
   * happens.
   *
   * @param authorized further keys that may log in
   */
  public void prepare(
      MachineConfig config, SshKeyPair hostKey, String name, List<String> authorized)
      throws NodeException, InterruptedException {
    node.alone(
        id,
        () -> {
          if (exists()) {
            return null;
          }
          try {
            Files.createDirectories(directory);
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
            SshKeyPair own = SshKeyPair.create();
            Files.deleteIfExists(key());
            Files.createFile(
                key(),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(key(), own.privateText());
            Files.writeString(publicKey(), own.publicLine());
            Files.deleteIfExists(hostKey());
            Files.createFile(
                hostKey(),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(hostKey(), hostKey.privateText());
            Path seed = directory.resolve(SEED);
            Seed.write(
                seed,
                id,
                name,
                hostKey,
                config,
                Stream.concat(Stream.of(own.publicLine()), authorized.stream()).toList());
            try (Stream<Path> all = Files.walk(seed)) {
              for (Path file : all.toList()) {
                node.give(file);
              }
            }
            node.give(directory);
          } catch (IOException e) {
            throw Texts.cannot("write", directory, e);
          }
          write(new File(config, false, false, false, Optional.empty(), Optional.empty()));
          return null;
        });
  }

  /** Makes its disk on top of another. Where it is there, nothing happens. */
  public void overlay(Path base, long bytes) throws NodeException, InterruptedException {
    node.alone(
        id,
        () -> {
          if (!Files.exists(disk())) {
            node.disks().overlay(base, disk(), bytes);
            give();
          }
          return null;
        });
  }

  /** Makes its disk a copy of another, on top of the same base. */
  public void copy(Path from, Optional<Path> base, long bytes)
      throws NodeException, InterruptedException {
    node.alone(
        id,
        () -> {
          if (!Files.exists(disk())) {
            Path half = directory.resolve("copy.qcow2");
            node.disks().copy(from, "qcow2", base, half);
            if (node.disks().info(half, Optional.of("qcow2")).virtualBytes() < bytes) {
              node.disks().grow(half, bytes);
            }
            try {
              Files.move(half, disk(), StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException e) {
              throw Texts.cannot("write", disk(), e);
            }
            give();
          }
          return null;
        });
  }

  private void give() throws NodeException {
    try {
      node.give(disk());
    } catch (IOException e) {
      throw Texts.cannot("give to its user", disk(), e);
    }
  }

  /** Changes what it is like, from its next start on. */
  public void configure(MachineConfig config) throws NodeException, InterruptedException {
    node.alone(
        id,
        () -> {
          write(file().with(config));
          return null;
        });
  }

  /** Ends it and removes all that there is of it. */
  public void remove() throws NodeException, InterruptedException {
    node.alone(
        id,
        () -> {
          if (exists()) {
            end(file());
            if (config().lan().isPresent()) {
              new Taps(host).remove(config().lan().get());
            }
          }
          try {
            Files.deleteIfExists(node.socket(id));
            // What says that there is a machine goes last.
            if (Files.exists(directory)) {
              try (Stream<Path> all = Files.walk(directory)) {
                for (Path p :
                    all.sorted(
                            Comparator.comparing(this::isRecord)
                                .thenComparing(Comparator.reverseOrder()))
                        .toList()) {
                  if (!p.equals(directory)) {
                    Files.deleteIfExists(p);
                  }
                }
              }
              Files.deleteIfExists(directory);
            }
          } catch (IOException e) {
            throw Texts.cannot("remove", directory, e);
          }
          return null;
        });
    node.settings().root().resolve("run").resolve(id + ".lock").toFile().delete();
  }

  private boolean isRecord(Path file) {
    return file.equals(directory.resolve(FILE));
  }

  // ---- to run

  /** What it does now. */
  public Power power() throws NodeException, InterruptedException {
    return node.alone(id, () -> power(file()));
  }

  private Power power(File file) throws NodeException, InterruptedException {
    Optional<ProcessIdentity> process = process(file);
    if (process.isEmpty()) {
      return file.suspended() ? Power.SUSPENDED : Power.OFF;
    }
    try {
      String status = status(monitor(file));
      return switch (status) {
        case "running" -> Power.RUNNING;
        case "prelaunch" -> file.suspended() ? Power.SUSPENDED : Power.PREPARED;
        default -> file.suspended() ? Power.SUSPENDED : Power.PAUSED;
      };
    } catch (NodeException e) {
      if (e.reason() == Reason.SILENT) {
        return Power.HANGS;
      }
      if (process(file).isEmpty()) {
        return file.suspended() ? Power.SUSPENDED : Power.OFF;
      }
      return e.reason() == Reason.MISSING ? Power.HANGS : rethrow(e);
    }
  }

  private static Power rethrow(NodeException e) throws NodeException {
    throw e;
  }

  private static String status(Monitor monitor) throws NodeException, InterruptedException {
    return monitor.execute("query-status", Map.of(), REPLY) instanceof Map<?, ?> m
        ? String.valueOf(m.get("status"))
        : "";
  }

  /** The one that was written down, or one that was started and not written down any more. */
  private Optional<ProcessIdentity> process(File file) {
    return file.process().filter(host::isAlive).or(() -> host.find(file.config().uuid()));
  }

  /**
   * The monitor, if it is that of this machine.
   *
   * @throws NodeException {@code TAKEN} when another QEMU listens there
   */
  private Monitor monitor(File file) throws NodeException, InterruptedException {
    Monitor monitor = node.monitor(id);
    require(monitor, file);
    return monitor;
  }

  private void require(Monitor monitor, File file) throws NodeException, InterruptedException {
    Object uuid =
        monitor.execute("query-uuid", Map.of(), REPLY) instanceof Map<?, ?> m ? m.get("UUID") : "";
    if (!file.config().uuid().toString().equals(uuid)) {
      throw new NodeException(
          Reason.TAKEN, node.socket(id) + " belongs to another QEMU: " + uuid, "");
    }
  }

  /**
   * Starts it, from the memory that is kept if there is any, or lets it go on. Nothing happens when
   * it runs. The guest may take a while until it {@link #isReady}.
   */
  public void start() throws NodeException, InterruptedException {
    Accelerator how = node.accelerator();
    node.alone(
        id,
        () -> {
          File file = file();
          switch (power(file)) {
            case RUNNING -> {}
            case PAUSED -> monitor(file).execute("cont", Map.of(), REPLY);
            case PREPARED -> {
              if (file.complete()) {
                monitor(file).execute("cont", Map.of(), REPLY);
              } else {
                end(file);
                launch(file, how);
              }
            }
            case HANGS -> {
              end(file);
              launch(file.suspended(false), how);
            }
            case SUSPENDED, OFF -> {
              // One that kept its memory and was not ended any more, or that never loaded it.
              end(file);
              launch(file, how);
            }
          }
          return null;
        });
  }

  private void launch(File before, Accelerator how) throws NodeException, InterruptedException {
    File file = before.ready(false).complete(false);
    if (!file.suspended() && file.origin().isPresent()) {
      file = file.with(file.origin().get().havingBooted());
    }
    requireRoom(file);
    // Before there is a process: one that nobody has written down is found by its id.
    write(file);
    Path output = directory.resolve(OUTPUT);
    Path socket = node.socket(id);
    Path memory = directory.resolve(MEMORY);
    ProcessIdentity process;
    if (file.config().lan().isPresent()) {
      new Taps(host).make(file.config().lan().get(), node.settings().user());
    }
    try {
      Files.deleteIfExists(output);
      Files.deleteIfExists(socket);
      if (!file.suspended()) {
        // Of a suspend that did not come to its end, or that is over.
        Files.deleteIfExists(memory);
      } else if (!Files.exists(memory)) {
        throw lostMemory(file, "it is not there");
      }
      process =
          host.start(
              CommandLine.of(
                  node.settings().qemu(),
                  how.kind(),
                  file.config(),
                  directory.relativize(socket).toString(),
                  file.suspended(),
                  file.hasForeignMemory()),
              directory,
              output);
    } catch (IOException e) {
      throw Texts.cannot("start QEMU in", directory, e);
    }
    file = file.with(process);
    write(file);
    try (Monitor monitor = node.await(socket, process, output, START)) {
      Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
      require(monitor, file);
      if (file.config().port().isPresent()) {
        forward(monitor, file.config(), file.config().port().get());
      }
      if (file.suspended()) {
        load(monitor, file);
        file = file.suspended(false).complete(true);
        // From here on the memory is worth nothing: the guest changes its disk.
        write(file);
        monitor.execute("cont", Map.of(), REPLY);
        monitor.execute("blockdev-del", Map.of("node-name", CommandLine.MEMORY), REPLY);
        Files.deleteIfExists(memory);
      } else {
        write(file.complete(true));
        monitor.execute("cont", Map.of(), REPLY);
      }
    } catch (IOException e) {
      host.kill(process);
      throw Texts.cannot("use", socket, e);
    } catch (NodeException e) {
      host.kill(process);
      throw e;
    }
  }

  private void requireRoom(File file) throws NodeException {
    if (!Files.exists(disk())) {
      throw new NodeException(
          Reason.MISSING,
          "the disk of " + id + " is gone: " + disk(),
          "Put it back, or destroy the VM without a snapshot and deploy it again.");
    }
    long free = host.freeMemoryMb();
    if (free < file.config().memoryMb()) {
      throw new NodeException(
          Reason.NO_ROOM,
          "this machine has "
              + free
              + " MB of memory left, and the VM has "
              + file.config().memoryMb()
              + " MB",
          "Suspend or destroy another VM, or take a smaller type.");
    }
    if (file.config().port().filter(p -> !host.isFree(p)).isPresent()) {
      throw new NodeException(
          Reason.TAKEN,
          "port "
              + file.config().port().get()
              + " of 127.0.0.1, which leads to the VM's SSH server,"
              + " is taken by another program",
          "End that program, and try again.");
    }
  }

  private NodeException lostMemory(File file, String why) throws NodeException {
    write(file.suspended(false));
    return new NodeException(
        Reason.BROKEN,
        "the memory that was kept of " + id + " cannot be loaded: " + why,
        "Start it again: it then boots from its disk, as after a power cut.");
  }

  private void load(Monitor monitor, File file) throws NodeException, InterruptedException {
    try {
      snapshot(monitor, "snapshot-load");
    } catch (NodeException e) {
      throw e.reason() == Reason.BROKEN ? lostMemory(file, e.what()) : e;
    }
  }

  /**
   * Memory is kept in a file of its own. The disk needs no snapshot beside it: it does not change
   * before the memory is loaded, or the memory is given up.
   */
  private void snapshot(Monitor monitor, String command)
      throws NodeException, InterruptedException {
    Jobs.run(
        monitor,
        "baton-memory",
        command,
        Map.of("tag", TAG, "vmstate", CommandLine.MEMORY, "devices", List.of(CommandLine.MEMORY)),
        SAVE,
        host,
        () -> {});
  }

  private static void forward(Monitor monitor, MachineConfig config, int port)
      throws NodeException, InterruptedException {
    Object said =
        monitor.execute(
            "human-monitor-command",
            Map.of(
                "command-line",
                "hostfwd_add "
                    + CommandLine.NETWORK
                    + " tcp:127.0.0.1:"
                    + port
                    + "-"
                    + config.address()
                    + ":22"),
            REPLY);
    if (said instanceof String text && !text.isBlank()) {
      throw new NodeException(
          Reason.TAKEN,
          "port " + port + " of 127.0.0.1 cannot be led to the VM: " + text.strip(),
          "End the program that has it, and try again.");
    }
  }

  /** Leads a port of the loopback address to the guest's SSH server, now and from each start on. */
  public void forward(int port) throws NodeException, InterruptedException {
    node.alone(
        id,
        () -> {
          File file = file();
          Optional<Integer> now = file.config().port();
          if (now.equals(Optional.of(port))) {
            return null;
          }
          if (process(file).isPresent()) {
            Monitor monitor = monitor(file);
            if (now.isPresent()) {
              unforward(monitor, now.get());
            }
            // Where an earlier attempt got that far.
            unforward(monitor, port);
            forward(monitor, file.config(), port);
          }
          write(file.ready(false).with(file.config().withPort(Optional.of(port))));
          return null;
        });
  }

  /** Leads no port there any more. */
  public void unforward() throws NodeException, InterruptedException {
    node.alone(
        id,
        () -> {
          File file = file();
          Optional<Integer> now = file.config().port();
          if (now.isPresent() && process(file).isPresent()) {
            try {
              unforward(monitor(file), now.get());
            } catch (NodeException e) {
              // One that hangs lets nobody in, and has no such port when it is started again.
              if (e.reason() != Reason.SILENT) {
                throw e;
              }
            }
          }
          write(file.with(file.config().withPort(Optional.empty())));
          return null;
        });
  }

  private static void unforward(Monitor monitor, int port)
      throws NodeException, InterruptedException {
    monitor.execute(
        "human-monitor-command",
        Map.of("command-line", "hostfwd_remove " + CommandLine.NETWORK + " tcp:127.0.0.1:" + port),
        REPLY);
  }

  // ---- the guest

  /** The system on it; empty: no port leads there. */
  public Optional<Guest> guest() throws NodeException {
    MachineConfig config = config();
    return guest(config, "known_hosts", config.hostKey(), key());
  }

  private Optional<Guest> guest(MachineConfig config, String knownHosts, String hostKey, Path key)
      throws NodeException {
    if (config.port().isEmpty()) {
      return Optional.empty();
    }
    Path known = directory.resolve(knownHosts);
    try {
      Guest.know(known, config.port().get(), hostKey);
    } catch (IOException e) {
      throw Texts.cannot("write", known, e);
    }
    return Optional.of(new Guest(host, node.settings().ssh(), config.port().get(), key, known));
  }

  /**
   * Whether the guest has let us in since it was started, with the host key that it must have. It
   * is asked until it has. A copy of another machine gets what is its own first.
   */
  public boolean isReady() throws NodeException, InterruptedException {
    File now = file();
    if (now.ready()) {
      return true;
    }
    if (now.isImpostor()) {
      rename(now);
    }
    Optional<Guest> guest = guest();
    if (guest.isEmpty() || !guest.get().isUp()) {
      return false;
    }
    node.alone(
        id,
        () -> {
          File file = file();
          if (file.origin().isPresent()) {
            file = file.with(file.origin().get().havingName());
            originKey().toFile().delete();
          }
          write(file.ready(true));
          return null;
        });
    return true;
  }

  /** Nothing happens where the guest does not let us in as the one that it was copied from. */
  private void rename(File file) throws NodeException, InterruptedException {
    Origin origin = file.origin().orElseThrow();
    Optional<Guest> guest = guest(file.config(), "known_origin", origin.hostKey(), originKey());
    if (guest.isEmpty() || !Files.exists(originKey()) || !guest.get().isThere()) {
      return;
    }
    String script;
    try {
      script =
          NewIdentity.script(
              origin,
              file.config(),
              id,
              Seed.name(directory.resolve(SEED)),
              Instant.now(),
              Files.readString(hostKey()),
              Files.readString(publicKey()));
    } catch (IOException e) {
      throw Texts.cannot("read the keys in", directory, e);
    }
    try {
      guest.get().run(NewIdentity.COMMAND, script, RENAMING);
    } catch (NodeException e) {
      // Its SSH server was started again, perhaps: it is asked who it is.
      if (e.reason() != Reason.SILENT) {
        throw e;
      }
    }
  }

  private Path originKey() {
    return directory.resolve("origin_key");
  }

  // ---- to stop

  /**
   * Keeps disk and memory, and ends QEMU. Nothing happens when it does not run.
   *
   * @throws NodeException when the memory could not be written; then the guest goes on
   */
  public void suspend() throws NodeException, InterruptedException {
    node.alone(
        id,
        () -> {
          File file = file();
          Power power = power(file);
          if (power == Power.HANGS) {
            throw new NodeException(
                Reason.SILENT,
                "QEMU of " + id + " does not answer",
                "Destroy the VM, or end process " + process(file).get().pid() + " and try again.");
          }
          if (power == Power.RUNNING || power == Power.PAUSED) {
            save(monitor(file), file);
          }
          // What is prepared has no memory to keep, and what is suspended needs no QEMU.
          end(file);
          return null;
        });
  }

  private void save(Monitor monitor, File file) throws NodeException, InterruptedException {
    Path memory = directory.resolve(MEMORY);
    try {
      requireRoomForMemory(directory, file);
      monitor.execute("stop", Map.of(), REPLY);
      writeMemory(monitor, memory);
      write(file.suspended(true));
    } catch (NodeException e) {
      goOn(monitor, e);
      throw e;
    } catch (IOException e) {
      NodeException cannot = Texts.cannot("write", memory, e);
      goOn(monitor, cannot);
      throw cannot;
    }
  }

  private void requireRoomForMemory(Path where, File file) throws NodeException, IOException {
    long needed = ((long) file.config().memoryMb() << 20) + SPARE;
    long free = host.freeSpace(where);
    if (free < needed) {
      throw new NodeException(
          Reason.NO_ROOM,
          where
              + " has "
              + (free >> 20)
              + " MB left, and the memory of the VM needs "
              + (needed >> 20)
              + " MB",
          "Make room there; the VM goes on meanwhile.");
    }
  }

  /** The guest must stand still. The file stays attached. */
  private void writeMemory(Monitor monitor, Path target)
      throws NodeException, InterruptedException, IOException {
    if (isThere(monitor, CommandLine.MEMORY)) {
      monitor.execute("blockdev-del", Map.of("node-name", CommandLine.MEMORY), REPLY);
    }
    Files.deleteIfExists(target);
    node.disks().create(target, 1 << 20);
    Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rw-------"));
    node.give(target);
    monitor.execute(
        "blockdev-add", CommandLine.qcow2(CommandLine.MEMORY, target.toString()), REPLY);
    snapshot(monitor, "snapshot-save");
  }

  private static void goOn(Monitor monitor, NodeException because) throws InterruptedException {
    try {
      monitor.execute("cont", Map.of(), REPLY);
    } catch (NodeException e) {
      because.addSuppressed(e);
    }
  }

  private static boolean isThere(Monitor monitor, String name)
      throws NodeException, InterruptedException {
    return monitor.execute("query-named-block-nodes", Map.of("flat", true), REPLY)
            instanceof List<?> all
        && all.stream().anyMatch(n -> n instanceof Map<?, ?> m && name.equals(m.get("node-name")));
  }

  /** Asks the guest to shut down, and ends QEMU if it has not after ten seconds. */
  public void powerOff() throws NodeException, InterruptedException {
    node.alone(
        id,
        () -> {
          File file = file();
          Power power = power(file);
          if (power == Power.RUNNING) {
            try {
              Monitor monitor = monitor(file);
              monitor.execute("system_powerdown", Map.of(), REPLY);
              awaitEnd(file, monitor, KINDNESS);
            } catch (NodeException e) {
              // It may have been faster than its reply; what is still there is ended below.
              if (e.reason() == Reason.TAKEN) {
                throw e;
              }
            }
          }
          end(file);
          write(file.suspended(false).ready(false));
          directory.resolve(MEMORY).toFile().delete();
          return null;
        });
  }

  private boolean awaitEnd(File file, Monitor monitor, Duration patience)
      throws InterruptedException {
    long start = host.nanos();
    while (process(file).isPresent()) {
      Duration left = patience.minusNanos(host.nanos() - start);
      if (left.isNegative() || left.isZero()) {
        return false;
      }
      if (!monitor.isOpen() || !monitor.awaitEvent(Duration.ofMillis(200))) {
        host.pause(Duration.ofMillis(50));
      }
    }
    return true;
  }

  /** No QEMU is left when this returns. */
  private void end(File file) throws NodeException, InterruptedException {
    node.hangUp(id);
    Optional<ProcessIdentity> process = process(file);
    if (process.isPresent()) {
      host.kill(process.get());
      long start = host.nanos();
      while (process(file).isPresent()) {
        if (host.nanos() - start > END.toNanos()) {
          throw new NodeException(
              Reason.SILENT, "process " + process.get().pid() + " of QEMU does not end", "");
        }
        host.pause(Duration.ofMillis(20));
      }
    }
    node.socket(id).toFile().delete();
  }

  // ---- copies

  /**
   * Copies its disk as it is now; the guest may go on meanwhile. What it has not written to its
   * disk yet is not in the copy.
   *
   * @param base what the disk is on top of, and the copy too
   */
  public void copyDisk(Path base, Path target, Meanwhile meanwhile)
      throws NodeException, InterruptedException {
    node.alone(
        id,
        () -> {
          File file = file();
          Power power = power(file);
          if (power == Power.RUNNING || power == Power.PAUSED || power == Power.PREPARED) {
            backup(monitor(file), base, target, meanwhile);
          } else {
            node.disks().copy(disk(), "qcow2", Optional.of(base), target);
          }
          return null;
        });
  }

  /**
   * Copies disk and memory as they are at one moment, for others to start from. The guest stands
   * still meanwhile, and goes on.
   *
   * @param disk is there only when all of it is
   * @return what copies must know of this machine
   */
  public Origin copyWithMemory(Path base, Path disk, Path memory, Path key, Meanwhile meanwhile)
      throws NodeException, InterruptedException {
    return node.alone(
        id,
        () -> {
          File file = file();
          Power power = power(file);
          if (power != Power.RUNNING && power != Power.PAUSED) {
            throw new NodeException(
                Reason.BAD_INPUT, id + " does not run, so it has no memory to keep", "Start it.");
          }
          Monitor monitor = monitor(file);
          try {
            if (!Files.exists(disk)) {
              requireRoomForMemory(memory.getParent(), file);
              Files.copy(key(), key, StandardCopyOption.REPLACE_EXISTING);
              Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
              monitor.execute("stop", Map.of(), REPLY);
              writeMemory(monitor, memory);
              monitor.execute("blockdev-del", Map.of("node-name", CommandLine.MEMORY), REPLY);
              backup(monitor, base, disk, meanwhile);
            }
            monitor.execute("cont", Map.of(), REPLY);
            return Origin.of(file.config(), Files.readString(publicKey()));
          } catch (IOException e) {
            NodeException cannot = Texts.cannot("copy", memory, e);
            goOn(monitor, cannot);
            throw cannot;
          } catch (NodeException e) {
            goOn(monitor, e);
            throw e;
          }
        });
  }

  /**
   * Has it start from another's memory, with a copy of the other's disk. Where that was done,
   * nothing happens, however it went on since.
   */
  public void startFrom(Origin origin, Path memory, Path key)
      throws NodeException, InterruptedException {
    node.alone(
        id,
        () -> {
          File file = file();
          if (file.origin().isPresent()) {
            return null;
          }
          Path own = directory.resolve(MEMORY);
          try {
            requireRoomForMemory(directory, file);
            node.disks().same(memory, own);
            node.give(own);
            Files.copy(key, originKey(), StandardCopyOption.REPLACE_EXISTING);
            Files.setPosixFilePermissions(
                originKey(), PosixFilePermissions.fromString("rw-------"));
          } catch (IOException e) {
            throw Texts.cannot("copy to", directory, e);
          }
          write(file.with(origin).suspended(true));
          return null;
        });
  }

  /** What is asked between two looks at a long copy; it may throw to give up. */
  public interface Meanwhile {
    void check() throws InterruptedException;
  }

  private void backup(Monitor monitor, Path base, Path target, Meanwhile meanwhile)
      throws NodeException, InterruptedException {
    Path half = target.resolveSibling(target.getFileName() + ".half");
    try {
      if (isThere(monitor, "copy")) {
        // Of one that was interrupted; its job is ended first.
        Jobs.end(monitor, "baton-copy", host);
        monitor.execute("blockdev-del", Map.of("node-name", "copy"), REPLY);
      }
      Files.deleteIfExists(half);
      long bytes = node.disks().info(disk(), Optional.of("qcow2")).virtualBytes();
      node.disks().overlay(base, half, bytes);
      node.give(half);
      monitor.execute("blockdev-add", CommandLine.qcow2("copy", half.toString()), REPLY);
      Jobs.run(
          monitor,
          "baton-copy",
          "blockdev-backup",
          Map.of("device", CommandLine.DISK, "target", "copy", "sync", "top"),
          SAVE.multipliedBy(8),
          host,
          meanwhile::check);
      monitor.execute("blockdev-del", Map.of("node-name", "copy"), REPLY);
      Files.move(half, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw Texts.cannot("write", target, e);
    } finally {
      half.toFile().delete();
    }
  }
}
