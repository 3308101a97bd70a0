package dev.baton.client.report;

import dev.baton.client.report.QueueStatus.Build;
import dev.baton.client.report.QueueStatus.Lock;
import dev.baton.client.report.QueueStatus.Waiting;
import dev.baton.client.text.JsonOutput;
import dev.baton.queue.BuildResult.Ending;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.Pause;
import dev.baton.queue.RunRef;
import dev.baton.queue.Ticket;
import dev.baton.queue.parking.Parking;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Reports for programs: names stay as they are, times are in UTC, durations in seconds. */
final class ReportJson {

  private ReportJson() {}

  static Map<String, Object> status(QueueStatus s) {
    return JsonOutput.object(
        "store", s.store(),
        "queue", s.queue(),
        "version", s.version(),
        "slots", s.slots(),
        "paused", s.paused().map(ReportJson::pause),
        "recovering", s.recovering().isPresent(),
        "building", building(s.locks()),
        "line", s.line().stream().map(ReportJson::waiting).toList(),
        "nextTicket", s.nextTicket(),
        "nextToken", s.nextToken(),
        "board", ifPositive(s.board()),
        "boardUrl", s.boardAddress(),
        "last", s.last().map(ReportJson::entry));
  }

  private static Map<String, Object> pause(Pause p) {
    return JsonOutput.object("by", p.by(), "reason", p.reason(), "since", p.since().toString());
  }

  private static List<Map<String, Object>> building(List<Lock> locks) {
    return locks.stream()
        .flatMap(lock -> lock.build().map(build -> building(lock, build)).stream())
        .toList();
  }

  private static Map<String, Object> building(Lock lock, Build build) {
    Map<String, Object> one = ticket(build.ticket());
    one.put("slot", lock.slot());
    one.put("lock", name(lock.state()));
    one.put("token", lock.token());
    one.put("heldSeconds", build.lasts().toSeconds());
    build.usual().ifPresent(usual -> one.put("usualSeconds", usual.toSeconds()));
    build.overdue().ifPresent(by -> one.put("overdueSeconds", by.toSeconds()));
    return one;
  }

  private static Map<String, Object> waiting(Waiting waiting) {
    Map<String, Object> one = ticket(waiting.ticket());
    one.put("position", waiting.position());
    waiting
        .left()
        .ifPresent(
            left -> {
              one.put("etaSeconds", left.duration().toSeconds());
              one.put("overdue", left.overdue());
            });
    return one;
  }

  private static Map<String, Object> ticket(Ticket t) {
    return JsonOutput.object(
        "ticket", t.number(),
        "title", t.title(),
        "owner", t.owner(),
        "state", name(t.state()),
        "liveness", name(t.liveness()),
        "priority", t.priority(),
        "joinedAt", t.joinedAt().toString(),
        "since", t.since().toString(),
        "run", t.run().map(ReportJson::run),
        "parked", t.parked().filter(p -> t.isParked()).map(ReportJson::parked));
  }

  private static Map<String, Object> parked(Parking p) {
    return JsonOutput.object(
        "since", p.since().toString(),
        "problem", Optional.of(p.problem()).filter(why -> !why.isEmpty()));
  }

  private static Map<String, Object> run(RunRef r) {
    return JsonOutput.object("repository", r.repository(), "id", r.runId(), "attempt", r.attempt());
  }

  static Map<String, Object> history(QueueHistory history) {
    return JsonOutput.object("history", history.entries().stream().map(ReportJson::entry).toList());
  }

  private static Map<String, Object> entry(HistoryEntry h) {
    return JsonOutput.object(
        "at", h.at().toString(),
        "event", name(h.event()),
        "ticket", ifPositive(h.ticket()),
        "token", ifPositive(h.token()),
        "title", h.title(),
        "who", h.who(),
        "note", h.note(),
        "waitedSeconds", h.waited().map(Duration::toSeconds),
        "builtSeconds", h.built().map(Duration::toSeconds),
        "result",
            Optional.of(h.result().ending())
                .filter(ending -> ending != Ending.UNKNOWN)
                .map(ReportJson::name),
        "exitCode", h.result().exitCode(),
        "run", h.run().map(ReportJson::run));
  }

  private static Optional<Long> ifPositive(long number) {
    return number > 0 ? Optional.of(number) : Optional.empty();
  }

  private static String name(Enum<?> e) {
    return e.name().toLowerCase(Locale.ROOT);
  }
}
