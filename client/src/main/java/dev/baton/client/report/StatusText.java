package dev.baton.client.report;

import dev.baton.client.report.QueueStatus.Build;
import dev.baton.client.report.QueueStatus.Lock;
import dev.baton.client.report.QueueStatus.Waiting;
import dev.baton.client.text.LocalTimes;
import dev.baton.core.Durations;
import dev.baton.queue.Estimates;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.Pause;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A queue for people. */
final class StatusText {

  private static final int SHOWN = 30;

  private final TextStyle style;
  private final QueueStatus status;

  StatusText(TextStyle style, QueueStatus status) {
    this.style = style;
    this.status = status;
  }

  String screen() {
    List<String> lines = new ArrayList<>();
    lines.add(style.bold("Queue " + status.queue()) + " in " + status.store());
    status.paused().ifPresent(p -> lines.add(label("Paused") + style.warn(paused(p))));
    status
        .recovering()
        .ifPresent(
            until ->
                lines.add(
                    label("Recovering")
                        + style.warn("the document was damaged or deleted; " + until)));
    for (Lock lock : status.locks()) {
      lines.add(
          label(lock.slot() == 0 ? "Building" : "")
              + lock.build().map(b -> building(lock, b)).orElseGet(() -> style.dim("nobody")));
    }
    List<Waiting> line = status.line();
    if (line.isEmpty()) {
      lines.add(label("In line") + style.dim("nobody"));
    }
    for (Waiting waiting : line.subList(0, Math.min(SHOWN, line.size()))) {
      lines.add(label(waiting.position() == 1 ? "In line" : "") + waiting(waiting));
    }
    if (line.size() > SHOWN) {
      lines.add(label("") + style.dim("and " + (line.size() - SHOWN) + " more"));
    }
    status.last().ifPresent(h -> lines.add(label("Last") + ended(h)));
    status.boardAddress().ifPresent(address -> lines.add(label("Board") + address));
    return String.join("\n", lines);
  }

  private static String label(String text) {
    return String.format(Locale.ROOT, "%-11s", text);
  }

  private String paused(Pause p) {
    return "by "
        + p.by()
        + " for "
        + since(p.since())
        + (p.reason().isEmpty() ? "" : ": " + p.reason());
  }

  private String building(Lock lock, Build build) {
    StringBuilder text = new StringBuilder(style.good(name(build.ticket())));
    switch (lock.state()) {
      case OFFERED ->
          text.append(" has its turn and has not answered for ")
              .append(Durations.shown(build.lasts()));
      case REVOKED -> {
        // How long it usually takes would be read as the time that is left.
        return text.append(
                style.warn(
                    " has lost the lock; the next build starts when it has stopped, or else when"
                        + " its lease is over"))
            .append(style.dim("  token " + lock.token()))
            .toString();
      }
      default -> text.append(" for ").append(Durations.shown(build.lasts()));
    }
    build.usual().ifPresent(usual -> text.append(", usually ").append(Durations.shown(usual)));
    build
        .overdue()
        .ifPresent(by -> text.append(style.warn(", " + Durations.shown(by) + " overdue")));
    build
        .heartbeatAge()
        .ifPresent(
            age -> text.append(style.warn(", last heartbeat " + Durations.shown(age) + " ago")));
    return text.append(style.dim("  token " + lock.token())).toString();
  }

  private String waiting(Waiting waiting) {
    Ticket t = waiting.ticket();
    StringBuilder text = new StringBuilder(waiting.position() + ". " + name(t));
    if (t.priority() != 0) {
      text.append(", priority ").append(t.priority());
    }
    if (t.isParked()) {
      text.append(", parked for ").append(since(t.parked().orElseThrow().since()));
      String problem = t.parked().orElseThrow().problem();
      if (!problem.isEmpty()) {
        text.append(style.warn(", its job cannot be run again: " + problem));
      }
      waiting.left().ifPresent(left -> text.append(", ").append(turn(left)));
      return text.toString();
    }
    if (t.state() == TicketState.AWAY) {
      return text.append(style.warn(", has not answered for " + since(t.since()))).toString();
    }
    text.append(", waiting for ").append(since(t.joinedAt()));
    waiting.left().ifPresent(left -> text.append(", ").append(turn(left)));
    return text.toString();
  }

  private String turn(Estimates.Remaining left) {
    if (left.duration().toSeconds() < 5) {
      return left.overdue() ? "its turn is overdue" : "any moment";
    }
    return (left.overdue() ? "turn in at least " : "turn in about ")
        + Durations.shown(left.duration())
        + " ("
        + LocalTimes.timeOfDay(status.at().plus(left.duration()))
        + (left.overdue() ? " at best)" : ")");
  }

  private String ended(HistoryEntry h) {
    return "#"
        + h.ticket()
        + " "
        + h.title()
        + ", "
        + HistoryText.words(h)
        + " "
        + since(h.at())
        + " ago after "
        + Durations.shown(h.built().orElseThrow())
        + (h.note().isEmpty() ? "" : ": " + h.note());
  }

  private static String name(Ticket t) {
    return "#" + t.number() + " " + t.title() + " (" + t.owner() + ")";
  }

  private String since(Instant then) {
    return Durations.shown(Duration.between(then, status.at()));
  }

  static String brief(QueueStatus status) {
    String building =
        status.locks().stream()
            .flatMap(lock -> lock.build().stream())
            .map(Build::ticket)
            .sorted(Comparator.comparing(Ticket::number))
            .map(t -> "#" + t.number() + " " + t.title())
            .collect(Collectors.joining(", "));
    return status.at().truncatedTo(ChronoUnit.SECONDS)
        + "  building: "
        + (building.isEmpty() ? "nobody" : building)
        + "; in line: "
        + status.line().size()
        + status.paused().map(p -> "; paused by " + p.by()).orElse("");
  }
}
