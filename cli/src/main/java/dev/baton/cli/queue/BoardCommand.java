package dev.baton.cli.queue;

import dev.baton.cli.terminal.ExitCode;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.text.JsonOutput;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.operation.Queues;
import picocli.CommandLine.Command;

/** The queue as its issue shows it. */
@Command(
    name = "board",
    description = "Print the board, as Markdown.",
    footer = {"  baton board > queue.md"})
public final class BoardCommand extends QueueCommand {

  @Override
  public int on(OpenQueue open) throws QueueException, InterruptedException {
    QueueDocument d = open.quick().status();
    String board =
        Queues.board(
            open.space(),
            d,
            open.place().queue(),
            open.place().flags(),
            open.github().map(g -> g.place().webUrl()).orElse("https://github.com"),
            open.github().map(g -> g.place().documentUrl()));
    baton.result(
        JsonOutput.object("version", d.version(), "markdown", board), board.stripTrailing());
    return ExitCode.OK.code;
  }
}
