package dev.baton.cli.queue;

import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.report.QueueHistory;
import dev.baton.queue.QueueException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What happened. */
@Command(
    name = "history",
    description = "What happened lately, the newest last.",
    footer = {
      "  baton history",
      "  baton history --limit 100 --json",
    })
public final class HistoryCommand extends QueueCommand {

  @Option(names = "--limit", paramLabel = "N", description = "default: 20")
  int limit = 20;

  @Override
  public void check() {
    if (limit < 1) {
      throw CliException.usage("--limit must be positive: " + limit, "Try --limit 20.");
    }
  }

  @Override
  public int on(OpenQueue open) throws QueueException, InterruptedException {
    QueueHistory history = QueueHistory.of(open.quick().status(), limit);
    baton.result(history.json(), history.text(baton.paint()));
    return ExitCode.OK.code;
  }
}
