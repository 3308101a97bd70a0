package dev.baton.queue;

import dev.baton.core.Checks;
import dev.baton.core.Extra;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The whole truth about one queue.
 *
 * @param mode how the document may be changed; fixed when the queue is made
 * @param requires abilities that a client needs before it may change anything but its own ticket
 * @param version grows with every write
 * @param issueLock who holds the issue lock over several writes
 * @param issueLockVersion grows with every write of queue data
 * @param slots the build locks
 * @param quarantine after a recovery, the number that must be watched for a whole lease before the
 *     lock is given out again; 0 otherwise
 * @param rollCall set while offers go unanswered
 * @param watched what those who have left had watched of the turns of now
 * @param board the number of the issue in which people see the queue; 0 when there is none
 * @param tickets in the order of the line, those that build among them
 * @param outcomes the newest last
 * @param history the newest last
 */
public record QueueDocument(
    String mode,
    List<String> requires,
    long version,
    Optional<IssueLock> issueLock,
    long issueLockVersion,
    List<Slot> slots,
    Optional<Pause> paused,
    long quarantine,
    Optional<RollCall> rollCall,
    List<WatchedTime> watched,
    long board,
    long nextTicket,
    long nextToken,
    Rules rules,
    List<Ticket> tickets,
    List<Outcome> outcomes,
    List<HistoryEntry> history,
    Extra extra) {

  public static final String FORMAT = "baton-queue/1";

  /** The document changes by compare-and-set alone. */
  public static final String MODE_CAS = "cas";

  /** There is no compare-and-set: every change is made under the issue lock. */
  public static final String MODE_ISSUE = "issue";

  private static final int MAX_REQUIRES = 16;
  private static final int MAX_ABILITY = 40;

  private static final List<HistoryEntry.Event> ENDS =
      List.of(
          HistoryEntry.Event.UNLOCKED_NOW,
          HistoryEntry.Event.REVOKED,
          HistoryEntry.Event.DROPPED,
          HistoryEntry.Event.TAKEN_OVER,
          HistoryEntry.Event.REMOVED,
          HistoryEntry.Event.REAPED,
          HistoryEntry.Event.LEFT,
          HistoryEntry.Event.RELEASED);

  public QueueDocument {
    Checks.line("mode", mode, 1, 20);
    requires = List.copyOf(requires);
    if (requires.size() > MAX_REQUIRES) {
      throw new IllegalArgumentException(
          "requires has more than " + MAX_REQUIRES + " entries: " + requires.size());
    }
    requires.forEach(r -> Checks.line("requires", r, 1, MAX_ABILITY));
    Checks.notNegative("version", version);
    Objects.requireNonNull(issueLock, "issueLock");
    Checks.notNegative("issueLockVersion", issueLockVersion);
    slots = List.copyOf(slots);
    if (slots.size() > Rules.MAX_SLOTS) {
      throw new IllegalArgumentException(
          "there are more than " + Rules.MAX_SLOTS + " slots: " + slots.size());
    }
    Objects.requireNonNull(paused, "paused");
    Checks.notNegative("quarantine", quarantine);
    Objects.requireNonNull(rollCall, "rollCall");
    watched = List.copyOf(watched);
    Checks.notNegative("board", board);
    Checks.positive("nextTicket", nextTicket);
    Checks.positive("nextToken", nextToken);
    Objects.requireNonNull(rules, "rules");
    tickets = List.copyOf(tickets);
    outcomes = List.copyOf(outcomes);
    history = List.copyOf(history);
    Objects.requireNonNull(extra, "extra");
    checkConsistent(slots, nextTicket, nextToken, tickets);
  }

  /** A queue whose offers are answered, and in which nobody has watched a turn and left. */
  public QueueDocument(
      String mode,
      List<String> requires,
      long version,
      Optional<IssueLock> issueLock,
      long issueLockVersion,
      List<Slot> slots,
      Optional<Pause> paused,
      long quarantine,
      long board,
      long nextTicket,
      long nextToken,
      Rules rules,
      List<Ticket> tickets,
      List<Outcome> outcomes,
      List<HistoryEntry> history,
      Extra extra) {
    this(
        mode,
        requires,
        version,
        issueLock,
        issueLockVersion,
        slots,
        paused,
        quarantine,
        Optional.empty(),
        List.of(),
        board,
        nextTicket,
        nextToken,
        rules,
        tickets,
        outcomes,
        history,
        extra);
  }

  private static void checkConsistent(
      List<Slot> slots, long nextTicket, long nextToken, List<Ticket> tickets) {
    Set<Long> numbers = new HashSet<>();
    Set<String> nonces = new HashSet<>();
    long turns = 0;
    for (Ticket t : tickets) {
      if (!numbers.add(t.number()) || !nonces.add(t.nonce())) {
        throw new IllegalArgumentException("ticket " + t.number() + " is there twice");
      }
      if (t.number() >= nextTicket) {
        throw new IllegalArgumentException(
            "ticket " + t.number() + " is not below the next one, " + nextTicket);
      }
      if (t.token() > 0) {
        turns++;
        if (slots.stream().noneMatch(s -> fits(s, t))) {
          throw new IllegalArgumentException(
              "ticket " + t.number() + " is " + t.state() + " in no slot");
        }
      }
    }
    if (turns != slots.stream().filter(s -> !s.isFree()).count()) {
      throw new IllegalArgumentException("a slot is taken by no ticket");
    }
    for (Slot s : slots) {
      if (s.token() >= nextToken) {
        throw new IllegalArgumentException(
            "token " + s.token() + " is not below the next one, " + nextToken);
      }
    }
  }

  private static boolean fits(Slot s, Ticket t) {
    return s.belongsTo(t.number(), t.token())
        && (s.state() == Slot.State.OFFERED) == (t.state() == TicketState.OFFERED);
  }

  /** A queue that nobody has joined yet. */
  public static QueueDocument empty(String mode, Rules rules) {
    return new QueueDocument(
        mode,
        List.of(),
        1,
        Optional.empty(),
        1,
        Stream.generate(() -> Slot.NEW).limit(rules.slots()).toList(),
        Optional.empty(),
        0,
        0,
        1,
        1,
        rules,
        List.of(),
        List.of(),
        List.of(),
        Extra.NONE);
  }

  /** The same queue, whose next grant has this token. */
  public QueueDocument withNextToken(long token) {
    return new QueueDocument(
        mode,
        requires,
        version,
        issueLock,
        issueLockVersion,
        slots,
        paused,
        quarantine,
        rollCall,
        watched,
        board,
        nextTicket,
        token,
        rules,
        tickets,
        outcomes,
        history,
        extra);
  }

  public Optional<Ticket> ticket(long number) {
    return tickets.stream().filter(t -> t.number() == number).findFirst();
  }

  public Optional<Ticket> ticketByNonce(String nonce) {
    return tickets.stream().filter(t -> t.nonce().equals(nonce)).findFirst();
  }

  public Optional<Outcome> outcome(long ticket) {
    return outcomes.stream().filter(o -> o.ticket() == ticket).reduce((a, b) -> b);
  }

  /**
   * What has ended a ticket, as far as the history still has it: who it was, and why. A
   * maintainer's word counts before the end that it has led to.
   */
  public Optional<HistoryEntry> endOf(long ticket) {
    return end(h -> h.ticket() == ticket);
  }

  /** The same of a ticket's turn with the lock. */
  public Optional<HistoryEntry> endOf(long ticket, long token) {
    return end(h -> h.ticket() == ticket && h.token() == token);
  }

  private Optional<HistoryEntry> end(Predicate<HistoryEntry> wanted) {
    List<HistoryEntry> own = history.stream().filter(wanted).toList();
    return ENDS.stream()
        .flatMap(event -> own.stream().filter(h -> h.event() == event).reduce((a, b) -> b).stream())
        .findFirst();
  }

  /**
   * Whether a ticket may have the lock although this document does not say so. After a recovery, a
   * workflow job that has not been heard of since may have it by a write that was lost, and it has
   * no heartbeat to tell.
   */
  public boolean mayBuildUnseen(Ticket t) {
    return quarantine > 0 && t.liveness() == Liveness.RUN && t.state() == TicketState.AWAY;
  }

  /**
   * Whether this queue may have lost a turn, and has given the lock to nobody since: then it is no
   * proof that the turn is over. The beats of a turn keep the quarantine up. A job has none: its
   * turn counts only while this document itself says that it may build unseen.
   *
   * @param liveness of the ticket
   */
  public boolean mayHaveForgotten(long ticket, long token, Liveness liveness) {
    if (liveness == Liveness.RUN && ticket(ticket).filter(this::mayBuildUnseen).isEmpty()) {
      return false;
    }
    boolean ended =
        outcomes.stream()
            .anyMatch(o -> o.ticket() == ticket && (o.token() == token || o.token() == 0));
    boolean revoked =
        slots.stream().anyMatch(s -> s.belongsTo(ticket, token) && s.state() == Slot.State.REVOKED);
    return quarantine > 0 && !ended && !revoked;
  }

  /**
   * Whether a heartbeat document knows a token that this queue has yet to give out: then the queue
   * went back, and what it gives out next may be over already, or may be given out for the second
   * time.
   */
  public boolean isBehind(BeatDocument beat) {
    return beat.highestToken() >= nextToken;
  }

  /** The slot that a ticket has its turn in. */
  public Optional<Slot> slotOf(long ticket) {
    return slots.stream().filter(s -> !s.isFree() && s.ticket() == ticket).findFirst();
  }

  public int slotIndexOf(long ticket) {
    for (int i = 0; i < slots.size(); i++) {
      if (!slots.get(i).isFree() && slots.get(i).ticket() == ticket) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Those in line, in the order in which they get their turn: by priority, then by their place.
   * Those that are away keep their place here and are passed over when it is their turn.
   */
  public List<Ticket> line() {
    return tickets.stream()
        .filter(t -> t.state() == TicketState.WAITING || t.state() == TicketState.AWAY)
        .sorted((a, b) -> Integer.compare(b.priority(), a.priority()))
        .toList();
  }

  /** When somebody last did something, by that one's clock: for people, and as a hint. */
  public Optional<Instant> lastChange() {
    return Stream.concat(
            tickets.stream().map(Ticket::since), history.stream().map(HistoryEntry::at))
        .max(Comparator.naturalOrder());
  }

  /** From 1 for the next to get its turn; 0 for a ticket that is not in line. */
  public int position(long ticket) {
    int position = 0;
    for (Ticket t : line()) {
      position++;
      if (t.number() == ticket) {
        return position;
      }
    }
    return 0;
  }
}
