package dev.baton.client.queue;

import dev.baton.client.text.LogText;
import dev.baton.core.Durations;
import dev.baton.queue.Pause;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.WaitProgress;
import dev.baton.queue.WaitProgress.Overdue;
import dev.baton.queue.WaitProgress.Silence;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;

/**
 * What is said while waiting: the same words in every front end, as a line that is drawn over and
 * over, as lines of a console, and as lines of a log that is read later. One object for one wait,
 * and used by one thread at a time: it knows what was said. It looks at no clock.
 */
public final class WaitLines {

  private static final Duration SILENCE = Duration.ofMinutes(10);

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private Integer lastPosition;
  private Optional<Instant> lastTurn = Optional.empty();
  private Optional<Pause> lastPause = Optional.empty();
  private Optional<String> lastTrouble = Optional.empty();
  private boolean lastSilent;
  private boolean lastOverdue;
  private Instant lastSaid;

  /** A line, when there is something to say. */
  public Optional<String> plain(WaitProgress p, Duration sinceProgress, Instant now) {
    return isNews(p, sinceProgress, now)
        ? Optional.of(
            (p.ticket() == 0 ? "Waiting: " : "Waiting with ticket " + p.ticket() + ": ")
                + text(p, sinceProgress, now))
        : Optional.empty();
  }

  /**
   * Whether there is something to say since the last time that there was: another place, another
   * estimate, a build that is overdue or shows no heartbeat, a pause, trouble with the store, or
   * nothing said for long.
   */
  public boolean isNews(WaitProgress p, Duration sinceProgress, Instant now) {
    // Behind a late build the turn moves on with the clock, and that is no news.
    Optional<Instant> turn =
        p.eta().filter(e -> lateBuild(p).isEmpty()).map(e -> now.minus(sinceProgress).plus(e));
    boolean news =
        lastPosition == null
            || lastPosition != p.position()
            || !lastPause.equals(p.paused())
            || lastTrouble.isPresent() != p.trouble().isPresent()
            || lastSilent != p.silence().isPresent()
            || lastOverdue != p.overdue().isPresent()
            || isAnother(turn, p.eta())
            || Duration.between(lastSaid, now).compareTo(SILENCE) >= 0;
    if (news) {
      lastPosition = p.position();
      lastTurn = turn;
      lastPause = p.paused();
      lastTrouble = p.trouble();
      lastSilent = p.silence().isPresent();
      lastOverdue = p.overdue().isPresent();
      lastSaid = now;
    }
    return news;
  }

  /** Whether the expected turn has moved by more than a tenth of what is left, and noticeably. */
  private boolean isAnother(Optional<Instant> turn, Optional<Duration> left) {
    if (turn.isEmpty() || lastTurn.isEmpty()) {
      return turn.isPresent() != lastTurn.isPresent();
    }
    Duration moved = Duration.between(lastTurn.get(), turn.get()).abs();
    return moved.compareTo(left.orElseThrow().dividedBy(10)) > 0
        && moved.compareTo(Duration.ofSeconds(30)) > 0;
  }

  /** The line that is drawn over and over. */
  public static String live(WaitProgress p, Duration sinceProgress, Instant now, int columns) {
    String line =
        "Waiting " + clock(p.waited().plus(sinceProgress)) + ": " + text(p, sinceProgress, now);
    // What is shown by its number takes more room than it has characters.
    return Cells.fitting(LogText.of(line), columns);
  }

  private static String text(WaitProgress p, Duration sinceProgress, Instant now) {
    if (p.trouble().isPresent()) {
      return trouble(p);
    }
    StringBuilder line = place(p);
    if (p.paused().isPresent()) {
      line.append(", ").append(paused(p.paused().get()));
    } else if (p.eta().isPresent()) {
      line.append(left(p, sinceProgress));
    }
    late(p, sinceProgress).ifPresent(late -> line.append("; ").append(late));
    for (Ticket t : p.building()) {
      if (lateBuild(p).filter(late -> late.number() == t.number()).isPresent()) {
        continue;
      }
      line.append("; ")
          .append(name(t))
          .append(
              t.state() == TicketState.OFFERED
                  ? " has its turn and has not answered for "
                  : " has been building for ")
          .append(Durations.shown(Duration.between(t.since(), now)));
    }
    return line.toString();
  }

