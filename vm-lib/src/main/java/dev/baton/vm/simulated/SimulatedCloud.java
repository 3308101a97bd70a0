package dev.baton.vm.simulated;

import dev.baton.core.Checks;
import dev.baton.core.World;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Kind;
import dev.baton.vm.Resource;
import dev.baton.vm.SizeChange;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmName;
import dev.baton.vm.spi.Cancel;
import dev.baton.vm.spi.Disks;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.Images;
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
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A cloud in a directory that any number of processes may use. It starts no machine: what it
 * promises about resources is what {@link CloudSettings} and the files in the directory say.
 */
public final class SimulatedCloud implements Provider {

  private static final Duration TOKEN_LIFE = Duration.ofHours(24);
  private static final String ZONE = "zone_id";
  private static final String DISK = "disk_gb";
  private static final String DEFAULT_DISK = "40";

  /** How many times as fast as a boot a warm start is here. */
  private static final int WARM_SPEED = 10;

  private final Shelf shelf;
  private final World world;
  private final Optional<SimulatedImages> images;

  private SimulatedCloud(Shelf shelf, Optional<Path> directory, World world) {
    this.shelf = shelf;
    this.images = directory.map(d -> new SimulatedImages(d.resolve("images"), shelf, world));
    this.world = Objects.requireNonNull(world, "world");
  }

  /** The directory need not exist yet. */
  public static SimulatedCloud in(Path directory, World world) {
    return new SimulatedCloud(new DirectoryShelf(directory), Optional.of(directory), world);
  }

  /** A cloud that only those who have this instance share, and that is gone with it. */
  public static SimulatedCloud inMemory(World world) {
    return new SimulatedCloud(new MemoryShelf(), Optional.empty(), world);
  }

  /** Those that were added; one in memory has none, and takes any name for one. */
  Optional<Images> images() {
    return images.map(i -> i);
  }

  /** Changes what the cloud is like, for all who use it. */
  public void configure(UnaryOperator<CloudSettings> change) throws ProviderException {
    shelf.alone(
        () -> {
          shelf.put(change.apply(shelf.settings()));
          return null;
        });
  }

  /** Everything that there is, whoever owns it and whether it shows yet or not. */
  public List<Found> everything() throws ProviderException {
    return shelf.alone(
        () -> {
          Instant now = world.now();
          releaseOverdue(now);
          return living(now).stream().map(t -> t.found(now)).toList();
        });
  }

  /** When the cloud deletes it by itself; empty: never, or there is no such thing. */
  public Optional<Instant> releaseTime(String id) throws ProviderException {
    return shelf.alone(() -> shelf.get(id).flatMap(Thing::releaseAt));
  }

  /** As if somebody had deleted it by hand: whatever depends on it stays. */
  public void deleteByHand(String id) throws ProviderException {
    shelf.alone(
        () -> {
          shelf.remove(id);
          return null;
        });
  }

  /** As if somebody had started or stopped it by hand. */
  public void setPhaseByHand(String id, Phase phase) throws ProviderException {
    shelf.alone(
        () -> {
          Optional<Thing> thing = shelf.get(id);
          if (thing.isPresent()) {
            shelf.put(thing.get().passing(phase, Optional.empty(), world.now()));
          }
          return null;
        });
  }

  @Override
  public Traits traits() {
    CloudSettings settings = settings();
    return new Traits(
        "simulated",
        List.of(
            Kind.NETWORK,
            Kind.SUBNET,
            Kind.SECURITY_GROUP,
            Kind.KEY_PAIR,
            Kind.IMAGE,
            Kind.INSTANCE,
            Kind.ADDRESS,
            Kind.APPLICATION,
            Kind.SNAPSHOT),
        true,
        settings.clientTokens(),
        TOKEN_LIFE,
        settings.visibility(),
        true);
  }

  private CloudSettings settings() {
    try {
      return shelf.alone(shelf::settings);
    } catch (ProviderException e) {
      // What the cloud is like cannot be asked; the next call says why.
      return CloudSettings.DEFAULT;
    }
  }

