package dev.baton.action;

import dev.baton.client.queue.OpenQueue;
import dev.baton.client.queue.WaitAddresses;
import dev.baton.core.World;
import dev.baton.queue.Answer;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.BuildResult;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.github.GitHubConnection;
import dev.baton.queue.github.GitHubSpace;
import dev.baton.queue.spi.Waker;
import java.time.Duration;
import java.util.Optional;

/** The queue that a step works with, and what both phases do with it. */
final class StepQueue {

  /** Reads of GitHub, which is the slowest, may be this old. */
  private static final Duration STALE = Duration.ofSeconds(20);

  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

  private final GitHubSpace github;
  private final Optional<GitHubSpace> wakes;
  private final Waker waker;
  private final OpenQueue open;
  private final BuildQueue queue;
  private final World world;

  StepQueue(Runner runner, Inputs inputs, EngineSettings settings) {
    world = runner.world();
    github = space(runner, inputs, inputs.token());
    wakes = inputs.wakeToken().map(token -> space(runner, inputs, token));
    waker =
        wakes
            .map(other -> new StepWaker(other, Optional.empty()))
            .orElseGet(() -> new StepWaker(github, Optional.of(runner.get("GITHUB_REPOSITORY"))));
    open = OpenQueue.over(github, inputs.place(), runner.host(), world);
    queue = open.queue(settings, waker);
  }

  private GitHubSpace space(Runner runner, Inputs inputs, String token) {
    GitHubConnection.Builder connection =
        GitHubConnection.builder()
            .token(() -> token)
            .environment(runner.environment())
            .userAgent("baton-action");
    inputs.caFile().ifPresent(connection::caFile);
    return GitHubSpace.open(inputs.github(), connection.build(), world);
  }

  /** GitHub as the one who knows about workflows, and as the place of the queue if it is there. */
  GitHubSpace github() {
    return github;
  }

  /** Runs parked jobs again, where the token may. */
  Waker waker() {
    return waker;
  }

  BuildQueue queue() {
    return queue;
  }

  OpenQueue open() {
    return open;
  }

  WaitAddresses addresses() {
    return WaitAddresses.of(open);
  }

  /** Paints at once. The lock of a workflow job outlives this. */
  void close() {
    queue.close();
    open.close();
    wakes.ifPresent(GitHubSpace::close);
  }

  /** The queue as it is, or at least not as it was before what this job knows of. */
  QueueDocument statusSince(long version) throws QueueException, InterruptedException {
    long start = world.nanos();
    QueueDocument d = queue.statusOrRepair();
    while (d.version() < version && world.nanos() - start < STALE.toNanos()) {
      world.newSignal().await(BETWEEN_LOOKS);
      d = queue.statusOrRepair();
    }
    return d;
  }

  /** Gives back a lock, also where a read does not show yet that it was given. */
  Answer release(Inputs.Turn turn, BuildResult result) throws QueueException, InterruptedException {
    long start = world.nanos();
    while (true) {
      Answer answer = queue.release(turn.ticket(), turn.token(), result, "");
      boolean maybeOld =
          answer instanceof Answer.Refused && queue.statusOrRepair().nextToken() <= turn.token();
      if (!maybeOld || world.nanos() - start >= STALE.toNanos()) {
        return answer;
      }
      world.newSignal().await(BETWEEN_LOOKS);
    }
  }
}
