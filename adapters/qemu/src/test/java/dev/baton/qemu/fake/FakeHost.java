package dev.baton.qemu.fake;

import dev.baton.core.json.PlainJson;
import dev.baton.qemu.node.HostMachine;
import dev.baton.qemu.node.Monitor;
import dev.baton.qemu.node.NodeException;
import dev.baton.qemu.node.NodeException.Reason;
import dev.baton.qemu.node.ProcessIdentity;
import dev.baton.vm.crash.SkippingWorld;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A machine whose QEMU processes are objects and whose disks are lines of text: {@code disk BYTES
 * BASE}. Files and directories are real. Time is that of a test.
 */
public final class FakeHost implements HostMachine {
  private static final Duration BOOT = Duration.ofSeconds(8);
  private static final Pattern FORWARD =
      Pattern.compile("hostfwd_add net tcp:127.0.0.1:(\\d+)-192.168.231.15:22");
  private static final Pattern REMOVE = Pattern.compile("hostfwd_remove net tcp:127.0.0.1:(\\d+)");
  private static final Pattern MEMORY = Pattern.compile("disk 1 vmstate (.*)");
  private static final Pattern PUBLIC = Pattern.compile("ed25519_public: (\\S+ \\S+)");
  private static final Pattern RENAMED = Pattern.compile("echo '(\\S+ \\S+) baton' > ");
  private static final Pattern SCRIPT = Pattern.compile("/var/lib/baton/[0-9a-f]+");

  private final SkippingWorld world;
  private final Map<Long, FakeQemu> processes = new LinkedHashMap<>();

  /** Directories of scripts that have begun. */
  private final Set<String> scripts = new TreeSet<>();

  private final Set<Integer> takenPorts = new TreeSet<>();
  private long numbers = 100;
  private boolean bootFails;
  private Duration bootTime = BOOT;
  private long freeSpace = 1L << 40;
  private long freeMemoryMb = 8_192;
  private String boot = "boot-1";
  private int exitCode;

  public FakeHost(SkippingWorld world) {
    this.world = world;
  }

  /** A QEMU. */
  private final class FakeQemu {
    final ProcessIdentity identity;
    final UUID uuid;
    final Path directory;
    final Path socket;
    final Set<Integer> ports = new TreeSet<>();

    /** Files by the names of their nodes. */
    final Map<String, Path> nodes = new TreeMap<>();

    /** The host key that the guest has; empty: that of cloud-init, once it has booted. */
    String hostKey = "";

    String status = "prelaunch";
    boolean hangs;
    boolean hasMemory;
    Duration up = BOOT;

    FakeQemu(ProcessIdentity identity, UUID uuid, Path directory, Path socket) {
      this.identity = identity;
      this.uuid = uuid;
      this.directory = directory;
      this.socket = socket;
    }

    void attach(Map<String, ?> blockdev) {
      Path file =
          blockdev.get("file") instanceof Map<?, ?> f
              ? directory.resolve((String) f.get("filename"))
              : directory;
      nodes.put((String) blockdev.get("node-name"), file);
    }

    boolean isUp() {
      return status.equals("running") && world.nanos() >= up.toNanos();
    }
  }

  // ---- by hand

  public Set<Long> pids() {
    return processes.keySet();
  }

  /** As the kernel does when memory is short. */
  public void killAll() {
    processes.clear();
  }

  public void reboot() {
    processes.clear();
    boot = boot + "1";
  }

  public void nextBootFails() {
    bootFails = true;
  }

  public void neverBoots() {
    bootTime = Duration.ofDays(1);
  }

  public void hang() {
    processes.values().forEach(q -> q.hangs = true);
  }

  public void freeSpace(long bytes) {
    freeSpace = bytes;
  }

  public void freeMemoryMb(long mb) {
    freeMemoryMb = mb;
  }

  public void take(int port) {
    takenPorts.add(port);
  }

  public void scriptsEndWith(int code) {
    exitCode = code;
  }

  // ---- processes

  @Override
  public ProcessIdentity self() {
    return new ProcessIdentity(2, 1, boot);
  }

  @Override
  public ProcessIdentity start(List<String> line, Path directory, Path output) throws IOException {
    ProcessIdentity identity = new ProcessIdentity(++numbers, numbers, boot);
    String monitor = after(line, "-qmp");
    Path socket =
        directory.resolve(monitor.replaceAll("unix:|,server=on,wait=off", "")).normalize();
    Path disk = directory.resolve("disk.qcow2");
    if (!Files.readString(disk).startsWith("disk ")) {
      Files.writeString(output, "qemu: Image is not in qcow2 format\n");
      return identity;
    }
    Files.writeString(socket, "");
    Files.writeString(directory.resolve("console.log"), "booting\n");
    FakeQemu qemu =
        new FakeQemu(identity, UUID.fromString(after(line, "-uuid")), directory, socket);
    line.stream()
        .filter(a -> a.startsWith("{") && a.contains("node-name"))
        .forEach(a -> qemu.attach(PlainJson.object(a)));
    processes.put(identity.pid(), qemu);
    return identity;
  }

