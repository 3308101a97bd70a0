package dev.baton.qemu.cloud;

import dev.baton.core.Checks;
import dev.baton.core.World;
import dev.baton.qemu.node.Guest;
import dev.baton.qemu.node.HostMachine;
import dev.baton.qemu.node.Machine;
import dev.baton.qemu.node.MachineConfig;
import dev.baton.qemu.node.MachineConfig.Lan;
import dev.baton.qemu.node.Node;
import dev.baton.qemu.node.NodeException;
import dev.baton.qemu.node.SshKeyPair;
import dev.baton.qemu.node.Taps;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Kind;
import dev.baton.vm.Resource;
import dev.baton.vm.SizeChange;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmName;
import dev.baton.vm.spi.Cancel;
import dev.baton.vm.spi.Disks;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.Owner;
import dev.baton.vm.spi.Parents;
import dev.baton.vm.spi.Phase;
import dev.baton.vm.spi.PowerSwitch;
import dev.baton.vm.spi.Provider;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.spi.Request;
import dev.baton.vm.spi.Sizes;
import dev.baton.vm.spi.WarmStarts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;

/**
 * This machine as a cloud. A network is one inside of QEMU, an address a port of the loopback
 * address; an instance is a process with the files in its directory. Each is written down before
 * anything of it is made, and struck out when all of it is gone.
 */
final class QemuProvider implements Provider {
  static final String REGION = "local";

  private static final String CIDR = "192.168.0.0/16";
  static final String SUBNET = "192.168.231.0/24";
  static final String DISK = "disk_gb";
  private static final String IMAGE = "image";
  private static final String TYPE = "instance_type";
  static final String CPUS = "cpus";
  static final String MEMORY = "memory_mb";
  private static final String ACCELERATOR = "accelerator";
  private static final String KVM = "kvm";
  private static final String PORT = "port";
  private static final String INSTANCE = "instance";
  private static final String FINGERPRINT = "fingerprint";
  private static final long GB = 1L << 30;

  /** More than a machine of this kind can have. */
  private static final int MOST_CPUS = 255;

  private static final long SPARE = 512L << 20;
  private static final Duration LOOK = Duration.ofMillis(500);
  private static final Duration SYNC = Duration.ofSeconds(10);

  private final QemuSettings settings;
  private final Node node;
  private final Library library;
  private final Books books;
  private final World world;
  private final FurtherDisks further;
  private final WarmSnapshots warmth;

  QemuProvider(QemuSettings settings, Node node, Library library, World world) {
    this.settings = settings;
    this.node = node;
    this.library = library;
    this.books = new Books(node.settings().root());
    this.world = world;
    this.further = new FurtherDisks(node, books);
    this.warmth = new WarmSnapshots(settings, node, library, books);
  }

  @Override
  public Traits traits() {
    return new Traits(
        "qemu",
        List.of(
            Kind.NETWORK,
            Kind.SUBNET,
            Kind.SECURITY_GROUP,
            Kind.KEY_PAIR,
            Kind.INSTANCE,
            Kind.ADDRESS,
            Kind.APPLICATION,
            Kind.SNAPSHOT),
        true,
        true,
        // As long as what was created with it is there.
        Duration.ofDays(365),
        Duration.ZERO,
        // No process of ours stays to do it.
        false);
  }

  // ---- beforehand

  @Override
  public void validate(DeploySpec spec, Set<Kind> toCreate, Cancel cancel)
      throws ProviderException, InterruptedException {
    cancel.check();
    if (!spec.region().equals(REGION) || !spec.zone().isEmpty()) {
      throw new ProviderException(
          Trouble.BAD_REQUEST,
          "the cloud qemu has one place, this machine",
          "Leave out the region and the zone.");
    }
    Size size = size(spec.instanceType());
    requirePossible(size);
    if (!toCreate.contains(Kind.INSTANCE)) {
      return;
    }
    requirePrograms();
    Path image = library.file(image(spec));
    try {
      long needed = node.disks().info(image, Optional.of("qcow2")).virtualBytes();
      if (needed > spec.diskGb() * GB) {
        throw new ProviderException(
            Trouble.BAD_REQUEST,
            "a disk of "
                + spec.diskGb()
                + " GB is smaller than image "
                + image(spec)
                + ", which has "
                + (needed + GB - 1) / GB
                + " GB",
            "Give a larger one with --disk.");
      }
      requireRoom(size);
      requireBridge();
      node.accelerator();
    } catch (NodeException e) {
      throw Troubles.of(e);
    }
  }