  private static String trouble(WaitProgress p) {
    String place = p.position() == 0 ? "not in line yet" : "keeping place " + p.position();
    return place + "; " + p.trouble().orElseThrow();
  }

  private static StringBuilder place(WaitProgress p) {
    return new StringBuilder("place ").append(p.position()).append(" in line");
  }

  private static String paused(Pause pause) {
    return "paused by "
        + pause.by()
        + (pause.reason().isEmpty() ? "" : " (" + pause.reason() + ")");
  }

  /**
   * A line of a log that is read later and elsewhere: what is expected has its time of day, and
   * what has gone by is told.
   */
  public static String logged(WaitProgress p, Instant now) {
    String waited = "; waited for " + Durations.shown(p.waited());
    if (p.trouble().isPresent()) {
      return trouble(p) + waited;
    }
    StringBuilder line = place(p);
    p.paused().ifPresent(pause -> line.append("; the queue is ").append(paused(pause)));
    p.building().stream()
        .findFirst()
        .ifPresent(t -> line.append("; building now: ").append(described(t)));
    late(p, Duration.ZERO).ifPresent(late -> line.append("; ").append(late));
    expected(p, now)
        .ifPresent(
            at ->
                line.append("; the turn is expected at ")
                    .append(timeOfDay(at))
                    .append(", in ")
                    .append(Durations.shown(p.eta().orElseThrow())));
    return line.append(waited).toString();
  }

  /** When the turn is expected; behind a late build the estimate of the turn is not true. */
  public static Optional<Instant> expected(WaitProgress p, Instant now) {
    return lateBuild(p).isPresent() ? Optional.empty() : p.eta().map(now::plus);
  }

  /** For readers in any time zone. */
  public static String timeOfDay(Instant at) {
    return TIME.format(at);
  }

  /** A ticket in a log, for people who may have to act on it. */
  public static String described(Ticket t) {
    return (t.title().isEmpty() ? "" : t.title() + ", ")
        + t.owner()
        + " (ticket "
        + t.number()
        + ")";
  }

  private static String left(WaitProgress p, Duration sinceProgress) {
    if (p.silence().isPresent()) {
      return "";
    }
    if (p.overdue().isPresent()) {
      return isSoon(p.eta().orElseThrow())
          ? ""
          : ", at least " + Durations.shown(p.eta().orElseThrow()) + " to go";
    }
    Duration left = p.eta().orElseThrow().minus(sinceProgress);
    return isSoon(left) ? ", any moment" : ", about " + Durations.shown(left) + " to go";
  }

  private static boolean isSoon(Duration left) {
    return left.compareTo(Duration.ofSeconds(5)) <= 0;
  }

  private static Optional<Ticket> lateBuild(WaitProgress p) {
    return p.silence().map(Silence::build).or(() -> p.overdue().map(Overdue::build));
  }

  /**
   * What keeps the lock for longer than expected, if anything does: a build without a heartbeat, or
   * else one that is overdue.
   */
  public static Optional<String> late(WaitProgress p, Duration sinceProgress) {
    return p.silence()
        .map(
            s ->
                "no heartbeat of "
                    + name(s.build())
                    + " for "
                    + Durations.shown(s.lasts())
                    + ", its lock passes on after "
                    + Durations.shown(s.lease()))
        .or(
            () ->
                p.overdue()
                    .map(
                        o ->
                            name(o.build())
                                + " is "
                                + Durations.shown(o.by().plus(sinceProgress))
                                + " overdue"));
  }

  private static String name(Ticket t) {
    return (t.title().isEmpty() ? "ticket " + t.number() : t.title()) + " (" + t.owner() + ")";
  }

  private static String clock(Duration d) {
    return d.toHours() > 0
        ? String.format(
            Locale.ROOT, "%d:%02d:%02d", d.toHours(), d.toMinutesPart(), d.toSecondsPart())
        : String.format(Locale.ROOT, "%d:%02d", d.toMinutes(), d.toSecondsPart());
  }
}
