package dev.baton.cli.queue;

import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.cli.terminal.Words;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.text.JsonOutput;
import dev.baton.core.Problem.Kind;
import dev.baton.queue.QueueException;
import dev.baton.queue.Ticket;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Moves a ticket forward. */
@Command(
    name = "bump",
    description = "Move a ticket forward in line.",
    footer = {
      "  baton bump 14               to the head of the line",
      "  baton bump 14 --before 12",
    })
public final class BumpCommand extends QueueCommand {

  @Parameters(paramLabel = "TICKET", description = "its number")
  long ticket;

  @Option(names = "--before", paramLabel = "OTHER", description = "default: the first in line")
  Long before;

  @Override
  public void check() {
    Words.ticket(ticket);
    if (before != null) {
      Words.ticket(before);
    }
  }

  @Override
  public int on(OpenQueue open) throws QueueException, InterruptedException {
    List<Ticket> line = open.quick().status().line();
    if (line.stream().noneMatch(t -> t.number() == ticket)) {
      throw new CliException(
          Kind.REFUSED,
          "ticket " + ticket + " is not in line",
          baton.command("status") + " shows who is.");
    }
    long other = before == null ? line.get(0).number() : before;
    if (other == ticket) {
      String done = "Ticket " + ticket + " is the first in line already.";
      baton.result(JsonOutput.object("done", done), done);
      return ExitCode.OK.code;
    }
    return baton.answered(
        open.quick().moveBefore(ticket, other, baton.who().person()),
        "Ticket " + ticket + " is in line before ticket " + other + " now.");
  }
}