  private static Size size(String type) throws ProviderException {
    try {
      return Size.of(type);
    } catch (IllegalArgumentException e) {
      throw new ProviderException(
          Trouble.BAD_REQUEST, e.getMessage(), "Use processors and memory, such as 2x4g.");
    }
  }

  private String image(DeploySpec spec) {
    return spec.image().isEmpty() ? settings.image() : spec.image();
  }

  private void requirePrograms() throws ProviderException, InterruptedException {
    for (String program : List.of(node.settings().qemu(), node.settings().qemuImg())) {
      try {
        node.host().run(List.of(program, "--version"), new byte[0], Duration.ofSeconds(30));
      } catch (NodeException e) {
        throw missing(
            program,
            "Install QEMU; on Debian and Ubuntu the packages qemu-system-x86 and" + " qemu-utils.");
      }
    }
    try {
      node.host().run(List.of(node.settings().ssh(), "-V"), new byte[0], Duration.ofSeconds(30));
    } catch (NodeException e) {
      throw missing(node.settings().ssh(), "Install the client of OpenSSH.");
    }
  }

  private static ProviderException missing(String program, String next) {
    return new ProviderException(
        Trouble.BAD_REQUEST, "the program " + program + " cannot be started", next);
  }

  private void requireBridge() throws NodeException, ProviderException, InterruptedException {
    String bridge = settings.bridge();
    if (!bridge.isEmpty() && !new Taps(node.host()).hasBridge(bridge)) {
      throw new ProviderException(
          Trouble.BAD_REQUEST,
          "this machine has no bridge " + bridge + " (" + QemuSettings.BRIDGE + ")",
          "Make it with `ip link add "
              + bridge
              + " type bridge && ip link set "
              + bridge
              + " up`, or leave it out.");
    }
  }

  private void requireRoom(Size size) throws ProviderException {
    long free = node.host().freeMemoryMb();
    if (free < size.memoryMb()) {
      throw new ProviderException(
          Trouble.QUOTA_EXCEEDED,
          "this machine has " + free + " MB of memory left, and the VM needs " + size.memoryMb(),
          "Suspend or destroy another VM, or take a smaller type.");
    }
    Path root = node.settings().root();
    // To be suspended it needs room for its memory.
    long needed = ((long) size.memoryMb() << 20) + SPARE;
    try {
      Files.createDirectories(root);
      long left = node.host().freeSpace(root);
      if (left < needed) {
        throw new ProviderException(
            Trouble.QUOTA_EXCEEDED,
            root + " has " + (left >> 20) + " MB left, and the VM needs " + (needed >> 20),
            "Make room there, or set " + QemuSettings.HOME + " to a directory that has some.");
      }
    } catch (IOException e) {
      throw Troubles.of("use", root, e);
    }
  }

  @Override
  public Map<String, String> plan(
      Kind kind, DeploySpec spec, Map<Kind, Resource> have, Optional<String> snapshot) {
    Map<String, String> p = new LinkedHashMap<>();
    switch (kind) {
      case NETWORK -> p.put("cidr", CIDR);
      case SUBNET -> {
        p.put("cidr", SUBNET);
        Parents.put(p, have, Kind.NETWORK);
      }
      case SECURITY_GROUP -> {
        p.put("restricted", Boolean.toString(settings.restricted()));
        Parents.put(p, have, Kind.NETWORK);
      }
      case KEY_PAIR -> p.put("public_key", spec.publicKey());
      case INSTANCE -> {
        p.put(TYPE, spec.instanceType());
        p.put(IMAGE, image(spec));
        p.put(DISK, Integer.toString(spec.diskGb()));
        snapshot.ifPresent(s -> p.put(Kind.SNAPSHOT.key(), s));
        Parents.put(p, have, Kind.SUBNET, Kind.SECURITY_GROUP, Kind.KEY_PAIR);
      }
      case APPLICATION -> {
        p.put(FINGERPRINT, spec.application().orElseThrow().fingerprint());
        Parents.put(p, have, Kind.INSTANCE);
      }
      case SNAPSHOT -> Parents.put(p, have, Kind.INSTANCE);
      case DISK -> throw new IllegalArgumentException("no deploy creates a further disk");
      default -> {
        // an address needs nothing
      }
    }
    return p;
  }

