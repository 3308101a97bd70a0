package dev.baton.cli.queue;

import dev.baton.cli.terminal.Words;
import dev.baton.client.queue.OpenQueue;
import dev.baton.queue.QueueException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Removes somebody from the line. */
@Command(
    name = "drop",
    description = "Remove a ticket from the line.",
    footer = {"  baton drop 12", "  baton drop 12 --reason \"superseded by 14\""})
public final class DropCommand extends QueueCommand {

  @Parameters(paramLabel = "TICKET", description = "its number")
  long ticket;

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "for the history, where its owner finds it")
  String reason;

  @Override
  public void check() {
    Words.ticket(ticket);
    Words.reasonOrNone(reason);
  }

  @Override
  public int on(OpenQueue open) throws QueueException, InterruptedException {
    return baton.answered(
        open.quick().drop(ticket, baton.who().person(), Words.reasonOrNone(reason)),
        "Ticket " + ticket + " is out of the line.");
  }
}
