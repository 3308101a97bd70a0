package dev.baton.queue.internal.protocol;

import dev.baton.core.Extra;
import dev.baton.core.Problem;
import dev.baton.core.Problem.Kind;
import dev.baton.queue.BuildResult;
import dev.baton.queue.Entry;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.HistoryEntry.Event;
import dev.baton.queue.IssueLock;
import dev.baton.queue.Liveness;
import dev.baton.queue.Outcome;
import dev.baton.queue.Pause;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.RollCall;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.internal.protocol.Reply.Refusal;
import dev.baton.queue.parking.Parking;
import dev.baton.queue.text.Turns;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The rules of the queue, as a function from a document and a command to the next document.
 *
 * <ol>
 *   <li>Every command ends by leaving no slot free that somebody waits for: in the same write, the
 *       first in line is offered the slot, with a fencing token greater than any before it.
 *   <li>An offer is not a grant. The lock is held only when the ticket's owner knows that its own
 *       confirming write was applied. A join that finds a slot free and nobody waiting is such a
 *       write itself, and so is a check-in.
 *   <li>A release, a confirmation or a proof by anyone but the owner of that ticket and that token
 *       changes nothing.
 *   <li>Joining is keyed by a nonce, everything later by ticket and token; applying a command again
 *       after a lost answer changes nothing and says the same.
 *   <li>A ticket leaves the line only by its turn, by its owner, or for a reason that the history
 *       shows.
 *   <li>A parked ticket has no client: its job has ended, and is run again when its turn comes. It
 *       is offered the slot like any other, and whoever asks for the job writes so first. The job
 *       joins with a later attempt and gets the ticket back; an open offer is answered by that.
 *       Passed over, it is in line again when the next turn ends, or at once if nobody else waits,
 *       and it is removed after a few of these.
 *   <li>Who holds the issue lock over several writes keeps the others out, but for those who answer
 *       an offer, prove or end their own turn.
 * </ol>
 *
 * <p>Times are for people and for trimming alone: no rule compares the clocks of two machines.
 */
public final class Protocol {

  /** Parked tickets, and what the history says of them. */
  static final String PARKING = "parking";

  /** Entries of {@link QueueDocument#requires} that this version can fulfil. */
  public static final Set<String> ABILITIES = Set.of(Protocol.PARKING);

  /**
   * A ticket that is moved or removed has a line in the history, and it must be there to be read.
   */
  private static final int MOST_AT_ONCE = Draft.MAX_HISTORY / 2;

  private static final String NO_ANSWER = "did not answer; keeps its place";

  private Protocol() {}

  public static Step apply(QueueDocument document, Command command, Instant now) {
    Objects.requireNonNull(document, "document");
    Objects.requireNonNull(command, "command");
    Objects.requireNonNull(now, "now");
    Command plain = command instanceof Command.UnderIssueLock u ? u.command() : command;
    boolean ownTicket =
        plain instanceof Command.Release
            || plain instanceof Command.Leave
            || plain instanceof Command.Verify
            || plain instanceof Command.Touch;
    if (!ownTicket && !ABILITIES.containsAll(document.requires())) {
      return refused(
          document,
          Refusal.TOO_NEW,
          "the queue requires " + document.requires(),
          "Use a newer version of Baton.");
    }
    boolean ownTurn = ownTicket || plain instanceof Command.Confirm;
    boolean aboutLock =
        plain instanceof Command.TakeIssueLock
            || plain instanceof Command.RenewIssueLock
            || plain instanceof Command.ReleaseIssueLock
            || plain instanceof Command.BreakIssueLock;
    if (command instanceof Command.UnderIssueLock u
        && !document.issueLock().map(IssueLock::nonce).equals(Optional.of(u.nonce()))) {
      return refused(document, Refusal.NOT_HOLDER, "the issue lock is not held any more");
    }
    if (!(command instanceof Command.UnderIssueLock)
        && !ownTurn
        && !aboutLock
        && document.issueLock().isPresent()) {
      return issueLocked(document);
    }
    // Whole seconds: nobody needs more, and every ticket carries two of them.
    return dispatch(document, plain, now.truncatedTo(ChronoUnit.SECONDS));
  }

  /** What the owner of a ticket sees in a document. */
  public static Reply look(QueueDocument d, long ticket, String nonce) {
    return d.ticket(ticket)
        .filter(t -> t.nonce().equals(nonce))
        .map(t -> replyFor(d, t))
        .orElseGet(() -> new Reply.Gone(ticket, d.outcome(ticket).map(Outcome::end)));
  }