  /** There is one place. */
  @Override
  public Optional<DeploySpec> elsewhere(DeploySpec spec, Map<Kind, Resource> have) {
    return Optional.empty();
  }

  // ---- to create

  @Override
  public Found create(Request request, Cancel cancel)
      throws ProviderException, InterruptedException {
    cancel.check();
    Entry entry = begun(request);
    try {
      if (!entry.done()) {
        make(entry, request, cancel);
      }
    } catch (NodeException e) {
      throw undone(entry, Troubles.of(e));
    } catch (ProviderException e) {
      throw undone(entry, e);
    }
    return describe(entry.kind(), entry.id(), cancel)
        .orElseThrow(
            () ->
                new ProviderException(
                    Trouble.UNAVAILABLE, entry.id() + " was removed while it was made"));
  }

  /** What says that nothing was done must be true. */
  private ProviderException undone(Entry entry, ProviderException e) throws InterruptedException {
    if (e.trouble().isSureThatNothingWasDone()) {
      try {
        unmake(entry);
        books.remove(entry.id());
      } catch (NodeException | ProviderException x) {
        e.addSuppressed(x);
        // Whatever is left is found by its owner.
        return new ProviderException(Trouble.UNAVAILABLE, e.problem(), (Duration) null, e);
      }
    }
    return e;
  }

  /** Written down now, or by an earlier attempt with the same token. */
  private Entry begun(Request request) throws ProviderException {
    return books.alone(
        () -> {
          for (Entry e : books.all()) {
            if (e.token().equals(request.token())) {
              if (e.kind() != request.kind() || !e.parameters().equals(request.parameters())) {
                throw new ProviderException(
                    Trouble.TOKEN_MISMATCH, "the token was used for " + e.id() + " before");
              }
              return e;
            }
          }
          for (Kind parent : Kind.values()) {
            String id = request.parameters().get(parent.key());
            // An image is a name in the library, and no resource.
            if (id != null && parent != request.kind() && parent != Kind.IMAGE) {
              require(parent, id);
            }
          }
          Entry entry =
              new Entry(
                  prefix(request.kind()) + random(6),
                  request.kind(),
                  request.owner().tag(),
                  request.token(),
                  world.now(),
                  false,
                  request.parameters(),
                  Map.of());
          if (request.kind() == Kind.ADDRESS) {
            // Under the lock: no other may get the same port.
            entry = entry.with("ip", "127.0.0.1").with(PORT, Integer.toString(freePort()));
          }
          books.put(entry);
          return entry;
        });
  }

  private static String random(int bytes) {
    byte[] random = new byte[bytes];
    new SecureRandom().nextBytes(random);
    return HexFormat.of().formatHex(random);
  }

  private static String prefix(Kind kind) {
    return switch (kind) {
      case NETWORK -> "net-";
      case SUBNET -> "sub-";
      case SECURITY_GROUP -> "sg-";
      case KEY_PAIR -> "key-";
      case IMAGE -> "m-";
      case INSTANCE -> "i-";
      case ADDRESS -> "port-";
      case APPLICATION -> "app-";
      case DISK -> "d-";
      case SNAPSHOT -> "s-";
    };
  }

  private int freePort() throws ProviderException {
    List<String> taken =
        books.all().stream()
            .filter(e -> e.kind() == Kind.ADDRESS)
            .map(e -> e.attributes().getOrDefault(PORT, ""))
            .toList();
    int count = settings.lastPort() - settings.firstPort() + 1;
    int start = (int) (world.random() * count);
    for (int i = 0; i < count; i++) {
      int port = settings.firstPort() + (start + i) % count;
      if (!taken.contains(Integer.toString(port)) && node.host().isFree(port)) {
        return port;
      }
    }
    throw new ProviderException(
        Trouble.QUOTA_EXCEEDED,
        "all ports of 127.0.0.1 from "
            + settings.firstPort()
            + " to "
            + settings.lastPort()
            + " are taken",
        "Set " + QemuSettings.PORTS + " to more of them, or destroy a VM.");
  }

