package dev.baton.cli.queue;

import dev.baton.cli.terminal.Baton;
import dev.baton.cli.terminal.Prompts;
import dev.baton.client.queue.OpenQueue;
import dev.baton.core.Problem.Kind;
import dev.baton.queue.QueueException;
import dev.baton.queue.Rules;

/** What becomes of a command on a queue that is not there. */
final class MissingQueue {

  private final Baton baton;
  private final OpenQueue open;

  MissingQueue(Baton baton, OpenQueue open) {
    this.baton = baton;
    this.open = open;
  }

  /**
   * Looks at the queue. One that is missing is created if there is a person who says so.
   *
   * @throws QueueException when it is missing, and stays so
   */
  void offerToCreate() throws QueueException, InterruptedException {
    try {
      open.glance(baton.host());
    } catch (QueueException e) {
      if (e.problem().kind() != Kind.NOT_INITIALISED || !isWanted()) {
        throw e;
      }
      open.quick().create(Rules.DEFAULT);
      baton.say("The queue " + open.place().shown() + " is created.");
    }
  }

  private boolean isWanted() throws InterruptedException {
    Prompts prompts = new Prompts(baton);
    return prompts.canAsk()
        && prompts
            .line("There is no queue " + open.place().shown() + " yet. Create it? [y/N] ")
            .filter(answer -> answer.matches("(?i)y|yes"))
            .isPresent();
  }
}
