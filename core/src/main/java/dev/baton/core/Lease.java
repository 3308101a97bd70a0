package dev.baton.core;

import java.time.Duration;
import java.util.Objects;

/**
 * For how long a holder may believe that something is its own, as the holder itself counts.
 *
 * <ol>
 *   <li>A lease counts from before the write that began or renewed it was first sent. Those who
 *       watch it count from when they saw that write, which is later.
 *   <li>Elapsed time is the larger of what the monotonic and the wall clock say.
 *   <li>The holder gives up a margin before the end, so that its work can stop before anybody else
 *       can start.
 *   <li>The wall clock may have been set: a lease that is over by that one alone is {@link #isOver}
 *       but not {@link #isSurelyOver}. What the holder makes of the difference is its own matter.
 * </ol>
 *
 * <p>A value: it asks no clock, and {@link #renewed} makes another one.
 *
 * @param start from when on it counts
 * @param length after which others may take what is held
 * @param margin how long before that the holder gives up
 */
public record Lease(Moment start, Duration length, Duration margin) {

  public Lease {
    Objects.requireNonNull(start, "start");
    Checks.positive("length", length);
    if (margin.isNegative() || margin.compareTo(length) >= 0) {
      throw new IllegalArgumentException("margin must be shorter than the lease: " + margin);
    }
  }

  /**
   * @param before the write that renewed it was first sent
   */
  public Lease renewed(Moment before) {
    return new Lease(before, length, margin);
  }

  public Duration elapsed(Moment now) {
    return start.until(now);
  }

  /** By the monotonic clock alone. */
  public Duration surelyElapsed(Moment now) {
    return start.monotonicUntil(now);
  }

  /** Until others may take it; never negative. */
  public Duration left(Moment now) {
    return notNegative(length.minus(elapsed(now)));
  }

  /** Until the holder gives up; never negative. */
  public Duration believedFor(Moment now) {
    return notNegative(believed().minus(elapsed(now)));
  }

  /** Whether the holder gives up, by either clock. */
  public boolean isOver(Moment now) {
    return elapsed(now).compareTo(believed()) >= 0;
  }

  /** Whether the holder gives up, by the clock that nobody can set. */
  public boolean isSurelyOver(Moment now) {
    return surelyElapsed(now).compareTo(believed()) >= 0;
  }

  /** Whether both clocks say the same; otherwise one was set, or the machine slept. */
  public boolean clocksAgree(Moment now) {
    return start.clocksAgree(now);
  }

  private Duration believed() {
    return length.minus(margin);
  }

  private static Duration notNegative(Duration left) {
    return left.isNegative() ? Duration.ZERO : left;
  }
}
