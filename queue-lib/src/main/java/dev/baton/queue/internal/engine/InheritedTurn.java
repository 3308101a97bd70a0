package dev.baton.queue.internal.engine;

import dev.baton.core.Problem;
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
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.stream.Stream;

/**
 * A turn that another process has got: that of a build around this one, or of an earlier step.
 *
 * <ol>
 *   <li>A read from before the turn cannot show it, so it is looked for again for as long as reads
 *       may be stale.
 *   <li>It is held when a write shows the queue with it.
 *   <li>A queue in quarantine after a recovery may have forgotten it, and has given the lock to
 *       nobody since. There its heartbeat is proof, as it is to its holder: one that comes after
 *       the question. An earlier one stays in its place when a turn ends, and until the next one
 *       beats, and the queue may have forgotten that end too. A job has no heartbeat, and is known
 *       by its ticket.
 * </ol>
 */
final class InheritedTurn {

  /** How often what a read does not show yet is looked for again. */
  static final Duration LOOKS = Duration.ofSeconds(1);

  /** How many looks at the heartbeats tell where they stand: one of them may be odd. */
  private static final int FIRST_LOOKS = 2;

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
      // Not when the answer comes: a request may take as long as reads may be stale.
      long asked = world.nanos();
      QueueAccess.Applied applied =
          access.apply(command, Urgency.OWN_TURN, access.justSeen(), false, patience);
      boolean done =
          applied.reply() instanceof Reply.Building || applied.reply() instanceof Reply.Done;
      if (done
          || !isFromBefore(applied.after().document())
          || asked - start >= access.space().traits().maxStaleness().toNanos()) {
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
    QueueAccess.Applied asked;
    try {
      asked = apply(new Command.Verify(ticket, token), patience);
    } catch (QueueException e) {
      if (e.problem().kind() == Problem.Kind.LOST) {
        return false;
      }
      throw e;
    }
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
    Optional<Boolean> told = access.hasBeats() ? toldByHeartbeats(d, patience) : Optional.empty();
    if (told.isPresent()) {
      return told.get();
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

  /**
   * Whether the turn beats, or is over in every slot; empty where it does neither. What a read
   * shows that may be from before the question, and what a single one shows, decides nothing: a
   * heartbeat that is not shown, cannot be read or is old for once has not beaten since.
   */
  private Optional<Boolean> toldByHeartbeats(QueueDocument d, Patience patience)
      throws QueueException, InterruptedException {
    Duration pause = longer(LOOKS, access.space().traits().pollInterval());
    long staleness = access.space().traits().maxStaleness().toNanos();
    long longest =
        d.rules().beat().toNanos() + staleness + pause.multipliedBy(FIRST_LOOKS).toNanos();
    long start = world.nanos();
    List<Optional<BeatDocument>> first = Collections.nCopies(d.slots().size(), Optional.empty());
    int looks = 0;
    boolean beaten = false;
    while (world.nanos() - start <= longest + (beaten ? staleness : 0)) {
      boolean sure = world.nanos() - start >= staleness && looks >= FIRST_LOOKS;
      List<Optional<BeatDocument>> shown = beats(d.slots().size(), patience);
      looks++;
      beaten = shown.stream().anyMatch(this::isOfTurn);
      if (sure) {
        Optional<Boolean> told = told(first, shown);
        if (told.isPresent()) {
          return told;
        }
      }
      first = sure ? merged(first, shown, (a, b) -> a) : merged(first, shown, InheritedTurn::newer);
      patience.pause(pause);
    }
    return Optional.empty();
  }

  private static List<Optional<BeatDocument>> merged(
      List<Optional<BeatDocument>> before,
      List<Optional<BeatDocument>> now,
      BinaryOperator<BeatDocument> ofBoth) {
    List<Optional<BeatDocument>> all = new ArrayList<>();
    for (int slot = 0; slot < now.size(); slot++) {
      all.add(Stream.concat(before.get(slot).stream(), now.get(slot).stream()).reduce(ofBoth));
    }
    return all;
  }

  private static BeatDocument newer(BeatDocument a, BeatDocument b) {
    return b.version() > a.version() ? b : a;
  }

  private Optional<Boolean> told(
      List<Optional<BeatDocument>> first, List<Optional<BeatDocument>> shown) {
    boolean over = true;
    for (int slot = 0; slot < shown.size(); slot++) {
      Optional<BeatDocument> before = first.get(slot);
      Optional<BeatDocument> now = shown.get(slot);
      if (isOfTurn(now) && before.filter(b -> isBeforeBeat(b, now.get())).isPresent()) {
        return Optional.of(true);
      }
      over &= isOver(before) && isOver(now);
    }
    return over ? Optional.of(false) : Optional.empty();
  }

  private boolean isOfTurn(Optional<BeatDocument> beat) {
    return beat.filter(b -> b.token() == token && b.killed() < token).isPresent();
  }

  /** Whether the turn has beaten between the two. */
  private boolean isBeforeBeat(BeatDocument before, BeatDocument now) {
    return now.version() > before.version()
        && (before.token() != token || now.beat() != before.beat());
  }

  private boolean isOver(Optional<BeatDocument> beat) {
    return beat.filter(b -> Beats.beat(b, token).isEmpty()).isPresent();
  }

  private List<Optional<BeatDocument>> beats(int slots, Patience patience)
      throws QueueException, InterruptedException {
    List<Optional<BeatDocument>> all = new ArrayList<>();
    for (int slot = 0; slot < slots; slot++) {
      all.add(beatOf(slot, patience));
    }
    return all;
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