  private static Step dispatch(QueueDocument d, Command command, Instant now) {
    // A switch with patterns would be the natural form; Java 17 does not have it yet.
    if (command instanceof Command.Join c) {
      return join(d, c, now);
    } else if (command instanceof Command.Leave c) {
      return leave(d, c, now);
    } else if (command instanceof Command.Park c) {
      return park(d, c, now);
    } else if (command instanceof Command.Ask c) {
      return ask(d, c, now);
    } else if (command instanceof Command.NotWoken c) {
      return notWoken(d, c, now);
    } else if (command instanceof Command.BackInLine c) {
      return backInLine(d, c, now);
    } else if (command instanceof Command.Confirm c) {
      return confirm(d, c, now);
    } else if (command instanceof Command.CheckIn c) {
      return checkIn(d, c, now);
    } else if (command instanceof Command.Verify c) {
      return verify(d, c, now);
    } else if (command instanceof Command.Release c) {
      return release(d, c, now);
    } else if (command instanceof Command.Reap c) {
      return reap(d, c, now);
    } else if (command instanceof Command.PassOver c) {
      return passOver(d, c, now);
    } else if (command instanceof Command.PassOverAbsent c) {
      return passOverAbsent(d, c, now);
    } else if (command instanceof Command.Present c) {
      return present(d, c, now);
    } else if (command instanceof Command.Remove c) {
      return remove(d, c, now);
    } else if (command instanceof Command.PauseQueue c) {
      return pause(d, c, now);
    } else if (command instanceof Command.Resume c) {
      return resume(d, c, now);
    } else if (command instanceof Command.MoveBefore c) {
      return moveBefore(d, c, now);
    } else if (command instanceof Command.SetPriority c) {
      return setPriority(d, c, now);
    } else if (command instanceof Command.Drop c) {
      return drop(d, c, now);
    } else if (command instanceof Command.ForceUnlock c) {
      return forceUnlock(d, c, now);
    } else if (command instanceof Command.ChangeRules c) {
      return changeRules(d, c, now);
    } else if (command instanceof Command.RaiseMaxHold c) {
      return raiseMaxHold(d, c, now);
    } else if (command instanceof Command.SetBoard c) {
      return setBoard(d, c, now);
    } else if (command instanceof Command.TakeIssueLock c) {
      return takeIssueLock(d, c, now);
    } else if (command instanceof Command.RenewIssueLock c) {
      return renewIssueLock(d, c, now);
    } else if (command instanceof Command.ReleaseIssueLock c) {
      return releaseIssueLock(d, c, now);
    } else if (command instanceof Command.BreakIssueLock c) {
      return breakIssueLock(d, c, now);
    } else if (command instanceof Command.EndQuarantine c) {
      return endQuarantine(d, c, now);
    } else if (command instanceof Command.GoOnAbove c) {
      return goOnAbove(d, c, now);
    } else if (command instanceof Command.HandOn c) {
      Draft draft = new Draft(d, now);
      draft.handOn(c.watched());
      return done(draft);
    } else if (command instanceof Command.Touch) {
      return done(new Draft(d, now));
    }
    throw new IllegalArgumentException("unknown command: " + command);
  }

  // ---- a ticket's own way

  private static Step join(QueueDocument d, Command.Join c, Instant now) {
    Entry e = c.entry();
    Optional<Ticket> mine = d.ticketByNonce(e.nonce());
    if (mine.isPresent()) {
      return whyTooShort(mine.get(), e)
          .map(why -> new Step(d, false, new Reply.Refused(Refusal.INVALID, why)))
          .orElseGet(() -> unchanged(d, replyFor(d, mine.get())));
    }
    Optional<Outcome> past =
        d.outcomes().stream().filter(o -> o.nonce().equals(e.nonce())).findFirst();
    if (past.isPresent()) {
      return unchanged(d, new Reply.Gone(past.get().ticket(), Optional.of(past.get().end())));
    }
    Draft draft = new Draft(d, now);
    Optional<Ticket> earlierAttempt =
        d.tickets().stream()
            .filter(t -> t.state() != TicketState.BUILDING)
            .filter(
                t ->
                    t.run().isPresent()
                        && e.run().filter(r -> r.isRerunOf(t.run().get())).isPresent())
            .findFirst();
    if (earlierAttempt.filter(Ticket::isParked).isPresent() && e.liveness() == Liveness.RUN) {
      return comeBack(draft, earlierAttempt.get(), c, now);
    }
    long number;
    if (earlierAttempt.isPresent()) {
      // A number of its own: the earlier attempt may still be alive and know the old one.
      Ticket old = earlierAttempt.get();
      number = draft.drawTicket();
      int place = draft.tickets.indexOf(old);
      draft.end(old, Outcome.End.REMOVED);
      draft.tickets.add(place, old.takenOverBy(number, e, now));
      draft.record(
          Event.TAKEN_OVER, old, e.owner(), "by ticket " + number + ", the re-run of the same job");
    } else {
      if (d.tickets().size() >= c.capacity()) {
        return refused(
            d,
            Refusal.FULL,
            "the queue is full: it has room for " + c.capacity() + " tickets",
            "Wait until some are done, or drop some.");
      }
      number = draft.drawTicket();
      draft.tickets.add(
          new Ticket(
              number,
              e.nonce(),
              e.owner(),
              e.title(),
              e.liveness(),
              e.run(),
              TicketState.WAITING,
              0,
              e.priority(),
              now,
              now,
              Extra.NONE));
    }
    return finishOwn(draft.claimedBy(c.claim()), number);
  }

