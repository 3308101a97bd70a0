package dev.baton.queue.engine;

import java.time.Duration;
import java.util.Optional;

/** How long somebody in line may look away. */
final class PollPlan {

  private static final Duration LONGEST = Duration.ofMinutes(15);

  private PollPlan() {}

  /**
   * The next in line looks at every poll interval, the others less often the further back they are
   * and the longer it will take.
   *
   * @param place how many in line come first
   * @param offered whether somebody has not answered an offer yet: if nobody does, those behind
   *     have to see to it
   * @param random from 0 to 1
   */
  static Duration pause(
      Duration pollInterval,
      Duration grace,
      int place,
      boolean offered,
      Optional<Duration> eta,
      double random) {
    Duration base = pollInterval.multipliedBy(1L + place);
    if (place > 0 && eta.isPresent() && eta.get().dividedBy(10).compareTo(base) > 0) {
      base = eta.get().dividedBy(10);
    }
    // Whoever may soon be the next must see an offer in time, with room for two lost looks.
    Duration cap = LONGEST;
    if (place < 3) {
      cap = longer(pollInterval, grace.dividedBy(3));
    } else if (offered) {
      cap = grace;
    }
    if (base.compareTo(cap) > 0) {
      base = cap;
    }
    return Duration.ofNanos((long) (base.toNanos() * (0.8 + 0.4 * random)));
  }

  private static Duration longer(Duration a, Duration b) {
    return a.compareTo(b) >= 0 ? a : b;
  }
}
