package dev.baton.cli.state;

import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.client.state.StateClient;
import dev.baton.client.text.JsonOutput;
import dev.baton.core.Problem;
import dev.baton.queue.QueueException;
import dev.baton.state.SnapshotName;
import dev.baton.state.StateException;
import dev.baton.state.operation.DeploymentStates.Saved;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Goes back to an earlier state. */
@Command(
    name = "restore",
    description = {
      "Make an earlier state the present one, under the lock of the deployment.",
      "It changes the state alone, nothing that is deployed. The state before stays in the history;"
          + " a damaged one is kept beside it.",
    },
    footer = {
      "  baton state restore --stack shop --environment production --to 2026-02-24T10:00:00Z",
      "  baton state restore --stack shop --environment production --to 2026-02-24-10-00-00",
    })
final class StateRestoreCommand extends StateCommand.Sub {

  @Option(
      names = "--to",
      paramLabel = "TIME",
      required = true,
      description =
          "required: a time, for the newest state from before; or the name of a state in `baton"
              + " state history`")
  String to;

  @Option(
      names = "--new-queue",
      description = "the queue that guards this state has moved: go on with the tokens of this one")
  boolean newQueue;

  @Override
  int on(StateClient client) throws StateException, QueueException, InterruptedException {
    Optional<SnapshotName> named = SnapshotName.parse(to);
    SnapshotName name =
        named.isPresent() ? named.get() : client.states().snapshotAt(key().state(), time());
    return underLock(
        newQueue, held -> done(name, client.states().restore(key().state(), name, held)));
  }

  private int done(SnapshotName name, Saved saved) {
    for (Problem note : saved.notes()) {
      baton().say("The state is restored, but: " + note.text());
    }
    baton()
        .result(
            JsonOutput.object("restored", name.text(), "snapshot", saved.snapshot().text()),
            "The state of "
                + key().state()
                + " is what it was at "
                + name
                + ". What is deployed was not changed.");
    return ExitCode.OK.code;
  }

  private Instant time() {
    try {
      return OffsetDateTime.parse(to).toInstant();
    } catch (DateTimeException e) {
      throw new CliException(
          Problem.Kind.USAGE,
          "--to must be a time such as 2026-02-24T10:00:00Z, or the name of a state such as"
              + " 2026-02-24-10-00-00: '"
              + to
              + "'",
          "`baton state history --stack "
              + key().state().stack()
              + " --environment "
              + key().state().environment()
              + "` lists the states that there are.",
          e);
    }
  }
}
