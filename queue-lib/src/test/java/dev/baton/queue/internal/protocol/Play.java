package dev.baton.queue.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.queue.Entry;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.IssueLock;
import dev.baton.queue.Liveness;
import dev.baton.queue.Outcome;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.RollCall;
import dev.baton.queue.RulesChange;
import dev.baton.queue.RunRef;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.parking.Parking;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Plays random commands on a queue and checks after each what must always hold. A move is four
 * numbers that are made into a command which fits the document at hand, mostly.
 */
final class Play {

  /** Where a command comes from. */
  record Move(int kind, int a, int b, int c) {}

  static final int KINDS = 32;

  private static final long[] HOSTILE = {1, 2, 1000, (1L << 53) - 1, Long.MAX_VALUE};
  private static final int CLIENTS = 12;

  private final List<Command> past = new ArrayList<>();
  private final Set<Long> outOfOrder = new HashSet<>();
  private final Map<String, Integer> changedBy = new TreeMap<>();
  private QueueDocument d;
  private long highestToken;
  private Instant now = Samples.NOON;

  Play(QueueDocument start) {
    d = start;
    highestToken = start.nextToken() - 1;
  }

  QueueDocument document() {
    return d;
  }

  /** How often each kind of command has changed something. */
  Map<String, Integer> changedBy() {
    return changedBy;
  }

  void move(Move m) {
    // Clocks differ: now and then by days, in both directions.
    now = now.plusSeconds(m.a() % 50 == 7 ? (m.b() % 2 == 0 ? 90_000 : -90_000) : m.c() % 60);
    Command command = command(m);
    past.add(command);
    Step step = Protocol.apply(d, command, now);
    check(command, step);
    checkAgain(command, step);
    if (step.changed()) {
      changedBy.merge(plain(command).getClass().getSimpleName(), 1, Integer::sum);
    }
    d = step.document();
  }

  // ---- commands

  private Command command(Move m) {
    Command c = plainCommand(m);
    boolean aboutLock =
        c instanceof Command.TakeIssueLock
            || c instanceof Command.RenewIssueLock
            || c instanceof Command.ReleaseIssueLock
            || c instanceof Command.BreakIssueLock;
    boolean wrap = d.issueLock().isPresent() ? m.b() % 3 != 0 : m.b() % 29 == 0;
    return wrap && !aboutLock && !(c instanceof Command.UnderIssueLock)
        ? new Command.UnderIssueLock(lockNonce(m), c)
        : c;
  }

  private Command plainCommand(Move m) {
    long ticket = ticket(m);
    long token = token(m, ticket);
    return switch (m.kind() % KINDS) {
      case 0, 1, 2, 3 -> join(m);
      case 4 ->
          new Command.Leave(
              d.ticket(ticket).map(Ticket::nonce).orElse(Samples.nonce("client" + m.a())));
      case 5, 6 -> new Command.Confirm(ticket, token);
      case 7 -> new Command.CheckIn(ticket);
      case 8 -> new Command.Verify(ticket, token);
      case 9, 10 -> new Command.Release(ticket, token, "");
      case 11 -> new Command.Reap(ticket, token, "gone");
      case 12 -> new Command.PassOver(ticket, token);
      case 13 ->
          new Command.Remove(
              ticket,
              Command.Remove.Reason.values()[
                  Math.floorMod(m.c(), Command.Remove.Reason.values().length)]);
      case 14 ->
          m.c() % 3 == 0
              ? new Command.PauseQueue("maintainer", "")
              : new Command.Resume("maintainer");
      case 15 -> moveBefore(m, ticket);
      case 16 -> new Command.SetPriority(ticket, m.c() % 3 - 1, "maintainer");
      case 17 -> new Command.Drop(ticket, "maintainer", "");
      case 18 -> new Command.ForceUnlock(ticket, token, "maintainer", "hangs", m.c() % 2 == 0);
      case 19 ->
          m.c() % 5 == 0
              ? new Command.RaiseMaxHold(Duration.ofHours(5 + m.a() % 5), "maintainer")
              : new Command.ChangeRules(rules(m), "maintainer");
      case 20 -> lockCommand(m);
      case 21 -> new Command.EndQuarantine(Math.max(1, d.quarantine() - (m.c() % 4 == 0 ? 1 : 0)));
      case 22 -> new Command.Touch();
      case 23 -> new Command.PassOverAbsent(ticket, token, inLine(m, ticket));
      case 24, 25 ->
          new Command.Present(
              inLine(m, ticket), d.rollCall().map(RollCall::since).orElse(token), m.c() % 2);
      case 26, 27 ->
          new Command.Park(
              ticket,
              d.ticket(ticket).map(Ticket::nonce).orElse(Samples.nonce("client")),
              Duration.ofMinutes(10));
      case 28 ->
          new Command.Ask(
              ticket,
              token,
              d.ticket(ticket).flatMap(Ticket::parked).map(Parking::tries).orElse(0));
      case 29 -> new Command.NotWoken(ticket, token, "not allowed");
      case 30 -> new Command.BackInLine(ticket);
      default -> past.isEmpty() ? new Command.Touch() : past.get(m.a() % past.size());
    };
  }