  /**
   * The job of a parked ticket was run again. Where the ticket has an offer, this write is the
   * answer; the earlier job has ended by a write, so nobody else acts on the number.
   */
  private static Step comeBack(Draft draft, Ticket parked, Command.Join c, Instant now) {
    Ticket back = parked.returnedBy(c.entry());
    if (parked.state() == TicketState.OFFERED) {
      draft.endRollCallAboutOffers();
      draft.build(back, c.claim());
    } else {
      draft.replace(back.in(TicketState.WAITING, 0, now));
    }
    draft.record(Event.RETURNED, back, c.entry().owner(), "");
    return finishOwn(draft.claimedBy(c.claim()), back.number());
  }

  private static Step park(QueueDocument d, Command.Park c, Instant now) {
    Optional<Ticket> mine = d.ticket(c.ticket()).filter(t -> t.nonce().equals(c.nonce()));
    if (mine.isEmpty()) {
      return gone(d, c.ticket());
    }
    Ticket t = mine.get();
    if (t.isParked() || !t.isWaiting()) {
      return unchanged(d, replyFor(d, t));
    }
    if (!t.canPark()) {
      return refused(d, Refusal.INVALID, "only the ticket of a single workflow job can be parked");
    }
    if (d.quarantine() > 0) {
      return outdated(d, "nobody parks while the queue is in quarantine");
    }
    RunRef run = t.run().orElseThrow();
    Optional<Ticket> sibling =
        d.tickets().stream()
            .filter(o -> o.isParked() && o.run().filter(r -> r.isSameRunAs(run)).isPresent())
            .findFirst();
    if (sibling.isPresent()) {
      return refused(
          d,
          Refusal.INVALID,
          "ticket " + sibling.get().number() + ", another job of the same run, is parked");
    }
    Draft draft = new Draft(d, now);
    Parking parking =
        t.parked()
            .map(p -> p.again(now, c.deadline()))
            .orElseGet(() -> Parking.at(now, c.deadline()));
    draft.replace(t.withParked(Optional.of(parking)));
    draft.record(Event.PARKED, t, t.owner(), "");
    return finishOwn(draft, t.number());
  }

  private static Step ask(QueueDocument d, Command.Ask c, Instant now) {
    Optional<Parking> parking = offeredParking(d, c.ticket(), c.token());
    if (parking.isEmpty()) {
      return noOpenOffer(d, c.ticket(), c.token());
    }
    if (parking.get().tries() != c.tried() || c.tried() >= Parking.MAX_TRIES) {
      return outdated(d, "somebody has asked for the job of ticket " + c.ticket());
    }
    return withParking(d, c.ticket(), parking.get().asked(now), now);
  }

  private static Step notWoken(QueueDocument d, Command.NotWoken c, Instant now) {
    Optional<Parking> parking = offeredParking(d, c.ticket(), c.token());
    if (parking.isEmpty()) {
      return noOpenOffer(d, c.ticket(), c.token());
    }
    return parking.get().problem().equals(c.why())
        ? unchanged(d, new Reply.Done())
        : withParking(d, c.ticket(), parking.get().refused(c.why()), now);
  }

  private static Optional<Parking> offeredParking(QueueDocument d, long ticket, long token) {
    return isOffered(d, ticket, token)
        ? d.ticket(ticket).filter(Ticket::isParked).flatMap(Ticket::parked)
        : Optional.empty();
  }

  private static Step withParking(QueueDocument d, long ticket, Parking next, Instant now) {
    Draft draft = new Draft(d, now);
    draft.replace(d.ticket(ticket).orElseThrow().withParked(Optional.of(next)));
    return done(draft);
  }

  private static Step backInLine(QueueDocument d, Command.BackInLine c, Instant now) {
    Optional<Ticket> away =
        d.ticket(c.ticket()).filter(t -> t.isParked() && t.state() == TicketState.AWAY);
    if (away.isEmpty()) {
      return outdated(d, "ticket " + c.ticket() + " is not parked and away");
    }
    Draft draft = new Draft(d, now);
    draft.returnToLine(away.get(), TicketState.WAITING);
    return done(draft);
  }

  /**
   * Why a ticket is of no use to somebody who wants to go on with it: it would be taken away
   * earlier. How its end is noticed was said when it was drawn, and others may be acting on that.
   */
  private static Optional<Problem> whyTooShort(Ticket mine, Entry wanted) {
    if (wanted.liveness() != Liveness.RUN) {
      return Optional.empty();
    }
    if (mine.liveness() != Liveness.RUN) {
      return Optional.of(
          new Problem(
              Kind.REFUSED,
              "ticket "
                  + mine.number()
                  + " lives by the heartbeat of a process, and a workflow job has none",
              "Draw another ticket for the job."));
    }
    boolean wholeRun = wanted.run().orElseThrow().isWholeRun();
    return wholeRun && !mine.run().orElseThrow().isWholeRun()
        ? Optional.of(
            new Problem(
                Kind.REFUSED,
                "ticket " + mine.number() + " ends with the job that drew it",
                "Draw it for the whole run too (`hold: run`)."))
        : Optional.empty();
  }

