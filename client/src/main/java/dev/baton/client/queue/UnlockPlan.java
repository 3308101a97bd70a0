package dev.baton.client.queue;

import dev.baton.client.text.LocalTimes;
import dev.baton.core.Durations;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.Liveness;
import dev.baton.queue.Outcome;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.RunRef;
import dev.baton.queue.RunStatus;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.text.Turns;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** What taking the lock away from a ticket would do, so that people decide by the truth. */
public sealed interface UnlockPlan {

  /** The ticket does not have the lock, or not with this token. */
  record NotHolder(String what) implements UnlockPlan {}

  /** It was done before. */
  record Unlocked(long ticket, Instant at) implements UnlockPlan {
    @Override
    public String what() {
      return "ticket " + ticket + " was unlocked by force before, at " + LocalTimes.dateAndTime(at);
    }
  }

  /** The holder has a heartbeat: it is stopped, and its lease is waited for. */
  record AfterLease(Ticket ticket, Duration lease) implements UnlockPlan {
    @Override
    public String what() {
      return Turns.named(ticket)
          + " will be stopped; the next build starts when it has stopped, or at the latest when its"
          + " lease of "
          + Durations.shown(lease)
          + " is over";
    }
  }

  /** Nothing of the ticket can be running: the next build starts at once. */
  record AtOnce(Ticket ticket) implements UnlockPlan {
    @Override
    public String what() {
      return Turns.named(ticket)
          + (ticket.state() == TicketState.OFFERED
              ? " has not begun to build"
              : " does not run any more")
          + "; the next build starts at once";
    }
  }

  /**
   * The next build starts although the old one may still run, which only {@code now} allows.
   *
   * @param job the workflow job, which has no process that could be told to stop; empty for a
   *     holder with a heartbeat, which is told, but not waited for
   * @param known the job is known to run; otherwise nobody here can see whether it does
   */
  record Beside(Ticket ticket, Optional<RunRef> job, boolean known) implements UnlockPlan {
    @Override
    public String what() {
      if (job.isEmpty()) {
        return Turns.named(ticket)
            + " will be stopped; the next build starts at once, even if it still builds";
      }
      return Turns.named(ticket)
          + (known ? " still runs" : " may still run")
          + " and cannot be stopped from here; the next build starts beside it";
    }

    /** What to do about it first. */
    public String remedy() {
      return job.map(r -> "cancel run " + r.runId() + " of " + r.repository() + " first")
          .orElse("wait for its lease");
    }
  }

  /** In a sentence, without its full stop. */
  String what();

  /**
   * What unlocking has come to. An offer may have been confirmed while a person was asked: then a
   * build was unlocked that this plan does not know.
   *
   * @param after the queue as it is since
   */
  default UnlockPlan cameTo(QueueDocument after) {
    if (!(this instanceof AtOnce offer) || offer.ticket().state() != TicketState.OFFERED) {
      return this;
    }
    Ticket t = offer.ticket();
    boolean revoked =
        after.slots().stream()
            .filter(s -> s.belongsTo(t.number(), t.token()))
            .anyMatch(s -> s.state() == Slot.State.REVOKED);
    boolean beside =
        after.history().stream()
            .filter(h -> h.ticket() == t.number() && h.token() == t.token())
            .anyMatch(h -> h.event() == HistoryEntry.Event.UNLOCKED_NOW);
    if (revoked) {
      return new AfterLease(t, after.rules().lease());
    }
    return beside ? new Beside(t, t.run(), false) : this;
  }

  /** Reads the queue. */
  @FunctionalInterface
  interface Look {
    QueueDocument at() throws QueueException, InterruptedException;
  }

  /**
   * What is said when the lock has been taken away, also where the queue cannot be read after that:
   * it was done all the same.
   *
   * @param look reads the queue as it is since
   */
  default String taken(Look look) throws InterruptedException {
    try {
      return "The lock is taken away: " + cameTo(look.at()).what() + ".";
    } catch (QueueException e) {
      return "The lock is taken away. What has become of its build cannot be seen now: "
          + e.problem().what()
          + ".";
    }
  }

  /**
   * Judges by what is known now; nothing is changed.
   *
   * @param runs who knows which workflow jobs have ended, as {@link OpenQueue#runStatus}
   * @param now whether the next build is to start without waiting for anything
   */
  static UnlockPlan of(QueueDocument d, RunStatus runs, long ticket, long token, boolean now) {
    Optional<Slot> slot = d.slots().stream().filter(s -> s.belongsTo(ticket, token)).findFirst();
    if (slot.isEmpty()) {
      return d.outcome(ticket)
          .filter(o -> o.token() == token && o.end() == Outcome.End.UNLOCKED)
          .<UnlockPlan>map(o -> new Unlocked(ticket, o.at()))
          .orElseGet(
              () -> new NotHolder(Turns.notHolding(d, ticket, token, LocalTimes::dateAndTime)));
    }
    Ticket t = d.ticket(ticket).orElseThrow();
    if (slot.get().state() == Slot.State.OFFERED) {
      return new AtOnce(t);
    } else if (t.liveness() == Liveness.BEAT) {
      return now ? new Beside(t, Optional.empty(), false) : new AfterLease(t, d.rules().lease());
    }
    RunStatus.Answer status = t.run().map(runs::of).orElse(RunStatus.Answer.UNKNOWN);
    return status == RunStatus.Answer.ENDED
        ? new AtOnce(t)
        : new Beside(t, t.run(), status == RunStatus.Answer.RUNNING);
  }
}
