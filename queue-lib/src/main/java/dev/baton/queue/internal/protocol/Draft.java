package dev.baton.queue.internal.protocol;

import dev.baton.core.Extra;
import dev.baton.queue.BuildResult;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.IssueLock;
import dev.baton.queue.Outcome;
import dev.baton.queue.Pause;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.RollCall;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.WatchedTime;
import dev.baton.queue.parking.Parking;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The next document while a command works on it. */
final class Draft {

  private static final Duration OUTCOMES_KEPT = Duration.ofHours(24);
  private static final int MAX_OUTCOMES = 500;
  static final int MAX_HISTORY = 100;

  private static final Duration CLOCKS_DIFFER = Duration.ofMinutes(15);

  /** Tokens from here on are times in milliseconds: of the year 2001 and later. */
  private static final long FIRST_TIME = 1_000_000_000_000L;

  private static final Pattern MARK = Pattern.compile("([0-9]{1,18})(?:\\.([0-9]{1,18})\\..*)?");

  private final QueueDocument before;
  private final Instant now;
  private final List<HistoryEntry> history;
  final List<Slot> slots;
  final List<Ticket> tickets;
  final List<Outcome> outcomes;
  Optional<IssueLock> issueLock;
  Optional<Pause> paused;
  long quarantine;
  Optional<RollCall> rollCall;
  private final List<WatchedTime> watched;
  long board;
  Rules rules;
  private long nextTicket;
  private long nextToken;
  private String claim = "";

  Draft(QueueDocument before, Instant now) {
    this.before = before;
    this.now = now;
    history = new ArrayList<>(before.history());
    slots = new ArrayList<>(before.slots());
    tickets = new ArrayList<>(before.tickets());
    outcomes = new ArrayList<>(before.outcomes());
    issueLock = before.issueLock();
    paused = before.paused();
    quarantine = before.quarantine();
    rollCall = before.rollCall();
    watched = new ArrayList<>(before.watched());
    board = before.board();
    rules = before.rules();
    nextTicket = before.nextTicket();
    nextToken = before.nextToken();
  }

  long drawTicket() {
    return nextTicket++;
  }

  /** Goes on with tokens above one of which the document does not know. */
  void skipTokensUpTo(long highest) {
    if (highest >= nextToken) {
      nextToken = FencingTokens.above(highest, now);
    }
  }

  void replace(Ticket t) {
    for (int i = 0; i < tickets.size(); i++) {
      if (tickets.get(i).number() == t.number()) {
        tickets.set(i, t);
      }
    }
  }

  /** Takes the ticket out of the line and out of its slot, for good. */
  void end(Ticket t, Outcome.End how) {
    tickets.removeIf(x -> x.number() == t.number());
    if (t.state() == TicketState.BUILDING) {
      bringParkedBack();
    }
    free(t);
    outcomes.add(new Outcome(t.number(), t.token(), how, t.nonce(), now));
  }

  void free(Ticket t) {
    slots.replaceAll(s -> s.belongsTo(t.number(), t.token()) ? s.freed() : s);
  }

  void setSlot(Ticket t, Slot.State state) {
    slots.replaceAll(s -> s.belongsTo(t.number(), t.token()) ? s.in(state) : s);
  }

  /** The ticket that has an offer takes it. */
  void build(Ticket t, String by) {
    Slot.State building = Slot.State.BUILDING;
    slots.replaceAll(s -> s.belongsTo(t.number(), t.token()) ? s.in(building).claimedBy(by) : s);
    replace(t.in(TicketState.BUILDING, t.token(), now));
  }

  /** A turn that no process has taken yet, because its ticket was only drawn, goes to this one. */
  void claim(long ticket, String by) {
    slots.replaceAll(s -> s.ticket() == ticket && s.claim().isEmpty() ? s.claimedBy(by) : s);
  }

  /** Which process the turn is for, if the one who writes this gets it at once. */
  Draft claimedBy(String process) {
    claim = process;
    return this;
  }

  /**
   * Parked tickets that were passed over are in line again: nobody checks in for them. After a
   * recovery their jobs may have the lock.
   */
  private boolean bringParkedBack() {
    List<Ticket> back =
        tickets.stream()
            .filter(t -> t.isParked() && t.state() == TicketState.AWAY && quarantine == 0)
            .toList();
    back.forEach(t -> replace(t.in(TicketState.WAITING, 0, now)));
    return !back.isEmpty();
  }

