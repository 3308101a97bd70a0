package dev.baton.queue.front;

import dev.baton.queue.Pause;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.WaitProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/** What is said while waiting. Pure: the same progress gives the same line. */
public final class WaitLines {

  private static final Duration SILENCE = Duration.ofMinutes(10);

  private Integer lastPosition;
  private Optional<Instant> lastTurn = Optional.empty();
  private Optional<Pause> lastPause = Optional.empty();
  private Optional<String> lastTrouble = Optional.empty();
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
   * estimate, a pause, trouble with the store, a long silence.
   */
  public boolean isNews(WaitProgress p, Duration sinceProgress, Instant now) {
    Optional<Instant> turn = p.eta().map(e -> now.minus(sinceProgress).plus(e));
    boolean news =
        lastPosition == null
            || lastPosition != p.position()
            || !lastPause.equals(p.paused())
            || lastTrouble.isPresent() != p.trouble().isPresent()
            || isAnother(turn, p.eta())
            || Duration.between(lastSaid, now).compareTo(SILENCE) >= 0;
    if (news) {
      lastPosition = p.position();
      lastTurn = turn;
      lastPause = p.paused();
      lastTrouble = p.trouble();
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
    return line.length() < columns ? line : line.substring(0, Math.max(0, columns - 4)) + "...";
  }

  private static String text(WaitProgress p, Duration sinceProgress, Instant now) {
    if (p.trouble().isPresent()) {
      String place = p.position() == 0 ? "not in line yet" : "keeping place " + p.position();
      return place + "; " + p.trouble().get();
    }
    StringBuilder line = new StringBuilder("place ").append(p.position()).append(" in line");
    if (p.paused().isPresent()) {
      Pause pause = p.paused().get();
      line.append(", paused by ").append(pause.by());
      line.append(pause.reason().isEmpty() ? "" : " (" + pause.reason() + ")");
    } else if (p.eta().isPresent()) {
      Duration left = p.eta().get().minus(sinceProgress);
      line.append(
          left.compareTo(Duration.ofSeconds(5)) <= 0
              ? ", any moment"
              : ", about " + Durations.shown(left) + " to go");
    }
    for (Ticket t : p.building()) {
      line.append("; ")
          .append(name(t))
          .append(t.state() == TicketState.OFFERED ? " has its turn, no answer" : " builds")
          .append(" for ")
          .append(Durations.shown(Duration.between(t.since(), now)));
    }
    return line.toString();
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
