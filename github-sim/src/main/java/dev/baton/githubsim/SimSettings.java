package dev.baton.githubsim;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;

/**
 * How the sim behaves; {@link #defaults()} and the {@code with…} methods make one.
 *
 * @param port 0 for any free one
 * @param ghes serve below {@code /api/v3} as GitHub Enterprise Server does
 * @param clock the server's clock: {@code Date}, limits and staleness go by it
 * @param seed of everything that is left to chance
 * @param latency of every round trip, in real time, half of it before the request is carried out
 * @param control serve {@code /_sim}, through which another process steers the sim
 */
public record SimSettings(
    int port,
    boolean ghes,
    InstantSource clock,
    long seed,
    Duration latency,
    Staleness staleness,
    Limits limits,
    List<FaultRate> faults,
    Conflict conflict,
    boolean control) {

  public SimSettings {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("not a port: " + port);
    }
    if (latency.isNegative()) {
      throw new IllegalArgumentException("negative latency: " + latency);
    }
    Objects.requireNonNull(clock, "clock");
    Objects.requireNonNull(staleness, "staleness");
    Objects.requireNonNull(limits, "limits");
    Objects.requireNonNull(conflict, "conflict");
    faults = List.copyOf(faults);
    double sum = faults.stream().mapToDouble(FaultRate::rate).sum();
    if (sum > 1) {
      throw new IllegalArgumentException("more than every request would fail: " + sum);
    }
  }

  /** Fresh reads, GitHub's limits, no fault, no latency, any free port. */
  public static SimSettings defaults() {
    return new SimSettings(
        0,
        false,
        InstantSource.system(),
        1,
        Duration.ZERO,
        Staleness.NONE,
        Limits.likeGitHub(),
        List.of(),
        Conflict.CURRENT,
        false);
  }

  public SimSettings withPort(int value) {
    return new SimSettings(
        value, ghes, clock, seed, latency, staleness, limits, faults, conflict, control);
  }

  public SimSettings withGhes(boolean value) {
    return new SimSettings(
        port, value, clock, seed, latency, staleness, limits, faults, conflict, control);
  }

  public SimSettings withClock(InstantSource value) {
    return new SimSettings(
        port, ghes, value, seed, latency, staleness, limits, faults, conflict, control);
  }

  public SimSettings withSeed(long value) {
    return new SimSettings(
        port, ghes, clock, value, latency, staleness, limits, faults, conflict, control);
  }

  public SimSettings withLatency(Duration value) {
    return new SimSettings(
        port, ghes, clock, seed, value, staleness, limits, faults, conflict, control);
  }

  public SimSettings withStaleness(Staleness value) {
    return new SimSettings(
        port, ghes, clock, seed, latency, value, limits, faults, conflict, control);
  }

  public SimSettings withLimits(Limits value) {
    return new SimSettings(
        port, ghes, clock, seed, latency, staleness, value, faults, conflict, control);
  }

  public SimSettings withFaults(FaultRate... value) {
    return new SimSettings(
        port, ghes, clock, seed, latency, staleness, limits, List.of(value), conflict, control);
  }

  public SimSettings withConflict(Conflict value) {
    return new SimSettings(
        port, ghes, clock, seed, latency, staleness, limits, faults, value, control);
  }

  public SimSettings withControl(boolean value) {
    return new SimSettings(
        port, ghes, clock, seed, latency, staleness, limits, faults, conflict, value);
  }
}
