package dev.baton.action;

import dev.baton.client.queue.LossInquiry;
import dev.baton.queue.Answer;
import dev.baton.queue.BuildResult;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Outcome;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.text.Turns;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/** The end of the job: gives back what the step has got, whatever became of the job. */
final class PostPhase {

  /** A job's end is not kept waiting for long: the end of the job frees the lock too. */
  private static final EngineSettings PATIENCE =
      new EngineSettings(Duration.ofSeconds(3), 20, Duration.ofMinutes(2), Duration.ofMinutes(1));

  private final Runner runner;
  private final Inputs inputs;
  private final Console console;
  private final State state;
  private final StepQueue stepQueue;

  PostPhase(Runner runner, Inputs inputs) {
    this.runner = runner;
    this.inputs = Objects.requireNonNull(inputs, "inputs");
    this.console = runner.console();
    this.state = new State(runner);
    this.stepQueue = new StepQueue(runner, inputs, PATIENCE);
  }

  void run() throws IOException, InterruptedException {
    if (state.nonce().isEmpty()) {
      console.debug("this step has taken nothing that would have to be given back");
      return;
    }
    if (Surroundings.timesTakenOver(runner, state.nonce().get()) > state.takenOver()) {
      console.say("A later step has gone on with the ticket; its own end gives back what it has.");
      return;
    }
    if (state.isToStayInLine()) {
      console.say("The ticket stays in line of " + inputs.store() + ".");
      return;
    }
    Optional<Inputs.Turn> turn = state.turn();
    if (turn.isPresent() && inputs.hold() == Inputs.Hold.RUN) {
      console.say(
          "Ticket "
              + turn.get().ticket()
              + " keeps the lock of "
              + inputs.store()
              + " until `command: release`, or until the run ends.");
      return;
    }
    QueueDocument now = stepQueue.statusSince(state.version());
    if (turn.isPresent()) {
      release(turn.get(), now);
    } else if (isParked(now)) {
      console.say("The ticket stays in line of " + inputs.store() + ": it is parked.");
    } else {
      leave(state.nonce().get(), now);
    }
    stepQueue.close();
    if (turn.isPresent()) {
      // Other actions have their own last phase, which is not under the lock.
      runner.variables().putAll(Surroundings.locks(runner).without(inputs.place()).environment());
    }
  }

  /** The main phase was ended between parking and saying so; who cancels the job wants no place. */
  private boolean isParked(QueueDocument now) {
    return inputs.jobStatus() != BuildResult.CANCELLED
        && now.ticketByNonce(state.nonce().orElseThrow()).filter(Ticket::isParked).isPresent();
  }

  private void release(Inputs.Turn turn, QueueDocument now)
      throws QueueException, InterruptedException {
    Optional<Outcome> before = now.outcome(turn.ticket());
    Answer answer = stepQueue.release(turn, inputs.jobStatus());
    if (before.filter(o -> o.end() == Outcome.End.RELEASED).isPresent()) {
      console.say("Ticket " + turn.ticket() + " had given back its lock already.");
    } else if (before.isPresent() || answer instanceof Answer.Refused) {
      console.warning(
          "The build lock was lost before the job ended",
          "ticket "
              + turn.ticket()
              + " lost the lock of "
              + inputs.store()
              + ": "
              + LossInquiry.answer(stepQueue.open(), turn.ticket(), turn.token())
                  .map(Turns::howLost)
                  .orElse("the queue's history does not say how")
              + ". Another build may have run beside this one");
    } else {
      console.say(
          "Ticket " + turn.ticket() + " has given back the lock of " + inputs.store() + ".");
    }
  }

  /** The main phase was ended before it could tell what it got. */
  private void leave(String nonce, QueueDocument now) throws QueueException, InterruptedException {
    Optional<Ticket> mine = now.ticketByNonce(nonce);
    Answer answer =
        mine.filter(t -> t.state() == TicketState.BUILDING).isPresent()
            ? stepQueue.release(
                new Inputs.Turn(mine.get().number(), mine.get().token()), inputs.jobStatus())
            : stepQueue.queue().leave(nonce);
    if (answer instanceof Answer.Refused) {
      // Its turn has come in this very moment.
      Ticket turned =
          stepQueue
              .queue()
              .statusOrRepair()
              .ticketByNonce(nonce)
              .orElseThrow(() -> new IllegalStateException("the ticket is gone and stays"));
      answer =
          stepQueue.release(new Inputs.Turn(turned.number(), turned.token()), inputs.jobStatus());
    }
    if (answer instanceof Answer.Refused refused) {
      console.warning("Not left", refused.problem().what() + "; the end of the job frees it");
    } else {
      console.say("Nothing of this step is in " + inputs.store() + " any more.");
    }
  }
}
