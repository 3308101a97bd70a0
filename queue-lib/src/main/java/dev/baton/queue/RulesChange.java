package dev.baton.queue;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * The rules that somebody wants to be different. What is empty stays as the queue has it when the
 * change is made, so that two people who change different rules do not undo each other's change.
 */
public record RulesChange(
    Optional<Integer> slots,
    Optional<Duration> lease,
    Optional<Duration> beat,
    Optional<Duration> grace,
    Optional<Duration> maxAway,
    Optional<Duration> maxHold) {

  public static final RulesChange NONE =
      new RulesChange(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  public RulesChange {
    Objects.requireNonNull(slots, "slots");
    Objects.requireNonNull(lease, "lease");
    Objects.requireNonNull(beat, "beat");
    Objects.requireNonNull(grace, "grace");
    Objects.requireNonNull(maxAway, "maxAway");
    Objects.requireNonNull(maxHold, "maxHold");
  }

  public boolean isEmpty() {
    return equals(NONE);
  }

  public RulesChange withSlots(int next) {
    return new RulesChange(Optional.of(next), lease, beat, grace, maxAway, maxHold);
  }

  public RulesChange withGrace(Duration next) {
    return new RulesChange(slots, lease, beat, Optional.of(next), maxAway, maxHold);
  }

  /**
   * The rules with this change.
   *
   * @throws IllegalArgumentException when they contradict each other
   */
  public Rules appliedTo(Rules rules) {
    return new Rules(
        slots.orElse(rules.slots()),
        lease.orElse(rules.lease()),
        beat.orElse(rules.beat()),
        grace.orElse(rules.grace()),
        maxAway.orElse(rules.maxAway()),
        maxHold.orElse(rules.maxHold()),
        rules.extra());
  }
}
