package dev.baton.vm;

import java.time.Duration;

/**
 * What a sweep may do.
 *
 * @param dryRun only say what would be done
 * @param minimumAge leave alone what is younger: its creator may still be about to record it
 */
public record SweepOptions(boolean dryRun, Duration minimumAge, Progress progress) {

  public static final SweepOptions DRY_RUN =
      new SweepOptions(true, LockRecord.LEASE, Progress.NONE);

  public SweepOptions {
    if (minimumAge.isNegative()) {
      throw new IllegalArgumentException("minimumAge must not be negative: " + minimumAge);
    }
  }

  public SweepOptions forReal() {
    return new SweepOptions(false, minimumAge, progress);
  }

  public SweepOptions olderThan(Duration age) {
    return new SweepOptions(dryRun, age, progress);
  }

  public SweepOptions telling(Progress other) {
    return new SweepOptions(dryRun, minimumAge, other);
  }
}
