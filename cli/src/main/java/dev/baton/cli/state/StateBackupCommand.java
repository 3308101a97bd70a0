package dev.baton.cli.state;

import dev.baton.cli.terminal.ExitCode;
import dev.baton.client.state.StateClient;
import dev.baton.client.text.JsonOutput;
import dev.baton.state.SnapshotName;
import dev.baton.state.StateException;
import picocli.CommandLine.Command;

/** Keeps a copy. */
@Command(
    name = "backup",
    description = {
      "Keep a copy of the present state under the present time.",
      "Each save does that too; it needs no lock.",
    },
    footer = "  baton state backup --stack shop --environment production")
final class StateBackupCommand extends StateCommand.Sub {

  @Override
  int on(StateClient client) throws StateException {
    SnapshotName name = client.states().backup(key().state());
    baton()
        .result(
            JsonOutput.object("snapshot", name.text(), "at", name.at().toString()),
            "The state of " + key().state() + " is kept as " + name + ".");
    return ExitCode.OK.code;
  }
}
