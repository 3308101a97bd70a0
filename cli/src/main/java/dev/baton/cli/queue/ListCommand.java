package dev.baton.cli.queue;

import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.queue.QueueNames;
import dev.baton.client.text.JsonOutput;
import dev.baton.core.Problem.Kind;
import dev.baton.store.StoreException;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

/** Which queues there are. */
@Command(
    name = "list",
    description = {
      "List the queues of a store.",
      "Queues that are kept in issues (--mode issue) cannot be listed, nor can those of a store"
          + " whose adapter does not offer it.",
    },
    footer = {
      "  baton list",
      "  baton list --store github:octo/app",
    })
public final class ListCommand extends QueueCommand {

  @Override
  public int on(OpenQueue open) throws StoreException {
    String store = open.place().store();
    List<String> queues =
        QueueNames.in(open, baton.host())
            .orElseThrow(
                () ->
                    new CliException(
                        Kind.USAGE,
                        "this store cannot list its queues: " + store,
                        "`baton status --queue NAME` shows one whose name you know."));
    baton.result(
        JsonOutput.object("store", store, "queues", queues),
        queues.isEmpty()
            ? "There is no queue in " + store + ". Create one with " + baton.command("init") + "."
            : "Queues in "
                + store
                + queues.stream().map(name -> "\n  " + name).collect(Collectors.joining()));
    return ExitCode.OK.code;
  }
}
