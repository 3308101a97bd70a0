package dev.baton.cli.queue;

import dev.baton.cli.terminal.Paint;
import dev.baton.client.queue.Place;
import dev.baton.core.Durations;
import dev.baton.queue.Estimates;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.text.Turns;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A queue on one screen. Pure: nothing but its arguments goes in. */
final class StatusText {

  private static final int SHOWN = 30;

  private final Paint paint;
  private final Instant now;

  StatusText(Paint paint, Instant now) {
    this.paint = paint;
    this.now = now;
  }

  /** Time zones take a while to load, and a queue in which nothing goes on shows no time. */
  private static String local(String pattern, Instant at) {
    return DateTimeFormatter.ofPattern(pattern, Locale.ROOT)
        .withZone(ZoneId.systemDefault())
        .format(at);
  }

  /**
   * The whole queue.
   *
   * @param stale the ages of heartbeats that are overdue, by ticket
   */
  String of(Place place, QueueDocument d, Map<Long, Duration> stale) {
    List<String> lines = new ArrayList<>();
    lines.add(paint.bold("Queue " + place.queue()) + " in " + place.store());
    d.paused()
        .ifPresent(
            p ->
                lines.add(
                    label("Paused")
                        + paint.warn(
                            "by "
                                + p.by()
                                + " for "
                                + since(p.since())
                                + (p.reason().isEmpty() ? "" : ": " + p.reason()))));
    if (d.quarantine() > 0) {
      lines.add(
          label("Recovering")
              + paint.warn(
                  "the document was damaged; "
                      + Turns.untilReopened(d, Durations.shown(d.rules().lease()))));
    }
    for (int slot = 0; slot < d.slots().size(); slot++) {
      lines.add(label(slot == 0 ? "Building" : "") + building(d, d.slots().get(slot), stale));
    }
    List<Ticket> line = d.line();
    if (line.isEmpty()) {
      lines.add(label("In line") + paint.dim("nobody"));
    }
    for (int i = 0; i < Math.min(SHOWN, line.size()); i++) {
      lines.add(label(i == 0 ? "In line" : "") + waiting(d, line.get(i), i + 1));
    }
    if (line.size() > SHOWN) {
      lines.add(label("") + paint.dim("and " + (line.size() - SHOWN) + " more"));
    }
    d.history().stream()
        .filter(h -> h.built().isPresent())
        .reduce((a, b) -> b)
        .ifPresent(h -> lines.add(label("Last") + finished(h)));
    return String.join("\n", lines);
  }

  private static String label(String text) {
    return String.format(Locale.ROOT, "%-11s", text);
  }

  private String building(QueueDocument d, Slot s, Map<Long, Duration> stale) {
    if (s.isFree()) {
      return paint.dim("nobody");
    }
    Ticket t = d.ticket(s.ticket()).orElseThrow();
    StringBuilder text = new StringBuilder(paint.good(name(t)));
    switch (s.state()) {
      case OFFERED -> text.append(" has its turn, no answer for ").append(since(t.since()));
      case REVOKED -> text.append(paint.warn(" has lost the lock; its lease runs out"));
      default -> text.append(" for ").append(since(t.since()));
    }
    Estimates.usual(d, t.title())
        .ifPresent(usual -> text.append(", usually ").append(Durations.shown(usual)));
    Estimates.overdue(d, t.number(), now)
        .ifPresent(by -> text.append(paint.warn(", " + Durations.shown(by) + " overdue")));
    Optional.ofNullable(stale.get(t.number()))
        .ifPresent(
            age -> text.append(paint.warn(", last heartbeat " + Durations.shown(age) + " ago")));
    return text.append(paint.dim("  token " + s.token())).toString();
  }

  private String waiting(QueueDocument d, Ticket t, int place) {
    StringBuilder text = new StringBuilder(place + ". " + name(t));
    if (t.priority() != 0) {
      text.append(", priority ").append(t.priority());
    }
    if (t.state() == TicketState.AWAY) {
      return text.append(paint.warn(", did not answer for " + since(t.since()))).toString();
    }
    text.append(", waits for ").append(since(t.joinedAt()));
    Estimates.until(d, t.number(), now).ifPresent(left -> text.append(", ").append(turn(left)));
    return text.toString();
  }

  private String turn(Estimates.Remaining left) {
    if (left.duration().toSeconds() < 5) {
      return left.overdue() ? "its turn is overdue" : "any moment";
    }
    return (left.overdue() ? "turn in at least " : "turn in about ")
        + Durations.shown(left.duration())
        + " ("
        + local("HH:mm", now.plus(left.duration()))
        + (left.overdue() ? " at best)" : ")");
  }

  private String finished(HistoryEntry h) {
    return "#"
        + h.ticket()
        + " "
        + h.title()
        + ", "
        + words(h)
        + " "
        + since(h.at())
        + " ago after "
        + Durations.shown(h.built().orElseThrow())
        + (h.note().isEmpty() ? "" : ": " + h.note());
  }

  /** One line of the history. */
  String history(HistoryEntry h) {
    StringBuilder text = new StringBuilder(paint.dim(local("yyyy-MM-dd HH:mm", h.at())));
    text.append(String.format(Locale.ROOT, "  %-12s", words(h)));
    if (h.ticket() > 0) {
      text.append(" #").append(h.ticket()).append(' ').append(h.title());
    }
    text.append(h.who().isEmpty() ? "" : " (" + h.who() + ")");
    h.built().ifPresent(b -> text.append(", built ").append(Durations.shown(b)));
    h.waited().ifPresent(w -> text.append(", waited ").append(Durations.shown(w)));
    text.append(h.note().isEmpty() ? "" : ": " + h.note());
    return text.toString();
  }

  private static String words(HistoryEntry h) {
    return h.event().name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private static String name(Ticket t) {
    return "#" + t.number() + " " + t.title() + " (" + t.owner() + ")";
  }

  private String since(Instant then) {
    return Durations.shown(Duration.between(then, now));
  }
}
