package dev.baton.client.doctor;

import dev.baton.client.doctor.Finding.Check;
import dev.baton.client.queue.Place;
import dev.baton.core.Durations;
import dev.baton.queue.Estimates;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.RunStatus;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.operation.Queues;
import dev.baton.queue.parking.Parking;
import dev.baton.queue.text.Turns;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a document shows to be wrong. Pure, but for asking which workflow jobs have ended. */
final class DocumentChecks {

  private static final Duration LONG_ISSUE_LOCK = Duration.ofMinutes(3);
  private static final Duration LONG_OFFER = Duration.ofMinutes(5);

  /** A build is worth a warning when it takes so many times as long as usual, and so long. */
  private static final int MUCH_LONGER = 3;

  private static final Duration LONG_BUILD = Duration.ofMinutes(10);

  private final Place place;
  private final QueueDocument document;
  private final Instant now;
  private final Wording wording;

  DocumentChecks(Place place, QueueDocument document, Instant now, Wording wording) {
    this.place = place;
    this.document = document;
    this.now = now;
    this.wording = wording;
  }

  /** Whether this version may work with the document. */
  List<Finding> format() {
    List<Finding> found = new ArrayList<>();
    found.add(
        Finding.ok(
            Check.DOCUMENT,
            "the document is in order: "
                + QueueDocument.FORMAT
                + ", version "
                + document.version()));
    if (!Queues.isUnderstood(document)) {
      found.add(
          Finding.problem(
              Check.ABILITIES,
              "the queue requires " + document.requires(),
              "use a newer version of baton"));
    }
    return found;
  }

  /** What keeps everybody from the lock. */
  List<Finding> state() {
    List<Finding> found = new ArrayList<>();
    document
        .issueLock()
        .filter(lock -> since(lock.since()).compareTo(LONG_ISSUE_LOCK) > 0)
        .ifPresent(
            lock ->
                found.add(
                    Finding.warn(
                        Check.ISSUE_LOCK,
                        "the issue lock has been held by "
                            + lock.by()
                            + " for "
                            + Durations.shown(since(lock.since())),
                        "the next change breaks it; " + command("clean") + " is one")));
    document
        .paused()
        .ifPresent(
            p ->
                found.add(
                    Finding.warn(
                        Check.PAUSE,
                        "paused by " + p.by() + " for " + Durations.shown(since(p.since())),
                        p.isForOutsider()
                            ? p.reason() + "; it goes on by itself when that lock is free"
                            : "go on with " + command("resume"))));
    if (document.quarantine() > 0) {
      found.add(
          Finding.warn(
              Check.RECOVERY,
              "the document was damaged or deleted, and put together again",
              "wait: " + Turns.untilReopened(document, Durations.shown(document.rules().lease()))));
    }
    return found;
  }

  /** What keeps a ticket from getting on, and others behind it. */
  List<Finding> tickets(RunStatus runs) {
    List<Finding> found = new ArrayList<>();
    for (Ticket t : document.tickets()) {
      ticket(t, runs).ifPresent(found::add);
    }
    if (found.stream().allMatch(f -> f.grade() == Finding.Grade.OK)) {
      found.add(Finding.ok(Check.TICKET, counted(document.tickets().size())));
    }
    return found;
  }

  private static String counted(int tickets) {
    return switch (tickets) {
      case 0 -> "there are no tickets";
      case 1 -> "1 ticket, and it is not stuck";
      default -> tickets + " tickets, none of them stuck";
    };
  }

  private Optional<Finding> ticket(Ticket t, RunStatus runs) {
    if (t.isParked()) {
      return parked(t);
    }
    if (t.run().map(runs::of).orElse(RunStatus.Answer.UNKNOWN) == RunStatus.Answer.ENDED) {
      return Optional.of(
          warn(Turns.named(t) + " is of a job that has ended", command("clean")).andRepairable());
    }
    Duration since = since(t.since());
    return switch (t.state()) {
      case AWAY ->
          Optional.of(
              warn(
                  Turns.named(t) + " has not answered for " + Durations.shown(since),
                  "it is removed after "
                      + Durations.shown(document.rules().maxAway())
                      + ", or "
                      + command("drop " + t.number())));
      case OFFERED ->
          Optional.of(
                  warn(
                      Turns.named(t) + " has been asked for " + Durations.shown(since),
                      "the next in line passes it over; if there is none, "
                          + command("drop " + t.number())))
              .filter(f -> since.compareTo(LONG_OFFER) > 0);
      case BUILDING -> building(t, since);
      case WAITING -> Optional.empty();
    };
  }

  /** Its job has ended because it was to: nothing is wrong unless nobody can run it again. */
  private Optional<Finding> parked(Ticket t) {
    Parking parking = t.parked().orElseThrow();
    if (!parking.problem().isEmpty()) {
      return Optional.of(
          warn(
              Turns.named(t) + " is parked, and its job cannot be run again: " + parking.problem(),
              "run the job again by hand when its turn comes, or "
                  + command("drop " + t.number())));
    }
    Duration late = since(t.since()).minus(parking.deadline());
    return Optional.of(
            warn(
                Turns.named(t)
                    + " is parked, and its job has not started for "
                    + Durations.shown(since(t.since())),
                "`command: wake` in a scheduled workflow passes it over, as the next in line does;"
                    + " it keeps its place"))
        .filter(f -> t.state() == TicketState.OFFERED && late.compareTo(LONG_OFFER) > 0);
  }

  private Optional<Finding> building(Ticket t, Duration since) {
    if (document.slotOf(t.number()).filter(s -> s.state() == Slot.State.REVOKED).isPresent()) {
      return Optional.of(
          warn(
              Turns.named(t) + " has lost the lock and may still be stopping",
              "wait: the next build starts when it has stopped, or else when its lease is over,"
                  + " which is at most "
                  + Durations.shown(document.rules().lease())
                  + " after its last heartbeat"));
    }
    Optional<Duration> usual = Estimates.usual(document, t.title());
    if (since.compareTo(LONG_BUILD) > 0
        && usual.filter(u -> since.compareTo(u.multipliedBy(MUCH_LONGER)) > 0).isPresent()) {
      return Optional.of(
          warn(
              Turns.named(t) + overdue(usual.get(), since),
              "look at it; if it hangs, `" + wording.unlock(place, t) + "`"));
    }
    // Every other build takes longer than the median: nothing to warn of yet.
    return Estimates.overdue(document, t.number(), now)
        .map(by -> Finding.ok(Check.TICKET, Turns.named(t) + overdue(usual.orElseThrow(), since)));
  }

  private static String overdue(Duration usual, Duration since) {
    return " is "
        + Durations.shown(since.minus(usual))
        + " overdue: it has been building for "
        + Durations.shown(since)
        + " and usually takes "
        + Durations.shown(usual);
  }

  private static Finding warn(String what, String next) {
    return Finding.warn(Check.TICKET, what, next);
  }

  private String command(String command) {
    return "`" + place.command(command, "") + "`";
  }

  private Duration since(Instant then) {
    return Duration.between(then, now);
  }
}
