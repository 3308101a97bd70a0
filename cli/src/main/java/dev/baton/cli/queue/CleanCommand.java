package dev.baton.cli.queue;

import dev.baton.cli.terminal.ExitCode;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.text.JsonOutput;
import dev.baton.queue.QueueException;
import dev.baton.queue.Ticket;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

/** Takes out what has ended. */
@Command(
    name = "clean",
    description = "Take out the tickets of workflow jobs that have ended.",
    footer = {"  baton clean --store github:octo/app"})
public final class CleanCommand extends QueueCommand {

  @Override
  public int on(OpenQueue open) throws QueueException, InterruptedException {
    List<Ticket> gone = open.quick().clean();
    baton.result(
        JsonOutput.object("removed", gone.stream().map(Ticket::number).toList()),
        gone.isEmpty()
            ? "Nothing to clean: no job in the queue is known to have ended."
            : gone.stream()
                .map(
                    t -> "Removed ticket " + t.number() + " (" + t.title() + ", " + t.owner() + ")")
                .collect(Collectors.joining("\n")));
    return ExitCode.OK.code;
  }
}