  @Override
  public void validate(DeploySpec spec, Set<Kind> toCreate, Cancel cancel)
      throws ProviderException, InterruptedException {
    call(
        "validate",
        Optional.empty(),
        cancel,
        (now, settings) -> {
          requireType(spec.instanceType(), settings);
          if (images.isPresent() && toCreate.contains(Kind.INSTANCE) && !spec.image().isEmpty()) {
            images.get().require(spec.image());
          }
          for (Kind kind : toCreate) {
            requireQuota(kind, now, settings);
          }
          return null;
        });
  }

  private static void requireType(String type, CloudSettings settings) throws ProviderException {
    if (!settings.types().contains(type)) {
      throw new ProviderException(
          Trouble.BAD_REQUEST,
          "unknown instance type " + Checks.shown(type),
          "Choose one of " + String.join(", ", settings.types()) + ".");
    }
  }

  private void requireQuota(Kind kind, Instant now, CloudSettings settings)
      throws IOException, ProviderException {
    Integer limit = settings.quota().get(kind);
    if (limit == null) {
      return;
    }
    long there = living(now).stream().filter(t -> t.kind() == kind).count();
    if (there >= limit) {
      throw new ProviderException(
          Trouble.QUOTA_EXCEEDED,
          "the quota for " + kind.words() + " is " + limit + ", and there are " + there);
    }
  }

  @Override
  public Map<String, String> plan(
      Kind kind, DeploySpec spec, Map<Kind, Resource> have, Optional<String> snapshot) {
    Map<String, String> p = new LinkedHashMap<>();
    switch (kind) {
      case NETWORK -> p.put("cidr", "192.168.0.0/16");
      case SUBNET -> {
        p.put("cidr", "192.168.0.0/24");
        String region = spec.region();
        p.put("zones", spec.zone().isEmpty() ? region + "-a," + region + "-b" : spec.zone());
        p.put("instance_type", spec.instanceType());
        Parents.put(p, have, Kind.NETWORK);
      }
      case SECURITY_GROUP -> Parents.put(p, have, Kind.NETWORK);
      case KEY_PAIR -> p.put("public_key", spec.publicKey());
      case IMAGE -> p.put("snapshot", snapshot.orElseThrow());
      case INSTANCE -> {
        p.put("instance_type", spec.instanceType());
        p.put(DISK, Integer.toString(spec.diskGb()));
        if (!spec.image().isEmpty()) {
          p.put(SimulatedImages.PARAMETER, spec.image());
        }
        Parents.put(p, have, Kind.SUBNET, Kind.SECURITY_GROUP, Kind.KEY_PAIR);
        if (snapshot.isPresent()) {
          Parents.put(p, have, Kind.IMAGE);
        }
      }
      case ADDRESS -> p.put("bandwidth", "5");
      case APPLICATION -> {
        p.put("fingerprint", spec.application().orElseThrow().fingerprint());
        Parents.put(p, have, Kind.INSTANCE);
      }
      case SNAPSHOT -> Parents.put(p, have, Kind.INSTANCE);
      case DISK -> throw new IllegalArgumentException("no deploy creates a further disk");
    }
    return p;
  }

  /** Only zones that were given. */
  @Override
  public Optional<DeploySpec> elsewhere(DeploySpec spec, Map<Kind, Resource> have) {
    String soldOut =
        Optional.ofNullable(have.get(Kind.SUBNET)).map(s -> s.attributes().get(ZONE)).orElse("");
    return spec.withoutZone(soldOut);
  }

  private static List<String> parts(String list) {
    return Stream.of(list.split(",")).map(String::strip).filter(p -> !p.isEmpty()).toList();
  }

  @Override
  public Found create(Request request, Cancel cancel)
      throws ProviderException, InterruptedException {
    return call(
        "create",
        Optional.of(request.kind()),
        cancel,
        (now, settings) -> create(request, now, settings));
  }

