package dev.baton.client.queue;

import dev.baton.queue.Liveness;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** How old the heartbeats of builds are, where the store can tell without a cost. */
public final class HeartbeatAges {

  private HeartbeatAges() {}

  /** The age of each heartbeat that is older than two beats, by the ticket of its build. */
  public static Map<Long, Duration> stale(StoreSpace space, QueueDocument d, Instant now)
      throws StoreException {
    Map<Long, Duration> ages = of(space, d, now);
    ages.values().removeIf(age -> !isStale(age, d));
    return ages;
  }

  /** Whether a heartbeat of that age has stopped. */
  public static boolean isStale(Duration age, QueueDocument d) {
    return age.compareTo(d.rules().beat().multipliedBy(2)) > 0;
  }

  /** The age of each heartbeat, by the ticket of its build. */
  public static Map<Long, Duration> of(StoreSpace space, QueueDocument d, Instant now)
      throws StoreException {
    Map<Long, Duration> ages = new HashMap<>();
    if (space.settling().isPresent()) {
      return ages;
    }
    for (int i = 0; i < d.slots().size(); i++) {
      Slot slot = d.slots().get(i);
      if (slot.state() == Slot.State.BUILDING) {
        Ticket build = d.ticket(slot.ticket()).orElseThrow();
        age(space, i, build, now).ifPresent(age -> ages.put(build.number(), age));
      }
    }
    return ages;
  }

  private static Optional<Duration> age(StoreSpace space, int slot, Ticket build, Instant now)
      throws StoreException {
    return build.liveness() == Liveness.BEAT
        ? space
            .document("beat-" + slot)
            .changedAt()
            // What changed before the turn began was the heartbeat of another build.
            .map(at -> Duration.between(at.isBefore(build.since()) ? build.since() : at, now))
        : Optional.empty();
  }
}
