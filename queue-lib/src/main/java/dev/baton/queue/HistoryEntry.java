package dev.baton.queue;

import dev.baton.core.Checks;
import dev.baton.core.Extra;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * Something that happened and that somebody may ask about later.
 *
 * @param ticket the ticket it is about, or 0
 * @param token its fencing token, or 0
 * @param title what was built
 * @param who the owner of the ticket, or the maintainer who gave the word
 * @param note why, in a line
 * @param waited from joining to the lock; for builds
 * @param built how long the lock was held; for builds
 * @param result how the build went; for builds that gave their lock back
 * @param run the workflow run that it was; for builds
 */
public record HistoryEntry(
    Instant at,
    Event event,
    long ticket,
    long token,
    String title,
    String who,
    String note,
    Optional<Duration> waited,
    Optional<Duration> built,
    BuildResult result,
    Optional<RunRef> run,
    Extra extra) {

  public static final int MAX_NOTE = 120;

  /** What happened. */
  public enum Event {
    /** A build gave its lock back. */
    RELEASED,
    /** A holder that was gone lost its lock. */
    REAPED,
    /** A waiting ticket left by itself. */
    LEFT,
    /** A ticket that did not answer was skipped. */
    PASSED_OVER,
    /** A ticket that did not answer for too long was removed. */
    REMOVED,
    /** A maintainer removed a ticket. */
    DROPPED,
    /** A maintainer moved a ticket. */
    MOVED,
    /** A maintainer gave a ticket another priority. */
    PRIORITY,
    /** A maintainer took the lock away. */
    REVOKED,
    /** A maintainer took the lock away and did not wait for the lease. */
    UNLOCKED_NOW,
    PAUSED,
    RESUMED,
    /** A maintainer changed the rules. */
    RULES,
    /** The re-run of a workflow took its old place in line. */
    TAKEN_OVER,
    /** A waiting job has ended; it is run again when its turn comes. */
    PARKED,
    /** A parked job was run again and has its ticket back. */
    RETURNED,
    /** The document was lost or broken and put together again. */
    RECOVERED,
    /** After a recovery, the queue gives out the lock again. */
    REOPENED
  }

  public HistoryEntry {
    Objects.requireNonNull(at, "at");
    Objects.requireNonNull(event, "event");
    Checks.notNegative("ticket", ticket);
    Checks.notNegative("token", token);
    Checks.line("title", title, 0, Ticket.MAX_TITLE);
    Checks.line("who", who, 0, Ticket.MAX_OWNER);
    Checks.line("note", note, 0, MAX_NOTE);
    Objects.requireNonNull(waited, "waited");
    Objects.requireNonNull(built, "built");
    Objects.requireNonNull(result, "result");
    Objects.requireNonNull(run, "run");
    Objects.requireNonNull(extra, "extra");
  }

  /** Something that says nothing of a build's result or run. */
  public HistoryEntry(
      Instant at,
      Event event,
      long ticket,
      long token,
      String title,
      String who,
      String note,
      Optional<Duration> waited,
      Optional<Duration> built,
      Extra extra) {
    this(
        at,
        event,
        ticket,
        token,
        title,
        who,
        note,
        waited,
        built,
        BuildResult.UNKNOWN,
        Optional.empty(),
        extra);
  }
}