  private static String after(List<String> line, String option) {
    return line.get(line.indexOf(option) + 1);
  }

  @Override
  public boolean isAlive(ProcessIdentity process) {
    FakeQemu qemu = processes.get(process.pid());
    return qemu != null && qemu.identity.equals(process);
  }

  @Override
  public void kill(ProcessIdentity process) {
    if (isAlive(process)) {
      processes.remove(process.pid());
    }
  }

  @Override
  public Optional<ProcessIdentity> find(UUID machine) {
    return processes.values().stream()
        .filter(q -> q.uuid.equals(machine))
        .map(q -> q.identity)
        .findFirst();
  }

  @Override
  public Monitor connect(Path socket, Duration patience) throws NodeException {
    FakeQemu qemu =
        processes.values().stream()
            .filter(q -> q.socket.equals(socket))
            .findFirst()
            .orElseThrow(
                () -> new NodeException(Reason.MISSING, "nothing listens on " + socket, ""));
    if (qemu.hangs) {
      world.advance(patience);
      throw new NodeException(Reason.SILENT, "QEMU says nothing", "");
    }
    return new FakeMonitor(qemu);
  }

  private final class FakeMonitor implements Monitor {
    private final FakeQemu qemu;

    FakeMonitor(FakeQemu qemu) {
      this.qemu = qemu;
    }

