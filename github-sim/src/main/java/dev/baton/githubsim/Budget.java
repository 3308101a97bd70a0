package dev.baton.githubsim;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What one client, or one repository's workflows together, may still ask for.
 *
 * <p>Thread-safe.
 */
final class Budget {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** The figures of the {@code x-ratelimit-*} headers. */
  record Quota(int limit, int used, Instant reset) {
    int remaining() {
      return Math.max(0, limit - used);
    }
  }

  sealed interface Entry {}

  record Admitted() implements Entry {}

  record HourlyLimit(Instant reset) implements Entry {}

  /**
   * @param pause until the same request would pass
   */
  record SecondaryLimit(Duration pause) implements Entry {}

  private record Spent(Instant at, int points) {}

  private final int hourlyLimit;
  private final Limits limits;
  private final Deque<Spent> points = new ArrayDeque<>();
  private final Deque<Instant> content = new ArrayDeque<>();
  private Instant windowEnd = Instant.MIN;
  private int used;
  private int underWay;
  private int pointsInMinute;

  Budget(int hourlyLimit, Limits limits) {
    this.hourlyLimit = hourlyLimit;
    this.limits = limits;
  }

  synchronized Entry enter(Instant now, boolean write, boolean createsContent) {
    roll(now);
    if (used >= hourlyLimit) {
      return new HourlyLimit(windowEnd);
    }
    if (underWay >= limits.concurrent()) {
      return new SecondaryLimit(MINUTE);
    }
    int cost = write ? 5 : 1;
    if (pointsInMinute + cost > limits.pointsPerMinute()) {
      return new SecondaryLimit(Duration.between(now, points.peekFirst().at().plus(MINUTE)));
    }
    if (createsContent) {
      Instant minuteAgo = now.minus(MINUTE);
      long lastMinute = content.stream().filter(at -> at.isAfter(minuteAgo)).count();
      if (lastMinute >= limits.contentPerMinute()) {
        return new SecondaryLimit(MINUTE);
      }
      if (content.size() >= limits.contentPerHour()) {
        return new SecondaryLimit(Duration.between(now, content.peekFirst().plus(HOUR)));
      }
      content.addLast(now);
    }
    points.addLast(new Spent(now, cost));
    pointsInMinute += cost;
    used++;
    underWay++;
    return new Admitted();
  }

  /** The answer is a 304, which GitHub does not charge. */
  synchronized void giveBack() {
    if (used > 0) {
      used--;
    }
  }

  /** The answer has been sent. */
  synchronized void leave() {
    underWay--;
  }

  synchronized Quota quota(Instant now) {
    roll(now);
    return new Quota(hourlyLimit, used, windowEnd);
  }

  private void roll(Instant now) {
    if (!now.isBefore(windowEnd)) {
      windowEnd = now.plus(HOUR);
      used = 0;
    }
    while (!points.isEmpty() && !points.peekFirst().at().plus(MINUTE).isAfter(now)) {
      pointsInMinute -= points.removeFirst().points();
    }
    while (!content.isEmpty() && !content.peekFirst().plus(HOUR).isAfter(now)) {
      content.removeFirst();
    }
  }
}
