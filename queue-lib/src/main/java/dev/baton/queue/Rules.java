package dev.baton.queue;

import java.time.Duration;
import java.util.Objects;

/**
 * What all clients of one queue must agree on; kept in the document.
 *
 * @param slots how many may build at once
 * @param lease how long a holder with a heartbeat is believed after its last one
 * @param beat how often a holder renews its lease
 * @param grace how long an offer waits for its answer
 * @param maxAway how long a ticket that did not answer keeps its place
 * @param maxHold how long a workflow job may hold the lock whose end nobody can see
 */
public record Rules(
    int slots,
    Duration lease,
    Duration beat,
    Duration grace,
    Duration maxAway,
    Duration maxHold,
    Extra extra) {

  public static final int MAX_SLOTS = 16;

  private static final Duration MAX_DURATION = Duration.ofDays(366);

  public static final Rules DEFAULT =
      new Rules(
          1,
          Duration.ofMinutes(5),
          Duration.ofSeconds(90),
          Duration.ofSeconds(30),
          Duration.ofMinutes(30),
          Duration.ofMinutes(360),
          Extra.NONE);

  public Rules {
    if (slots < 1 || slots > MAX_SLOTS) {
      throw new IllegalArgumentException("slots must be between 1 and " + MAX_SLOTS + ": " + slots);
    }
    checkDuration("lease", lease);
    checkDuration("beat", beat);
    checkDuration("grace", grace);
    checkDuration("maxAway", maxAway);
    checkDuration("maxHold", maxHold);
    Objects.requireNonNull(extra, "extra");
    if (beat.multipliedBy(2).compareTo(lease) > 0) {
      throw new IllegalArgumentException(
          "lease (" + lease + ") must be at least twice the beat (" + beat + ")");
    }
  }

  private static void checkDuration(String name, Duration value) {
    Checks.positive(name, value);
    if (value.compareTo(MAX_DURATION) > 0) {
      throw new IllegalArgumentException(
          name + " must be at most " + MAX_DURATION.toDays() + " days: " + value);
    }
  }

  public Rules withGrace(Duration next) {
    return new Rules(slots, lease, beat, next, maxAway, maxHold, extra);
  }

  public Rules withMaxHold(Duration next) {
    return new Rules(slots, lease, beat, grace, maxAway, next, extra);
  }

  public Rules withSlots(int next) {
    return new Rules(next, lease, beat, grace, maxAway, maxHold, extra);
  }
}
