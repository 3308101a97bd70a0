package dev.baton.queue.internal.engine;

import dev.baton.core.World;
import dev.baton.queue.BeatDocument;
import dev.baton.queue.Liveness;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.internal.protocol.Beats;
import dev.baton.queue.internal.protocol.Command;
import dev.baton.queue.internal.protocol.Reply;
import dev.baton.store.StoreException;
import java.time.Duration;
import java.util.Optional;

/**
 * A turn that another process has got: that of a build around this one, or of an earlier step.
 *
 * <ol>
 *   <li>A read from before the turn cannot show it, so it is looked for again for as long as reads
 *       may be stale.
 *   <li>It is held when a write shows the queue with it.
 *   <li>A queue in quarantine after a recovery may have forgotten it, and has given the lock to
 *       nobody since. There its heartbeat is proof, as it is to its holder; a turn that has not
 *       beaten yet is waited for. A job has no heartbeat, and is known by its ticket.
 * </ol>
 */
final class InheritedTurn {

  /** How often what a read does not show yet is looked for again. */
  static final Duration LOOKS = Duration.ofSeconds(1);

  private final QueueAccess access;
  private final World world;
  private final long ticket;
  private final long token;

  InheritedTurn(QueueAccess access, World world, long ticket, long token) {
    this.access = access;
    this.world = world;
    this.ticket = ticket;
    this.token = token;
  }

  /** Applies a command that is about the turn. */
  QueueAccess.Applied apply(Command command, Patience patience)
      throws QueueException, InterruptedException {
    long start = world.nanos();
    while (true) {
      QueueAccess.Applied applied =
          access.apply(command, Urgency.OWN_TURN, access.justSeen(), false, patience);
      boolean done =
          applied.reply() instanceof Reply.Building || applied.reply() instanceof Reply.Done;
      if (done
          || !isFromBefore(applied.after().document())
          || world.nanos() - start >= access.space().traits().maxStaleness().toNanos()) {
        return applied;
      }
      world.newSignal().await(LOOKS);
    }
  }

  private boolean isFromBefore(QueueDocument d) {
    return d.nextToken() <= token
        || d.ticket(ticket)
            .filter(t -> t.token() == token && t.state() == TicketState.OFFERED)
            .isPresent();
  }

  /**
   * Whether it is held at this moment.
   *
   * @throws QueueException.Unavailable when nothing says so, and nothing denies it
   */
  boolean isHeld(Patience patience) throws QueueException, InterruptedException {
    QueueAccess.Applied asked = apply(new Command.Verify(ticket, token), patience);
    return asked.reply() instanceof Reply.Building
        || mayBeForgotten(asked.after().document()) && isHeldUnknown(asked.after(), patience);
  }

  /** The queue may know neither the turn nor the ticket; then only a heartbeat can tell. */
  private boolean mayBeForgotten(QueueDocument d) {
    Liveness liveness = d.ticket(ticket).map(Ticket::liveness).orElse(Liveness.BEAT);
    return d.mayHaveForgotten(ticket, token, liveness);
  }

  private boolean isHeldUnknown(QueueAccess.Loaded seen, Patience patience)
      throws QueueException, InterruptedException {
    // By a write: the read may be from before the end of the quarantine.
    QueueDocument d =
        access
            .apply(new Command.Touch(), Urgency.OWN_TURN, seen, false, patience)
            .after()
            .document();
    if (!mayBeForgotten(d)) {
      return false;
    }
    if (d.ticket(ticket).filter(d::mayBuildUnseen).isPresent()) {
      return true;
    }
    Duration longest = d.rules().beat().plus(access.space().traits().maxStaleness());
    long start = world.nanos();
    while (access.hasBeats() && world.nanos() - start <= longest.toNanos()) {
      Optional<Boolean> told = toldByHeartbeat(d, patience);
      if (told.isPresent()) {
        return told.get();
      }
      patience.pause(longer(LOOKS, access.space().traits().pollInterval()));
    }
    throw new QueueException.Unavailable(
        "the queue in "
            + access.space().traits().location()
            + " was recovered from damage and does not say whether ticket "
            + ticket
            + " has the lock",
        "Try again when it gives out the lock again.",
        null);
  }

  /** Whether the turn beats, or is over in every slot; empty while it may not have beaten yet. */
  private Optional<Boolean> toldByHeartbeat(QueueDocument d, Patience patience)
      throws QueueException, InterruptedException {
    boolean over = true;
    for (int slot = 0; slot < d.slots().size(); slot++) {
      Optional<BeatDocument> beat = beatOf(slot, patience);
      boolean mayBeat = beat.flatMap(b -> Beats.beat(b, token)).isPresent();
      if (mayBeat && beat.get().token() == token) {
        return Optional.of(true);
      }
      over &= beat.isPresent() && !mayBeat;
    }
    return over ? Optional.of(false) : Optional.empty();
  }

  private Optional<BeatDocument> beatOf(int slot, Patience patience)
      throws QueueException, InterruptedException {
    while (true) {
      try {
        Optional<BeatDocument> beat = access.beats(slot).read().document();
        patience.succeeded();
        return beat;
      } catch (StoreException e) {
        patience.failed(e, LOOKS);
      }
    }
  }

  private static Duration longer(Duration a, Duration b) {
    return a.compareTo(b) >= 0 ? a : b;
  }
}
