package dev.baton.action;

import dev.baton.client.doctor.Diagnosis;
import dev.baton.client.doctor.Doctor;
import dev.baton.client.identity.Who;
import dev.baton.client.problem.Advice;
import dev.baton.client.report.TextStyle;
import dev.baton.client.steering.Steered;
import dev.baton.client.steering.Steering;
import dev.baton.client.steering.SteeringCommand;
import dev.baton.queue.QueueException;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
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
  private final Steering steering;

  MaintainerSteps(Runner runner, Inputs inputs, StepQueue stepQueue) {
    this.runner = Objects.requireNonNull(runner, "runner");
    this.inputs = Objects.requireNonNull(inputs, "inputs");
    this.words = MaintainerInputs.read(runner);
    this.console = runner.console();
    this.stepQueue = Objects.requireNonNull(stepQueue, "stepQueue");
    this.steering =
        new Steering(
            stepQueue.open(), stepQueue.queue(), new Who(runner.host()).person(), runner.world());
  }

  int run() throws IOException, InterruptedException {
    try {
      return switch (inputs.command()) {
        case UNLOCK -> unlock();
        case BUMP -> bump();
        case DROP -> drop();
        case PAUSE -> carryOut(new SteeringCommand.Pause(words.reason()));
        case RESUME -> carryOut(new SteeringCommand.Resume());
        case CLEAN -> clean();
        case WAKE -> wake();
        case DOCTOR -> doctor();
        default -> throw new IllegalStateException("not for maintainers: " + inputs.command());
      };
    } finally {
      stepQueue.close();
    }
  }

  private int bump() throws QueueException, InterruptedException {
    requireTickets();
    if (words.before().filter(words.tickets()::contains).isPresent()) {
      throw new IllegalArgumentException("before must be a ticket that is not among tickets");
    }
    return carryOut(new SteeringCommand.Bump(words.tickets(), words.before()));
  }

  private int drop() throws QueueException, InterruptedException {
    requireTickets();
    return carryOut(new SteeringCommand.Drop(words.tickets(), words.reason()));
  }

  private void requireTickets() {
    if (words.tickets().isEmpty()) {
      throw new IllegalArgumentException(
          "tickets must have the numbers of the tickets, such as 14 or 14 16");
    }
  }

  private int unlock() throws QueueException, InterruptedException {
    if (inputs.turn().isEmpty() || words.reason().isEmpty()) {
      return refused(
          "unlock needs ticket, fencing-token and reason." + proposal(steering.holders()));
    }
    Inputs.Turn turn = inputs.turn().get();
    return carryOut(
        new SteeringCommand.Unlock(turn.ticket(), turn.token(), words.reason().get(), words.now()));
  }

  private int carryOut(SteeringCommand command) throws QueueException, InterruptedException {
    Steered steered = steering.carryOut(command);
    if (steered instanceof Steered.HeldByOthers others) {
      return refused(others.text() + proposal(others.holders()));
    } else if (steered instanceof Steered.Beside) {
      return refused(steered.text() + ", or set `now: true` to let them run side by side");
    }
    return steered.isRefused() ? refused(steered.text()) : done(steered.text());
  }

  private static String proposal(List<Slot> holders) {
    return holders.isEmpty()
        ? " The lock is free."
        : " To take the lock from its holder, give `command: unlock` "
            + holders.stream()
                .map(s -> "`ticket: " + s.ticket() + "`, `fencing-token: " + s.token() + "`")
                .collect(Collectors.joining(", or "));
  }

  private int clean() throws QueueException, InterruptedException {
    List<Ticket> gone = stepQueue.queue().clean();
    return done(
        gone.isEmpty()
            ? "Nothing to clean: no job in the queue is known to have ended."
            : "Removed "
                + gone.stream()
                    .map(t -> "ticket " + t.number() + " (" + t.title() + ", " + t.owner() + ")")
                    .collect(Collectors.joining(", "))
                + ".");
  }

  /** Without the permission it fails also where nobody is parked: that shows before it matters. */
  private int wake() throws QueueException, InterruptedException {
    String text = steering.carryOut(new SteeringCommand.Wake()).text();
    Optional<String> lacks =
        inputs.wakeToken().isPresent()
            ? Optional.empty()
            : stepQueue.waker().whyNotToWake(runner.workflow().wholeRun());
    return lacks
        .map(why -> refused("no job can be run again: " + why + ". " + text))
        .orElseGet(() -> done(text));
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

  private int done(String text) {
    console.notice("Baton queue " + inputs.store(), text);
    return DONE;
  }

  private int refused(String text) {
    console.error("Not done", text);
    return FAILED;
  }
}