  private void make(Entry entry, Request request, Cancel cancel)
      throws ProviderException, NodeException, InterruptedException {
    switch (entry.kind()) {
      case NETWORK, SUBNET ->
          put(
              entry
                  .with("cidr", request.parameters().get("cidr"))
                  .with("zone_id", REGION)
                  .finished());
      case INSTANCE -> makeInstance(entry, request.owner(), cancel);
      case APPLICATION -> {
        if (entry.parameters().containsKey(WarmStarts.PREPARED)) {
          // Its work was on the disk and in the memory that the instance started from.
          put(entry.with(FINGERPRINT, entry.parameters().get(FINGERPRINT)).finished());
        } else if (request.payload().isPresent()) {
          begin(entry, request.payload().get(), cancel);
        }
      }
      case SNAPSHOT -> makeSnapshot(entry, cancel);
      case DISK -> {
        further.make(entry);
        put(
            entry
                .with(FurtherDisks.NAME, entry.parameters().get(FurtherDisks.NAME))
                .with(FurtherDisks.SIZE, entry.parameters().get(FurtherDisks.SIZE))
                .finished());
      }
      default -> put(entry.finished());
    }
  }

  private void put(Entry entry) throws ProviderException {
    books.alone(
        () -> {
          books.put(entry);
          return null;
        });
  }

  private void makeInstance(Entry entry, Owner owner, Cancel cancel)
      throws ProviderException, NodeException, InterruptedException {
    Map<String, String> p = entry.parameters();
    Size size = size(p.get(TYPE));
    Machine machine = node.machine(entry.id());
    Optional<Entry> snapshot = Optional.empty();
    boolean warm = p.containsKey(WarmStarts.PREPARED);
    if (warm) {
      snapshot = Optional.of(warmth.require(p));
    } else if (p.containsKey(Kind.SNAPSHOT.key())) {
      snapshot = Optional.of(require(Kind.SNAPSHOT, p.get(Kind.SNAPSHOT.key())));
    }
    // Of a snapshot: the image that it is on top of.
    String image = snapshot.map(s -> s.attributes().get(IMAGE)).orElse(p.get(IMAGE));
    Path base = library.file(image);
    long bytes = Long.parseLong(p.get(DISK)) * GB;
    if (!machine.exists()) {
      SshKeyPair hostKey = SshKeyPair.create();
      machine.prepare(
          new MachineConfig(
              UUID.randomUUID(),
              UUID.randomUUID(),
              size.cpus(),
              size.memoryMb(),
              mac(),
              SUBNET,
              settings.restricted(),
              lan(entry.id()),
              Optional.empty(),
              List.of(),
              hostKey.publicLine()),
          hostKey,
          "baton-" + owner.vm(),
          authorized(p.get(Kind.KEY_PAIR.key())));
    }
    cancel.check();
    if (snapshot.isPresent()) {
      machine.copy(snapshotDisk(snapshot.get().id()), Optional.of(base), bytes);
    } else {
      machine.overlay(base, bytes);
    }
    cancel.check();
    Entry made =
        entry
            .with(TYPE, p.get(TYPE))
            .with(CPUS, Integer.toString(size.cpus()))
            .with(MEMORY, Integer.toString(size.memoryMb()))
            .with(DISK, p.get(DISK))
            .with(IMAGE, image)
            .with("host_key", machine.config().hostKey())
            .with(ACCELERATOR, node.accelerator().kind().word())
            .with(KVM, shown(node.accelerator().why()))
            .with("zone_id", REGION)
            .finished();
    further.attachAll(p.getOrDefault(Disks.PARAMETER, ""), entry.id());
    if (warm) {
      warmth.apply(machine, snapshot.get());
      requirePort(machine);
    }
    start(machine, made);
    put(made);
  }

  /** Short enough to be recorded. */
  private static String shown(String why) {
    String line = why.replaceAll("[^ -~]", "");
    return line.length() <= 160 ? line : line.substring(0, 157) + "...";
  }

