package dev.baton.queue.github;

import java.time.Duration;
import java.time.Instant;

/**
 * What is left of an hourly limit, by the server's own count and clock.
 *
 * @param limit requests in an hour
 * @param remaining of those
 * @param reset when a new hour begins, by the server's clock
 */
record Quota(long limit, long remaining, Instant reset) {

  /** No single answer asks for more: by then others have ended, and the figures are new. */
  private static final Duration LONGEST = Duration.ofMinutes(10);

  /** Those who may soon have their turn go on. */
  private static final int SOON_NEXT = 3;

  private static final int SHORT_PERCENT = 30;

  /**
   * How long somebody in line should ask for nothing while requests run short: the rest is for
   * those who hold a lock and those who are next.
   */
  Duration restraint(int place, Instant serverTime) {
    if (place < SOON_NEXT || remaining * 100 >= limit * SHORT_PERCENT) {
      return Duration.ZERO;
    }
    Duration left = Duration.between(serverTime, reset);
    if (left.isNegative()) {
      return Duration.ZERO;
    }
    return left.compareTo(LONGEST) < 0 ? left : LONGEST;
  }
}
