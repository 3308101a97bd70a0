package dev.baton.client.steering;

import dev.baton.client.queue.LinePlan;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.queue.UnlockPlan;
import dev.baton.client.report.QueueStatus;
import dev.baton.client.report.TextStyle;
import dev.baton.core.World;
import dev.baton.queue.Answer;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.parking.Parking;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** Carries out what maintainers ask of a queue. To be used by one thread. */
public final class Steering {

  private static final String NO_REASON = "no reason given";

  private final OpenQueue open;
  private final BuildQueue queue;
  private final String who;
  private final World world;

  /**
   * Speaks for somebody.
   *
   * @param queue over the same place
   * @param who in whose name things are done, for the history
   * @param world what time it is
   */
  public Steering(OpenQueue open, BuildQueue queue, String who, World world) {
    this.open = Objects.requireNonNull(open, "open");
    this.queue = Objects.requireNonNull(queue, "queue");
    this.who = Objects.requireNonNull(who, "who");
    this.world = Objects.requireNonNull(world, "world");
  }

  /** Does what is asked, or says why not. */
  public Steered carryOut(SteeringCommand command) throws QueueException, InterruptedException {
    if (command instanceof SteeringCommand.Bump bump) {
      return bump(bump);
    } else if (command instanceof SteeringCommand.Drop drop) {
      return drop(drop);
    } else if (command instanceof SteeringCommand.Unlock unlock) {
      return unlock(unlock);
    } else if (command instanceof SteeringCommand.Pause pause) {
      return answered(
          queue.pause(who, pause.reason().orElse(NO_REASON)),
          "No build gets the lock until the queue is resumed; those that run go on.");
    } else if (command instanceof SteeringCommand.Resume) {
      return answered(queue.resume(who), "The lock is given out again.");
    } else if (command instanceof SteeringCommand.Status) {
      return status();
    } else if (command instanceof SteeringCommand.Wake) {
      return wake();
    }
    return new Steered.Told("What there is to write:", CommentText.HELP);
  }

  private Steered status() throws QueueException, InterruptedException {
    QueueStatus now = QueueStatus.of(open.place(), queue.status(), Map.of(), world.now());
    return new Steered.Told("The queue as it is now:", now.text(TextStyle.PLAIN));
  }

  private Steered wake() throws QueueException, InterruptedException {
    List<Ticket> called = queue.wake();
    if (!called.isEmpty()) {
      return new Steered.Told(
          called.stream().map(Steering::woken).collect(Collectors.joining(" ")), "");
    }
    long parked = queue.status().tickets().stream().filter(Ticket::isParked).count();
    return new Steered.Told(
        parked == 0
            ? "There is nothing to wake: no job of this queue is parked."
            : "There is nothing to wake: "
                + (parked == 1 ? "one job is" : parked + " jobs are")
                + " parked, and the turn of none has come.",
        "");
  }

  private static String woken(Ticket ticket) {
    Parking parking = ticket.parked().orElseThrow();
    return "It is the turn of parked ticket "
        + ticket.number()
        + ": "
        + (!parking.problem().isEmpty()
            ? "its job cannot be run again ("
                + parking.problem()
                + "). Re-run it by hand before the turn passes on."
            : parking.tries() > 0
                ? "GitHub was asked to run its job again."
                : "GitHub was not asked to run its job again, as its run still goes on or the"
                    + " token may not (`actions: write`).");
  }

  private Steered bump(SteeringCommand.Bump bump) throws QueueException, InterruptedException {
    LinePlan plan = LinePlan.of(queue.status(), bump.tickets(), bump.before());
    if (plan instanceof LinePlan.Move move) {
      return answered(queue.moveBefore(move.tickets(), move.before(), who), move.done());
    }
    return plan instanceof LinePlan.NotInLine
        ? new Steered.Refused(plan.done())
        : new Steered.Done(plan.done());
  }

  private Steered drop(SteeringCommand.Drop drop) throws QueueException, InterruptedException {
    QueueDocument d = queue.status();
    if (drop.tickets().stream()
        .flatMap(t -> d.ticket(t).stream())
        .anyMatch(t -> t.state() == TicketState.BUILDING)) {
      return new Steered.HeldByOthers(
          "nothing was changed: a ticket that has the lock is not dropped but unlocked.",
          holders(d));
    }
    return answered(
        queue.drop(drop.tickets(), who, drop.reason().orElse(NO_REASON)),
        LinePlan.named(drop.tickets())
            + (drop.tickets().size() == 1 ? " is" : " are")
            + " out of the line.");
  }

  private Steered unlock(SteeringCommand.Unlock unlock)
      throws QueueException, InterruptedException {
    QueueDocument d = queue.status();
    UnlockPlan plan =
        UnlockPlan.of(d, open.runStatus(), unlock.ticket(), unlock.token(), unlock.now());
    if (plan instanceof UnlockPlan.NotHolder no) {
      return new Steered.HeldByOthers(no.what() + ". Nothing was changed.", holders(d));
    } else if (plan instanceof UnlockPlan.Unlocked before) {
      return new Steered.Done("Nothing was changed: " + before.what() + ".");
    } else if (plan instanceof UnlockPlan.Beside beside && !unlock.now()) {
      return new Steered.Beside(
          "nothing was changed: " + beside.what() + ". To do: " + beside.remedy());
    }
    Answer answer =
        queue.forceUnlock(unlock.ticket(), unlock.token(), who, unlock.reason(), unlock.now());
    return answered(answer, () -> plan.taken(queue::status));
  }

  /** Who has the lock, or its offer. */
  public List<Slot> holders() throws QueueException, InterruptedException {
    return holders(queue.status());
  }

  private static List<Slot> holders(QueueDocument d) {
    return d.slots().stream().filter(s -> !s.isFree()).toList();
  }

  private static Steered answered(Answer answer, String done) {
    return answer instanceof Answer.Refused refused
        ? new Steered.Refused(refused.message())
        : new Steered.Done(done);
  }

  /** What is said of something that is done. */
  private interface Words {
    String get() throws InterruptedException;
  }

  private static Steered answered(Answer answer, Words done) throws InterruptedException {
    return answer instanceof Answer.Refused refused
        ? new Steered.Refused(refused.message())
        : new Steered.Done(done.get());
  }
}
