package dev.baton.cli.queue;

import dev.baton.cli.terminal.ExitCode;
import dev.baton.cli.terminal.Json;
import dev.baton.client.queue.OpenQueue;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.internal.board.Board;
import dev.baton.queue.internal.board.BoardContext;
import dev.baton.queue.internal.board.CommandText;
import dev.baton.queue.internal.codec.DocumentCodec;
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
    BoardContext context =
        new BoardContext(
            open.place().queue(),
            open.github().map(g -> g.place().webUrl()).orElse("https://github.com"),
            open.github().map(g -> g.place().documentUrl()),
            CommandText.howToFree(open.place().flags()));
    String board =
        Board.paint(context, d, DocumentCodec.encode(d, open.space().traits().maxLength()));
    baton.result(Json.object("version", d.version(), "markdown", board), board.stripTrailing());
    return ExitCode.OK.code;
  }
}