  private long inLine(Move m, long otherwise) {
    return m.c() % 7 == 0 || d.line().isEmpty()
        ? otherwise
        : d.line().get(m.a() % d.line().size()).number();
  }

  private Command join(Move m) {
    String name = "client" + m.a() % CLIENTS;
    boolean run = m.b() % 2 == 0;
    Optional<RunRef> ref =
        run
            ? Optional.of(
                new RunRef(
                    "octo/app", 1 + m.a() % 3, 1 + m.c() % 3, m.b() % 4 == 0 ? 0 : 5, "build"))
            : Optional.empty();
    int capacity = m.c() % 7 == 0 ? 3 : Samples.ROOM;
    return new Command.Join(
        new Entry(
            Samples.nonce(name) + m.c() % 5,
            name,
            "main",
            run && m.c() % 4 != 0 ? Liveness.RUN : Liveness.BEAT,
            ref,
            m.c() % 11 == 0 ? 1 : 0),
        capacity);
  }

  private Command moveBefore(Move m, long ticket) {
    long other = d.tickets().isEmpty() ? 9 : d.tickets().get(m.c() % d.tickets().size()).number();
    return other == ticket
        ? new Command.Touch()
        : new Command.MoveBefore(ticket, other, "maintainer");
  }

  private Command lockCommand(Move m) {
    String nonce = lockNonce(m);
    return switch (m.c() % 5) {
      case 0 -> new Command.TakeIssueLock("doctor", nonce);
      case 1 -> new Command.RenewIssueLock(nonce);
      case 2 ->
          new Command.BreakIssueLock(
              nonce, d.issueLock().map(l -> l.renewal()).orElse(0L) + (m.b() % 3 == 0 ? 1 : 0));
      default -> new Command.ReleaseIssueLock(nonce);
    };
  }

  private String lockNonce(Move m) {
    String some = "lock-nonce-" + m.a() % 2;
    return m.a() % 3 == 0 ? some : d.issueLock().map(IssueLock::nonce).orElse(some);
  }

