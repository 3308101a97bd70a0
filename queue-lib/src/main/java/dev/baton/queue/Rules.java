package dev.baton.queue;

import dev.baton.core.Checks;
import dev.baton.core.Extra;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * What all clients of one queue must agree on; kept in the document. Immutable; values that do not
 * fit together are refused with an {@link IllegalArgumentException}. The defaults are those of
 * {@link #DEFAULT}.
 *
 * @param slots how many may build at once, up to {@link #MAX_SLOTS}; default: 1
 * @param lease how long a holder with a heartbeat keeps the lock after its last one; default: 5 min
 * @param beat how often a holder renews its lease; default: 90 s
 * @param grace how long an offer waits for its answer; default: 30 s
 * @param maxAway how long a ticket that did not answer keeps its place; default: 1 h 30 min
 * @param maxHold how long a workflow job may hold the lock if its end cannot be seen; default: 6 h
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

  /** In less time no store answers: a client would ask it without a pause. */
  private static final Duration MIN_DURATION = Duration.ofMillis(10);

  private static final Duration MAX_DURATION = Duration.ofDays(366);

  public static final Rules DEFAULT =
      new Rules(
          1,
          Duration.ofMinutes(5),
          Duration.ofSeconds(90),
          Duration.ofSeconds(30),
          Duration.ofMinutes(90),
          Duration.ofMinutes(360),
          Extra.NONE);

  public Rules {
    if (slots < 1 || slots > MAX_SLOTS) {
      throw new IllegalArgumentException("slots must be between 1 and " + MAX_SLOTS + ": " + slots);
    }
    checkDuration("lease", lease);
    checkDuration("beat", beat);
    checkDuration("grace", grace);
    checkDuration("max-away", maxAway);
    checkDuration("max-hold", maxHold);
    Objects.requireNonNull(extra, "extra");
    if (beat.multipliedBy(2).compareTo(lease) > 0) {
      throw new IllegalArgumentException(
          "lease ("
              + Checks.shown(lease)
              + ") must be at least twice the beat ("
              + Checks.shown(beat)
              + ")");
    }
  }

  private static void checkDuration(String name, Duration value) {
    Checks.positive(name, value);
    if (value.compareTo(MIN_DURATION) < 0) {
      throw new IllegalArgumentException(
          name + " must be at least " + MIN_DURATION.toMillis() + " ms: " + Checks.shown(value));
    }
    if (value.compareTo(MAX_DURATION) > 0) {
      throw new IllegalArgumentException(
          name + " must be at most " + MAX_DURATION.toDays() + " days: " + Checks.shown(value));
    }
  }

  public Rules withBeat(Duration next) {
    return new Rules(slots, lease, next, grace, maxAway, maxHold, extra);
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

  /** Each rule by its name on the command line, with its value as the command line takes it. */
  public Map<String, String> shown() {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("slots", Integer.toString(slots));
    all.put("lease", Checks.shown(lease));
    all.put("beat", Checks.shown(beat));
    all.put("grace", Checks.shown(grace));
    all.put("max-away", Checks.shown(maxAway));
    all.put("max-hold", Checks.shown(maxHold));
    return all;
  }

  /** What is different in other rules, such as {@code slots 1 → 3, lease 5m → 10m}. */
  public String changesTo(Rules next) {
    Map<String, String> then = next.shown();
    return shown().entrySet().stream()
        .filter(e -> !e.getValue().equals(then.get(e.getKey())))
        .map(e -> e.getKey() + " " + e.getValue() + " → " + then.get(e.getKey()))
        .collect(Collectors.joining(", "));
  }
}
