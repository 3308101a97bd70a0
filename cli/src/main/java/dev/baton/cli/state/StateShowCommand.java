package dev.baton.cli.state;

import dev.baton.cli.terminal.ExitCode;
import dev.baton.client.state.StateClient;
import dev.baton.client.state.StateText;
import dev.baton.queue.QueueException;
import dev.baton.state.StateException;
import dev.baton.state.operation.DeploymentStates.Loaded;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What a state says. */
@Command(
    name = "show",
    description = {
      "Show the state of a deployment; with --json the whole document, which `baton state save`"
          + " takes back.",
      "Its checksums are verified. One that was never saved is empty.",
    },
    footer = {
      "  baton state show --stack shop --environment production",
      "  baton state show --stack shop --environment production --json > state.json",
      "  baton state show --stack shop --environment production --claim --json",
    })
final class StateShowCommand extends StateCommand.Sub {

  @Option(
      names = "--claim",
      description =
          "under its lock: write the lock's token into the state, so that no older holder can save"
              + " any more")
  boolean claim;

  @Override
  int on(StateClient client) throws StateException, QueueException, InterruptedException {
    if (claim) {
      return underLock(false, held -> show(client.states().claim(key().state(), held)));
    }
    return show(client.states().load(key().state()));
  }

  private int show(Loaded loaded) {
    baton().result(loaded.json(), StateText.of(loaded.state(), loaded.isNew(), baton().paint()));
    return ExitCode.OK.code;
  }
}
