package dev.baton.action;

import dev.baton.client.doctor.Diagnosis;
import dev.baton.client.doctor.Doctor;
import dev.baton.client.identity.Who;
import dev.baton.client.problem.Advice;
import dev.baton.client.queue.LinePlan;
import dev.baton.client.queue.UnlockPlan;
import dev.baton.client.report.TextStyle;
import dev.baton.queue.Answer;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * What maintainers do with a queue, from a workflow that they start by hand: on the web page, or on
 * a phone. Done in the name of the one who has started it.
 */
final class MaintainerSteps {

  private static final int DONE = 0;
  private static final int FAILED = 1;

  private final Runner runner;
  private final Inputs inputs;
  private final MaintainerInputs words;
  private final Console console;
  private final StepQueue stepQueue;
  private final String who;

  MaintainerSteps(Runner runner, Inputs inputs, StepQueue stepQueue) {
    this.runner = Objects.requireNonNull(runner, "runner");
    this.inputs = Objects.requireNonNull(inputs, "inputs");
    this.words = MaintainerInputs.read(runner);
    this.console = runner.console();
    this.stepQueue = Objects.requireNonNull(stepQueue, "stepQueue");
    this.who = new Who(runner.host()).person();
  }

  int run() throws IOException, InterruptedException {
    try {
      return switch (inputs.command()) {
        case UNLOCK -> unlock();
        case BUMP -> bump();
        case DROP -> drop();
        case PAUSE ->
            answered(
                queue().pause(who, words.reasonOrNone()),
                "No build gets the lock until `command: resume`; those that run go on.");
        case RESUME -> answered(queue().resume(who), "The lock is given out again.");
        case CLEAN -> clean();
        case DOCTOR -> doctor();
        default -> throw new IllegalStateException("not for maintainers: " + inputs.command());
      };
    } finally {
      stepQueue.close();
    }
  }

  private BuildQueue queue() {
    return stepQueue.queue();
  }

  // ---- the line

  private int bump() throws QueueException, InterruptedException {
    requireTickets();
    if (words.before().filter(words.tickets()::contains).isPresent()) {
      throw new IllegalArgumentException("before must be a ticket that is not among tickets");
    }
    LinePlan plan = LinePlan.of(queue().status(), words.tickets(), words.before());
    if (plan instanceof LinePlan.Move move) {
      return answered(queue().moveBefore(move.tickets(), move.before(), who), move.done());
    }
    return plan instanceof LinePlan.NotInLine ? refused(plan.done()) : done(plan.done());
  }

  private int drop() throws QueueException, InterruptedException {
    requireTickets();
    QueueDocument d = queue().status();
    if (words.tickets().stream()
        .flatMap(t -> d.ticket(t).stream())
        .anyMatch(t -> t.state() == TicketState.BUILDING)) {
      return refused(
          "nothing was changed: a ticket that has the lock is not dropped but unlocked."
              + proposal("Give `command: unlock` ", d));
    }
    return answered(
        queue().drop(words.tickets(), who, words.reasonOrNone()),
        LinePlan.named(words.tickets())
            + (words.tickets().size() == 1 ? " is" : " are")
            + " out of the line.");
  }

  private void requireTickets() {
    if (words.tickets().isEmpty()) {
      throw new IllegalArgumentException(
          "tickets must have the numbers of the tickets, such as 14 or 14 16");
    }
  }

  private int clean() throws QueueException, InterruptedException {
    List<Ticket> gone = queue().clean();
    return done(
        gone.isEmpty()
            ? "Nothing to clean: no job in the queue is known to have ended."
            : "Removed "
                + gone.stream()
                    .map(t -> "ticket " + t.number() + " (" + t.title() + ", " + t.owner() + ")")
                    .collect(Collectors.joining(", "))
                + ".");
  }

  // ---- the lock

  private int unlock() throws QueueException, InterruptedException {
    QueueDocument d = queue().status();
    if (inputs.turn().isEmpty() || words.reason().isEmpty()) {
      return refused(
          "unlock needs ticket, fencing-token and reason."
              + proposal("For the current holder: ", d));
    }
    Inputs.Turn turn = inputs.turn().get();
    UnlockPlan plan =
        UnlockPlan.of(d, stepQueue.open().runStatus(), turn.ticket(), turn.token(), words.now());
    if (plan instanceof UnlockPlan.NotHolder no) {
      return refused(no.what() + ". Nothing was changed." + proposal("Holds it now: ", d));
    } else if (plan instanceof UnlockPlan.Unlocked before) {
      return done("Nothing was changed: " + before.what() + ".");
    } else if (plan instanceof UnlockPlan.Beside beside && !words.now()) {
      return refused(
          "nothing was changed: "
              + beside.what()
              + ". To do: "
              + beside.remedy()
              + ", or set `now: true` to let them run side by side");
    }
    Answer answer =
        queue().forceUnlock(turn.ticket(), turn.token(), who, words.reason().get(), words.now());
    return answer instanceof Answer.Refused refused
        ? refused(refused.message())
        : done(plan.taken(queue()::status));
  }

  private static String proposal(String start, QueueDocument d) {
    String holders =
        d.slots().stream()
            .filter(s -> !s.isFree())
            .map(s -> "`ticket: " + s.ticket() + "`, `fencing-token: " + s.token() + "`")
            .collect(Collectors.joining(", or "));
    return holders.isEmpty() ? " The lock is free." : " " + start + holders;
  }

  // ---- what is wrong

  private int doctor() throws IOException, InterruptedException {
    Doctor doctor =
        new Doctor(
            stepQueue.open(),
            runner.world().now(),
            failure -> Advice.on(failure, Action.words(inputs)));
    Diagnosis diagnosis = words.repair() ? doctor.repair() : doctor.examine();
    diagnosis.text(TextStyle.PLAIN).lines().forEach(console::say);
    if (diagnosis.isHealthy()) {
      return DONE;
    }
    console.error("The queue has a problem", "the log of this step says which, and what to do");
    return FAILED;
  }

  // ---- what came of it

  private int answered(Answer answer, String done) {
    return answer instanceof Answer.Refused refused ? refused(refused.message()) : done(done);
  }

  private int done(String text) {
    console.notice("Baton queue " + inputs.store(), text);
    return DONE;
  }

  private int refused(String text) {
    console.error("Not done", text);
    return FAILED;
  }
}