    @Override
    public Object execute(String command, Map<String, ?> arguments, Duration patience)
        throws NodeException {
      if (!isOpen()) {
        throw new NodeException(Reason.MISSING, "QEMU is gone", "");
      }
      try {
        return answer(command, arguments);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private Object answer(String command, Map<String, ?> arguments)
        throws NodeException, IOException {
      switch (command) {
        case "query-uuid":
          return Map.of("UUID", qemu.uuid.toString());
        case "query-status":
          return Map.of("status", qemu.status);
        case "query-jobs":
          return List.of();
        case "query-named-block-nodes":
          return qemu.nodes.keySet().stream().map(n -> Map.of("node-name", n)).toList();
        case "cont":
          go();
          break;
        case "stop":
          qemu.status = "paused";
          break;
        case "system_powerdown":
          processes.remove(qemu.identity.pid());
          break;
        case "human-monitor-command":
          return forward((String) arguments.get("command-line"));
        case "blockdev-add":
          qemu.attach(arguments);
          break;
        case "blockdev-del":
          if (qemu.nodes.remove((String) arguments.get("node-name")) == null) {
            throw refused(command);
          }
          break;
        case "snapshot-save":
          Files.writeString(qemu.nodes.get("memory"), "disk 1 vmstate " + qemu.hostKey);
          break;
        case "snapshot-load":
          Matcher memory = MEMORY.matcher(Files.readString(qemu.nodes.get("memory")));
          if (!memory.matches()) {
            throw refused("snapshot-load: there is no snapshot 'baton'");
          }
          qemu.hasMemory = true;
          qemu.hostKey = memory.group(1);
          break;
        case "blockdev-backup":
          break;
        default:
          throw refused(command);
      }
      return Map.of();
    }

    private void go() throws IOException {
      if (bootFails) {
        bootFails = false;
        processes.remove(qemu.identity.pid());
        return;
      }
      if (qemu.status.equals("prelaunch") && !qemu.hasMemory) {
        qemu.up = Duration.ofNanos(world.nanos()).plus(bootTime);
        Matcher key =
            PUBLIC.matcher(Files.readString(qemu.directory.resolve("seed").resolve("user-data")));
        qemu.hostKey = key.find() ? key.group(1) : "";
      } else if (qemu.hasMemory) {
        qemu.up = Duration.ZERO;
      }
      qemu.status = "running";
    }

    private String forward(String line) {
      Matcher add = FORWARD.matcher(line);
      if (add.matches()) {
        int port = Integer.parseInt(add.group(1));
        if (takenPorts.contains(port) || at(port).isPresent()) {
          return "could not set up host forwarding rule";
        }
        qemu.ports.add(port);
      }
      Matcher remove = REMOVE.matcher(line);
      if (remove.matches()) {
        qemu.ports.remove(Integer.valueOf(remove.group(1)));
      }
      return "";
    }

    private NodeException refused(String what) {
      return new NodeException(Reason.BROKEN, "QEMU refuses " + what, "");
    }

    @Override
    public boolean awaitEvent(Duration atMost) {
      world.advance(atMost);
      return false;
    }

    @Override
    public boolean isOpen() {
      return isAlive(qemu.identity);
    }

    @Override
    public void close() {
      // there is no connection
    }
  }

  // ---- programs

  @Override
  public Finished run(List<String> line, byte[] input, Duration patience) {
    try {
      return switch (line.get(0)) {
        case "qemu-img" -> image(line);
        case "ssh" -> line.contains("-V") ? good("") : guest(line, input);
        case "cp" -> copy(line);
        default -> good("");
      };
    } catch (IOException e) {
      return new Finished(1, "", "qemu-img: " + e);
    }
  }

  private static Finished good(String output) {
    return new Finished(0, output, "");
  }

  private Finished image(List<String> line) throws IOException {
    switch (line.get(1)) {
      case "create" -> {
        boolean hasBase = line.contains("-b");
        Path target = Path.of(line.get(line.size() - 2));
        Files.writeString(
            target, "disk " + line.get(line.size() - 1) + " " + (hasBase ? after(line, "-b") : ""));
      }
      case "convert" -> {
        String[] from = Files.readString(Path.of(line.get(line.size() - 2))).split(" ");
        Files.writeString(
            Path.of(line.get(line.size() - 1)),
            "disk " + from[1] + " " + (line.contains("-B") ? after(line, "-B") : ""));
      }
      case "resize" -> {
        Path disk = Path.of(line.get(line.size() - 2));
        String[] was = Files.readString(disk).split(" ", 3);
        Files.writeString(disk, "disk " + line.get(line.size() - 1) + " " + was[2]);
      }
      case "info" -> {
        String[] disk = Files.readString(Path.of(line.get(line.size() - 1))).split(" ", 3);
        Map<String, Object> info = new LinkedHashMap<>();
        info.put("format", "qcow2");
        info.put("virtual-size", Long.parseLong(disk[1].strip()));
        if (disk.length > 2 && !disk[2].isBlank()) {
          info.put("backing-filename", disk[2]);
        }
        return good(PlainJson.text(info));
      }
      default -> {
        // --version
      }
    }
    return good("");
  }

  private static Finished copy(List<String> line) throws IOException {
    Files.copy(
        Path.of(line.get(line.size() - 2)),
        Path.of(line.get(line.size() - 1)),
        StandardCopyOption.REPLACE_EXISTING);
    return good("");
  }

  private Finished guest(List<String> line, byte[] input) throws IOException {
    int port = Integer.parseInt(after(line, "-p"));
    Optional<FakeQemu> qemu = at(port).filter(FakeQemu::isUp);
    if (qemu.isEmpty()) {
      return new Finished(255, "", "ssh: connect to host 127.0.0.1: Connection refused");
    }
    String option = "UserKnownHostsFile=";
    String known =
        line.stream()
            .filter(a -> a.startsWith(option))
            .findFirst()
            .orElseThrow()
            .substring(option.length());
    if (!Files.readString(Path.of(known)).strip().endsWith(" " + qemu.get().hostKey)) {
      return new Finished(255, "", "Host key verification failed.");
    }
    String command = line.get(line.size() - 1);
    if (command.equals("sh -s")) {
      Matcher renamed = RENAMED.matcher(new String(input, StandardCharsets.UTF_8));
      qemu.get().hostKey = renamed.find() ? renamed.group(1) : "";
    }
    Matcher script = SCRIPT.matcher(command);
    if (script.find()) {
      String key = qemu.get().uuid + script.group();
      if (command.contains("/begun")) {
        scripts.add(key);
      } else {
        return good(scripts.contains(key) ? exitCode + "\n" : "");
      }
    }
    return good("");
  }

  private Optional<FakeQemu> at(int port) {
    return processes.values().stream().filter(q -> q.ports.contains(port)).findFirst();
  }

  // ---- the rest

  @Override
  public boolean isFree(int port) {
    return !takenPorts.contains(port) && at(port).isEmpty();
  }

  @Override
  public boolean isSshThere(int port, Duration patience) {
    return at(port).filter(FakeQemu::isUp).isPresent();
  }

  /** Ports that lead to a machine. */
  public List<Integer> ports() {
    List<Integer> all = new ArrayList<>();
    processes.values().forEach(q -> all.addAll(q.ports));
    return all;
  }

  @Override
  public long freeSpace(Path directory) {
    return freeSpace;
  }

  @Override
  public long freeMemoryMb() {
    return freeMemoryMb;
  }

  @Override
  public long memoryMb() {
    return 16_384;
  }

  @Override
  public void pause(Duration time) {
    world.advance(time);
  }

  @Override
  public long nanos() {
    return world.nanos();
  }
}
