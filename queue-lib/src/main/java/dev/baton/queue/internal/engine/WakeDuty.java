package dev.baton.queue.internal.engine;

import dev.baton.core.World;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.RunRef;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.internal.protocol.Command;
import dev.baton.queue.parking.Parking;
import dev.baton.queue.spi.Waker;
import dev.baton.store.StoreException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the jobs of parked tickets run again when their turn has come.
 *
 * <ol>
 *   <li>An offer to a parked ticket for which nobody has asked: look whether the run is completed,
 *       as it must be; say in the queue that this client asks, by a write that only one client can
 *       make; then ask.
 *   <li>Somebody has said so a while ago, and the run has not started: that request was lost. Again
 *       the same way, a few times per offer at most. A run that has started is never asked for
 *       again, whatever came of it: its deadline decides.
 *   <li>A refusal is written down, for people and for clients that may do more than this one.
 *   <li>By those in line at each look, and by a client whose own write has made the offer before it
 *       goes.
 * </ol>
 */
final class WakeDuty {

  private static final Logger LOG = LoggerFactory.getLogger("dev.baton.queue");

  /** Clocks that differ by more than that cost a look at the run, and no second start. */
  private static final Duration CLOCKS_AGREE = Duration.ofMinutes(2);

  /** An offer with what was said of it, and since when this client knows. */
  private record Seen(int tries, long since) {}

  private final QueueAccess access;
  private final World world;
  private final Waker waker;

  // Guarded by this; by the token of the offer.
  private final Map<Long, Seen> seen = new HashMap<>();
  private final Map<Long, Long> nextLooks = new HashMap<>();
  private final Set<Long> refused = new HashSet<>();
  private boolean due;

  WakeDuty(QueueAccess access, World world, Waker waker) {
    this.access = access;
    this.world = world;
    this.waker = waker;
  }

  /** After a write of this client. */
  synchronized void wrote(QueueDocument d) {
    due = d.slots().stream().anyMatch(s -> parked(d, s).filter(p -> p.tries() == 0).isPresent());
  }

  /**
   * The last thing that a client does: asks for the job that its own write has made an offer to.
   */
  void run() {
    if (!isDue()) {
      return;
    }
    try {
      look(access.read());
    } catch (QueueException e) {
      LOG.info("{}; whoever looks next asks for the parked job", e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized boolean isDue() {
    return due && waker.wakes();
  }

  /**
   * Does what is due for the offers in what was just read.
   *
   * @return whether the queue was changed
   */
  synchronized boolean look(QueueAccess.Loaded at) throws QueueException, InterruptedException {
    if (!waker.wakes()) {
      return false;
    }
    QueueDocument d = at.document();
    for (Slot slot : d.slots()) {
      Optional<Parking> parking = parked(d, slot);
      if (parking.isPresent() && mayBeAskedFor(slot.token(), parking.get())) {
        RunRef job = d.ticket(slot.ticket()).flatMap(Ticket::run).orElseThrow();
        if (isAsleep(slot.token(), parking.get(), job)) {
          return ask(at, slot, parking.get(), job);
        }
      }
    }
    forget(d);
    return false;
  }

  private static Optional<Parking> parked(QueueDocument d, Slot slot) {
    return slot.state() == Slot.State.OFFERED
        ? d.ticket(slot.ticket()).filter(Ticket::isParked).flatMap(Ticket::parked)
        : Optional.empty();
  }

  private void forget(QueueDocument d) {
    Set<Long> tokens = new HashSet<>();
    d.slots().forEach(s -> tokens.add(s.token()));
    seen.keySet().retainAll(tokens);
    nextLooks.keySet().retainAll(tokens);
    refused.retainAll(tokens);
  }

  private boolean mayBeAskedFor(long token, Parking parking) {
    long now = world.nanos();
    Seen known = seen.get(token);
    if (known == null || known.tries() != parking.tries()) {
      known = new Seen(parking.tries(), now);
      seen.put(token, known);
    }
    if (refused.contains(token)
        || parking.tries() >= Parking.MAX_TRIES
        || now - nextLooks.getOrDefault(token, now) < 0) {
      return false;
    }
    Duration pause = parking.pause();
    return parking.tries() == 0
        || !parking.problem().isEmpty()
        || now - known.since() >= pause.toNanos()
        || parking.askedAt().orElseThrow().plus(pause).plus(CLOCKS_AGREE).isBefore(world.now());
  }

  /** Whether the job has ended, was not started since it was first asked for, and can be now. */
  private boolean isAsleep(long token, Parking parking, RunRef job) {
    nextLooks.put(token, world.nanos() + parking.pause().dividedBy(4).toNanos());
    Optional<Waker.Attempt> last = waker.lastAttempt(job);
    boolean first = parking.tries() == 0;
    boolean asleep =
        last.filter(a -> a.completed() && (first || a.number() <= job.attempt())).isPresent();
    // To ask in vain would use up one of the few times that an offer has.
    return asleep && waker.whyNotToWake(job).isEmpty();
  }

  private boolean ask(QueueAccess.Loaded at, Slot slot, Parking parking, RunRef job)
      throws QueueException, InterruptedException {
    long ticket = slot.ticket();
    try {
      if (!access.attempt(new Command.Ask(ticket, slot.token(), parking.tries()), at)) {
        return false;
      }
    } catch (StoreException e) {
      LOG.info("nobody can be asked to run the job of ticket {} now: {}", ticket, e.getMessage());
      return false;
    }
    Waker.Answer answer = waker.wake(job);
    if (answer instanceof Waker.Answer.Refused no) {
      refused.add(slot.token());
      LOG.warn("the job of parked ticket {} cannot be run again: {}", ticket, no.why());
      String why =
          no.why().length() <= Parking.MAX_PROBLEM
              ? no.why()
              : no.why().substring(0, Parking.MAX_PROBLEM - 1) + "…";
      access.apply(new Command.NotWoken(ticket, slot.token(), why), Urgency.REAP);
    } else {
      LOG.info("the job of parked ticket {} is run again: {}", ticket, answer);
    }
    return true;
  }
}
