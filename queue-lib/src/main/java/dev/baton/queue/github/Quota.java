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

  /**
   * How long somebody in line should ask for nothing. Below 30 % those who are not the next in
   * line, below 10 % the next one too: the rest is for those who hold a lock.
   */
  Duration restraint(int place, Instant serverTime) {
    long percent = place >= 1 ? 30 : 10;
    if (remaining * 100 >= limit * percent) {
      return Duration.ZERO;
    }
    Duration left = Duration.between(serverTime, reset);
    if (left.isNegative()) {
      return Duration.ZERO;
    }
    return left.compareTo(LONGEST) < 0 ? left : LONGEST;
  }
}