  private static Step leave(QueueDocument d, Command.Leave c, Instant now) {
    Optional<Ticket> mine = d.ticketByNonce(c.nonce());
    if (mine.isEmpty()) {
      return unchanged(d, new Reply.Done());
    }
    if (mine.get().state() == TicketState.BUILDING) {
      return refused(
          d,
          Refusal.BUILDS,
          "ticket " + mine.get().number() + " has the build lock",
          "Release it instead.");
    }
    Draft draft = new Draft(d, now);
    draft.handOn(c.watched());
    draft.end(mine.get(), Outcome.End.LEFT);
    draft.record(Event.LEFT, mine.get(), mine.get().owner(), "");
    return done(draft);
  }

  private static Step confirm(QueueDocument d, Command.Confirm c, Instant now) {
    Optional<Ticket> mine = d.ticket(c.ticket());
    if (mine.isEmpty()) {
      return gone(d, c.ticket());
    }
    if (mine.get().state() != TicketState.OFFERED || mine.get().token() != c.token()) {
      return unchanged(d, replyFor(d, mine.get()));
    }
    Draft draft = new Draft(d, now);
    draft.handOn(c.watched());
    draft.endRollCallAboutOffers();
    draft.build(mine.get(), c.claim());
    return finishOwn(draft, c.ticket());
  }

  private static Step checkIn(QueueDocument d, Command.CheckIn c, Instant now) {
    Optional<Ticket> mine = d.ticket(c.ticket());
    if (mine.isEmpty()) {
      return gone(d, c.ticket());
    }
    if (mine.get().state() != TicketState.AWAY) {
      return unchanged(d, replyFor(d, mine.get()));
    }
    Draft draft = new Draft(d, now);
    draft.returnToLine(mine.get(), TicketState.WAITING);
    return finishOwn(draft.claimedBy(c.claim()), c.ticket());
  }

  private static Step verify(QueueDocument d, Command.Verify c, Instant now) {
    if (!holds(d, c.ticket(), c.token())) {
      return gone(d, c.ticket());
    }
    Draft draft = new Draft(d, now);
    draft.claim(c.ticket(), c.claim());
    return finishOwn(draft, c.ticket());
  }

  private static Step release(QueueDocument d, Command.Release c, Instant now) {
    Optional<Ticket> mine = d.ticket(c.ticket()).filter(t -> t.token() == c.token());
    if (mine.isEmpty()) {
      return hasEnded(d, c.ticket(), c.token())
          ? ended(d, c.ticket(), Outcome.End.RELEASED)
          : refused(
              d,
              Refusal.NOT_HOLDER,
              "ticket "
                  + c.ticket()
                  + " does not have the build lock with token "
                  + c.token()
                  + ": nothing released");
    }
    if (!c.claim().isEmpty()
        && turn(d, c.ticket(), c.token())
            .filter(s -> !s.claim().isEmpty() && !s.claim().equals(c.claim()))
            .isPresent()) {
      return refused(
          d,
          Refusal.NOT_HOLDER,
          "ticket " + c.ticket() + " builds in another process: nothing released");
    }
    Draft draft = new Draft(d, now);
    draft.end(mine.get(), Outcome.End.RELEASED);
    if (mine.get().state() == TicketState.BUILDING) {
      draft.recordBuild(Event.RELEASED, mine.get(), c.result(), c.note());
    } else {
      draft.record(Event.RELEASED, mine.get(), mine.get().owner(), c.note());
    }
    return done(draft);
  }

  // ---- what others do when an owner is gone

  private static Step reap(QueueDocument d, Command.Reap c, Instant now) {
    Optional<Slot> slot = turn(d, c.ticket(), c.token());
    if (slot.isEmpty() && hasEnded(d, c.ticket(), c.token())) {
      return ended(d, c.ticket(), Outcome.End.REAPED, Outcome.End.UNLOCKED);
    }
    if (slot.isEmpty() || slot.get().state() == Slot.State.OFFERED) {
      return outdated(d, "ticket " + c.ticket() + " does not build with token " + c.token());
    }
    Draft draft = new Draft(d, now);
    // Only by somebody in line who has given the others the time to answer.
    if (d.rollCall().isPresent() && c.by() > 0) {
      draft.markPresent(c.by());
      draft.passOverAbsent();
    }
    Ticket t = d.ticket(c.ticket()).orElseThrow();
    draft.end(
        t, slot.get().state() == Slot.State.REVOKED ? Outcome.End.UNLOCKED : Outcome.End.REAPED);
    draft.recordBuild(Event.REAPED, t, BuildResult.UNKNOWN, c.why());
    return done(draft);
  }