  private Found create(Request request, Instant now, CloudSettings settings)
      throws IOException, ProviderException {
    if (settings.clientTokens()) {
      for (Thing t : living(now)) {
        if (t.token().equals(request.token()) && t.createdAt().plus(TOKEN_LIFE).isAfter(now)) {
          if (t.kind() != request.kind()
              || !t.parameters().equals(request.parameters())
              || t.kind() == Kind.SUBNET
                  && !zone(request, settings).equals(t.attributes().get(ZONE))) {
            throw new ProviderException(
                Trouble.TOKEN_MISMATCH, "the token was used for " + t.id() + " before");
          }
          return t.found(now);
        }
      }
    }
    for (Kind parent : Kind.values()) {
      String id = request.parameters().get(parent.key());
      if (id != null && parent != request.kind()) {
        require(parent, id, now);
      }
    }
    requireQuota(request.kind(), now, settings);
    if (request.kind() == Kind.SUBNET) {
      requireFreeAddresses(request, now);
    }
    long number = shelf.nextNumber();
    Map<String, String> attributes = attributes(request, number, now, settings);
    boolean takesTime = request.kind() == Kind.INSTANCE || request.kind() == Kind.SNAPSHOT;
    Phase ready = request.kind() == Kind.INSTANCE ? Phase.RUNNING : Phase.READY;
    Duration time =
        request.kind() == Kind.SNAPSHOT
            ? settings.snapshotTime()
            : request.parameters().containsKey(WarmStarts.PREPARED)
                ? settings.readyTime().dividedBy(WARM_SPEED)
                : settings.readyTime();
    Thing thing =
        new Thing(
            prefix(request.kind()) + number,
            request.kind(),
            request.owner().tag(),
            request.token(),
            takesTime ? Phase.PENDING : ready,
            takesTime ? Optional.of(ready) : Optional.empty(),
            now.plus(time),
            now,
            now.plus(settings.visibility()),
            Optional.ofNullable(request.parameters().get("release_at")).map(Instant::parse),
            request.parameters(),
            attributes);
    List<Thing> disks = request.kind() == Kind.INSTANCE ? disks(request, now) : List.of();
    shelf.put(thing);
    for (Thing disk : disks) {
      shelf.put(disk.with(Disks.INSTANCE, thing.id()));
    }
    return thing.found(now);
  }

  /** That an instance has from the beginning. */
  private List<Thing> disks(Request instance, Instant now) throws IOException, ProviderException {
    List<Thing> disks = new ArrayList<>();
    for (String id : parts(instance.parameters().getOrDefault(Disks.PARAMETER, ""))) {
      Thing disk = require(Kind.DISK, id, now);
      requireUnattached(disk, "", now);
      disks.add(disk);
    }
    return disks;
  }

  /** The first that was asked for and has such machines; it may be another one tomorrow. */
  private static String zone(Request request, CloudSettings settings) {
    List<String> zones = parts(request.parameters().getOrDefault("zones", ""));
    String type = request.parameters().getOrDefault("instance_type", "");
    return zones.stream()
        .filter(zone -> settings.isInStock(type, zone))
        .findFirst()
        .orElse(zones.isEmpty() ? "" : zones.get(0));
  }

  private void requireFreeAddresses(Request subnet, Instant now)
      throws IOException, ProviderException {
    String cidr = subnet.parameters().getOrDefault("cidr", "");
    String network = subnet.parameters().getOrDefault(Kind.NETWORK.key(), "");
    for (Thing t : living(now)) {
      // Also one that is on its way out.
      if (t.kind() == Kind.SUBNET
          && t.isOn(Kind.NETWORK, network)
          && cidr.equals(t.parameters().get("cidr"))) {
        throw new ProviderException(
            Trouble.BAD_REQUEST, "the addresses " + cidr + " are those of " + t.id() + " already");
      }
    }
  }

  private Map<String, String> attributes(
      Request request, long number, Instant now, CloudSettings settings)
      throws IOException, ProviderException {
    Map<String, String> p = request.parameters();
    Map<String, String> a = new LinkedHashMap<>();
    switch (request.kind()) {
      case NETWORK -> a.put("cidr", p.getOrDefault("cidr", ""));
      case SUBNET -> a.put(ZONE, zone(request, settings));
      case INSTANCE -> {
        String type = p.getOrDefault("instance_type", "");
        requireType(type, settings);
        requireStock(type, zone(p, now), settings);
        a.put("instance_type", type);
        a.putAll(SimulatedSizes.of(type));
        String size = p.getOrDefault(DISK, DEFAULT_DISK);
        requireRoomFor(disk(Kind.IMAGE, p, now), size);
        a.put(DISK, size);
        a.put("host_key", "ssh-ed25519 simulated-" + number);
        if (p.containsKey(WarmStarts.PREPARED)) {
          requireMemory(p.get(WarmStarts.PREPARED), now);
        }
      }
      case ADDRESS -> a.put("ip", "203.0.113." + number % 256);
      case APPLICATION -> a.put("fingerprint", p.getOrDefault("fingerprint", ""));
      case DISK -> {
        a.put("name", p.getOrDefault("name", ""));
        a.put("size_gb", p.getOrDefault("size_gb", ""));
      }
      case SNAPSHOT -> {
        a.put(DISK, disk(Kind.INSTANCE, p, now));
        if (p.containsKey(WarmStarts.MEMORY)) {
          requireRunning(p.getOrDefault(Kind.INSTANCE.key(), ""), now);
          a.put(WarmStarts.MEMORY, "true");
        }
      }
      case IMAGE -> a.put(DISK, disk(Kind.SNAPSHOT, p, now));
      default -> {
        // nothing more is known about it than its id
      }
    }
    return a;
  }

