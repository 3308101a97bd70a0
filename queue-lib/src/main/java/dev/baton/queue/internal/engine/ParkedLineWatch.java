package dev.baton.queue.internal.engine;

import dev.baton.core.World;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Rules;
import dev.baton.queue.RunStatus;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.WatchedTime;
import dev.baton.queue.internal.protocol.Command;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after the others for tickets that are parked, in a queue in which everybody may be.
 *
 * <ol>
 *   <li>It does what a client in line does ({@link Watchman}), with the same times on its own
 *       monotonic clock and the same compare-and-set, and asks for the jobs of parked tickets.
 *   <li>It stays only while something stands still that time alone ends: a heartbeat that has not
 *       changed since the first look, an offer to a client that has to answer it, a turn that was
 *       revoked, a queue that was recovered. A holder that lives beats within the first looks.
 *   <li>It steps in after those in line who wait with a process, and shows nobody present: it has
 *       no place of its own, so nobody is passed over because of it.
 *   <li>It goes after two leases and some looks at the most. Every half lease it writes down what
 *       it has watched, so the next one goes on from there, also after one that was cut short.
 * </ol>
 */
final class ParkedLineWatch {

  private static final Logger LOG = LoggerFactory.getLogger("dev.baton.queue");

  private static final int LOOKS_PER_LEASE = 12;

  /** No ticket: that of a client which is not in line. */
  private static final long NOBODY = 0;

  private final QueueAccess access;
  private final World world;
  private final Duration patience;
  private final WakeDuty wakes;
  private final Watchman watchman;

  /** What was seen first in a slot, by the token of its turn. */
  private final Map<Long, Object> firstSights = new HashMap<>();

  private final long start;
  private long handedOnAt;

  ParkedLineWatch(
      QueueAccess access, World world, Duration patience, WakeDuty wakes, RunStatus runStatus) {
    this.access = access;
    this.world = world;
    this.patience = patience;
    this.wakes = wakes;
    this.watchman = new Watchman(access, world, runStatus);
    this.start = world.nanos();
    this.handedOnAt = start;
  }

  /**
   * Returns what the queue looks like when there is nothing left to stay for, or the time is up.
   */
  QueueDocument run() throws QueueException, InterruptedException {
    while (true) {
      QueueAccess.Loaded at = access.readOrRecover(access.patience(patience), Urgency.WORD);
      QueueDocument d = at.document();
      boolean over = since(start).compareTo(longest(d.rules())) >= 0;
      boolean changed = wakes.look(at) || isNeeded(d) && watchman.look(at, NOBODY, inLine(d));
      if (changed && !over) {
        continue;
      }
      if (over || !isNeeded(d) || !standsStill(d)) {
        handOn(at, over);
        return d;
      }
      if (since(handedOnAt).compareTo(d.rules().lease().dividedBy(2)) >= 0) {
        handOn(at, true);
      } else {
        world.newSignal().await(untilNextLook(at));
      }
    }
  }

  /** How long it stays at the most. */
  private Duration longest(Rules rules) {
    StoreSpace.Traits traits = access.space().traits();
    return Watchman.fromSightToEnd(rules, traits.pollInterval(), traits.maxStaleness())
        .multipliedBy(2);
  }

  private Duration since(long then) {
    return Duration.ofNanos(world.nanos() - then);
  }

  /** Those who look after the others themselves. */
  private static int inLine(QueueDocument d) {
    return (int) d.line().stream().filter(t -> t.isWaiting() && !t.isParked()).count();
  }

  /** Whether a parked ticket waits for something other than its job, or that of another holder. */
  private boolean isNeeded(QueueDocument d) {
    boolean waits =
        d.tickets().stream().anyMatch(t -> t.isParked() && t.state() != TicketState.OFFERED);
    return waits
        && (d.quarantine() > 0
            || d.tickets().stream().anyMatch(t -> t.isParked() && d.mayBuildUnseen(t))
            || d.slots().stream().anyMatch(s -> isForTimeToEnd(d, s)));
  }

  private boolean isForTimeToEnd(QueueDocument d, Slot slot) {
    return switch (slot.state()) {
      case FREE -> false;
      case OFFERED -> d.ticket(slot.ticket()).filter(Ticket::isParked).isEmpty();
      case BUILDING -> watchman.hasHeartbeat(d, slot);
      case REVOKED -> true;
    };
  }

  private boolean standsStill(QueueDocument d) {
    // While somebody builds, or may, no time of this client ends a quarantine.
    boolean still =
        d.quarantine() > 0
            && d.slots().stream().allMatch(Slot::isFree)
            && d.tickets().stream().noneMatch(d::mayBuildUnseen);
    for (int i = 0; i < d.slots().size(); i++) {
      Slot slot = d.slots().get(i);
      if (isForTimeToEnd(d, slot)) {
        still |= slot.state() != Slot.State.BUILDING || isSilent(i, slot);
      }
    }
    return still;
  }

  /** Whether a heartbeat is as it was at the first look, or could not be seen yet. */
  private boolean isSilent(int index, Slot slot) {
    Optional<Object> seen = watchman.sightOf(index);
    seen.ifPresent(now -> firstSights.putIfAbsent(slot.token(), now));
    return seen.isEmpty() || seen.get().equals(firstSights.get(slot.token()));
  }

  private Duration untilNextLook(QueueAccess.Loaded at) {
    Duration poll = access.space().traits().pollInterval();
    Duration usual = at.document().rules().lease().dividedBy(LOOKS_PER_LEASE);
    Duration next = usual.compareTo(poll) < 0 ? poll : usual;
    return watchman.untilGlance(at).filter(g -> g.compareTo(next) < 0).orElse(next);
  }

  private void handOn(QueueAccess.Loaded at, boolean worthAWrite)
      throws QueueException, InterruptedException {
    handedOnAt = world.nanos();
    List<WatchedTime> watched = watchman.watched();
    if (!worthAWrite || watched.isEmpty() || !access.hasBeats()) {
      return;
    }
    try {
      access.attempt(new Command.HandOn(watched), at);
    } catch (StoreException e) {
      LOG.info("what was watched could not be handed on: {}", e.getMessage());
    }
  }
}