  private static Step passOver(QueueDocument d, Command.PassOver c, Instant now) {
    if (!isOffered(d, c.ticket(), c.token())) {
      return noOpenOffer(d, c.ticket(), c.token());
    }
    Draft draft = new Draft(d, now);
    Ticket t = d.ticket(c.ticket()).orElseThrow();
    if (t.isParked()) {
      // That its job did not start says nothing about those behind it.
      draft.passOverParked(t);
      return done(draft);
    }
    draft.callTheRoll(c.token());
    draft.passOver(t, NO_ANSWER);
    return done(draft);
  }

  private static Step passOverAbsent(QueueDocument d, Command.PassOverAbsent c, Instant now) {
    if (!isOffered(d, c.ticket(), c.token())) {
      return noOpenOffer(d, c.ticket(), c.token());
    }
    if (d.ticket(c.by()).filter(Ticket::isWaiting).isEmpty()) {
      return notInLine(d, c.by());
    }
    if (d.ticket(c.ticket()).filter(Ticket::isParked).isPresent()) {
      return outdated(d, "ticket " + c.ticket() + " is parked");
    }
    Draft draft = new Draft(d, now);
    draft.callTheRoll(c.token());
    draft.markPresent(c.by());
    draft.passOver(d.ticket(c.ticket()).orElseThrow(), NO_ANSWER);
    draft.passOverAbsent();
    return done(draft);
  }

  private static Step present(QueueDocument d, Command.Present c, Instant now) {
    Optional<RollCall> call =
        d.rollCall().filter(r -> r.since() == c.since() && r.beat() == c.beat());
    if (call.isEmpty() && !isBuilding(d, c.since())) {
      return outdated(d, "nobody asks who is there since token " + c.since());
    }
    if (d.ticket(c.ticket()).filter(Ticket::isWaiting).isEmpty()) {
      return notInLine(d, c.ticket());
    }
    if (call.filter(r -> r.present().contains(c.ticket())).isPresent()) {
      return unchanged(d, new Reply.Done());
    }
    Draft draft = new Draft(d, now);
    draft.rollCall = call.or(() -> Optional.of(new RollCall(c.since(), c.beat(), List.of())));
    draft.markPresent(c.ticket());
    return done(draft);
  }

  private static boolean isBuilding(QueueDocument d, long token) {
    return d.slots().stream().anyMatch(s -> s.state() == Slot.State.BUILDING && s.token() == token);
  }

  private static boolean isOffered(QueueDocument d, long ticket, long token) {
    return turn(d, ticket, token).filter(s -> s.state() == Slot.State.OFFERED).isPresent();
  }

  private static Step noOpenOffer(QueueDocument d, long ticket, long token) {
    return outdated(d, "ticket " + ticket + " has no open offer with token " + token);
  }

  private static Step remove(QueueDocument d, Command.Remove c, Instant now) {
    Optional<Ticket> found = d.ticket(c.ticket());
    if (found.isEmpty()) {
      return ended(d, c.ticket(), Outcome.End.REMOVED);
    }
    Ticket t = found.get();
    boolean may =
        switch (c.reason()) {
          case AWAY_TOO_LONG ->
              t.state() == TicketState.AWAY && !d.mayBuildUnseen(t) && !t.isParked();
          case JOB_ENDED ->
              t.run().isPresent() && t.state() != TicketState.BUILDING && !t.isParked();
          case UNSEEN_TOO_LONG -> d.mayBuildUnseen(t);
        };
    if (!may) {
      return outdated(d, "ticket " + c.ticket() + " is " + t.state() + " and stays");
    }
    Draft draft = new Draft(d, now);
    draft.end(t, Outcome.End.REMOVED);
    draft.record(Event.REMOVED, t, t.owner(), words(c.reason(), d.mayBuildUnseen(t)));
    return done(draft);
  }

  /**
   * @param lost the ticket is as it was before a recovery: that its job parked may be lost
   */
  private static String words(Command.Remove.Reason reason, boolean lost) {
    return switch (reason) {
      case AWAY_TOO_LONG -> "did not answer for too long";
      case JOB_ENDED ->
          lost
              ? "its job ended; if it was parked, the recovery has lost that: run it again"
              : "its job ended";
      case UNSEEN_TOO_LONG -> "its job could not be seen for longer than the longest hold";
    };
  }

  // ---- maintainers

  private static Step pause(QueueDocument d, Command.PauseQueue c, Instant now) {
    if (d.paused().filter(p -> !givesWay(p, c)).isPresent()) {
      return unchanged(d, new Reply.Done());
    }
    Draft draft = new Draft(d, now);
    draft.paused = Optional.of(new Pause(c.who(), c.why(), now));
    draft.record(Event.PAUSED, 0, 0, "", c.who(), c.why());
    return done(draft);
  }

  private static boolean givesWay(Pause present, Command.PauseQueue c) {
    return present.isForOutsider()
        && !(c.who().equals(Pause.OUTSIDE) && c.why().equals(present.reason()));
  }