  /** How large the disk is that something is made of; 0: it is made of none. */
  private String disk(Kind parent, Map<String, String> parameters, Instant now) throws IOException {
    String id = parameters.get(parent.key());
    return id == null
        ? "0"
        : visible(parent, id, now).map(t -> t.attributes().get(DISK)).orElse(DEFAULT_DISK);
  }

  private static void requireRoomFor(String content, String size) throws ProviderException {
    if (Integer.parseInt(size) < Integer.parseInt(content)) {
      throw new ProviderException(
          Trouble.BAD_REQUEST,
          "a disk of " + size + " GB is smaller than its image, which has " + content + " GB");
    }
  }

  private static void requireStock(String type, String zone, CloudSettings settings)
      throws ProviderException {
    if (!settings.isInStock(type, zone)) {
      throw new ProviderException(Trouble.OUT_OF_STOCK, type + " is out of stock");
    }
  }

  /** Where an instance with these parameters is. */
  private String zone(Map<String, String> instance, Instant now) throws IOException {
    String subnet = instance.getOrDefault(Kind.SUBNET.key(), "");
    return visible(Kind.SUBNET, subnet, now).map(t -> t.attributes().get(ZONE)).orElse("");
  }

  private static String prefix(Kind kind) {
    return switch (kind) {
      case NETWORK -> "vpc-";
      case SUBNET -> "vsw-";
      case SECURITY_GROUP -> "sg-";
      case KEY_PAIR -> "key-";
      case IMAGE -> "m-";
      case INSTANCE -> "i-";
      case ADDRESS -> "eip-";
      case APPLICATION -> "app-";
      case DISK -> "d-";
      case SNAPSHOT -> "s-";
    };
  }

  @Override
  public Optional<Found> describe(Kind kind, String id, Cancel cancel)
      throws ProviderException, InterruptedException {
    return call(
        "describe",
        Optional.of(kind),
        cancel,
        (now, settings) -> visible(kind, id, now).map(t -> shown(t, now, settings)));
  }

  private static Found shown(Thing thing, Instant now, CloudSettings settings) {
    boolean silent = settings.silentDeletes() && thing.phase() == Phase.DELETING;
    return (silent ? thing.passing(Phase.PENDING, Optional.empty(), now) : thing).found(now);
  }

  @Override
  public void delete(Kind kind, String id, Cancel cancel)
      throws ProviderException, InterruptedException {
    call(
        "delete",
        Optional.of(kind),
        cancel,
        (now, settings) -> {
          Thing thing = require(kind, id, now);
          if (thing.phase() == Phase.DELETING) {
            return null;
          }
          for (Thing other : living(now)) {
            if (needs(other, thing)) {
              throw new ProviderException(
                  Trouble.DEPENDENCY,
                  kind.words() + " " + id + " is still needed by " + other.id());
            }
          }
          if (kind == Kind.DISK) {
            requireUnattached(thing, "", now);
          }
          if (kind == Kind.INSTANCE) {
            letGo(thing, now);
          }
          if (settings.deleteTime().isZero()) {
            shelf.remove(id);
          } else {
            shelf.put(
                thing.passing(Phase.DELETING, Optional.empty(), now.plus(settings.deleteTime())));
          }
          return null;
        });
  }