  /** No job came to the offer of a parked ticket: it keeps its place, but not for ever. */
  void passOverParked(Ticket t) {
    Parking parking = t.parked().orElseThrow();
    if (parking.passes() + 1 >= Parking.MAX_PASSES) {
      end(t, Outcome.End.REMOVED);
      String why = parking.problem().isEmpty() ? "" : ": " + parking.problem();
      String text = "parked, and not there at " + Parking.MAX_PASSES + " turns" + why;
      String note =
          text.length() <= HistoryEntry.MAX_NOTE
              ? text
              : text.substring(0, HistoryEntry.MAX_NOTE - 1) + "…";
      record(HistoryEntry.Event.REMOVED, t, t.owner(), note);
    } else {
      passOver(
          t.withParked(Optional.of(parking.passed())),
          parking.problem().isEmpty()
              ? "parked, and its job did not start; keeps its place"
              : "parked, and its job cannot be run again; keeps its place");
    }
  }

  /** Back in line, at the old place; a turn that it had is over. */
  void returnToLine(Ticket t, TicketState state) {
    free(t);
    replace(t.in(state, 0, now));
  }

  /** An offer was not answered: from here on it counts who is there. */
  void callTheRoll(long offer) {
    rollCall = rollCall.or(() -> Optional.of(new RollCall(offer, 0, List.of())));
  }

  /** Whether somebody in line has asked who is there because a heartbeat stands still. */
  private boolean asksDuringSilence() {
    return rollCall
        .filter(
            call ->
                slots.stream()
                    .anyMatch(s -> s.state() == Slot.State.BUILDING && s.token() == call.since()))
        .isPresent();
  }

  /** An offer was answered. */
  void endRollCallAboutOffers() {
    if (!asksDuringSilence()) {
      rollCall = Optional.empty();
    }
  }

  /** Skips everybody ahead of the first in line that has shown itself, if anybody has. */
  void passOverAbsent() {
    List<Ticket> line =
        tickets.stream()
            .filter(Ticket::isWaiting)
            .sorted(Comparator.comparingInt(Ticket::priority).reversed())
            .toList();
    List<Long> present = rollCall.map(RollCall::present).orElse(List.of());
    if (line.stream().noneMatch(t -> present.contains(t.number()))) {
      return;
    }
    line.stream()
        .takeWhile(t -> !present.contains(t.number()))
        // Nobody is there who could answer for a parked one; its job is started.
        .filter(t -> !t.isParked())
        .forEach(t -> passOver(t, "did not show itself; keeps its place"));
  }

  void passOver(Ticket t, String why) {
    returnToLine(t, TicketState.AWAY);
    record(HistoryEntry.Event.PASSED_OVER, t, t.owner(), why);
  }

  void markPresent(long ticket) {
    RollCall call = rollCall.orElseThrow();
    if (!call.present().contains(ticket)) {
      List<Long> present = new ArrayList<>(call.present());
      present.add(ticket);
      rollCall = Optional.of(new RollCall(call.since(), call.beat(), present));
    }
  }

  /**
   * Somebody leaves who has watched the turns of now. What two have watched at the same time is
   * never added up: of two times for the same content the longer one stays. Nor does what is known
   * to be earlier replace what is later, as when somebody leaves who has slept.
   */
  void handOn(List<WatchedTime> times) {
    for (WatchedTime time : times) {
      boolean isKnown =
          watched.stream()
              .anyMatch(
                  w ->
                      w.isAbout(time)
                          && (isEarlier(time.mark(), w.mark())
                              || w.mark().equals(time.mark())
                                  && w.time().compareTo(time.time()) >= 0));
      if (!isKnown) {
        watched.removeIf(w -> w.isAbout(time));
        watched.add(time);
      }
    }
  }

  /**
   * Whether the one mark was seen before the other: by its first number, which only grows, unless
   * the content was made again and names no token yet.
   */
  private static boolean isEarlier(String mark, String other) {
    Matcher one = MARK.matcher(mark);
    Matcher two = MARK.matcher(other);
    return one.matches()
        && two.matches()
        && !"0".equals(one.group(2))
        && Long.parseLong(one.group(1)) < Long.parseLong(two.group(1));
  }

  private boolean isOver(WatchedTime w) {
    return w.token() != quarantine
        && slots.stream().noneMatch(s -> !s.isFree() && s.token() == w.token());
  }

  void record(HistoryEntry.Event event, Ticket t, String who, String note) {
    record(event, t.number(), t.token(), t.title(), who, note);
  }

  void record(
      HistoryEntry.Event event, long ticket, long token, String title, String who, String note) {
    history.add(
        new HistoryEntry(
            now,
            event,
            ticket,
            token,
            title,
            who,
            note,
            Optional.empty(),
            Optional.empty(),
            Extra.NONE));
  }

  /** A turn that came to its end, with the times that estimates are made from. */
  void recordBuild(HistoryEntry.Event event, Ticket t, BuildResult result, String note) {
    history.add(
        new HistoryEntry(
            now,
            event,
            t.number(),
            t.token(),
            t.title(),
            t.owner(),
            note,
            Optional.of(between(t.joinedAt(), t.since())),
            Optional.of(between(t.since(), now)),
            result,
            t.run().map(Draft::address),
            Extra.NONE));
  }

