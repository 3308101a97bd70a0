package dev.baton.cli.queue;

import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.cli.terminal.Words;
import dev.baton.client.queue.LinePlan;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.text.JsonOutput;
import dev.baton.core.Problem.Kind;
import dev.baton.queue.QueueException;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Moves tickets forward. */
@Command(
    name = "bump",
    description = "Move tickets forward in line: all that are given, in this order, or none.",
    footer = {
      "  baton bump 14                to the head of the line",
      "  baton bump 14 16             both to the head, 14 first",
      "  baton bump 14 --before 12",
    })
public final class BumpCommand extends QueueCommand {

  @Parameters(arity = "1..*", paramLabel = "TICKET", description = "their numbers")
  List<Long> tickets;

  @Option(names = "--before", paramLabel = "OTHER", description = "default: the first in line")
  Long before;

  @Override
  public void check() {
    tickets.forEach(Words::ticket);
    if (before != null && tickets.contains(Words.ticket(before))) {
      throw CliException.usage(
          "ticket " + before + " cannot go before itself", "Leave it out, or change --before.");
    }
  }

  @Override
  public int on(OpenQueue open) throws QueueException, InterruptedException {
    LinePlan plan = LinePlan.of(open.quick().status(), tickets, Optional.ofNullable(before));
    if (plan instanceof LinePlan.NotInLine not) {
      throw new CliException(
          Kind.REFUSED,
          "ticket " + not.ticket() + " is not in line",
          baton.command("status") + " shows who is.");
    } else if (plan instanceof LinePlan.Move move) {
      return baton.answered(
          open.quick().moveBefore(move.tickets(), move.before(), baton.who().person()),
          move.done());
    }
    String done = plan.done();
    baton.result(JsonOutput.object("done", done), done);
    return ExitCode.OK.code;
  }
}
