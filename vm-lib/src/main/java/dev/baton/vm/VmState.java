package dev.baton.vm;

import dev.baton.core.Checks;
import dev.baton.core.Extra;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What a VM is and consists of.
 *
 * @param previousStatus where a destroy or a resize that fails goes back to; only meanwhile
 * @param instanceMissing a destroy failed when the instance was gone already: nothing but destroy
 *     and deploy makes sense now
 * @param billedWhileStopped it is suspended or stopped, and the cloud bills it as if it ran
 * @param disks those that it has, or had, beside the one that it starts from
 * @param maxLife of a VM of a job: what it has before it each time somebody is known to use it
 * @param expiresAt when a sweep takes it down whatever it does, by the store's clock; for VMs that
 *     belong to a job. One that is suspended has none, unless it was over before
 * @param extra fields that this version does not know
 */
public record VmState(
    Status status,
    Optional<Status> previousStatus,
    String region,
    boolean instanceMissing,
    boolean billedWhileStopped,
    Map<Kind, Resource> resources,
    List<DataDisk> disks,
    Optional<Duration> maxLife,
    Optional<Instant> expiresAt,
    Instant updatedAt,
    Extra extra) {

  /** The version of the format of {@code state.json}, for all that it can say. */
  public static final String FORMAT = "0.3.0";

  /** Of a state that {@link #FORMAT} cannot express, so that earlier versions leave it alone. */
  public static final String LATER_FORMAT = "0.4.0";

  public VmState {
    Objects.requireNonNull(status, "status");
    Objects.requireNonNull(previousStatus, "previousStatus");
    if (previousStatus.isPresent() != hasPrevious(status)) {
      throw new IllegalArgumentException(
          "previous_status goes with destroying and resizing alone: "
              + status
              + ", "
              + previousStatus);
    }
    if (previousStatus.filter(s -> !mayBePrevious(s, status)).isPresent()) {
      throw new IllegalArgumentException(
          "previous_status must be running, suspended or stopped: " + previousStatus.get());
    }
    Checks.line("region", region, 0, 80);
    EnumMap<Kind, Resource> sorted = new EnumMap<>(Kind.class);
    resources.forEach(
        (kind, resource) -> {
          if (resource.kind() != kind || kind == Kind.DISK) {
            throw new IllegalArgumentException(resource + " is filed under " + kind.words());
          }
          sorted.put(kind, resource);
        });
    resources = Collections.unmodifiableMap(sorted);
    disks = distinct(disks);
    maxLife.ifPresent(life -> Checks.positive("maximum life", life));
    Objects.requireNonNull(expiresAt, "expiresAt");
    Objects.requireNonNull(updatedAt, "updatedAt");
    Objects.requireNonNull(extra, "extra");
  }

  /** Whether a VM in that status knows where it came from. */
  public static boolean hasPrevious(Status status) {
    return status == Status.DESTROYING || status == Status.RESIZING;
  }

  private static boolean mayBePrevious(Status previous, Status status) {
    return previous == Status.RUNNING
        || previous == Status.STOPPED
        || previous == Status.SUSPENDED && status == Status.DESTROYING;
  }

  private static List<DataDisk> distinct(List<DataDisk> disks) {
    if (disks.size() > DataDisk.MOST) {
      throw new IllegalArgumentException(
          "a VM has at most " + DataDisk.MOST + " disks, not " + disks.size());
    }
    if (disks.stream().map(DataDisk::name).distinct().count() < disks.size()) {
      throw new IllegalArgumentException("two disks have the same name: " + disks);
    }
    return List.copyOf(disks);
  }

  public static VmState starting(Status status, String region, Instant now) {
    return new VmState(
        status,
        Optional.empty(),
        region,
        false,
        false,
        Map.of(),
        List.of(),
        Optional.empty(),
        Optional.empty(),
        now,
        Extra.NONE);
  }

  public Optional<Resource> resource(Kind kind) {
    return Optional.ofNullable(resources.get(kind));
  }

  /** The further disk of that name. */
  public Optional<DataDisk> disk(String name) {
    return disks.stream().filter(d -> d.name().equals(name)).findFirst();
  }

  /** With that disk in place of any other of its name. */
  public VmState with(DataDisk disk) {
    List<DataDisk> next = new ArrayList<>(withoutDisk(disk.name()).disks);
    next.add(disk);
    return withDisks(next);
  }

  public VmState withoutDisk(String name) {
    return withDisks(disks.stream().filter(d -> !d.name().equals(name)).toList());
  }

  public VmState withDisks(List<DataDisk> others) {
    return new VmState(
        status,
        previousStatus,
        region,
        instanceMissing,
        billedWhileStopped,
        resources,
        others,
        maxLife,
        expiresAt,
        updatedAt,
        extra);
  }

  /** Where the VM can be reached. */
  public Optional<String> ip() {
    return resource(Kind.ADDRESS)
        .or(() -> resource(Kind.INSTANCE))
        .map(r -> r.attributes().get("ip"));
  }

  public VmState at(Status next, Optional<Status> previous) {
    // Until it runs again, or is no more.
    boolean billed =
        billedWhileStopped
            && next != Status.RUNNING
            && next != Status.DEPLOYING
            && next != Status.DESTROYED;
    return copy(next, previous, instanceMissing, billed, resources, maxLife, expiresAt, updatedAt);
  }

  public VmState with(Resource resource) {
    EnumMap<Kind, Resource> more = new EnumMap<>(Kind.class);
    more.putAll(resources);
    more.put(resource.kind(), resource);
    return withResources(more);
  }

  public VmState without(Kind kind) {
    EnumMap<Kind, Resource> fewer = new EnumMap<>(Kind.class);
    fewer.putAll(resources);
    fewer.remove(kind);
    return withResources(fewer);
  }

  public VmState withResources(Map<Kind, Resource> others) {
    return copy(
        status,
        previousStatus,
        instanceMissing,
        billedWhileStopped,
        others,
        maxLife,
        expiresAt,
        updatedAt);
  }

  public VmState withInstanceMissing(boolean missing) {
    return copy(
        status,
        previousStatus,
        missing,
        billedWhileStopped,
        resources,
        maxLife,
        expiresAt,
        updatedAt);
  }

  public VmState withBilledWhileStopped(boolean billed) {
    return copy(
        status, previousStatus, instanceMissing, billed, resources, maxLife, expiresAt, updatedAt);
  }

  /** With all of its life before it, if it has one. */
  public VmState living(Optional<Duration> life, Instant now) {
    return copy(
        status,
        previousStatus,
        instanceMissing,
        billedWhileStopped,
        resources,
        life,
        life.map(now::plus),
        updatedAt);
  }

  public VmState withExpiresAt(Optional<Instant> at) {
    return copy(
        status,
        previousStatus,
        instanceMissing,
        billedWhileStopped,
        resources,
        maxLife,
        at,
        updatedAt);
  }

  public VmState withUpdatedAt(Instant at) {
    return copy(
        status,
        previousStatus,
        instanceMissing,
        billedWhileStopped,
        resources,
        maxLife,
        expiresAt,
        at);
  }

  public VmState withExtra(Extra others) {
    return new VmState(
        status,
        previousStatus,
        region,
        instanceMissing,
        billedWhileStopped,
        resources,
        disks,
        maxLife,
        expiresAt,
        updatedAt,
        others);
  }

  private VmState copy(
      Status nextStatus,
      Optional<Status> nextPrevious,
      boolean nextMissing,
      boolean nextBilled,
      Map<Kind, Resource> nextResources,
      Optional<Duration> nextLife,
      Optional<Instant> nextExpiry,
      Instant nextUpdate) {
    return new VmState(
        nextStatus,
        nextPrevious,
        region,
        nextMissing,
        nextBilled,
        nextResources,
        disks,
        nextLife,
        nextExpiry,
        nextUpdate,
        extra);
  }

  /**
   * A further disk of a VM, and what is to become of it. What is wanted is written before the cloud
   * is asked, so whatever is interrupted is put right by the next operation on the disk, or by the
   * next start.
   *
   * @param name as its user calls it; a cloud may show it to the guest, such as in {@code
   *     /dev/disk/by-id}
   * @param id the provider's own
   * @param gigabytes its size
   */
  public record DataDisk(String name, String id, int gigabytes, Wanted wanted) {

    /** How many a VM may have. */
    public static final int MOST = 16;

    /** No guest shows more of a name. */
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,18}[a-z0-9])?");

    private static final int LARGEST = 32_768;

    /** What is to become of a disk. */
    public enum Wanted {
      ATTACHED,
      /** Kept beside the VM. */
      DETACHED,
      DELETED;

      public String word() {
        return name().toLowerCase(Locale.ROOT);
      }
    }

    public DataDisk {
      requireName(name);
      Texts.id("id", id);
      requireSize(gigabytes);
      Objects.requireNonNull(wanted, "wanted");
    }

    /**
     * @throws IllegalArgumentException when a disk cannot be called so
     */
    public static void requireName(String name) {
      if (!NAME.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "disk name must be 1 to 20 lower-case letters, digits and hyphens, with no hyphen at"
                + " either end: "
                + Checks.shown(name));
      }
    }

    /**
     * @throws IllegalArgumentException when there are no disks of that size
     */
    public static void requireSize(int gigabytes) {
      if (gigabytes < 1 || gigabytes > LARGEST) {
        throw new IllegalArgumentException("disk must have 1 to 32768 GB: " + gigabytes);
      }
    }

    public DataDisk wanting(Wanted other) {
      return new DataDisk(name, id, gigabytes, other);
    }

    @Override
    public String toString() {
      return "disk " + name + " (" + id + ")";
    }
  }
}