  /** What leads to the run; the name of a job is of use to re-runs alone. */
  private static RunRef address(RunRef run) {
    return new RunRef(run.repository(), run.runId(), run.attempt(), run.jobId(), "");
  }

  /** Clocks of two machines may disagree about which of two moments came first. */
  private static Duration between(Instant from, Instant to) {
    Duration d = Duration.between(from, to);
    return d.isNegative() ? Duration.ZERO : Duration.ofSeconds(d.toSeconds());
  }

  /**
   * Leaves no slot free that somebody waits for.
   *
   * @param actor the ticket whose owner makes this very write, or 0: its own write is its answer to
   *     the offer
   */
  private void normalise(long actor) {
    boolean closed = paused.isPresent() || quarantine > 0;
    for (int i = slots.size() - 1; i >= 0; i--) {
      Slot slot = slots.get(i);
      if (slot.state() == Slot.State.OFFERED && (closed || taken() > rules.slots())) {
        tickets.stream()
            .filter(t -> t.number() == slot.ticket())
            .findFirst()
            .ifPresent(t -> returnToLine(t, TicketState.WAITING));
      }
    }
    while (slots.size() < rules.slots()) {
      slots.add(Slot.NEW);
    }
    // From the end only: a slot's number is the name of its heartbeat document. In a quarantine one
    // that is free may be built in unseen, and is watched like the others.
    while (quarantine == 0
        && slots.size() > rules.slots()
        && slots.get(slots.size() - 1).isFree()) {
      slots.remove(slots.size() - 1);
    }
    if (closed) {
      return;
    }
    // After the number of slots was lowered, a higher slot may be in use for a while.
    for (int i = 0; i < rules.slots() && taken() < rules.slots(); i++) {
      if (slots.get(i).isFree()) {
        Optional<Ticket> next =
            tickets.stream()
                .filter(Ticket::isWaiting)
                .min(Comparator.comparingInt(Ticket::priority).reversed());
        if (next.isEmpty()) {
          if (bringParkedBack()) {
            i--;
            continue;
          }
          return;
        }
        boolean own = next.get().number() == actor;
        long token = newToken();
        slots.set(
            i,
            slots
                .get(i)
                .given(own ? Slot.State.BUILDING : Slot.State.OFFERED, next.get().number(), token)
                .claimedBy(own ? claim : ""));
        Ticket given = next.get().in(own ? TicketState.BUILDING : TicketState.OFFERED, token, now);
        replace(given);
      }
    }
  }

  /**
   * At least the time a quarter of an hour ago: whoever puts an earlier version of the document
   * back puts its next token back as well, and a token that has been given out must never come
   * again. Not the time itself: a recovery goes on from the time of its own clock, which may be
   * slower, and knows nothing of a token that only the lost version knew. A queue that counts from
   * one, as early versions made them, goes on counting.
   */
  private long newToken() {
    long least = now.minus(CLOCKS_DIFFER).toEpochMilli();
    long token = nextToken < FIRST_TIME ? nextToken : Math.max(nextToken, least);
    nextToken = token + 1;
    return token;
  }

  private int taken() {
    return (int) slots.stream().filter(s -> !s.isFree()).count();
  }

  QueueDocument finish(long actor) {
    normalise(actor);
    if (slots.stream().noneMatch(s -> s.state() == Slot.State.OFFERED)) {
      endRollCallAboutOffers();
    }
    watched.removeIf(this::isOver);
    outcomes.removeIf(o -> o.at().isBefore(now.minus(OUTCOMES_KEPT)));
    trim(outcomes, MAX_OUTCOMES);
    // What this very write has done is in it, however many it is about.
    trim(history, Math.max(MAX_HISTORY, history.size() - before.history().size()));
    return new QueueDocument(
        before.mode(),
        requires(),
        before.version() + 1,
        issueLock,
        before.issueLockVersion() + 1,
        slots,
        paused,
        quarantine,
        rollCall,
        watched,
        board,
        nextTicket,
        nextToken,
        rules,
        tickets,
        outcomes,
        history,
        before.extra());
  }

  /** Clients that do not know parked tickets are kept out as long as something tells of one. */
  private List<String> requires() {
    List<String> all = new ArrayList<>(before.requires());
    all.remove(Protocol.PARKING);
    boolean parking =
        tickets.stream().anyMatch(Ticket::isParked)
            || history.stream()
                .map(HistoryEntry::event)
                .anyMatch(e -> e == HistoryEntry.Event.PARKED || e == HistoryEntry.Event.RETURNED);
    if (parking) {
      all.add(Protocol.PARKING);
    }
    return all;
  }

  private static void trim(List<?> list, int max) {
    if (list.size() > max) {
      list.subList(0, list.size() - max).clear();
    }
  }
}