  /** As it is written down, if it has no memory of having been otherwise. */
  private void start(Machine machine, Entry entry)
      throws NodeException, ProviderException, InterruptedException {
    if (machine.power() == Machine.Power.OFF) {
      machine.configure(
          machine
              .config()
              .withSize(
                  Integer.parseInt(entry.attributes().get(CPUS)),
                  Integer.parseInt(entry.attributes().get(MEMORY)))
              .withDisks(further.of(entry.id())));
    }
    machine.start();
  }

  /** QEMU's own prefix, and three bytes that are this machine's alone. */
  private static String mac() {
    return "52:54:00:" + random(3).replaceAll("(..)(?=.)", "$1:");
  }

  private Optional<Lan> lan(String instance) {
    return Optional.of(settings.bridge())
        .filter(b -> !b.isEmpty())
        .map(b -> new Lan("b" + instance.replaceAll("[^a-z0-9]", ""), b));
  }

  private List<String> authorized(String keyPair) throws ProviderException {
    return keyPair == null
        ? List.of()
        : books.get(Kind.KEY_PAIR, keyPair).map(e -> e.parameters().get("public_key")).stream()
            .toList();
  }

  private Path snapshotDisk(String id) {
    return WarmSnapshots.file(node, id, ".qcow2");
  }

  private void makeSnapshot(Entry entry, Cancel cancel)
      throws ProviderException, NodeException, InterruptedException {
    Entry instance = require(Kind.INSTANCE, entry.parameters().get(Kind.INSTANCE.key()));
    Path target = snapshotDisk(entry.id());
    Machine machine = node.machine(instance.id());
    Entry made =
        entry
            .with(DISK, instance.attributes().get(DISK))
            .with(IMAGE, instance.attributes().get(IMAGE))
            .finished();
    if (entry.parameters().containsKey(WarmStarts.MEMORY)) {
      sync(machine);
      put(
          warmth.keep(
              machine,
              instance,
              made,
              library.file(instance.attributes().get(IMAGE)),
              cancel::check));
      return;
    }
    if (!Files.exists(target)) {
      try {
        node.directory("snapshots");
      } catch (IOException e) {
        throw Troubles.of("make", target.getParent(), e);
      }
      sync(machine);
      machine.copyDisk(library.file(instance.attributes().get(IMAGE)), target, cancel::check);
    }
    put(made);
  }

  /** So that what the guest has in its memory alone is on the disk. */
  private static void sync(Machine machine) throws InterruptedException {
    try {
      if (machine.power() == Machine.Power.RUNNING && machine.isReady()) {
        machine.guest().orElseThrow().run("sync", "", SYNC);
      }
    } catch (NodeException e) {
      // A guest that does not answer has its disk as it is: like after a power cut.
      return;
    }
  }

  // ---- to look

  @Override
  public Optional<Found> describe(Kind kind, String id, Cancel cancel)
      throws ProviderException, InterruptedException {
    cancel.check();
    Optional<Entry> entry = books.get(kind, id);
    if (entry.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(found(entry.get()));
    } catch (NodeException e) {
      throw Troubles.of(e);
    }
  }

  private Found found(Entry e) throws ProviderException, NodeException, InterruptedException {
    if (e.kind() == Kind.INSTANCE) {
      return instance(e);
    }
    if (e.kind() == Kind.APPLICATION && !e.done()) {
      return application(e);
    }
    return e.found(e.done() ? Phase.READY : Phase.PENDING, world.now());
  }

  private Found instance(Entry e) throws ProviderException, NodeException, InterruptedException {
    if (!e.done()) {
      return e.found(Phase.PENDING, world.now());
    }
    Machine machine = node.machine(e.id());
    if (!machine.exists() || !Files.exists(machine.disk())) {
      return e.found(Phase.FAILED, world.now());
    }
    return switch (machine.power()) {
      case RUNNING ->
          e.found(
              machine.config().port().isEmpty() || machine.isReady()
                  ? Phase.RUNNING
                  : Phase.STARTING,
              world.now());
      // It stands still, and takes as much memory as if it ran.
      case PAUSED -> e.with(Found.BILLED_WHILE_STOPPED, "true").found(Phase.SUSPENDED, world.now());
      case PREPARED -> e.with(Found.BILLED_WHILE_STOPPED, "true").found(Phase.STOPPED, world.now());
      case SUSPENDED -> e.found(Phase.SUSPENDED, world.now());
      case OFF -> e.found(Phase.STOPPED, world.now());
      case HANGS ->
          throw new ProviderException(
              Trouble.UNAVAILABLE,
              "QEMU of instance " + e.id() + " does not answer",
              "Destroy the VM, or end the process and run `baton vm deploy`.");
    };
  }

