package dev.baton.gradle.engine;

import dev.baton.client.queue.Place;
import dev.baton.core.Durations;
import dev.baton.queue.Estimates;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A queue for people. Pure: nothing but its arguments goes in. */
final class QueueText {

  private static final int SHOWN = 30;

  private final Instant now;
  private final DateTimeFormatter time =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT).withZone(ZoneId.systemDefault());

  QueueText(Instant now) {
    this.now = now;
  }

  String status(Place place, QueueDocument d) {
    List<String> lines = new ArrayList<>();
    lines.add("Queue " + place.queue() + " in " + place.store());
    d.paused()
        .ifPresent(
            p ->
                lines.add(
                    row("Paused")
                        + "by "
                        + p.by()
                        + " for "
                        + since(p.since())
                        + (p.reason().isEmpty() ? "" : ": " + p.reason())));
    for (int i = 0; i < d.slots().size(); i++) {
      lines.add(row(i == 0 ? "Building" : "") + building(d, d.slots().get(i)));
    }
    List<Ticket> line = d.line();
    if (line.isEmpty()) {
      lines.add(row("In line") + "nobody");
    }
    for (int i = 0; i < Math.min(SHOWN, line.size()); i++) {
      lines.add(row(i == 0 ? "In line" : "") + (i + 1) + ". " + waiting(d, line.get(i)));
    }
    if (line.size() > SHOWN) {
      lines.add(row("") + "and " + (line.size() - SHOWN) + " more");
    }
    return String.join("\n", lines);
  }

  private static String row(String label) {
    return String.format(Locale.ROOT, "%-11s", label);
  }

  private String building(QueueDocument d, Slot slot) {
    if (slot.isFree()) {
      return "nobody";
    }
    Ticket t = d.ticket(slot.ticket()).orElseThrow();
    String how =
        switch (slot.state()) {
          case OFFERED -> " has its turn, no answer for ";
          case REVOKED -> " has lost the lock, its lease runs out; it had it for ";
          default -> " for ";
        };
    return name(t)
        + how
        + since(t.since())
        + Estimates.overdue(d, t.number(), now)
            .map(by -> ", " + Durations.shown(by) + " overdue")
            .orElse("")
        + "  token "
        + slot.token();
  }

  private String waiting(QueueDocument d, Ticket t) {
    if (t.state() == TicketState.AWAY) {
      return name(t) + ", did not answer for " + since(t.since());
    }
    return name(t)
        + (t.priority() == 0 ? "" : ", priority " + t.priority())
        + ", waits for "
        + since(t.joinedAt())
        + Estimates.until(d, t.number(), now).map(left -> ", " + turn(left)).orElse("");
  }

  private static String turn(Estimates.Remaining left) {
    if (left.overdue() && left.duration().toSeconds() < 5) {
      return "its turn is overdue";
    }
    return (left.overdue() ? "turn in at least " : "turn in about ")
        + Durations.shown(left.duration());
  }

  String history(HistoryEntry h) {
    StringBuilder text = new StringBuilder(time.format(h.at()));
    text.append(String.format(Locale.ROOT, "  %-12s", words(h.event())));
    if (h.ticket() > 0) {
      text.append(" #").append(h.ticket()).append(' ').append(h.title());
    }
    text.append(h.who().isEmpty() ? "" : " (" + h.who() + ")");
    h.built().ifPresent(b -> text.append(", built ").append(Durations.shown(b)));
    h.waited().ifPresent(w -> text.append(", waited ").append(Durations.shown(w)));
    return text.append(h.note().isEmpty() ? "" : ": " + h.note()).toString();
  }

  static String words(Enum<?> e) {
    return e.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private static String name(Ticket t) {
    return "#" + t.number() + " " + t.title() + " (" + t.owner() + ")";
  }

  private String since(Instant then) {
    return Durations.shown(Duration.between(then, now));
  }
}
