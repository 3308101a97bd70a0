package dev.baton.benchmarks;

import dev.baton.client.queue.OpenQueue;
import dev.baton.githubsim.Grant;
import dev.baton.githubsim.SimRepository;
import dev.baton.queue.Acquisition;
import dev.baton.queue.Answer;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Request;
import dev.baton.queue.RunRef;
import dev.baton.queue.github.GitHubSpace;
import dev.baton.queue.parking.Parking;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;

/**
 * A workflow with one job that parks rather than waits: all attempts of its run, each with a main
 * and a post phase that know nothing of each other.
 *
 * <p>Times are nanoseconds of the virtual clock; -1: not yet.
 */
final class ParkedJob {
  private static final Request.Park PARK =
      new Request.Park(Duration.ofMinutes(5), Parking.DEADLINE);

  /** A lock that the main phase got. */
  private record Turn(long ticket, long token) {}

  final String name;
  long acquired = -1;
  long built = -1;
  int parked;

  /** From asking for a runner to the end of its job, over all attempts, without the build. */
  Duration runner = Duration.ZERO;

  private final Stage stage;
  private final Judge judge;
  private final Duration build;
  private SimRepository.RunView run;

  ParkedJob(Stage stage, Judge judge, String name, Duration build) {
    this.stage = stage;
    this.judge = judge;
    this.name = name;
    this.build = build;
  }

  boolean isBuilt() {
    return built >= 0;
  }

  /** Until it has built: GitHub starts an attempt, which takes a runner. */
  void live(Duration runnerStart, Duration look) throws IOException, InterruptedException {
    run = stage.startRun();
    while (true) {
      long start = stage.world.nanos();
      stage.world.sleep(runnerStart);
      attempt();
      stage.repository.finishRun(run.id(), isBuilt() ? "success" : "failure");
      Duration used = stage.world.since(start);
      runner = runner.plus(isBuilt() ? used.minus(build) : used);
      if (isBuilt()) {
        return;
      }
      SimRepository.RunView ended = run;
      while (run.attempt() == ended.attempt()) {
        stage.world.sleep(look);
        run = stage.repository.run(ended.id()).orElseThrow();
      }
    }
  }

  private void attempt() throws IOException, InterruptedException {
    Acquisition result;
    try (GitHubSpace space = open()) {
      BuildQueue queue = space.queue(EngineSettings.DEFAULT, space.waker(repositories()));
      OpenQueue.glance(queue, true);
      result = queue.acquire(request(), progress -> {});
      if (result instanceof Acquisition.Acquired) {
        acquired = stage.world.nanos();
        judge.holds(name);
        queue.statusOrRepair();
      }
      queue.close();
    }
    if (result instanceof Acquisition.Acquired got) {
      stage.world.sleep(build);
      built = stage.world.nanos();
      judge.ends(name);
      postPhase(new Turn(got.grant().ticket(), got.grant().fencingToken()));
    } else if (result instanceof Acquisition.Parked) {
      // Its post phase has no lock to give back, and asks nothing.
      parked++;
    } else {
      throw new IllegalStateException(name + ": " + result);
    }
  }

  private void postPhase(Turn turn) throws IOException, InterruptedException {
    try (GitHubSpace space = open()) {
      BuildQueue queue = space.queue(EngineSettings.DEFAULT, space.waker(repositories()));
      queue.statusOrRepair();
      Answer answer = queue.release(turn.ticket(), turn.token(), "");
      if (answer instanceof Answer.Refused refused) {
        throw new IllegalStateException(name + ": " + refused.message());
      }
      queue.close();
    }
  }

  private GitHubSpace open() {
    return GitHubSpace.open(
        stage.place(), stage.connect(name, Stage.Shape.JOB, Grant.ACTIONS_WRITE), stage.world);
  }

  private static Set<String> repositories() {
    return Set.of(Stage.REPOSITORY);
  }

  private Request request() {
    RunRef own =
        new RunRef(Stage.REPOSITORY, run.id(), run.attempt(), run.jobs().get(0).id(), "build");
    return Request.of(name, Stage.TITLE).livingBy(own).parking(PARK);
  }
}
