package dev.baton.action;

import dev.baton.queue.Answer;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.engine.EngineSettings;
import dev.baton.queue.github.GitHubConnection;
import dev.baton.queue.github.GitHubSpace;
import java.time.Duration;

/** The queue that a step works with, and what both phases do with it. */
final class Desk {

  /** Reads of GitHub may be this old. */
  private static final Duration STALE = Duration.ofSeconds(20);

  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

  private final GitHubSpace space;
  private final BuildQueue queue;
  private final Stage stage;

  Desk(Runner runner, Inputs inputs, EngineSettings settings) {
    GitHubConnection.Builder connection =
        GitHubConnection.builder()
            .token(inputs::token)
            .environment(runner.environment())
            .userAgent("baton-action");
    inputs.caFile().ifPresent(connection::caFile);
    stage = new Stage(runner.world());
    space = GitHubSpace.open(inputs.place(), connection.build(), stage);
    queue = space.queue(settings);
  }

  GitHubSpace space() {
    return space;
  }

  BuildQueue queue() {
    return queue;
  }

  Stage stage() {
    return stage;
  }

  /** Paints at once. The lock of a workflow job outlives this. */
  void close() {
    queue.close();
    space.close();
  }

  /** The queue as it is, or at least not as it was before what this job knows of. */
  QueueDocument statusSince(long version) throws QueueException, InterruptedException {
    long start = stage.nanos();
    QueueDocument d = queue.status();
    while (d.version() < version && stage.nanos() - start < STALE.toNanos()) {
      stage.newSignal().await(BETWEEN_LOOKS);
      d = queue.status();
    }
    return d;
  }

  /** Gives back a lock, also where a read does not show yet that it was given. */
  Answer release(Inputs.Turn turn) throws QueueException, InterruptedException {
    long start = stage.nanos();
    while (true) {
      Answer answer = queue.release(turn.ticket(), turn.token(), "");
      boolean maybeOld =
          answer instanceof Answer.Refused && queue.status().nextToken() <= turn.token();
      if (!maybeOld || stage.nanos() - start >= STALE.toNanos()) {
        return answer;
      }
      stage.newSignal().await(BETWEEN_LOOKS);
    }
  }
}
