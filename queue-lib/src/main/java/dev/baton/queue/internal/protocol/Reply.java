package dev.baton.queue.internal.protocol;

import dev.baton.core.Problem;
import dev.baton.queue.Outcome;
import java.util.Optional;

/** What a command came to. */
public sealed interface Reply {

  /**
   * The ticket is in line.
   *
   * @param position from 1
   * @param away it was passed over and must check in
   */
  record InLine(long ticket, int position, boolean away) implements Reply {}

  /** The ticket is in line, and its job is run again when its turn comes. */
  record Parked(long ticket, int position) implements Reply {}

  /** It is the ticket's turn, and it must confirm. */
  record Offered(long ticket, long token) implements Reply {}

  /** The ticket has the build lock. */
  record Building(long ticket, long token, int slot, String claim) implements Reply {
    public Building(long ticket, long token, int slot) {
      this(ticket, token, slot, "");
    }
  }

  /** The ticket, or this turn of it, is no more. Empty when it ended too long ago to tell how. */
  record Gone(long ticket, Optional<Outcome.End> how) implements Reply {}

  /** It was done, or had been done before. */
  record Done() implements Reply {}

  /** It was not done, and the document is unchanged. */
  record Refused(Refusal reason, Problem problem) implements Reply {

    public String message() {
      return problem.text();
    }
  }

  /** Why something is not done. */
  enum Refusal {
    /** There is no room for another ticket. */
    FULL,
    /** No such ticket, or it is not in a state for this. */
    NO_SUCH_TICKET,
    /** It builds: releasing or unlocking is the way. */
    BUILDS,
    /** It does not have the lock, or not with this token. */
    NOT_HOLDER,
    /** Somebody holds the issue lock. */
    ISSUE_LOCKED,
    /** The queue uses something that this version does not know. */
    TOO_NEW,
    /** What is wanted contradicts itself or the queue's rules. */
    INVALID,
    /** The document is not in the state that the command was meant for. */
    OUTDATED
  }
}
