package dev.baton.cli.state;

import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.client.state.OuterStateLock;
import dev.baton.client.state.StateClient;
import dev.baton.client.text.JsonOutput;
import dev.baton.core.Extra;
import dev.baton.core.Problem;
import dev.baton.core.Problem.Kind;
import dev.baton.core.json.PlainJson;
import dev.baton.queue.QueueException;
import dev.baton.state.Deployment;
import dev.baton.state.StateException;
import dev.baton.state.operation.DeploymentStates;
import dev.baton.state.operation.DeploymentStates.Loaded;
import dev.baton.state.operation.DeploymentStates.Saved;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Saves a state. */
@Command(
    name = "save",
    description = {
      "Save the state of a deployment, under its lock: run this within `baton run`, a guarded task,"
          + " or a step of a job that holds it.",
      "It is refused when the lock is lost, when a newer token has worked on the state, and when"
          + " the state has changed since it was shown.",
    },
    footer = {
      "  baton state save --stack shop --environment production state.json",
      "  baton state save --stack shop --environment production --deployment-id dep-7 state.json",
    })
final class StateSaveCommand extends StateCommand.Sub {

  @Parameters(
      paramLabel = "FILE",
      description = "the whole document, as `baton state show --json` prints it; - for input")
  String file;

  @Option(
      names = "--deployment-id",
      paramLabel = "ID",
      description = "adds a deployment to the history of the state")
  String deploymentId;

  @Option(names = "--status", paramLabel = "WORD", description = "of that deployment")
  String status;

  @Option(names = "--deployed", paramLabel = "VERSION", description = "what was deployed")
  String deployed;

  @Option(
      names = "--commit",
      paramLabel = "SHA",
      description = "of what was deployed; default: GITHUB_SHA")
  String commit;

  @Option(names = "--took", paramLabel = "TIME", description = "how long it took, such as 5m42s")
  Duration took;

  @Option(
      names = "--new-queue",
      description = "the queue that guards this state has moved: go on with the tokens of this one")
  boolean newQueue;

  @Override
  void check() {
    super.check();
    if (deploymentId == null && (status != null || deployed != null || took != null)) {
      throw CliException.usage(
          "--status, --deployed and --took are about a deployment", "Add --deployment-id.");
    }
  }

  @Override
  int on(StateClient client) throws StateException, QueueException, InterruptedException {
    Loaded next = DeploymentStates.parse(key().state(), read());
    return underLock(newQueue, held -> save(client, next, held));
  }

  private int save(StateClient client, Loaded next, OuterStateLock held)
      throws StateException, InterruptedException {
    Saved saved = client.states().save(next.state(), next.version(), deployment(held), held);
    for (Problem note : saved.notes()) {
      baton().say("The state is saved, but: " + note.text());
    }
    baton()
        .result(
            JsonOutput.object(
                "saved", true,
                "stack", key().state().stack(),
                "environment", key().state().environment(),
                "snapshot", saved.snapshot().text(),
                "token", held.token(),
                "version", saved.loaded().version().value()),
            "The state of "
                + key().state()
                + " is saved (token "
                + held.token()
                + "); it can be restored as "
                + saved.snapshot()
                + ".");
    return ExitCode.OK.code;
  }

  private Optional<Deployment> deployment(OuterStateLock held) {
    if (deploymentId == null) {
      return Optional.empty();
    }
    String sha = commit == null ? baton().shell().variable("GITHUB_SHA") : commit;
    try {
      return Optional.of(
          new Deployment(
              deploymentId,
              baton().shell().clock().instant().truncatedTo(java.time.temporal.ChronoUnit.SECONDS),
              Optional.of(held.holder()),
              Optional.of(sha).filter(s -> !s.isEmpty()),
              Optional.ofNullable(deployed),
              Optional.ofNullable(status),
              Optional.ofNullable(took),
              Optional.empty(),
              Extra.NONE));
    } catch (IllegalArgumentException e) {
      throw new CliException(Kind.USAGE, e.getMessage(), "Correct it.", e);
    }
  }

  private String read() {
    try (InputStream in = input()) {
      byte[] bytes = in.readNBytes(4 * PlainJson.MAX_LENGTH + 1);
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (NoSuchFileException e) {
      throw new CliException(
          Kind.USAGE,
          "there is no file " + file,
          "Make it with `baton state show --json`, and change what has changed.",
          e);
    } catch (IOException e) {
      throw new CliException(
          Kind.USAGE, "the file " + file + " cannot be read", "Check its permissions.", e);
    }
  }

  private InputStream input() throws IOException {
    if (file.equals("-")) {
      return baton().shell().in();
    }
    Path path = baton().shell().directory().resolve(file);
    return Files.newInputStream(path);
  }
}
