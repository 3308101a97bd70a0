package dev.baton.cli.queue;

import dev.baton.cli.terminal.CliException;
import dev.baton.client.queue.OpenQueue;
import dev.baton.core.Problem.Kind;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Leaves the line. */
@Command(
    name = "leave",
    description = "Leave the line.",
    footer = {
      "  baton leave --ticket 12",
      "  baton leave --nonce 0123456789abcdef     as `baton join` printed it",
    })
public final class LeaveCommand extends QueueCommand {

  /** Which one. */
  static final class Whose {
    @Option(
        names = "--ticket",
        paramLabel = "N",
        required = true,
        description = "this or --nonce is required: its number")
    Long ticket;

    @Option(
        names = "--nonce",
        paramLabel = "X",
        required = true,
        description = "this or --ticket is required: what was drawn for it")
    String nonce;
  }

  @ArgGroup(multiplicity = "1")
  Whose whose;

  @Override
  public boolean waits() {
    return true;
  }

  /** An outage of the store is waited out: a place that stays taken would hold up others. */
  @Override
  public int on(OpenQueue open) throws QueueException, InterruptedException {
    QueueDocument d = open.patient().statusInTurn();
    Ticket ticket =
        (whose.ticket == null ? d.ticketByNonce(whose.nonce) : d.ticket(whose.ticket))
            .orElseThrow(
                () ->
                    new CliException(
                        Kind.NOT_HOLDER,
                        "there is no such ticket in line: nothing to leave",
                        baton.command("status") + " shows who is in line."));
    if (ticket.state() == TicketState.BUILDING) {
      throw new CliException(
          Kind.REFUSED,
          "ticket " + ticket.number() + " is not in line: it has the build lock",
          "Give that back with `"
              + baton.command(
                  "release", "--ticket " + ticket.number() + " --token " + ticket.token())
              + "`.");
    }
    return baton.answered(
        open.patient().leave(ticket.nonce()), "Ticket " + ticket.number() + " has left the line.");
  }
}
