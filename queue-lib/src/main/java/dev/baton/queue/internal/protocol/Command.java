package dev.baton.queue.internal.protocol;

import dev.baton.core.Checks;
import dev.baton.queue.BuildResult;
import dev.baton.queue.Entry;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.RulesChange;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.WatchedTime;
import dev.baton.queue.parking.Parking;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * Everything that can be done to a queue. Each command may be applied again after a lost answer: it
 * then changes nothing and gets the same reply.
 *
 * <p>Those that begin, prove or end a turn name the {@linkplain Slot#claim claim} of the process
 * that sends them. Empty: of a step of a job, or of another process than the one that has the turn.
 */
public sealed interface Command {

  /**
   * Stand in line. Where a slot is free and nobody waits, this is the grant as well.
   *
   * @param capacity how many tickets the store has room for
   */
  record Join(Entry entry, int capacity, String claim) implements Command {
    public Join {
      Objects.requireNonNull(entry, "entry");
      Checks.positive("capacity", capacity);
      checkClaim(claim);
    }

    public Join(Entry entry, int capacity) {
      this(entry, capacity, "");
    }
  }

  /**
   * Go away without having had a turn.
   *
   * @param watched what its owner has watched of those who have one, for whoever comes later
   */
  record Leave(String nonce, List<WatchedTime> watched) implements Command {
    public Leave {
      Checks.line("nonce", nonce, 8, Ticket.MAX_NONCE);
      watched = List.copyOf(watched);
    }

    public Leave(String nonce) {
      this(nonce, List.of());
    }
  }

  /**
   * Answer an offer: the lock is held from here on.
   *
   * @param watched what the client has watched in line, where it watches no longer
   */
  record Confirm(long ticket, long token, String claim, List<WatchedTime> watched)
      implements Command {
    public Confirm {
      checkTurn(ticket, token);
      checkClaim(claim);
      watched = List.copyOf(watched);
    }

    public Confirm(long ticket, long token, String claim) {
      this(ticket, token, claim, List.of());
    }

    public Confirm(long ticket, long token) {
      this(ticket, token, "");
    }
  }

  /** Be back after having been passed over. */
  record CheckIn(long ticket, String claim) implements Command {
    public CheckIn {
      Checks.positive("ticket", ticket);
      checkClaim(claim);
    }

    public CheckIn(long ticket) {
      this(ticket, "");
    }
  }

  /** Prove, by a write, that the lock is held at this moment. */
  record Verify(long ticket, long token, String claim) implements Command {
    public Verify {
      checkTurn(ticket, token);
      checkClaim(claim);
    }

    public Verify(long ticket, long token) {
      this(ticket, token, "");
    }
  }

  /**
   * Give the lock back.
   *
   * @param note what else there is to say about the build, in a line
   * @param claim nothing is given back that another process has taken. Empty: whoever has it
   */
  record Release(long ticket, long token, BuildResult result, String note, String claim)
      implements Command {
    public Release {
      checkTurn(ticket, token);
      Objects.requireNonNull(result, "result");
      Checks.line("note", note, 0, HistoryEntry.MAX_NOTE);
      checkClaim(claim);
    }

    public Release(long ticket, long token, BuildResult result, String note) {
      this(ticket, token, result, note, "");
    }

    public Release(long ticket, long token, String note) {
      this(ticket, token, BuildResult.UNKNOWN, note);
    }
  }

  /**
   * End the job and keep the place in line: the job is run again when its turn comes.
   *
   * @param deadline how long an offer waits for that
   */
  record Park(long ticket, String nonce, Duration deadline) implements Command {
    public Park {
      Checks.positive("ticket", ticket);
      Checks.line("nonce", nonce, 8, Ticket.MAX_NONCE);
      Checks.positive("deadline", deadline);
    }
  }

  /**
   * Say that this client asks GitHub to run the job of a parked ticket that has an offer, before it
   * does so.
   *
   * @param tried how often that was said before: somebody else may have been faster
   */
  record Ask(long ticket, long token, int tried) implements Command {
    public Ask {
      checkTurn(ticket, token);
      Checks.notNegative("tried", tried);
    }
  }

  /** Say why the job of a parked ticket cannot be run again. */
  record NotWoken(long ticket, long token, String why) implements Command {
    public NotWoken {
      checkTurn(ticket, token);
      Checks.line("why", why, 1, Parking.MAX_PROBLEM);
    }
  }

  /**
   * After a recovery: no attempt of a parked ticket's run goes on, so none of them has the lock.
   */
  record BackInLine(long ticket) implements Command {
    public BackInLine {
      Checks.positive("ticket", ticket);
    }
  }

  /**
   * Take the lock from a holder that is surely gone. The caller has made sure of that. Where those
   * in line have shown themselves while its heartbeat stood still, everybody ahead of the first of
   * them is skipped.
   *
   * @param by a ticket whose owner makes this write, and so shows itself; 0 for somebody else
   */
  record Reap(long ticket, long token, String why, long by) implements Command {
    public Reap {
      checkTurn(ticket, token);
      Checks.line("why", why, 1, HistoryEntry.MAX_NOTE);
      Checks.notNegative("by", by);
    }

    public Reap(long ticket, long token, String why) {
      this(ticket, token, why, 0);
    }
  }

  /** Skip a ticket that did not answer its offer in time. */
  record PassOver(long ticket, long token) implements Command {
    public PassOver {
      checkTurn(ticket, token);
    }
  }

  /**
   * Skip a ticket that did not answer its offer in time, and everybody in line before the first one
   * that has shown itself since offers go unanswered.
   *
   * @param by a ticket in line whose owner makes this write: it has shown itself
   */
  record PassOverAbsent(long ticket, long token, long by) implements Command {
    public PassOverAbsent {
      checkTurn(ticket, token);
      Checks.positive("by", by);
    }
  }

  /**
   * Say that a ticket in line still has a living owner, while a heartbeat stands still or offers go
   * unanswered.
   *
   * @param since the token of the turn or offer that this is about
   * @param beat the last heartbeat of that turn; 0 when there was none
   */
  record Present(long ticket, long since, long beat) implements Command {
    public Present {
      checkTurn(ticket, since);
      Checks.notNegative("beat", beat);
    }
  }

  /** Remove a ticket in line whose owner is gone. */
  record Remove(long ticket, Reason reason) implements Command {

    /** Why a ticket may be removed. */
    public enum Reason {
      AWAY_TOO_LONG,
      JOB_ENDED,
      /** A workflow job that may build since a recovery, and whose status cannot be seen. */
      UNSEEN_TOO_LONG
    }

    public Remove {
      Checks.positive("ticket", ticket);
      Objects.requireNonNull(reason, "reason");
    }
  }

  /** Give nobody the lock until {@link Resume}. */
  record PauseQueue(String who, String why) implements Command {
    public PauseQueue {
      checkWord(who, why);
    }
  }

  record Resume(String who) implements Command {
    public Resume {
      checkWord(who, "");
    }
  }

  /** Put tickets, in this order, right before another one, whatever their priorities. */
  record MoveBefore(List<Long> tickets, long before, String who) implements Command {
    public MoveBefore {
      tickets = distinct(tickets);
      Checks.positive("before", before);
      if (tickets.contains(before)) {
        throw new IllegalArgumentException("ticket " + before + " cannot go before itself");
      }
      checkWord(who, "");
    }

    public MoveBefore(long ticket, long before, String who) {
      this(List.of(ticket), before, who);
    }
  }

  record SetPriority(long ticket, int priority, String who) implements Command {
    public SetPriority {
      Checks.positive("ticket", ticket);
      Ticket.checkPriority(priority);
      checkWord(who, "");
    }
  }

  /** Remove tickets from the line, all or none, on a maintainer's word. */
  record Drop(List<Long> tickets, String who, String why) implements Command {
    public Drop {
      tickets = distinct(tickets);
      checkWord(who, why);
    }

    public Drop(long ticket, String who, String why) {
      this(List.of(ticket), who, why);
    }
  }

  /**
   * Take the lock away on a maintainer's word.
   *
   * @param now true: the next one goes at once, though the old build may still run. Without it, a
   *     holder with a heartbeat is revoked and its lease watched out; a workflow job has no lease
   *     to wait for, and keeps the lock
   */
  record ForceUnlock(long ticket, long token, String who, String why, boolean now)
      implements Command {
    public ForceUnlock {
      checkTurn(ticket, token);
      checkWord(who, why);
      if (why.isBlank()) {
        throw new IllegalArgumentException("why must not be empty: say why the lock is taken away");
      }
    }
  }

  /**
   * Change some rules; the others stay as they are when this is applied.
   *
   * @param highestToken of which the heartbeat documents of the slots know; 0 for none. A slot that
   *     is added may have been there before, in a queue that was deleted: a token that is over
   *     there must not be given out
   */
  record ChangeRules(RulesChange change, String who, long highestToken) implements Command {
    public ChangeRules {
      Objects.requireNonNull(change, "change");
      checkWord(who, "");
      Checks.notNegative("highestToken", highestToken);
    }

    public ChangeRules(RulesChange change, String who) {
      this(change, who, 0);
    }
  }

  /** Let workflow jobs whose end nobody can see hold the lock for at least this long. */
  record RaiseMaxHold(Duration atLeast, String who) implements Command {
    public RaiseMaxHold {
      Checks.positive("atLeast", atLeast);
      checkWord(who, "");
    }
  }

  /**
   * Show the queue in another place.
   *
   * @param was where it was shown so far, or 0: if that has changed since, somebody else was faster
   * @param number of the issue
   */
  record SetBoard(long was, long number) implements Command {
    public SetBoard {
      Checks.notNegative("was", was);
      Checks.positive("number", number);
    }
  }

  /** Take the issue lock for longer than one write. */
  record TakeIssueLock(String by, String nonce) implements Command {
    public TakeIssueLock {
      checkWord(by, "");
      Checks.line("nonce", nonce, 8, Ticket.MAX_NONCE);
    }
  }

  record RenewIssueLock(String nonce) implements Command {
    public RenewIssueLock {
      Checks.line("nonce", nonce, 8, Ticket.MAX_NONCE);
    }
  }

  record ReleaseIssueLock(String nonce) implements Command {
    public ReleaseIssueLock {
      Checks.line("nonce", nonce, 8, Ticket.MAX_NONCE);
    }
  }

  /** Free an issue lock whose holder was watched to be gone: it still is at this renewal. */
  record BreakIssueLock(String nonce, long renewal) implements Command {
    public BreakIssueLock {
      Checks.line("nonce", nonce, 8, Ticket.MAX_NONCE);
      Checks.notNegative("renewal", renewal);
    }
  }

  /** Do something as the holder of the issue lock. */
  record UnderIssueLock(String nonce, Command command) implements Command {
    public UnderIssueLock {
      Checks.line("nonce", nonce, 8, Ticket.MAX_NONCE);
      Objects.requireNonNull(command, "command");
      if (command instanceof UnderIssueLock) {
        throw new IllegalArgumentException("the issue lock is named once: " + command);
      }
    }
  }

  /** Give out the lock again after a recovery. The caller has watched a whole lease go by. */
  record EndQuarantine(long quarantine) implements Command {
    public EndQuarantine {
      Checks.positive("quarantine", quarantine);
    }
  }

  /**
   * Go on with tokens above one of which a heartbeat document knows, and the queue does not.
   *
   * @param beating of a holder that may go on beating; 0 for none. If the queue does not know it, a
   *     part of the queue is lost
   * @param slots how many may be built in, beside such a holder: they are watched then, though the
   *     queue has fewer
   */
  record GoOnAbove(long highest, long beating, int slots) implements Command {
    public GoOnAbove {
      Checks.positive("highest", highest);
      Checks.notNegative("beating", beating);
      Checks.notNegative("slots", slots);
    }

    public GoOnAbove(long highest, long beating) {
      this(highest, beating, 0);
    }
  }

  /** Write down what a client has watched that goes and keeps its place in line. */
  record HandOn(List<WatchedTime> watched) implements Command {
    public HandOn {
      watched = List.copyOf(watched);
    }
  }

  /** Change nothing but the version, so that no earlier write that is under way can succeed. */
  record Touch() implements Command {}

  private static void checkTurn(long ticket, long token) {
    Checks.positive("ticket", ticket);
    Checks.positive("token", token);
  }

  private static void checkClaim(String claim) {
    Checks.line("claim", claim, 0, Slot.MAX_CLAIM);
  }

  private static List<Long> distinct(List<Long> tickets) {
    if (tickets.isEmpty()) {
      throw new IllegalArgumentException("tickets must not be empty");
    }
    tickets.forEach(ticket -> Checks.positive("ticket", ticket));
    return tickets.stream().distinct().toList();
  }

  private static void checkWord(String who, String why) {
    Checks.line("who", who, 1, Ticket.MAX_OWNER);
    Checks.line("why", why, 0, HistoryEntry.MAX_NOTE);
  }
}
