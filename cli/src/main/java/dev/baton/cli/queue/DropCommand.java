package dev.baton.cli.queue;

import dev.baton.cli.terminal.Words;
import dev.baton.client.queue.LinePlan;
import dev.baton.client.queue.OpenQueue;
import dev.baton.queue.QueueException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Removes somebody from the line. */
@Command(
    name = "drop",
    description = "Remove tickets from the line: all that are given, or none.",
    footer = {
      "  baton drop 12",
      "  baton drop 12 13 15 --reason \"superseded by 16\"",
    })
public final class DropCommand extends QueueCommand {

  @Parameters(arity = "1..*", paramLabel = "TICKET", description = "their numbers")
  List<Long> tickets;

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "for the history, and for those who wait with these tickets")
  String reason;

  @Override
  public void check() {
    tickets.forEach(Words::ticket);
    Words.reasonOrNone(reason);
  }

  @Override
  public int on(OpenQueue open) throws QueueException, InterruptedException {
    return baton.answered(
        open.quick().drop(tickets, baton.who().person(), Words.reasonOrNone(reason)),
        LinePlan.named(tickets) + (tickets.size() == 1 ? " is" : " are") + " out of the line.");
  }
}
