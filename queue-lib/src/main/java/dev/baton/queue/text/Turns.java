package dev.baton.queue.text;

import dev.baton.queue.HistoryEntry;
import dev.baton.queue.HistoryEntry.Event;
import dev.baton.queue.Outcome;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Whose turn it is, in words: parts of sentences, without a full stop. Pure: nothing but the
 * arguments goes in, so it is safe for use by several threads.
 */
public final class Turns {

  private static final DateTimeFormatter UTC =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private Turns() {}

  /** Why a ticket does not have the lock with this token, and who has it instead. */
  public static String notHolding(QueueDocument d, long ticket, long token) {
    return notHolding(d, ticket, token, UTC::format);
  }

  /**
   * The same.
   *
   * @param time writes a time as the reader is used to see it
   */
  public static String notHolding(
      QueueDocument d, long ticket, long token, Function<Instant, String> time) {
    Optional<Slot> own = d.slotOf(ticket);
    if (own.isPresent()) {
      return "ticket " + ticket + " has token " + own.get().token() + " by now, not " + token;
    }
    return "ticket "
        + ticket
        + " does not have the lock"
        + why(d, ticket, time)
        + "; "
        + holders(d);
  }

  /** How a build came to be without its lock, as far as the queue still knows. */
  public static String howLost(QueueDocument d, long ticket, long token) {
    return d.endOf(ticket, token).map(Turns::howLost).orElse("the lock was taken away");
  }

  /** The same from what the history says about it. */
  public static String howLost(HistoryEntry h) {
    return switch (h.event()) {
      case REAPED -> "the queue took the lock back" + because(h.note());
      case RELEASED -> "another process gave the lock back" + quoted(h.note());
      default -> h.who() + " took the lock away" + quoted(h.note());
    };
  }

  /** How a ticket came to be out of the line. */
  public static String howRemoved(
      long ticket, Optional<Outcome.End> how, Optional<HistoryEntry> entry) {
    Optional<HistoryEntry> word = entry.filter(h -> h.event() == Event.DROPPED);
    if (word.isPresent()) {
      return word.get().who() + " dropped ticket " + ticket + quoted(word.get().note());
    }
    String note = entry.map(h -> because(h.note())).orElse("");
    return "ticket "
        + ticket
        + how.map(
                end ->
                    switch (end) {
                      case DROPPED -> " was dropped by a maintainer" + note;
                      case REMOVED -> " was removed from the line" + note;
                      case REAPED, UNLOCKED -> " had the lock and lost it" + note;
                      case RELEASED -> " had the lock and gave it back";
                      case LEFT -> " has left the line";
                    })
            .orElse(" is out of the line");
  }

  /** What the queue itself has noted. */
  private static String because(String note) {
    return note.isEmpty() ? "" : ": " + note;
  }

  /** What somebody wrote, as a part of a sentence. */
  private static String quoted(String note) {
    return note.isEmpty() ? "" : " (\"" + note.replace('"', '\'') + "\")";
  }

  /** Why a ticket is not in line. */
  public static String notInLine(QueueDocument d, long ticket) {
    return d.outcome(ticket)
        .map(
            o -> "ticket " + ticket + " is not in line any more: it ended at " + UTC.format(o.at()))
        .orElse("there is no ticket " + ticket);
  }

  private static String why(QueueDocument d, long ticket, Function<Instant, String> time) {
    if (d.ticket(ticket).isPresent()) {
      return ": it is in line";
    }
    return d.outcome(ticket)
        .map(o -> " any more: it " + ended(o.end()) + " at " + time.apply(o.at()))
        .orElse(": the queue does not know this ticket, or no longer");
  }

  private static String ended(Outcome.End end) {
    return switch (end) {
      case RELEASED -> "gave it back";
      case REAPED -> "was gone and lost it";
      case UNLOCKED -> "was unlocked by force";
      case LEFT -> "left the line";
      case REMOVED -> "was removed from the line";
      case DROPPED -> "was dropped from the line";
    };
  }

  /** Who has the lock, or its offer. */
  public static String holders(QueueDocument d) {
    String all =
        d.slots().stream()
            .filter(s -> !s.isFree())
            .map(s -> named(d.ticket(s.ticket()).orElseThrow()) + " with token " + s.token())
            .collect(Collectors.joining(", and "));
    return all.isEmpty() ? "nobody has it now" : all + " has it now";
  }

  /**
   * How long nobody gets the lock after a recovery. A build of before has to end first: whether it
   * passed the lock on in the part that was lost shows only after that.
   *
   * @param lease as the reader is used to see lengths of time
   */
  public static String untilReopened(QueueDocument d, String lease) {
    boolean builds = d.slots().stream().anyMatch(s -> !s.isFree());
    boolean jobs = d.tickets().stream().anyMatch(t -> d.mayBuildUnseen(t));
    return "nobody gets the lock until "
        + (builds
            ? "those who build have ended (a dead build has after a lease of "
                + lease
                + ") and then another lease"
            : "a lease of " + lease)
        + " has gone by while somebody is in line"
        + (jobs
            ? ", and the jobs that were in line have answered, ended, or not been seen for max-hold"
            : "");
  }

  /** A ticket as people know it. */
  public static String named(Ticket t) {
    return "ticket " + t.number() + " (" + t.title() + ", " + t.owner() + ")";
  }
}
