package dev.baton.queue;

import dev.baton.core.Problem;
import java.time.Duration;
import java.util.Optional;

/** What came of a {@link Request}. Not to get the lock is an answer, not an exception. */
public sealed interface Acquisition {

  /** The build lock is held. */
  record Acquired(Grant grant) implements Acquisition {}

  /**
   * The workflow job that the client is {@link Request#partOf part of}, or its whole run, has the
   * lock: proved by a write. The client has no ticket in line, and does not give the lock back.
   */
  record Covered(long ticket, long token) implements Acquisition {}

  /** The wait timeout was over first; the ticket has left the line. */
  record TimedOut(long ticket, int position) implements Acquisition {}

  /**
   * The wait timeout was over before the queue has answered that there is a place in line, as in a
   * limit or an outage, of which the problem tells. The line was left as far as that could be done.
   */
  record NotInLine(Problem problem) implements Acquisition {}

  /** The wait timeout was over first; the ticket keeps its place, as the request asked for. */
  record StillInLine(long ticket, int position) implements Acquisition {}

  /**
   * The ticket is parked: its job should end now, and is run again when its turn comes.
   *
   * @param eta when that may be, if it is known
   */
  record Parked(long ticket, int position, Optional<Duration> eta) implements Acquisition {}

  /**
   * The ticket was taken out of the line by somebody else.
   *
   * @param entry what the history says about it: who did it, and why
   */
  record Removed(long ticket, Optional<Outcome.End> how, Optional<HistoryEntry> entry)
      implements Acquisition {}

  /** The queue did not take the ticket. */
  record Refused(Problem problem) implements Acquisition {

    public String message() {
      return problem.text();
    }
  }
}
