package dev.baton.queue.internal.board;

import dev.baton.core.CommandText;
import dev.baton.core.Extra;
import dev.baton.queue.BuildResult;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.HistoryEntry.Event;
import dev.baton.queue.IssueLock;
import dev.baton.queue.Liveness;
import dev.baton.queue.Pause;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.RollCall;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.github.GitHubPlace;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Builds documents by hand, so that a change of the protocol does not repaint the boards. */
final class Documents {

  static final Instant NOON = Instant.parse("2026-03-02T12:00:00Z");

  private static final Map<String, String> FLAGS =
      GitHubPlace.parse("github:octo/app#main", URI.create("https://api.github.com")).flags();

  static final BoardContext CONTEXT =
      new BoardContext(
          "main",
          "https://github.com",
          Optional.of("https://github.com/octo/app/blob/baton/main/queue.json"),
          List.of(
              "# take the lock from who builds, and say why",
              BoardContext.howToFree(FLAGS).get(0),
              "# let nobody build for a while",
              CommandText.baton(FLAGS, "pause", "")),
          true);

  long version = 42;
  Optional<IssueLock> issueLock = Optional.empty();
  Optional<Pause> paused = Optional.empty();
  long quarantine = 0;
  Optional<RollCall> rollCall = Optional.empty();
  Rules rules = Rules.DEFAULT;
  long firstTicket = 57;
  final List<Slot> slots = new ArrayList<>();
  final List<Ticket> tickets = new ArrayList<>();
  final List<HistoryEntry> history = new ArrayList<>();
  private long nextToken = 19;

  static Instant at(int minutesAfterNoon) {
    return NOON.plus(Duration.ofMinutes(minutesAfterNoon));
  }

  static String jsonOf(QueueDocument d) {
    return "{\n  \"format\": \"baton-queue/1\",\n  \"version\": " + d.version() + "\n}\n";
  }

  Documents slots(int n) {
    rules = rules.withSlots(n);
    return this;
  }

  Documents released(String title, int minutesAfterNoon, int waited, int built) {
    history.add(
        new HistoryEntry(
            at(minutesAfterNoon),
            Event.RELEASED,
            40 + history.size(),
            2 + history.size(),
            title,
            "octo/app run 90" + history.size() + " attempt 1 job build",
            "",
            Optional.of(Duration.ofMinutes(waited)),
            Optional.of(Duration.ofMinutes(built)),
            Extra.NONE));
    return this;
  }

  /** A workflow job that said how it went. */
  Documents ended(String title, int minutesAfterNoon, int built, BuildResult result) {
    long ticket = 40 + history.size();
    history.add(
        new HistoryEntry(
            at(minutesAfterNoon),
            Event.RELEASED,
            ticket,
            2 + history.size(),
            title,
            "octo/app run 9" + ticket + " attempt 1 job build",
            "",
            Optional.of(Duration.ofMinutes(3)),
            Optional.of(Duration.ofMinutes(built)),
            result,
            Optional.of(new RunRef("octo/app", 9_000_000_000L + ticket, 1, 70_000 + ticket, "")),
            Extra.NONE));
    return this;
  }

  Documents event(
      Event event, int minutesAfterNoon, long ticket, String title, String who, String note) {
    return event(event, minutesAfterNoon, ticket, 0, title, who, note);
  }

  Documents event(
      Event event,
      int minutesAfterNoon,
      long ticket,
      long token,
      String title,
      String who,
      String note) {
    history.add(
        new HistoryEntry(
            at(minutesAfterNoon),
            event,
            ticket,
            token,
            title,
            who,
            note,
            Optional.empty(),
            Optional.empty(),
            Extra.NONE));
    return this;
  }

  /** A workflow job that has a slot. */
  Documents turn(Slot.State state, String title, int minutesAfterNoon) {
    long number = firstTicket + tickets.size();
    slots.add(new Slot(state, number, nextToken, Extra.NONE));
    boolean offered = state == Slot.State.OFFERED;
    TicketState ticketState = offered ? TicketState.OFFERED : TicketState.BUILDING;
    tickets.add(
        ticket(
            number,
            "octo/app run 12" + number + " attempt 1 job build",
            title,
            ticketState,
            nextToken++,
            0,
            minutesAfterNoon));
    return this;
  }

  Documents waits(String title, int priority, int minutesAfterNoon) {
    long number = firstTicket + tickets.size();
    String owner = "octo/app run 12" + number + " attempt 1 job build";
    tickets.add(ticket(number, owner, title, TicketState.WAITING, 0, priority, minutesAfterNoon));
    return this;
  }

  Documents away(String title, int minutesAfterNoon) {
    long number = firstTicket + tickets.size();
    tickets.add(
        ticket(number, "mona on a laptop", title, TicketState.AWAY, 0, 0, minutesAfterNoon));
    return this;
  }

  static Ticket ticket(
      long number,
      String owner,
      String title,
      TicketState state,
      long token,
      int priority,
      int minutesAfterNoon) {
    boolean job = owner.contains(" run ");
    return new Ticket(
        number,
        "nonce-" + number + "-00000000",
        owner,
        title,
        job ? Liveness.RUN : Liveness.BEAT,
        job
            ? Optional.of(
                new RunRef("octo/app", 9_000_000_000L + number, 1, 70_000 + number, "build"))
            : Optional.empty(),
        state,
        token,
        priority,
        at(minutesAfterNoon - (token > 0 ? 7 : 0)),
        at(minutesAfterNoon),
        Extra.NONE);
  }

  QueueDocument build() {
    List<Slot> all = new ArrayList<>(slots);
    while (all.size() < rules.slots()) {
      all.add(new Slot(Slot.State.FREE, 0, all.isEmpty() ? 18 : 0, Extra.NONE));
    }
    return new QueueDocument(
        QueueDocument.MODE_CAS,
        List.of(),
        version,
        issueLock,
        version,
        all,
        paused,
        quarantine,
        rollCall,
        List.of(),
        0,
        firstTicket + tickets.size(),
        nextToken,
        rules,
        tickets,
        List.of(),
        history,
        Extra.NONE);
  }
}
