package dev.baton.vm.simulated;

import dev.baton.vm.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What a simulated cloud is like. In its directory this is {@code cloud.json}.
 *
 * @param types instance types that there are
 * @param outOfStock those of them that are out of stock: {@code TYPE}, or {@code TYPE@ZONE} where
 *     that is so in one zone alone
 * @param alwaysBilled those of them that cost as much when they are stopped
 * @param latency how long each call takes
 * @param readyTime how long an instance takes to be created, started, stopped
 * @param snapshotTime how long a snapshot takes
 * @param deleteTime how long a deletion takes
 * @param silentDeletes what is being deleted is shown as if it were being made
 * @param visibility how long something is there before it shows
 * @param quota how many there may be in the whole cloud; a kind without an entry has no limit
 * @param clientTokens whether this cloud knows them
 * @param keepsMemory of an instance that is suspended: otherwise that is being off, and there is
 *     nothing else that not every cloud has, such as further disks
 * @param faults calls that are to fail
 */
public record CloudSettings(
    List<String> types,
    List<String> outOfStock,
    List<String> alwaysBilled,
    Duration latency,
    Duration readyTime,
    Duration snapshotTime,
    Duration deleteTime,
    boolean silentDeletes,
    Duration visibility,
    Map<Kind, Integer> quota,
    boolean clientTokens,
    boolean keepsMemory,
    List<Fault> faults) {

  public static final CloudSettings DEFAULT =
      new CloudSettings(
          List.of("sim.small", "sim.medium", "sim.large", "sim.local"),
          List.of(),
          List.of("sim.local"),
          Duration.ZERO,
          Duration.ZERO,
          Duration.ZERO,
          Duration.ZERO,
          false,
          Duration.ZERO,
          Map.of(),
          true,
          true,
          List.of());

  public CloudSettings {
    types = List.copyOf(types);
    outOfStock = List.copyOf(outOfStock);
    alwaysBilled = List.copyOf(alwaysBilled);
    for (Duration d : List.of(latency, readyTime, snapshotTime, deleteTime, visibility)) {
      if (d.isNegative()) {
        throw new IllegalArgumentException("a time must not be negative: " + d);
      }
    }
    EnumMap<Kind, Integer> sorted = new EnumMap<>(Kind.class);
    sorted.putAll(quota);
    quota = Collections.unmodifiableMap(sorted);
    faults = List.copyOf(faults);
  }

  boolean isInStock(String type, String zone) {
    return !outOfStock.contains(type) && !outOfStock.contains(type + "@" + zone);
  }

  public CloudSettings withLatency(Duration time) {
    return copy(types, outOfStock, time, readyTime, snapshotTime, deleteTime, visibility);
  }

  /** How long an instance, a snapshot and a deletion take. */
  public CloudSettings taking(Duration ready, Duration snapshot, Duration delete) {
    return copy(types, outOfStock, latency, ready, snapshot, delete, visibility);
  }

  public CloudSettings visibleAfter(Duration time) {
    return copy(types, outOfStock, latency, readyTime, snapshotTime, deleteTime, time);
  }

  public CloudSettings withOutOfStock(String... without) {
    return copy(types, List.of(without), latency, readyTime, snapshotTime, deleteTime, visibility);
  }

  private CloudSettings copy(
      List<String> nextTypes,
      List<String> nextOutOfStock,
      Duration nextLatency,
      Duration nextReady,
      Duration nextSnapshot,
      Duration nextDelete,
      Duration nextVisibility) {
    return new CloudSettings(
        nextTypes,
        nextOutOfStock,
        alwaysBilled,
        nextLatency,
        nextReady,
        nextSnapshot,
        nextDelete,
        silentDeletes,
        nextVisibility,
        quota,
        clientTokens,
        keepsMemory,
        faults);
  }

  public CloudSettings withQuota(Kind kind, int limit) {
    Map<Kind, Integer> limits = new EnumMap<>(Kind.class);
    limits.putAll(quota);
    limits.put(kind, limit);
    return new CloudSettings(
        types,
        outOfStock,
        alwaysBilled,
        latency,
        readyTime,
        snapshotTime,
        deleteTime,
        silentDeletes,
        visibility,
        limits,
        clientTokens,
        keepsMemory,
        faults);
  }

  public CloudSettings withoutClientTokens() {
    return new CloudSettings(
        types,
        outOfStock,
        alwaysBilled,
        latency,
        readyTime,
        snapshotTime,
        deleteTime,
        silentDeletes,
        visibility,
        quota,
        false,
        keepsMemory,
        faults);
  }

  /** As clouds are in which a suspend is a power-off. */
  public CloudSettings withoutMemory() {
    return new CloudSettings(
        types,
        outOfStock,
        alwaysBilled,
        latency,
        readyTime,
        snapshotTime,
        deleteTime,
        silentDeletes,
        visibility,
        quota,
        clientTokens,
        false,
        faults);
  }

  public CloudSettings deletingSilently() {
    return new CloudSettings(
        types,
        outOfStock,
        alwaysBilled,
        latency,
        readyTime,
        snapshotTime,
        deleteTime,
        true,
        visibility,
        quota,
        clientTokens,
        keepsMemory,
        faults);
  }

  public CloudSettings with(Fault fault) {
    List<Fault> more = new ArrayList<>(faults);
    more.add(fault);
    return withFaults(more);
  }

  public CloudSettings withFaults(List<Fault> others) {
    return new CloudSettings(
        types,
        outOfStock,
        alwaysBilled,
        latency,
        readyTime,
        snapshotTime,
        deleteTime,
        silentDeletes,
        visibility,
        quota,
        clientTokens,
        keepsMemory,
        others);
  }
}
