package dev.baton.cli.state;

import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.client.state.StateClient;
import dev.baton.client.state.StateText;
import dev.baton.state.Deployment;
import dev.baton.state.SnapshotName;
import dev.baton.state.StateException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What was deployed, and what can be restored. */
@Command(
    name = "history",
    description = "What was deployed, and the states that can be restored; the newest last.",
    footer = "  baton state history --stack shop --environment production --limit 5")
final class StateHistoryCommand extends StateCommand.Sub {

  @Option(names = "--limit", paramLabel = "N", description = "how many at most; default: 20")
  int limit = 20;

  @Override
  void check() {
    super.check();
    if (limit < 1) {
      throw CliException.usage("--limit must be positive: " + limit, "Leave it out for 20.");
    }
  }

  @Override
  int on(StateClient client) throws StateException {
    List<SnapshotName> snapshots = newest(client.states().snapshots(key().state()));
    List<Deployment> deployments = newest(client.states().load(key().state()).state().history());
    baton()
        .result(
            StateText.historyJson(key().state(), deployments, snapshots),
            StateText.history(key().state(), deployments, snapshots, baton().paint()));
    return ExitCode.OK.code;
  }

  private <T> List<T> newest(List<T> newestFirst) {
    List<T> some = new ArrayList<>(newestFirst.subList(0, Math.min(limit, newestFirst.size())));
    Collections.reverse(some);
    return some;
  }
}