  @Override
  public List<Found> findOwned(String space, Optional<VmName> vm, Cancel cancel)
      throws ProviderException, InterruptedException {
    cancel.check();
    List<Found> owned = new ArrayList<>();
    for (Entry e : books.all()) {
      Optional<Owner> owner = Owner.of(e.owner());
      if (owner.isPresent()
          && owner.get().space().equals(space)
          && (vm.isEmpty() || vm.get().equals(owner.get().vm()))) {
        Phase there = e.kind() == Kind.INSTANCE ? Phase.RUNNING : Phase.READY;
        owned.add(e.found(e.done() ? there : Phase.PENDING, world.now()));
      }
    }
    return owned;
  }

  // ---- to delete

  @Override
  public void delete(Kind kind, String id, Cancel cancel)
      throws ProviderException, InterruptedException {
    cancel.check();
    Entry entry = require(kind, id);
    if (kind == Kind.DISK) {
      further.requireUnattached(entry, "");
    }
    for (Entry other : books.all()) {
      if (needs(other, entry)) {
        throw new ProviderException(
            Trouble.DEPENDENCY, kind.words() + " " + id + " is still needed by " + other.id());
      }
    }
    try {
      unmake(entry);
    } catch (NodeException e) {
      throw Troubles.of(e);
    }
    books.alone(
        () -> {
          if (kind == Kind.INSTANCE) {
            letGo(id);
          }
          books.remove(id);
          return null;
        });
  }

  private static boolean needs(Entry other, Entry parent) {
    return switch (parent.kind()) {
      case NETWORK, SUBNET, SECURITY_GROUP -> other.isOn(parent.kind(), parent.id());
      default -> false;
    };
  }

  /** What an instance takes along when it goes. */
  private void letGo(String instance) throws ProviderException {
    for (Entry other : books.all()) {
      if (other.kind() == Kind.APPLICATION && other.isOn(Kind.INSTANCE, instance)) {
        books.remove(other.id());
      } else if (instance.equals(other.attributes().get(INSTANCE))) {
        books.put(other.without(INSTANCE));
      }
    }
  }

  private void unmake(Entry e) throws NodeException, ProviderException, InterruptedException {
    switch (e.kind()) {
      case INSTANCE -> node.machine(e.id()).remove();
      case ADDRESS -> {
        String instance = e.attributes().get(INSTANCE);
        if (instance != null && node.machine(instance).exists()) {
          node.machine(instance).unforward();
        }
      }
      case DISK -> further.remove(e.id());
      case SNAPSHOT -> {
        Path disk = snapshotDisk(e.id());
        try {
          for (String end : List.of("", ".half", ".half.tmp", ".tmp")) {
            Files.deleteIfExists(disk.resolveSibling(disk.getFileName() + end));
          }
          warmth.remove(e.id());
        } catch (IOException x) {
          throw Troubles.of("remove", disk, x);
        }
      }
      default -> {
        // it is written down and nothing else
      }
    }
  }

  private Entry require(Kind kind, String id) throws ProviderException {
    return books
        .get(kind, id)
        .orElseThrow(
            () ->
                new ProviderException(
                    Trouble.NOT_FOUND, kind.words() + " " + id + " does not exist"));
  }

  // ---- to run

  @Override
  public void start(String instance, Cancel cancel) throws ProviderException, InterruptedException {
    cancel.check();
    Entry entry = require(Kind.INSTANCE, instance);
    try {
      start(node.machine(instance), entry);
    } catch (NodeException e) {
      throw Troubles.of(e);
    }
  }

  /** It keeps its memory, on the disk. */
  @Override
  public void stop(String instance, Cancel cancel) throws ProviderException, InterruptedException {
    cancel.check();
    require(Kind.INSTANCE, instance);
    Machine machine = node.machine(instance);
    sync(machine);
    try {
      machine.suspend();
    } catch (NodeException e) {
      throw Troubles.of(e);
    }
  }

