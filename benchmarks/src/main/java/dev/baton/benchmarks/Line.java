package dev.baton.benchmarks;

import dev.baton.githubsim.SimRepository;
import dev.baton.queue.Acquisition;
import dev.baton.queue.Grant;
import dev.baton.queue.Release;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A line that stays equally long: one builds, the others wait, and whoever has built is replaced by
 * a newcomer. A quarter of them are laptops.
 */
final class Line {
  private static final Duration SOON = Duration.ofSeconds(10);
  private static final Duration LATER = Duration.ofMinutes(2);

  private final Stage stage;
  private final Duration build;
  private final List<Visit> visits = new ArrayList<>();

  Line(Stage stage, Duration build) {
    this.stage = stage;
    this.build = build;
  }

  /** A queue that is in use knows how long its builds take. */
  void buildBefore(int builds) {
    for (int i = 1; i <= builds; i++) {
      String name = "history-" + i;
      stage.task(name, () -> visit(Stage.Shape.JOB, name));
    }
    visits.clear();
  }

  void fill(int inLine, Duration apart) {
    for (int i = 0; i <= inLine; i++) {
      Duration begin = apart.multipliedBy(i);
      stage.start(
          "member " + i,
          () -> {
            stage.world.sleep(begin);
            while (true) {
              visit();
              stage.world.sleep(stage.world.between(SOON, LATER));
            }
          });
    }
    stage.play(apart.multipliedBy(inLine + 1L));
  }

  private void visit() throws IOException, InterruptedException {
    int number = visits.size();
    if (number % 4 == 3) {
      visit(Stage.Shape.LAPTOP, "laptop-" + number);
    } else {
      visit(Stage.Shape.JOB, "job-" + number);
    }
  }

  /** A process that joins, builds, releases and ends. */
  private void visit(Stage.Shape shape, String name) throws IOException, InterruptedException {
    VirtualWorld world = stage.world;
    Visit visit = new Visit(name, shape);
    visits.add(visit);
    SimRepository.RunView run = stage.startRun();
    Stage.Client client = stage.open(name, shape);
    visit.called = world.nanos();
    Grant grant =
        acquired(
            client
                .queue()
                .acquire(Stage.request(client, run), p -> visit.isAt(world.nanos(), p.position())));
    visit.acquired = world.nanos();
    visit.joined = visit.joined < 0 ? visit.acquired : visit.joined;
    world.sleep(
        build
            .multipliedBy(95)
            .dividedBy(100)
            .plus(world.between(Duration.ZERO, build.dividedBy(10))));
    visit.releasing = world.nanos();
    if (grant.release("built") != Release.GIVEN_BACK) {
      throw new IllegalStateException(name + " could not give back the lock");
    }
    stage.finishRun(run);
    client.close();
    visit.over = world.nanos();
  }

  static Grant acquired(Acquisition result) {
    if (result instanceof Acquisition.Acquired acquired) {
      return acquired.grant();
    }
    throw new IllegalStateException("not acquired: " + result);
  }

  List<Visit> visits() {
    return List.copyOf(visits);
  }

  /** From a holder's call of release to when the next, who stood in line, has the lock. */
  List<Duration> handOffs(long from, long to) {
    List<Visit> inTurn =
        visits.stream()
            .filter(v -> v.acquired >= 0)
            .sorted(Comparator.comparingLong(v -> v.acquired))
            .toList();
    List<Duration> times = new ArrayList<>();
    for (int i = 1; i < inTurn.size(); i++) {
      Visit before = inTurn.get(i - 1);
      Visit next = inTurn.get(i);
      if (before.releasing >= from && before.releasing < to && next.joined < before.releasing) {
        times.add(Duration.ofNanos(next.acquired - before.releasing));
      }
    }
    return times;
  }
}
