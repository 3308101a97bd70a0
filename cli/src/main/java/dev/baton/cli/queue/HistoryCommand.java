package dev.baton.cli.queue;

import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.cli.terminal.Json;
import dev.baton.client.queue.OpenQueue;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.QueueException;
import java.util.List;
import java.util.stream.Collectors;
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
    List<HistoryEntry> all = open.quick().status().history();
    List<HistoryEntry> shown = all.subList(Math.max(0, all.size() - limit), all.size());
    StatusText text = new StatusText(baton.paint(), baton.shell().clock().instant());
    baton.result(
        Json.object("history", shown.stream().map(StatusJson::of).toList()),
        shown.isEmpty()
            ? "Nothing has happened yet."
            : shown.stream().map(text::history).collect(Collectors.joining("\n")));
    return ExitCode.OK.code;
  }
}
