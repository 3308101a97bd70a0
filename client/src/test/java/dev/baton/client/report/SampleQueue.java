package dev.baton.client.report;

import dev.baton.client.queue.Place;
import dev.baton.core.Extra;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.HistoryEntry.Event;
import dev.baton.queue.Liveness;
import dev.baton.queue.Pause;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.parking.Parking;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A queue in which everything goes on that there is to tell. */
public final class SampleQueue {

  public static final Instant NOW = Instant.parse("2024-05-31T12:00:00Z");
  public static final Place PLACE = new Place.Directory(Path.of("/q"), "build");

  private static final RunRef RUN = new RunRef("octo/app", 99, 2, 5, "build");

  private SampleQueue() {}

  /**
   * Four slots: one builds and is overdue, one is offered, one was taken away, one is free.
   *
   * @param crowd how many wait behind the first two in line
   */
  public static QueueDocument busy(int crowd) {
    return busy(crowd, new Pause("jane", "lunch", ago(10)));
  }

  /** The same, paused as it says. */
  public static QueueDocument busy(int crowd, Pause pause) {
    List<Ticket> tickets = new ArrayList<>();
    tickets.add(ticket(11, "main", TicketState.BUILDING, 71, 0, 60, 50, Optional.empty()));
    tickets.add(ticket(12, "docs", TicketState.OFFERED, 72, 0, 30, 6, Optional.of(RUN)));
    tickets.add(ticket(13, "lost", TicketState.BUILDING, 73, 0, 30, 20, Optional.empty()));
    tickets.add(ticket(14, "first", TicketState.WAITING, 0, 5, 20, 20, Optional.empty()));
    tickets.add(ticket(15, "gone", TicketState.AWAY, 0, 0, 19, 7, Optional.of(RUN)));
    for (int i = 0; i < crowd; i++) {
      String title = "<b>&\"" + i + "\"";
      tickets.add(ticket(16 + i, title, TicketState.WAITING, 0, 0, 18, 18, Optional.empty()));
    }
    Rules d = Rules.DEFAULT;
    return new QueueDocument(
        QueueDocument.MODE_CAS,
        List.of(),
        42,
        Optional.empty(),
        1,
        List.of(
            new Slot(Slot.State.BUILDING, 11, 71, Extra.NONE),
            new Slot(Slot.State.OFFERED, 12, 72, Extra.NONE),
            new Slot(Slot.State.REVOKED, 13, 73, Extra.NONE),
            Slot.NEW),
        Optional.of(pause),
        7,
        3,
        16 + crowd,
        74,
        new Rules(4, d.lease(), d.beat(), d.grace(), d.maxAway(), d.maxHold(), Extra.NONE),
        tickets,
        List.of(),
        history(),
        Extra.NONE);
  }

  /** A queue in which one builds, and one is parked. */
  public static QueueDocument parked(String problem) {
    RunRef job = new RunRef("octo/app", 9, 1, 77, "build");
    Parking parking = Parking.at(ago(2), Parking.DEADLINE).refused(problem);
    return buildingBefore(
        10,
        ticket(12, "next", TicketState.WAITING, 0, 0, 3, 3, Optional.of(job))
            .withParked(Optional.of(parking)));
  }

  /** A queue in which the offer to a parked ticket is as old as that. */
  public static QueueDocument parkedAndOffered(int minutes) {
    RunRef job = new RunRef("octo/app", 9, 1, 77, "build");
    QueueDocument d = QueueDocument.empty(QueueDocument.MODE_CAS, Rules.DEFAULT);
    Ticket parked =
        ticket(12, "next", TicketState.WAITING, 0, 0, 90, 90, Optional.of(job))
            .withParked(Optional.of(Parking.at(ago(90), Parking.DEADLINE)))
            .in(TicketState.OFFERED, 72, ago(minutes));
    return new QueueDocument(
        d.mode(),
        d.requires(),
        d.version(),
        d.issueLock(),
        d.issueLockVersion(),
        List.of(new Slot(Slot.State.OFFERED, 12, 72, Extra.NONE)),
        Optional.empty(),
        0,
        0,
        13,
        73,
        d.rules(),
        List.of(parked),
        List.of(),
        history(),
        Extra.NONE);
  }

  /** A queue in which one builds, longer than usual, and one waits. */
  public static QueueDocument overdue(int builtForMinutes) {
    return buildingBefore(
        builtForMinutes, ticket(12, "next", TicketState.WAITING, 0, 0, 3, 3, Optional.empty()));
  }

  private static QueueDocument buildingBefore(int builtForMinutes, Ticket next) {
    QueueDocument d = QueueDocument.empty(QueueDocument.MODE_CAS, Rules.DEFAULT);
    return new QueueDocument(
        d.mode(),
        d.requires(),
        d.version(),
        d.issueLock(),
        d.issueLockVersion(),
        List.of(new Slot(Slot.State.BUILDING, 11, 71, Extra.NONE)),
        Optional.empty(),
        0,
        0,
        13,
        72,
        d.rules(),
        List.of(
            ticket(11, "docs", TicketState.BUILDING, 71, 0, 60, builtForMinutes, Optional.empty()),
            next),
        List.of(),
        history(),
        Extra.NONE);
  }

  private static List<HistoryEntry> history() {
    return List.of(
        entry(200, Event.RELEASED, 9, 69, "main", "bob", "exit code 0", 3, 40),
        entry(100, Event.RELEASED, 10, 70, "docs", "", "", 0, 5),
        entry(10, Event.PAUSED, 0, 0, "", "jane", "lunch", 0, 0),
        entry(8, Event.REVOKED, 13, 73, "lost", "jane", "hangs", 0, 0));
  }

  private static HistoryEntry entry(
      int minutesAgo,
      Event event,
      long ticket,
      long token,
      String title,
      String who,
      String note,
      int waited,
      int built) {
    return new HistoryEntry(
        ago(minutesAgo),
        event,
        ticket,
        token,
        title,
        who,
        note,
        time(waited),
        time(built),
        Extra.NONE);
  }

  private static Optional<Duration> time(int minutes) {
    return minutes == 0 ? Optional.empty() : Optional.of(Duration.ofMinutes(minutes));
  }

  private static Ticket ticket(
      long number,
      String title,
      TicketState state,
      long token,
      int priority,
      int joinedAgo,
      int sinceAgo,
      Optional<RunRef> run) {
    return new Ticket(
        number,
        "nonce-of-" + number,
        "ann@hal",
        title,
        run.isPresent() ? Liveness.RUN : Liveness.BEAT,
        run,
        state,
        token,
        priority,
        ago(joinedAgo),
        ago(sinceAgo),
        Extra.NONE);
  }

  private static Instant ago(int minutes) {
    return NOW.minus(Duration.ofMinutes(minutes));
  }
}
