package dev.baton.cli.queue;

import dev.baton.cli.terminal.Json;
import dev.baton.client.queue.Place;
import dev.baton.queue.Estimates;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A queue for programs: names stay as they are, times are in UTC, durations in seconds. */
final class StatusJson {

  private StatusJson() {}

  static Map<String, Object> of(Place place, QueueDocument d, Instant now) {
    List<Map<String, Object>> building = new ArrayList<>();
    for (int slot = 0; slot < d.slots().size(); slot++) {
      if (!d.slots().get(slot).isFree()) {
        building.add(building(d, slot, now));
      }
    }
    List<Map<String, Object>> line = new ArrayList<>();
    for (Ticket t : d.line()) {
      Map<String, Object> one = ticket(t);
      one.put("position", line.size() + 1);
      Estimates.until(d, t.number(), now)
          .ifPresent(
              left -> {
                one.put("etaSeconds", left.duration().toSeconds());
                one.put("overdue", left.overdue());
              });
      line.add(one);
    }
    return Json.object(
        "store", place.store(),
        "queue", place.queue(),
        "version", d.version(),
        "slots", d.rules().slots(),
        "paused",
            d.paused()
                .map(
                    p ->
                        Json.object(
                            "by", p.by(), "reason", p.reason(), "since", p.since().toString())),
        "recovering", d.quarantine() > 0,
        "building", building,
        "line", line,
        "nextTicket", d.nextTicket(),
        "nextToken", d.nextToken(),
        "board", d.board() > 0 ? Optional.of(d.board()) : Optional.empty(),
        "last",
            d.history().stream()
                .filter(h -> h.built().isPresent())
                .reduce((a, b) -> b)
                .map(StatusJson::of));
  }

  private static Map<String, Object> building(QueueDocument d, int index, Instant now) {
    Slot slot = d.slots().get(index);
    Ticket t = d.ticket(slot.ticket()).orElseThrow();
    Map<String, Object> one = ticket(t);
    one.put("slot", index);
    one.put("lock", name(slot.state()));
    one.put("token", slot.token());
    one.put("heldSeconds", Math.max(0, Duration.between(t.since(), now).toSeconds()));
    Estimates.usual(d, t.title()).ifPresent(u -> one.put("usualSeconds", u.toSeconds()));
    Estimates.overdue(d, t.number(), now)
        .ifPresent(by -> one.put("overdueSeconds", by.toSeconds()));
    return one;
  }

  private static Map<String, Object> ticket(Ticket t) {
    return Json.object(
        "ticket", t.number(),
        "title", t.title(),
        "owner", t.owner(),
        "state", name(t.state()),
        "liveness", name(t.liveness()),
        "priority", t.priority(),
        "joinedAt", t.joinedAt().toString(),
        "since", t.since().toString(),
        "run",
            t.run()
                .map(
                    r ->
                        Json.object(
                            "repository",
                            r.repository(),
                            "id",
                            r.runId(),
                            "attempt",
                            r.attempt())));
  }

  static Map<String, Object> of(HistoryEntry h) {
    return Json.object(
        "at", h.at().toString(),
        "event", name(h.event()),
        "ticket", h.ticket() > 0 ? Optional.of(h.ticket()) : Optional.empty(),
        "token", h.token() > 0 ? Optional.of(h.token()) : Optional.empty(),
        "title", h.title(),
        "who", h.who(),
        "note", h.note(),
        "waitedSeconds", h.waited().map(Duration::toSeconds),
        "builtSeconds", h.built().map(Duration::toSeconds));
  }

  private static String name(Enum<?> e) {
    return e.name().toLowerCase(Locale.ROOT);
  }
}