  private RulesChange rules(Move m) {
    RulesChange slots = RulesChange.NONE.withSlots(1 + m.c() % 3);
    return m.b() % 3 != 0
        ? slots
        : new RulesChange(
            slots.slots(),
            Optional.of(Duration.ofMinutes(2 + m.a() % 5)), // two minutes are too short a lease
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
  }

  private long ticket(Move m) {
    if (m.b() % 13 == 0) {
      return HOSTILE[m.c() % HOSTILE.length];
    }
    TicketState likely =
        switch (m.kind() % KINDS) {
          case 5, 6, 12, 23, 28, 29 -> TicketState.OFFERED;
          case 4, 7, 13, 30 -> TicketState.AWAY;
          case 15, 16, 17, 26, 27 -> TicketState.WAITING;
          default -> TicketState.BUILDING;
        };
    int kind = m.kind() % KINDS;
    boolean parks = kind == 26 || kind == 27;
    boolean aboutParked = kind >= 28 && kind <= 30;
    List<Ticket> fitting =
        d.tickets().stream()
            .filter(t -> t.state() == likely)
            .filter(t -> !parks || t.canPark())
            .filter(t -> !aboutParked || t.isParked())
            .toList();
    if ((parks || aboutParked || m.b() % 3 != 0) && !fitting.isEmpty()) {
      return fitting.get(m.a() % fitting.size()).number();
    }
    List<Slot> taken = d.slots().stream().filter(s -> !s.isFree()).toList();
    if (m.b() % 2 == 0 && !taken.isEmpty()) {
      return taken.get(m.a() % taken.size()).ticket();
    }
    return d.tickets().isEmpty() ? 1 : d.tickets().get(m.a() % d.tickets().size()).number();
  }

  private long token(Move m, long ticket) {
    if (m.c() % 9 == 0) {
      return HOSTILE[m.b() % HOSTILE.length];
    }
    return d.slotOf(ticket).map(Slot::token).orElse(1L);
  }

  // ---- what must hold

  private void check(Command command, Step step) {
    QueueDocument next = step.document();
    if (!step.changed()) {
      assertThat(next).isSameAs(d);
      return;
    }
    assertThat(step.reply()).isNotInstanceOf(Reply.Refused.class);
    assertThat(next.version()).isEqualTo(d.version() + 1);
    assertThat(next.issueLockVersion()).isEqualTo(d.issueLockVersion() + 1);
    assertThat(next.nextTicket()).isGreaterThanOrEqualTo(d.nextTicket());
    assertThat(next.nextToken()).isGreaterThanOrEqualTo(d.nextToken());
    checkOwner(command);
    checkIssueLock(command);
    checkNobodyIsLost(command, next);
    checkGrants(next, step.reply());
    checkNoSlotIsIdle(next);
    checkCapacity(command, next);
  }

  private void checkOwner(Command command) {
    Command c = plain(command);
    if (c instanceof Command.Release r) {
      assertThat(slot(r.ticket(), r.token())).isPresent();
    } else if (c instanceof Command.Verify v) {
      assertThat(slot(v.ticket(), v.token()).orElseThrow().state()).isEqualTo(Slot.State.BUILDING);
    } else if (c instanceof Command.Confirm f) {
      assertThat(slot(f.ticket(), f.token()).orElseThrow().state()).isEqualTo(Slot.State.OFFERED);
    } else if (c instanceof Command.Reap r) {
      assertThat(slot(r.ticket(), r.token()).orElseThrow().state())
          .isIn(Slot.State.BUILDING, Slot.State.REVOKED);
    } else if (c instanceof Command.ForceUnlock u) {
      assertThat(slot(u.ticket(), u.token())).isPresent();
    }
  }

  private Optional<Slot> slot(long ticket, long token) {
    return d.slots().stream().filter(s -> s.belongsTo(ticket, token)).findFirst();
  }

  private void checkIssueLock(Command command) {
    if (command instanceof Command.UnderIssueLock u) {
      assertThat(d.issueLock().orElseThrow().nonce()).isEqualTo(u.nonce());
    } else if (d.issueLock().isPresent()) {
      assertThat(command)
          .isInstanceOfAny(
              Command.Confirm.class,
              Command.Verify.class,
              Command.Release.class,
              Command.Leave.class,
              Command.Touch.class,
              Command.RenewIssueLock.class,
              Command.ReleaseIssueLock.class,
              Command.BreakIssueLock.class);
    }
  }

  private void checkNobodyIsLost(Command command, QueueDocument next) {
    for (Ticket t : d.tickets()) {
      if (next.ticket(t.number()).isEmpty()) {
        Outcome end = next.outcome(t.number()).orElseThrow();
        assertThat(end.nonce()).isEqualTo(t.nonce());
        assertThat(end.token()).isEqualTo(t.token());
        HistoryEntry last = next.history().get(next.history().size() - 1);
        assertThat(last.ticket()).isEqualTo(t.number());
      }
    }
    if (!(plain(command) instanceof Command.MoveBefore)) {
      List<Long> before = numbers(d, next);
      assertThat(numbers(next, d)).isEqualTo(before);
    }
    for (Ticket t : next.tickets()) {
      Optional<Ticket> old = d.ticket(t.number());
      boolean moved = old.isPresent() && old.get().priority() != t.priority();
      boolean tookOver = old.isEmpty() && !t.equals(next.tickets().get(next.tickets().size() - 1));
      if (moved || tookOver || t.state() == TicketState.AWAY) {
        outOfOrder.add(t.number());
      }
    }
    if (plain(command) instanceof Command.MoveBefore m) {
      outOfOrder.addAll(m.tickets());
    }
  }

  private static List<Long> numbers(QueueDocument of, QueueDocument alsoIn) {
    return of.tickets().stream()
        .map(Ticket::number)
        .filter(n -> alsoIn.ticket(n).isPresent())
        .toList();
  }

  private void checkGrants(QueueDocument next, Reply reply) {
    List<Ticket> lucky =
        next.tickets().stream()
            .filter(t -> t.token() > 0)
            .filter(t -> d.ticket(t.number()).map(Ticket::token).orElse(0L) != t.token())
            .toList();
    Set<Long> tokens = lucky.stream().map(Ticket::token).collect(Collectors.toSet());
    assertThat(tokens).hasSize(lucky.size()).allMatch(t -> t > highestToken);
    highestToken = tokens.stream().reduce(highestToken, Math::max);
    assertThat(highestToken).isLessThan(next.nextToken());
    long taken = next.slots().stream().filter(s -> !s.isFree()).count();
    if (!lucky.isEmpty()) {
      assertThat(next.paused()).isEmpty();
      assertThat(next.quarantine()).isZero();
      assertThat(taken).isLessThanOrEqualTo(next.rules().slots());
    }
    if (taken > next.rules().slots()) {
      assertThat(next.slots()).noneMatch(s -> s.state() == Slot.State.OFFERED);
    }
    for (Ticket t : lucky) {
      for (Ticket other : next.tickets()) {
        if (other.isWaiting()) {
          assertThat(other.priority()).isLessThanOrEqualTo(t.priority());
          if (other.priority() == t.priority()
              && !outOfOrder.contains(t.number())
              && !outOfOrder.contains(other.number())) {
            assertThat(t.number()).as("%s before %s", t, other).isLessThan(other.number());
          }
        }
      }
    }
    Map<Long, Ticket> old =
        d.tickets().stream().collect(Collectors.toMap(Ticket::number, Function.identity()));
    for (Ticket t : next.tickets()) {
      boolean builtBefore =
          old.containsKey(t.number()) && old.get(t.number()).state() == TicketState.BUILDING;
      if (t.state() == TicketState.BUILDING && !builtBefore) {
        // Nobody builds but by its own write.
        assertThat(reply)
            .isEqualTo(new Reply.Building(t.number(), t.token(), next.slotIndexOf(t.number())));
      }
    }
  }

  private void checkNoSlotIsIdle(QueueDocument next) {
    boolean closed = next.paused().isPresent() || next.quarantine() > 0;
    long taken = next.slots().stream().filter(s -> !s.isFree()).count();
    if (closed) {
      assertThat(next.slots()).noneMatch(s -> s.state() == Slot.State.OFFERED);
    } else if (taken < next.rules().slots()) {
      assertThat(next.tickets()).noneMatch(Ticket::isWaiting);
    }
    assertThat(next.slots().size()).isGreaterThanOrEqualTo(next.rules().slots());
    if (next.quarantine() > 0 && next.quarantine() == d.quarantine()) {
      assertThat(next.slots()).hasSizeGreaterThanOrEqualTo(d.slots().size());
    } else if (next.quarantine() == 0 && next.slots().size() > next.rules().slots()) {
      assertThat(next.slots().get(next.slots().size() - 1).isFree()).isFalse();
    }
  }

  private void checkCapacity(Command command, QueueDocument next) {
    if (next.tickets().size() > d.tickets().size()) {
      assertThat(next.tickets().size())
          .isLessThanOrEqualTo(((Command.Join) plain(command)).capacity());
    }
  }

  /** The same command once more, as after a lost answer. */
  private void checkAgain(Command command, Step step) {
    Step again = Protocol.apply(step.document(), command, now);
    Command c = plain(command);
    boolean writesAlways =
        c instanceof Command.Verify
            || c instanceof Command.Touch
            || c instanceof Command.RenewIssueLock;
    if (writesAlways) {
      assertThat(again.changed()).isEqualTo(step.changed());
      assertThat(again.document().tickets()).isEqualTo(step.document().tickets());
      assertThat(again.document().slots()).isEqualTo(step.document().slots());
      assertThat(again.document().history()).isEqualTo(step.document().history());
    } else {
      assertThat(again.changed()).as("%s again: %s", command, again.reply()).isFalse();
    }
    boolean passesOver =
        c instanceof Command.PassOver
            || c instanceof Command.PassOverAbsent
            || c instanceof Command.Ask
            || c instanceof Command.BackInLine;
    if (passesOver && step.changed()) {
      // A later offer looks the same: that the turn is over is all that can be said.
      assertThat(again.reply()).isInstanceOf(Reply.Refused.class);
    } else {
      assertThat(again.reply()).as("%s again", command).isEqualTo(step.reply());
    }
  }

  static Command plain(Command c) {
    return c instanceof Command.UnderIssueLock u ? u.command() : c;
  }
}
