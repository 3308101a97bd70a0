package dev.baton.cli.queue;

import dev.baton.cli.terminal.Words;
import dev.baton.client.queue.OpenQueue;
import dev.baton.queue.Pause;
import dev.baton.queue.QueueException;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Nobody gets the lock until it is resumed. */
@Command(
    name = "pause",
    description = "Give out no lock until `baton resume`; builds that run go on.",
    footer = {"  baton pause", "  baton pause --reason \"deploying until noon\""})
public final class PauseCommand extends QueueCommand {

  @Option(names = "--reason", paramLabel = "TEXT", description = "for all in line")
  String reason;

  @Override
  public void check() {
    Words.reasonOrNone(reason);
  }

  @Override
  public int on(OpenQueue open) throws QueueException, InterruptedException {
    Optional<Pause> before = open.quick().status().paused().filter(p -> !p.isForOutsider());
    if (before.isPresent()) {
      baton.say("It has been paused by " + before.get().by() + " already; nothing is changed.");
    }
    return baton.answered(
        open.quick().pause(baton.who().person(), Words.reasonOrNone(reason)),
        "The queue is paused. Go on with " + baton.command("resume") + ".");
  }
}
