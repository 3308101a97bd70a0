package dev.baton.queue.internal.engine;

import dev.baton.core.World;
import java.time.Duration;
import java.time.Instant;

/**
 * A moment on both clocks of this machine. One stands still while the machine sleeps, the other may
 * be set: only together do they tell how much time has surely gone by.
 */
record Mark(long nanos, Instant wall) {

  private static final Duration TOLERANCE = Duration.ofSeconds(2);

  static Mark of(World world) {
    return new Mark(world.nanos(), world.now());
  }

  /** The larger of what the two clocks say. */
  Duration elapsed(World world) {
    Duration monotonic = monotonic(world);
    Duration wallTime = Duration.between(wall, world.now());
    return monotonic.compareTo(wallTime) >= 0 ? monotonic : wallTime;
  }

  boolean clocksAgree(World world) {
    return Duration.between(wall, world.now()).minus(monotonic(world)).abs().compareTo(TOLERANCE)
        <= 0;
  }

  private Duration monotonic(World world) {
    return Duration.ofNanos(world.nanos() - nanos);
  }
}
