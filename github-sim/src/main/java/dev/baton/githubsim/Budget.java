package dev.baton.githubsim;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

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

  /** What has a limit of its own by the hour and by the minute. */
  enum Resource {
    CORE,
    GRAPHQL;

    /** As the header {@code x-ratelimit-resource} names it. */
    String headerText() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private record Spent(Instant at, int points) {}

  private static final class Window {
    final int pointsPerMinute;
    final Deque<Spent> points = new ArrayDeque<>();
    Instant end = Instant.MIN;
    int used;
    int pointsInMinute;

    Window(int pointsPerMinute) {
      this.pointsPerMinute = pointsPerMinute;
    }

    void roll(Instant now) {
      if (!now.isBefore(end)) {
        end = now.plus(HOUR);
        used = 0;
      }
      while (!points.isEmpty() && !points.peekFirst().at().plus(MINUTE).isAfter(now)) {
        pointsInMinute -= points.removeFirst().points();
      }
    }
  }

  private final int hourlyLimit;
  private final Limits limits;
  private final Map<Resource, Window> windows = new EnumMap<>(Resource.class);
  private final Deque<Instant> content = new ArrayDeque<>();
  private int underWay;

  Budget(int hourlyLimit, Limits limits) {
    this.hourlyLimit = hourlyLimit;
    this.limits = limits;
    windows.put(Resource.CORE, new Window(limits.pointsPerMinute()));
    windows.put(Resource.GRAPHQL, new Window(limits.graphqlPointsPerMinute()));
  }

  synchronized Entry enter(Instant now, Resource resource, boolean write, boolean createsContent) {
    Window window = window(now, resource);
    if (window.used >= hourlyLimit) {
      return new HourlyLimit(window.end);
    }
    if (underWay >= limits.concurrent()) {
      return new SecondaryLimit(MINUTE);
    }
    int cost = write ? 5 : 1;
    if (window.pointsInMinute + cost > window.pointsPerMinute) {
      return new SecondaryLimit(Duration.between(now, window.points.peekFirst().at().plus(MINUTE)));
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
    window.points.addLast(new Spent(now, cost));
    window.pointsInMinute += cost;
    window.used++;
    underWay++;
    return new Admitted();
  }

  /** The answer is a 304, which GitHub does not charge. */
  synchronized void giveBack(Resource resource) {
    Window window = windows.get(resource);
    if (window.used > 0) {
      window.used--;
    }
  }

  /** The answer has been sent. */
  synchronized void leave() {
    underWay--;
  }

  synchronized Quota quota(Instant now, Resource resource) {
    Window window = window(now, resource);
    return new Quota(hourlyLimit, window.used, window.end);
  }

  private Window window(Instant now, Resource resource) {
    Window window = windows.get(resource);
    window.roll(now);
    while (!content.isEmpty() && !content.peekFirst().plus(HOUR).isAfter(now)) {
      content.removeFirst();
    }
    return window;
  }
}