  private static boolean needs(Thing other, Thing parent) {
    return switch (parent.kind()) {
      case NETWORK, SUBNET, SECURITY_GROUP, SNAPSHOT -> other.isOn(parent.kind(), parent.id());
      default -> false;
    };
  }

  /** What an instance takes along when it goes, and what it spoils. */
  private void letGo(Thing instance, Instant now) throws IOException {
    for (Thing other : living(now)) {
      if (other.kind() == Kind.APPLICATION && other.isOn(Kind.INSTANCE, instance.id())) {
        shelf.remove(other.id());
      } else if (instance.id().equals(other.attributes().get("instance"))) {
        shelf.put(other.with("instance", null));
      } else if (other.kind() == Kind.SNAPSHOT
          && other.isOn(Kind.INSTANCE, instance.id())
          && other.phase(now) == Phase.PENDING) {
        shelf.put(other.passing(Phase.FAILED, Optional.empty(), now));
      }
    }
  }

  @Override
  public List<Found> findOwned(String space, Optional<VmName> vm, Cancel cancel)
      throws ProviderException, InterruptedException {
    return call(
        "findOwned",
        Optional.empty(),
        cancel,
        (now, settings) -> {
          List<Found> found = new ArrayList<>();
          for (Thing t : living(now)) {
            Optional<Owner> owner = Owner.of(t.owner());
            if (t.isVisible(now)
                && owner.isPresent()
                && owner.get().space().equals(space)
                && (vm.isEmpty() || vm.get().equals(owner.get().vm()))) {
              found.add(shown(t, now, settings));
            }
          }
          return found;
        });
  }

  @Override
  public void start(String instance, Cancel cancel) throws ProviderException, InterruptedException {
    call(
        "start",
        Optional.of(Kind.INSTANCE),
        cancel,
        (now, settings) -> {
          Thing thing = require(Kind.INSTANCE, instance, now);
          String type = thing.attributes().getOrDefault("instance_type", "");
          requireStock(type, zone(thing.parameters(), now), settings);
          if (thing.phase(now) != Phase.RUNNING) {
            boolean boots = take("boot", Optional.of(Kind.INSTANCE), settings).isEmpty();
            shelf.put(
                thing
                    .with(Found.BILLED_WHILE_STOPPED, null)
                    .passing(
                        Phase.STARTING,
                        Optional.of(boots ? Phase.RUNNING : Phase.STOPPED),
                        now.plus(settings.readyTime())));
          }
          return null;
        });
  }

  @Override
  public void stop(String instance, Cancel cancel) throws ProviderException, InterruptedException {
    call(
        "stop",
        Optional.of(Kind.INSTANCE),
        cancel,
        (now, settings) -> {
          Thing thing = require(Kind.INSTANCE, instance, now);
          if (!thing.found(now).isDown()) {
            goDown(thing, settings.keepsMemory() ? Phase.SUSPENDED : Phase.STOPPED, now, settings);
          }
          return null;
        });
  }

  private void goDown(Thing instance, Phase to, Instant now, CloudSettings settings)
      throws IOException {
    String type = instance.attributes().getOrDefault("instance_type", "");
    boolean billed = settings.alwaysBilled().contains(type);
    shelf.put(
        instance
            .with(Found.BILLED_WHILE_STOPPED, billed ? "true" : null)
            .passing(Phase.STOPPING, Optional.of(to), now.plus(settings.readyTime())));
  }

  private void requireRunning(String instance, Instant now) throws IOException, ProviderException {
    if (require(Kind.INSTANCE, instance, now).phase(now) != Phase.RUNNING) {
      throw new ProviderException(
          Trouble.BAD_REQUEST, "instance " + instance + " does not run, so it has no memory");
    }
  }

  private void requireMemory(String snapshot, Instant now) throws IOException, ProviderException {
    if (!require(Kind.SNAPSHOT, snapshot, now).attributes().containsKey(WarmStarts.MEMORY)) {
      throw new ProviderException(
          Trouble.BAD_REQUEST, "snapshot " + snapshot + " has no memory to start from");
    }
  }

  // ---- what not every cloud can do

  @Override
  public Optional<WarmStarts> warmStarts() {
    return settings().keepsMemory() ? Optional.of(this::warmKey) : Optional.empty();
  }

