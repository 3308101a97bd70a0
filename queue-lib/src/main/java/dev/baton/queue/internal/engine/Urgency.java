package dev.baton.queue.internal.engine;

import java.time.Duration;

/** How soon to try again after another client was faster, as a multiple of the store's back-off. */
enum Urgency {
  /** Answering an offer, a heartbeat, giving back the lock: keeping still would cost it. */
  OWN_TURN(0, 0.4, Duration.ofSeconds(1)),
  /** Answering that one is there again, in line. */
  CHECK_IN(0, 0.4, Duration.ofSeconds(1)),
  /** A maintainer's word. */
  WORD(0, 1, Duration.ofSeconds(5)),
  /** Cleaning up after somebody who is gone: others in line may do it as well. */
  REAP(0.8, 2, Duration.ofSeconds(5)),
  JOIN(0, 2, Duration.ofSeconds(60));

  /**
   * In units. Where a write takes a moment, a client that lost ten times need not wait a minute.
   */
  private static final int LONGEST = 64;

  private final double least;
  private final double most;
  private final Duration cap;

  Urgency(double least, double most, Duration cap) {
    this.least = least;
    this.most = most;
    this.cap = cap;
  }

  /** Whether somebody loses a lock, or its turn, by waiting for as long as the store asks. */
  boolean cannotWait() {
    return this == OWN_TURN;
  }

  /** Doubles with every attempt, up to a limit. */
  Duration backOff(Duration unit, int attempt, double random) {
    double factor = (least + (most - least) * random) * (1L << Math.min(attempt, 10));
    Duration d = Duration.ofNanos((long) (unit.toNanos() * factor));
    Duration limit = unit.multipliedBy(LONGEST);
    limit = limit.compareTo(cap) < 0 ? limit : cap;
    return d.compareTo(limit) > 0
        ? Duration.ofNanos((long) (limit.toNanos() * (0.5 + random / 2)))
        : d;
  }
}