  private static Step resume(QueueDocument d, Command.Resume c, Instant now) {
    if (d.paused().isEmpty()) {
      return unchanged(d, new Reply.Done());
    }
    Draft draft = new Draft(d, now);
    draft.paused = Optional.empty();
    draft.record(Event.RESUMED, 0, 0, "", c.who(), "");
    return done(draft);
  }

  private static Step moveBefore(QueueDocument d, Command.MoveBefore c, Instant now) {
    if (c.tickets().size() > MOST_AT_ONCE) {
      return tooMany(d, c.tickets());
    }
    Map<Long, Ticket> line = new LinkedHashMap<>();
    d.line().forEach(t -> line.put(t.number(), t));
    Optional<Long> missing =
        Stream.concat(c.tickets().stream(), Stream.of(c.before()))
            .filter(ticket -> !line.containsKey(ticket))
            .findFirst();
    if (missing.isPresent()) {
      return notInLine(d, missing.get());
    }
    Ticket other = line.get(c.before());
    List<Ticket> moved = c.tickets().stream().map(line::get).toList();
    int end = d.position(c.before()) - 1;
    boolean isThere =
        end >= moved.size()
            && d.line().subList(end - moved.size(), end).equals(moved)
            && moved.stream().allMatch(t -> t.priority() == other.priority());
    if (isThere) {
      return unchanged(d, new Reply.Done());
    }
    Draft draft = new Draft(d, now);
    for (Ticket t : moved) {
      draft.tickets.remove(t);
      draft.tickets.add(draft.tickets.indexOf(other), t.withPriority(other.priority()));
      draft.record(Event.MOVED, t, c.who(), "before ticket " + c.before());
    }
    return done(draft);
  }

  private static Step setPriority(QueueDocument d, Command.SetPriority c, Instant now) {
    Optional<Ticket> found = d.line().stream().filter(t -> t.number() == c.ticket()).findFirst();
    if (found.isEmpty()) {
      return notInLine(d, c.ticket());
    }
    if (found.get().priority() == c.priority()) {
      return unchanged(d, new Reply.Done());
    }
    Draft draft = new Draft(d, now);
    draft.replace(found.get().withPriority(c.priority()));
    draft.record(
        Event.PRIORITY,
        found.get(),
        c.who(),
        "from " + found.get().priority() + " to " + c.priority());
    return done(draft);
  }

  private static Step tooMany(QueueDocument d, List<Long> tickets) {
    return refused(
        d,
        Refusal.INVALID,
        tickets.size()
            + " tickets are too many for one change: the history has room for "
            + MOST_AT_ONCE,
        "Change up to " + MOST_AT_ONCE + " at a time.");
  }

  private static Step drop(QueueDocument d, Command.Drop c, Instant now) {
    if (c.tickets().size() > MOST_AT_ONCE) {
      return tooMany(d, c.tickets());
    }
    List<Ticket> there = new ArrayList<>();
    for (long ticket : c.tickets()) {
      Optional<Ticket> found = d.ticket(ticket);
      found.ifPresent(there::add);
      if (found.isEmpty()
          && d.outcome(ticket).filter(o -> o.end() == Outcome.End.DROPPED).isEmpty()) {
        return refused(d, Refusal.NO_SUCH_TICKET, Turns.notInLine(d, ticket));
      }
      if (found.filter(t -> t.state() == TicketState.BUILDING).isPresent()) {
        return refused(
            d,
            Refusal.BUILDS,
            "ticket " + ticket + " has the build lock",
            "Unlock it by force instead.");
      }
    }
    if (there.isEmpty()) {
      return unchanged(d, new Reply.Done());
    }
    Draft draft = new Draft(d, now);
    for (Ticket t : there) {
      draft.end(t, Outcome.End.DROPPED);
      draft.record(Event.DROPPED, t, c.who(), c.why());
    }
    return done(draft);
  }

  private static Step forceUnlock(QueueDocument d, Command.ForceUnlock c, Instant now) {
    Optional<Slot> slot = turn(d, c.ticket(), c.token());
    if (slot.isEmpty()) {
      return wasUnlocked(d, c)
          ? unchanged(d, new Reply.Done())
          : refused(d, Refusal.NOT_HOLDER, Turns.notHolding(d, c.ticket(), c.token()));
    }
    Ticket t = d.ticket(c.ticket()).orElseThrow();
    boolean builds = slot.get().state() != Slot.State.OFFERED;
    if (builds && t.liveness() == Liveness.RUN && !c.now()) {
      return refused(
          d,
          Refusal.BUILDS,
          "ticket "
              + c.ticket()
              + " is a workflow job that may still build: it has no lease to wait for");
    }
    Draft draft = new Draft(d, now);
    if (builds && !c.now()) {
      if (slot.get().state() == Slot.State.REVOKED) {
        return unchanged(d, new Reply.Done());
      }
      draft.setSlot(t, Slot.State.REVOKED);
      draft.record(Event.REVOKED, t, c.who(), c.why());
    } else {
      draft.end(t, Outcome.End.UNLOCKED);
      draft.record(builds ? Event.UNLOCKED_NOW : Event.REVOKED, t, c.who(), c.why());
    }
    return done(draft);
  }