  /** And waits until the guest lets us in: an address that leads to nothing is none. */
  @Override
  public void bind(String address, String instance, Cancel cancel)
      throws ProviderException, InterruptedException {
    cancel.check();
    Entry entry = require(Kind.ADDRESS, address);
    require(Kind.INSTANCE, instance);
    Machine machine = node.machine(instance);
    String before = entry.attributes().getOrDefault(INSTANCE, instance);
    try {
      if (!before.equals(instance) && node.machine(before).exists()) {
        // It has the port as long as it is there.
        node.machine(before).unforward();
      }
      machine.forward(Integer.parseInt(entry.attributes().get(PORT)));
      put(entry.with(INSTANCE, instance));
      if (machine.power() == Machine.Power.RUNNING) {
        await(machine, cancel);
      }
    } catch (NodeException e) {
      throw Troubles.of(e);
    }
  }

  private void await(Machine machine, Cancel cancel)
      throws NodeException, ProviderException, InterruptedException {
    HostMachine host = node.host();
    long start = host.nanos();
    Duration patience = node.settings().boot();
    while (!machine.isReady()) {
      if (machine.power() != Machine.Power.RUNNING) {
        throw new ProviderException(
            Trouble.BAD_REQUEST,
            "instance " + machine.id() + " has stopped while it was booting",
            "What it has said is in " + machine.console() + ".");
      }
      if (host.nanos() - start > patience.toNanos()) {
        throw new ProviderException(
            Trouble.BAD_REQUEST,
            "SSH of instance "
                + machine.id()
                + " has not answered within "
                + Checks.shown(patience),
            "What it has said is in "
                + machine.console()
                + ". Use an image with cloud-init and an SSH server, or allow more with "
                + QemuSettings.BOOT
                + ".");
      }
      cancel.pause(LOOK);
    }
  }

  @Override
  public void releaseAfter(String instance, Optional<Duration> time, Cancel cancel)
      throws ProviderException {
    throw new ProviderException(
        Trouble.BAD_REQUEST, "no process stays here to end instance " + instance + " later");
  }

  // ---- what not every cloud can do

  @Override
  public Optional<PowerSwitch> power() {
    return Optional.of(this::powerOff);
  }

  private void powerOff(String instance, Cancel cancel)
      throws ProviderException, InterruptedException {
    cancel.check();
    require(Kind.INSTANCE, instance);
    try {
      node.machine(instance).powerOff();
    } catch (NodeException e) {
      throw Troubles.of(e);
    }
  }

  private Entry requireOff(String instance) throws ProviderException, InterruptedException {
    Entry entry = require(Kind.INSTANCE, instance);
    try {
      if (node.machine(instance).power() != Machine.Power.OFF) {
        throw new ProviderException(Trouble.DEPENDENCY, "instance " + instance + " is not off");
      }
    } catch (NodeException e) {
      throw Troubles.of(e);
    }
    return entry;
  }

  @Override
  public Optional<Sizes> sizes() {
    return Optional.of(
        new Sizes() {
          @Override
          public Map<String, String> resized(Found instance, SizeChange change, Cancel cancel)
              throws ProviderException {
            cancel.check();
            return QemuProvider.this.resized(instance.attributes(), change);
          }

          @Override
          public void resize(String instance, Map<String, String> size, Cancel cancel)
              throws ProviderException, InterruptedException {
            cancel.check();
            Entry entry = requireOff(instance);
            for (String name : List.of(TYPE, CPUS, MEMORY)) {
              entry = entry.with(name, size.get(name));
            }
            put(entry);
          }
        });
  }

  private Map<String, String> resized(Map<String, String> now, SizeChange change)
      throws ProviderException {
    Size type =
        change.type().isPresent()
            ? size(change.type().get())
            : new Size(
                Integer.parseInt(now.getOrDefault(CPUS, "1")),
                Integer.parseInt(now.getOrDefault(MEMORY, "64")));
    Size next =
        new Size(change.cpus().orElse(type.cpus()), change.memoryMb().orElse(type.memoryMb()));
    requirePossible(next);
    Map<String, String> size = new LinkedHashMap<>();
    size.put(TYPE, next.toString());
    size.put(CPUS, Integer.toString(next.cpus()));
    size.put(MEMORY, Integer.toString(next.memoryMb()));
    return size;
  }

