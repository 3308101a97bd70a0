package dev.baton.queue.internal.engine;

import dev.baton.queue.Estimates;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.internal.protocol.Command;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Who paints which version of the queue; decided by the document and the change alone, so that
 * clients that never talk to each other agree.
 *
 * <ol>
 *   <li>A change at the front of the line is painted by the client that made it: a grant, a join at
 *       one of the first places, a maintainer's word.
 *   <li>Where turns are short, one of several is painted, so that the board costs no more than one
 *       painting in {@link #RHYTHM}.
 *   <li>A join further back is left to the first in line, who sees it at its next look. So a crowd
 *       that joins at once is painted together, and not by everybody in it.
 *   <li>A release, or a ticket that leaves, is left to those who wait; the next holder confirms its
 *       turn a moment later, and paints that. Where nobody waits, the client that goes paints.
 * </ol>
 */
final class BoardDuty {

  /** How many places of the line are its front. */
  static final int FRONT = 3;

  /** How often a queue is painted whose turns are shorter than that. */
  static final Duration RHYTHM = Duration.ofMinutes(3);

  private BoardDuty() {}

  /** Whether its turns are so short that not each is painted. */
  static boolean skipsTurns(QueueDocument d) {
    return turnsPerPainting(d) > 1;
  }

  private static long turnsPerPainting(QueueDocument d) {
    return d.tickets().stream()
        .filter(t -> t.token() > 0)
        .findFirst()
        .flatMap(t -> Estimates.assumed(d, t.title()))
        .map(usual -> RHYTHM.toSeconds() / Math.max(1, usual.toSeconds()))
        .orElse(1L);
  }

  /** Whether the client that has written this version paints it too. */
  static boolean isWriters(Command written, QueueDocument d) {
    if (written instanceof Command.Join join) {
      return isInFront(d, d.ticketByNonce(join.entry().nonce()));
    } else if (written instanceof Command.CheckIn back) {
      return isInFront(d, d.ticket(back.ticket()));
    } else if (written instanceof Command.Confirm turn) {
      return turn.token() % Math.max(1, turnsPerPainting(d)) == 0 || !isLookedAfter(d);
    } else if (written instanceof Command.Release || written instanceof Command.Leave) {
      return !isLookedAfter(d);
    }
    return true;
  }

  private static boolean isInFront(QueueDocument d, Optional<Ticket> ticket) {
    // Who builds or is offered a turn is at no place of the line, which is 0.
    return ticket.map(t -> d.position(t.number())).orElse(0) <= FRONT;
  }

  /** Whether somebody waits: the first of them looks at the queue all the time. */
  static boolean isLookedAfter(QueueDocument d) {
    return d.tickets().stream()
        .filter(t -> !t.isParked())
        .anyMatch(t -> t.state() == TicketState.WAITING || t.state() == TicketState.OFFERED);
  }

  /** Whether nothing but the back of the line has changed, which its writers do not paint. */
  static boolean haveSameFront(QueueDocument a, QueueDocument b) {
    return a.slots().equals(b.slots())
        && a.paused().equals(b.paused())
        && a.rules().equals(b.rules())
        && a.board() == b.board()
        && front(a).equals(front(b));
  }

  private static List<Ticket> front(QueueDocument d) {
    return d.line().stream().limit(FRONT).toList();
  }
}