  /**
   * The turn was unlocked, perhaps by this very command with its answer lost. A holder that was
   * told to stop may have given the lock back by itself since.
   */
  private static boolean wasUnlocked(QueueDocument d, Command.ForceUnlock c) {
    boolean unlocked =
        d.outcome(c.ticket())
            .filter(o -> o.token() == c.token() && o.end() == Outcome.End.UNLOCKED)
            .isPresent();
    return unlocked
        || d.history().stream()
            .filter(h -> h.event() == Event.REVOKED || h.event() == Event.UNLOCKED_NOW)
            .filter(h -> h.ticket() == c.ticket() && h.token() == c.token())
            .anyMatch(h -> h.who().equals(c.who()) && h.note().equals(c.why()));
  }

  private static Step changeRules(QueueDocument d, Command.ChangeRules c, Instant now) {
    Rules next;
    try {
      next = c.change().appliedTo(d.rules());
    } catch (IllegalArgumentException e) {
      return refused(d, Refusal.INVALID, e.getMessage());
    }
    if (!d.rules().lease().equals(next.lease())
        && (d.quarantine() > 0 || !d.slots().stream().allMatch(Slot::isFree))) {
      // Holders count with the lease that they were granted under.
      return outdated(d, "the lease can only be changed while nobody has the build lock");
    }
    return withRules(d, next, c.who(), c.highestToken(), now);
  }

  private static Step raiseMaxHold(QueueDocument d, Command.RaiseMaxHold c, Instant now) {
    if (d.rules().maxHold().compareTo(c.atLeast()) >= 0) {
      return unchanged(d, new Reply.Done());
    }
    try {
      return withRules(d, d.rules().withMaxHold(c.atLeast()), c.who(), 0, now);
    } catch (IllegalArgumentException e) {
      return refused(d, Refusal.INVALID, e.getMessage());
    }
  }

  private static Step withRules(
      QueueDocument d, Rules next, String who, long highestToken, Instant now) {
    if (d.rules().equals(next)) {
      return unchanged(d, new Reply.Done());
    }
    Draft draft = new Draft(d, now);
    draft.rules = next;
    draft.skipTokensUpTo(highestToken);
    draft.record(Event.RULES, 0, 0, "", who, note(d.rules().changesTo(next)));
    return done(draft);
  }

  /** All rules at once, each with an odd value, are more than a note has room for. */
  private static String note(String text) {
    return text.length() <= HistoryEntry.MAX_NOTE
        ? text
        : text.substring(0, HistoryEntry.MAX_NOTE - 1) + "…";
  }

  private static Step setBoard(QueueDocument d, Command.SetBoard c, Instant now) {
    if (d.board() == c.number()) {
      return unchanged(d, new Reply.Done());
    }
    if (d.board() != c.was()) {
      return outdated(d, "the queue is shown in issue " + d.board() + " by now");
    }
    Draft draft = new Draft(d, now);
    draft.board = c.number();
    return done(draft);
  }

  // ---- the issue lock

  private static Step takeIssueLock(QueueDocument d, Command.TakeIssueLock c, Instant now) {
    if (d.issueLock().isPresent()) {
      return d.issueLock().get().nonce().equals(c.nonce())
          ? unchanged(d, new Reply.Done())
          : issueLocked(d);
    }
    Draft draft = new Draft(d, now);
    draft.issueLock = Optional.of(new IssueLock(c.by(), c.nonce(), 0, now));
    return done(draft);
  }

  private static Step renewIssueLock(QueueDocument d, Command.RenewIssueLock c, Instant now) {
    Optional<IssueLock> lock = d.issueLock().filter(l -> l.nonce().equals(c.nonce()));
    if (lock.isEmpty()) {
      return refused(d, Refusal.NOT_HOLDER, "the issue lock is not held any more");
    }
    Draft draft = new Draft(d, now);
    IssueLock l = lock.get();
    draft.issueLock = Optional.of(new IssueLock(l.by(), l.nonce(), l.renewal() + 1, l.since()));
    return done(draft);
  }

  private static Step releaseIssueLock(QueueDocument d, Command.ReleaseIssueLock c, Instant now) {
    if (d.issueLock().filter(l -> l.nonce().equals(c.nonce())).isEmpty()) {
      return unchanged(d, new Reply.Done());
    }
    Draft draft = new Draft(d, now);
    draft.issueLock = Optional.empty();
    return done(draft);
  }

  private static Step breakIssueLock(QueueDocument d, Command.BreakIssueLock c, Instant now) {
    if (d.issueLock().isEmpty()) {
      return unchanged(d, new Reply.Done());
    }
    if (d.issueLock()
        .filter(l -> l.nonce().equals(c.nonce()) && l.renewal() == c.renewal())
        .isEmpty()) {
      return outdated(d, "the issue lock has moved on");
    }
    Draft draft = new Draft(d, now);
    draft.issueLock = Optional.empty();
    return done(draft);
  }

