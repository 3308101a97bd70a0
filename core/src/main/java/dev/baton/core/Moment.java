package dev.baton.core;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * A moment on both clocks of this machine. One stands still while the machine sleeps, the other may
 * be set: only together do they tell how much time has surely gone by.
 *
 * @param nanos on the monotonic clock
 * @param wall the time of day
 */
public record Moment(long nanos, Instant wall) {

  /** Two readings of the clocks are never quite at once. */
  private static final Duration TOLERANCE = Duration.ofSeconds(2);

  public Moment {
    Objects.requireNonNull(wall, "wall");
  }

  public static Moment of(World world) {
    return new Moment(world.nanos(), world.now());
  }

  /** The larger of what the two clocks say. */
  public Duration until(Moment later) {
    Duration monotonic = monotonicUntil(later);
    Duration wallTime = Duration.between(wall, later.wall);
    return monotonic.compareTo(wallTime) >= 0 ? monotonic : wallTime;
  }

  /** What the monotonic clock says, which nobody can set. */
  public Duration monotonicUntil(Moment later) {
    return Duration.ofNanos(later.nanos - nanos);
  }

  /** Whether both clocks say that about the same time has gone by. */
  public boolean clocksAgree(Moment later) {
    return Duration.between(wall, later.wall)
            .minus(monotonicUntil(later))
            .abs()
            .compareTo(TOLERANCE)
        <= 0;
  }
}