  private void requirePossible(Size size) throws ProviderException {
    long memory = node.host().memoryMb();
    if (size.memoryMb() > memory || size.cpus() > MOST_CPUS) {
      throw new ProviderException(
          Trouble.BAD_REQUEST,
          "a VM of "
              + size
              + " is too large for this machine, which has "
              + memory
              + " MB of memory",
          "Choose up to " + MOST_CPUS + " processors and less memory than that.");
    }
  }

  @Override
  public Optional<Disks> disks() {
    return Optional.of(
        new Disks() {
          @Override
          public Map<String, String> plan(String name, int gigabytes, Found near) {
            return FurtherDisks.plan(name, gigabytes);
          }

          @Override
          public void attach(String disk, String instance, Cancel cancel)
              throws ProviderException, InterruptedException {
            cancel.check();
            require(Kind.DISK, disk);
            requireOff(instance);
            further.attach(disk, instance);
          }

          @Override
          public void detach(String disk, String instance, Cancel cancel)
              throws ProviderException, InterruptedException {
            cancel.check();
            if (instance.equals(require(Kind.DISK, disk).attributes().get(INSTANCE))) {
              requireOff(instance);
              further.detach(disk);
            }
          }
        });
  }

  @Override
  public Optional<WarmStarts> warmStarts() {
    return Optional.of(
        (spec, cancel) -> {
          cancel.check();
          return warmth.key(spec, size(spec.instanceType()), image(spec));
        });
  }

  @Override
  public Map<String, String> facts(Found instance) {
    Map<String, String> facts = new LinkedHashMap<>();
    for (String name : List.of(ACCELERATOR, KVM, CPUS, MEMORY, IMAGE)) {
      String value = instance.attributes().getOrDefault(name, "");
      if (!value.isBlank()) {
        facts.put(name, value);
      }
    }
    return facts;
  }

  /** What starts from an image, or is on top of it. */
  List<String> usersOf(String image) throws ProviderException {
    return books.all().stream()
        .filter(e -> e.kind() == Kind.INSTANCE || e.kind() == Kind.SNAPSHOT)
        .filter(
            e -> image.equals(e.attributes().get(IMAGE)) || image.equals(e.parameters().get(IMAGE)))
        .map(e -> Owner.of(e.owner()).map(o -> o.vm().value()).orElse(e.id()))
        .distinct()
        .sorted()
        .toList();
  }

  // ---- the script

  /** It goes in by SSH, so a port is needed even where no address leads there. */
  private void begin(Entry entry, String script, Cancel cancel)
      throws ProviderException, NodeException, InterruptedException {
    Machine machine = node.machine(entry.parameters().get(Kind.INSTANCE.key()));
    requirePort(machine);
    await(machine, cancel);
    Scripts.begin(guest(entry), entry.token(), script);
  }

  private void requirePort(Machine machine)
      throws ProviderException, NodeException, InterruptedException {
    if (machine.config().port().isEmpty()) {
      machine.forward(books.alone(this::freePort));
    }
  }

  private Guest guest(Entry application) throws NodeException, ProviderException {
    String instance = application.parameters().get(Kind.INSTANCE.key());
    return node.machine(instance)
        .guest()
        .orElseThrow(
            () ->
                new ProviderException(
                    Trouble.UNAVAILABLE, "no port leads to instance " + instance));
  }

  private Found application(Entry e) throws ProviderException, NodeException, InterruptedException {
    OptionalInt code = Scripts.result(guest(e), e.token());
    if (code.isEmpty()) {
      return e.found(Phase.PENDING, world.now());
    }
    if (code.getAsInt() != 0) {
      // Without what it said: that may be a secret.
      throw new ProviderException(
          Trouble.BAD_REQUEST,
          "the script has failed on "
              + e.parameters().get(Kind.INSTANCE.key())
              + ": exit code "
              + code.getAsInt(),
          "What it said is on the VM, in " + Scripts.directory(e.token()) + "/output.");
    }
    Entry done = e.with(FINGERPRINT, e.parameters().get(FINGERPRINT)).finished();
    put(done);
    return done.found(Phase.READY, world.now());
  }
}
