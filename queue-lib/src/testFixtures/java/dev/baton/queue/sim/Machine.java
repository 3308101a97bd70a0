package dev.baton.queue.sim;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** A computer with two clocks, neither of which is right, and which may stand still or sleep. */
final class Machine {
  private static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");

  private final Scheduler scheduler;
  final String name;
  private final double rate;
  private long wallOff;
  private long slept;
  private long stoppedUntil;
  private long cutOffUntil;
  private long clockSetAt;
  private long limitedUntil = -Duration.ofHours(2).toNanos();

  /**
   * @param rate how fast its clocks go, 1 for right
   * @param wallOff how far its time of day is off at the beginning
   */
  Machine(Scheduler scheduler, String name, double rate, Duration wallOff) {
    this.scheduler = scheduler;
    this.name = name;
    this.rate = rate;
    this.wallOff = wallOff.toNanos();
  }

  long nanos() {
    return (long) (scheduler.now() * rate) - slept;
  }

  Instant wall() {
    return EPOCH.plusNanos((long) (scheduler.now() * rate) + wallOff);
  }

  /** In true time, how long it takes until the monotonic clock has gone on by so much. */
  long trueTime(long monotonic) {
    return (long) (monotonic / rate) + 1;
  }

  boolean isStopped() {
    return stoppedUntil > scheduler.now();
  }

  long stoppedUntil() {
    return stoppedUntil;
  }

  /** Everything runs but the network. */
  void cutOff(long duration) {
    cutOffUntil = Math.max(cutOffUntil, scheduler.now() + duration);
  }

  boolean isCutOff() {
    return cutOffUntil > scheduler.now();
  }

  /** Its key has used up a limit. Not twice in an hour: nobody is away for longer than allowed. */
  void limit(Duration duration) {
    if (scheduler.now() > limitedUntil + Duration.ofHours(1).toNanos()) {
      limitedUntil = scheduler.now() + duration.toNanos();
    }
  }

  /** How long the store wants to be left alone by whoever is on this machine. */
  Optional<Duration> limitLeft() {
    long left = limitedUntil - scheduler.now();
    return left > 0 ? Optional.of(Duration.ofNanos(left)) : Optional.empty();
  }

  /** No code runs; both clocks go on. */
  void stop(long duration) {
    stoppedUntil = Math.max(stoppedUntil, scheduler.now() + duration);
  }

  /** No code runs; the monotonic clock stands still. */
  void sleep(long duration) {
    if (!isStopped()) {
      stop(duration);
      slept += (long) (duration * rate);
    }
  }

  /** No code runs, and neither clock can tell afterwards. */
  void suspend(long duration) {
    if (!isStopped()) {
      sleep(duration);
      wallOff -= (long) (duration * rate);
    }
  }

  /** Somebody sets the clock, or it is set by the network. */
  void setWall(Duration off) {
    wallOff = off.toNanos();
    clockSetAt = scheduler.now();
  }

  /** Since when code has run here and the clocks have gone on without a jump. */
  long undisturbedSince() {
    return Math.max(stoppedUntil, clockSetAt);
  }
}
