package dev.baton.cli.queue;

import dev.baton.client.queue.OpenQueue;
import dev.baton.queue.QueueException;
import picocli.CommandLine.Command;

/** Goes on after a pause. */
@Command(
    name = "resume",
    description = "Give out the lock again after a pause.",
    footer = {"  baton resume"})
public final class ResumeCommand extends QueueCommand {

  @Override
  public int on(OpenQueue open) throws QueueException, InterruptedException {
    return baton.answered(open.quick().resume(baton.who().person()), "The queue goes on.");
  }
}