  private static Step endQuarantine(QueueDocument d, Command.EndQuarantine c, Instant now) {
    if (d.quarantine() == 0) {
      return unchanged(d, new Reply.Done());
    }
    if (d.quarantine() != c.quarantine()) {
      return outdated(d, "the queue is not in quarantine " + c.quarantine());
    }
    Optional<Ticket> unseen = d.tickets().stream().filter(t -> d.mayBuildUnseen(t)).findFirst();
    if (unseen.isPresent()) {
      return outdated(
          d,
          "ticket "
              + unseen.get().number()
              + " may have been building when the document was lost: wait until its job ends");
    }
    if (!d.slots().stream().allMatch(Slot::isFree)) {
      // It may have passed on in the lost version: its end must not hand the slot over unwatched.
      return outdated(d, "a turn from before the recovery has not ended yet");
    }
    Draft draft = new Draft(d, now);
    draft.quarantine = 0;
    draft.record(Event.REOPENED, 0, 0, "", "", "a whole lease was watched after the recovery");
    return done(draft);
  }

  private static Step goOnAbove(QueueDocument d, Command.GoOnAbove c, Instant now) {
    if (c.highest() < d.nextToken()) {
      return unchanged(d, new Reply.Done());
    }
    if (c.beating() >= d.nextToken()) {
      // Somebody may build of whom this document does not know.
      QueueDocument next =
          Recovery.recover(Optional.of(d), c.highest(), 0, c.slots(), now, d.mode(), d.rules());
      return new Step(next, true, new Reply.Done());
    }
    Draft draft = new Draft(d, now);
    draft.skipTokensUpTo(c.highest());
    draft.record(Event.RECOVERED, 0, 0, "", "", "tokens go on above those that a heartbeat knows");
    return done(draft);
  }

  // ---- helpers

  private static boolean hasEnded(QueueDocument d, long ticket, long token) {
    return d.outcome(ticket).filter(o -> o.token() == token).isPresent();
  }

  /** The command was applied before, or something else has ended the ticket. */
  private static Step ended(QueueDocument d, long ticket, Outcome.End... wanted) {
    return d.outcome(ticket).filter(o -> List.of(wanted).contains(o.end())).isPresent()
        ? unchanged(d, new Reply.Done())
        : gone(d, ticket);
  }

  private static Optional<Slot> turn(QueueDocument d, long ticket, long token) {
    return d.slots().stream().filter(s -> s.belongsTo(ticket, token)).findFirst();
  }

  private static boolean holds(QueueDocument d, long ticket, long token) {
    return turn(d, ticket, token).filter(s -> s.state() == Slot.State.BUILDING).isPresent();
  }

  /** What the owner of a ticket that is there needs to know. */
  private static Reply replyFor(QueueDocument d, Ticket t) {
    if (t.isParked()) {
      return new Reply.Parked(t.number(), d.position(t.number()));
    }
    return switch (t.state()) {
      case WAITING -> new Reply.InLine(t.number(), d.position(t.number()), false);
      case AWAY -> new Reply.InLine(t.number(), d.position(t.number()), true);
      case OFFERED -> new Reply.Offered(t.number(), t.token());
      case BUILDING ->
          holds(d, t.number(), t.token())
              ? building(d, t)
              : new Reply.Gone(t.number(), Optional.of(Outcome.End.UNLOCKED));
    };
  }

  private static Reply building(QueueDocument d, Ticket t) {
    int slot = d.slotIndexOf(t.number());
    return new Reply.Building(t.number(), t.token(), slot, d.slots().get(slot).claim());
  }

  private static Step finishOwn(Draft draft, long ticket) {
    QueueDocument next = draft.finish(ticket);
    return new Step(next, true, replyFor(next, next.ticket(ticket).orElseThrow()));
  }

  private static Step done(Draft draft) {
    return new Step(draft.finish(0), true, new Reply.Done());
  }

  private static Step unchanged(QueueDocument d, Reply reply) {
    return new Step(d, false, reply);
  }

  private static Step gone(QueueDocument d, long ticket) {
    return unchanged(d, new Reply.Gone(ticket, d.outcome(ticket).map(Outcome::end)));
  }

  private static Step refused(QueueDocument d, Refusal reason, String what) {
    return refused(d, reason, what, "");
  }

  private static Step refused(QueueDocument d, Refusal reason, String what, String next) {
    return unchanged(d, new Reply.Refused(reason, new Problem(Kind.REFUSED, what, next)));
  }

  private static Step outdated(QueueDocument d, String what) {
    return refused(d, Refusal.OUTDATED, what);
  }

  private static Step notInLine(QueueDocument d, long ticket) {
    return refused(d, Refusal.NO_SUCH_TICKET, "there is no ticket " + ticket + " in line");
  }

  private static Step issueLocked(QueueDocument d) {
    return refused(
        d,
        Refusal.ISSUE_LOCKED,
        "the issue lock is held by " + d.issueLock().map(IssueLock::by).orElse("somebody"));
  }
}
