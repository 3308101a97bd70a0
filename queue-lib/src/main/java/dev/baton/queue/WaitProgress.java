package dev.baton.queue;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How the waiting goes.
 *
 * @param ticket one's own; 0 before the store has taken the join
 * @param position from 1 for the next to get its turn; 0 before the store has taken the join
 * @param building those that have the lock
 * @param ahead those who come first, in their order
 * @param waited so far
 * @param eta how long it will still take, as far as past builds tell
 * @param paused set when a maintainer has paused the queue
 * @param trouble set while the store cannot be asked: why, and for how long at least
 */
public record WaitProgress(
    long ticket,
    int position,
    List<Ticket> building,
    List<Ticket> ahead,
    Duration waited,
    Optional<Duration> eta,
    Optional<Pause> paused,
    Optional<String> trouble) {
  public WaitProgress {
    building = List.copyOf(building);
    ahead = List.copyOf(ahead);
  }
}
