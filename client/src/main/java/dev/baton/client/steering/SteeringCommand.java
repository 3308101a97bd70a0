package dev.baton.client.steering;

import java.util.List;
import java.util.Optional;

/** What a maintainer asks of a queue. */
public sealed interface SteeringCommand {

  /** How the queue stands. */
  record Status() implements SteeringCommand {}

  /**
   * Move tickets forward in line.
   *
   * @param before empty: to the head of the line
   */
  record Bump(List<Long> tickets, Optional<Long> before) implements SteeringCommand {
    public Bump {
      tickets = List.copyOf(tickets);
    }
  }

  /** Take tickets out of the line. */
  record Drop(List<Long> tickets, Optional<String> reason) implements SteeringCommand {
    public Drop {
      tickets = List.copyOf(tickets);
    }
  }

  /** Give out no lock. */
  record Pause(Optional<String> reason) implements SteeringCommand {}

  /** Give out the lock again. */
  record Resume() implements SteeringCommand {}

  /**
   * Take the lock away.
   *
   * @param now do not wait until the old build has surely ended
   */
  record Unlock(long ticket, long token, String reason, boolean now) implements SteeringCommand {}

  /** Start parked jobs whose turn has come. */
  record Wake() implements SteeringCommand {}

  /** What there is to ask for. */
  record Help() implements SteeringCommand {}
}