  private String warmKey(DeploySpec spec, Cancel cancel)
      throws ProviderException, InterruptedException {
    return call(
        "warmKey",
        Optional.empty(),
        cancel,
        (now, settings) -> {
          String image = images.map(i -> i.fingerprint(spec.image())).orElse(spec.image());
          String script = spec.application().map(DeploySpec.Application::fingerprint).orElse("");
          List<String> parts =
              List.of(
                  spec.region(),
                  spec.instanceType(),
                  Integer.toString(spec.diskGb()),
                  image,
                  spec.publicKey(),
                  script);
          return Sha256.of(String.join("\n", parts));
        });
  }

  @Override
  public Optional<PowerSwitch> power() {
    return settings().keepsMemory() ? Optional.of(this::powerOff) : Optional.empty();
  }

  private void powerOff(String instance, Cancel cancel)
      throws ProviderException, InterruptedException {
    call(
        "powerOff",
        Optional.of(Kind.INSTANCE),
        cancel,
        (now, settings) -> {
          Thing thing = require(Kind.INSTANCE, instance, now);
          if (thing.phase(now) != Phase.STOPPED) {
            goDown(thing, Phase.STOPPED, now, settings);
          }
          return null;
        });
  }

  @Override
  public Optional<Sizes> sizes() {
    return settings().keepsMemory() ? Optional.of(new SimulatedSizing()) : Optional.empty();
  }

  private final class SimulatedSizing implements Sizes {

    @Override
    public Map<String, String> resized(Found instance, SizeChange change, Cancel cancel)
        throws ProviderException, InterruptedException {
      return call(
          "resized",
          Optional.of(Kind.INSTANCE),
          cancel,
          (now, settings) -> {
            if (change.type().isPresent()) {
              requireType(change.type().get(), settings);
              requireStock(change.type().get(), "", settings);
            }
            return SimulatedSizes.resized(instance.attributes(), change);
          });
    }

    @Override
    public void resize(String instance, Map<String, String> size, Cancel cancel)
        throws ProviderException, InterruptedException {
      call(
          "resize",
          Optional.of(Kind.INSTANCE),
          cancel,
          (now, settings) -> {
            Thing thing = requireOff(instance, now);
            for (Map.Entry<String, String> e : size.entrySet()) {
              thing = thing.with(e.getKey(), e.getValue());
            }
            shelf.put(thing);
            return null;
          });
    }
  }

  private Thing requireOff(String instance, Instant now) throws IOException, ProviderException {
    Thing thing = require(Kind.INSTANCE, instance, now);
    if (thing.phase(now) != Phase.STOPPED) {
      throw new ProviderException(Trouble.DEPENDENCY, "instance " + instance + " is not off");
    }
    return thing;
  }

  @Override
  public Optional<Disks> disks() {
    return settings().keepsMemory() ? Optional.of(new SimulatedDisks()) : Optional.empty();
  }

  private final class SimulatedDisks implements Disks {

    @Override
    public Map<String, String> plan(String name, int gigabytes, Found near) {
      Map<String, String> p = new LinkedHashMap<>();
      p.put("name", name);
      p.put("size_gb", Integer.toString(gigabytes));
      return p;
    }

    @Override
    public void attach(String disk, String instance, Cancel cancel)
        throws ProviderException, InterruptedException {
      call(
          "attach",
          Optional.of(Kind.DISK),
          cancel,
          (now, settings) -> {
            Thing thing = require(Kind.DISK, disk, now);
            requireOff(instance, now);
            requireUnattached(thing, instance, now);
            shelf.put(thing.with(Disks.INSTANCE, instance));
            return null;
          });
    }

    @Override
    public void detach(String disk, String instance, Cancel cancel)
        throws ProviderException, InterruptedException {
      call(
          "detach",
          Optional.of(Kind.DISK),
          cancel,
          (now, settings) -> {
            Thing thing = require(Kind.DISK, disk, now);
            if (instance.equals(thing.attributes().get(Disks.INSTANCE))) {
              requireOff(instance, now);
              shelf.put(thing.with(Disks.INSTANCE, null));
            }
            return null;
          });
    }
  }

