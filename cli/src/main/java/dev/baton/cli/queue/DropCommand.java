package dev.baton.cli.queue;

import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.Words;
import dev.baton.client.queue.LinePlan;
import dev.baton.client.queue.OpenQueue;
import dev.baton.core.Problem.Kind;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import java.util.List;
import java.util.Optional;
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
    QueueDocument d = open.quick().status();
    Optional<Ticket> holder =
        tickets.stream()
            .flatMap(t -> d.ticket(t).stream())
            .filter(t -> t.state() == TicketState.BUILDING)
            .findFirst();
    if (holder.isPresent()) {
      throw new CliException(
          Kind.REFUSED,
          "nothing was changed: ticket "
              + holder.get().number()
              + " is not in line, it has the lock",
          "To take the lock away: "
              + baton.command(
                  "unlock",
                  "--force --ticket "
                      + holder.get().number()
                      + " --token "
                      + holder.get().token()
                      + " --reason \"…\""));
    }
    return baton.answered(
        open.quick().drop(tickets, baton.who().person(), Words.reasonOrNone(reason)),
        LinePlan.named(tickets) + (tickets.size() == 1 ? " is" : " are") + " out of the line.");
  }
}