  /**
   * @param but that instance may have it
   */
  private void requireUnattached(Thing disk, String but, Instant now)
      throws IOException, ProviderException {
    String instance = disk.attributes().getOrDefault(Disks.INSTANCE, "");
    if (!instance.isEmpty()
        && !instance.equals(but)
        && visible(Kind.INSTANCE, instance, now).isPresent()) {
      throw new ProviderException(
          Trouble.DEPENDENCY, "disk " + disk.id() + " is attached to " + instance);
    }
  }

  @Override
  public Map<String, String> facts(Found instance) {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("accelerator", "none");
    SimulatedSizes.copy(instance.attributes(), facts);
    return facts;
  }

  @Override
  public void bind(String address, String instance, Cancel cancel)
      throws ProviderException, InterruptedException {
    call(
        "bind",
        Optional.of(Kind.ADDRESS),
        cancel,
        (now, settings) -> {
          require(Kind.INSTANCE, instance, now);
          shelf.put(require(Kind.ADDRESS, address, now).with("instance", instance));
          return null;
        });
  }

  @Override
  public void releaseAfter(String instance, Optional<Duration> time, Cancel cancel)
      throws ProviderException, InterruptedException {
    call(
        "releaseAfter",
        Optional.of(Kind.INSTANCE),
        cancel,
        (now, settings) -> {
          shelf.put(require(Kind.INSTANCE, instance, now).releasedAt(time.map(now::plus)));
          return null;
        });
  }

  // ---- parts

  private interface Deed<T> {
    T run(Instant now, CloudSettings settings) throws IOException, ProviderException;
  }

  private <T> T call(String call, Optional<Kind> kind, Cancel cancel, Deed<T> deed)
      throws ProviderException, InterruptedException {
    Duration latency = settings().latency();
    if (latency.isZero()) {
      cancel.check();
    } else {
      cancel.pause(latency);
    }
    return shelf.alone(
        () -> {
          CloudSettings settings = shelf.settings();
          Optional<Fault> fault = take(call, kind, settings);
          if (fault.isPresent() && !fault.get().afterwards()) {
            throw failure(fault.get());
          }
          Instant now = world.now();
          releaseOverdue(now);
          T result = deed.run(now, settings);
          if (fault.isPresent()) {
            throw failure(fault.get());
          }
          return result;
        });
  }

  private Optional<Fault> take(String call, Optional<Kind> kind, CloudSettings settings)
      throws IOException {
    Optional<Fault> fault =
        settings.faults().stream().filter(f -> f.isAbout(call, kind)).findFirst();
    if (fault.isPresent()) {
      List<Fault> left = new ArrayList<>(settings.faults());
      int at = left.indexOf(fault.get());
      if (fault.get().times() == 1) {
        left.remove(at);
      } else {
        left.set(at, fault.get().times(fault.get().times() - 1));
      }
      shelf.put(settings.withFaults(left));
    }
    return fault;
  }

  private static ProviderException failure(Fault fault) {
    return new ProviderException(
        fault.trouble(), "a fault that was asked for: " + fault.trouble() + " of " + fault.call());
  }

  /** What the cloud does of its own accord, as if somebody had deleted it at that time. */
  private void releaseOverdue(Instant now) throws IOException {
    for (Thing t : shelf.all()) {
      Optional<Instant> at = t.releaseAt().filter(time -> !now.isBefore(time));
      if (at.isPresent() && t.phase() != Phase.DELETING) {
        shelf.remove(t.id());
        letGo(t, at.get());
      }
    }
  }

  /** Takes away what is over by itself, and answers the rest. */
  private List<Thing> living(Instant now) throws IOException {
    List<Thing> living = new ArrayList<>();
    for (Thing t : shelf.all()) {
      if (t.isGone(now)) {
        shelf.remove(t.id());
      } else {
        living.add(t);
      }
    }
    return living;
  }

  private Optional<Thing> visible(Kind kind, String id, Instant now) throws IOException {
    Optional<Thing> thing = shelf.get(id);
    if (thing.isPresent() && thing.get().isGone(now)) {
      shelf.remove(id);
      return Optional.empty();
    }
    return thing.filter(t -> t.kind() == kind && t.isVisible(now));
  }

  private Thing require(Kind kind, String id, Instant now) throws IOException, ProviderException {
    return visible(kind, id, now)
        .orElseThrow(
            () ->
                new ProviderException(
                    Trouble.NOT_FOUND, kind.words() + " " + id + " does not exist"));
  }
}
