package dev.baton.demo;

import dev.baton.core.SystemWorld;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.BuildResult;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Grant;
import dev.baton.queue.Request;
import dev.baton.queue.RunRef;
import dev.baton.queue.github.GitHubConnection;
import dev.baton.queue.github.GitHubPlace;
import dev.baton.queue.github.GitHubSpace;
import dev.baton.store.StoreSpace;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * A process that takes its turn and builds for a while. Told to stop while it waits, it leaves the
 * line.
 */
public final class Worker {

  /** What the demo's GitHub can do, being on loopback. */
  static final GitHubSpace.Pace PACE =
      new GitHubSpace.Pace(
          Duration.ofMillis(300),
          Duration.ofSeconds(1),
          new StoreSpace.Settling(Duration.ofMillis(200), Duration.ofMillis(800)));

  static final EngineSettings SETTINGS =
      new EngineSettings(Duration.ofMillis(300), 60, Duration.ofMinutes(2), Duration.ofSeconds(30));

  /**
   * @param place where the queue is
   * @param run the workflow run, or 0 for a laptop
   * @param repository of the run
   * @param careless builds without waiting for its turn
   */
  record Order(
      GitHubPlace place,
      String token,
      String title,
      Duration build,
      Path witness,
      long run,
      String repository,
      boolean careless) {

    List<String> arguments() {
      return List.of(
          place.api().toString(),
          place.repository(),
          place.queue(),
          place.mode().name(),
          String.valueOf(place.issue()),
          title,
          String.valueOf(build.toMillis()),
          witness.toString(),
          String.valueOf(run),
          repository,
          String.valueOf(careless));
    }

    static Order parse(String[] a, String token) {
      return new Order(
          new GitHubPlace(
              URI.create(a[0]), a[1], a[2], GitHubPlace.Mode.valueOf(a[3]), Long.parseLong(a[4])),
          token,
          a[5],
          Duration.ofMillis(Long.parseLong(a[6])),
          Path.of(a[7]),
          Long.parseLong(a[8]),
          a[9],
          Boolean.parseBoolean(a[10]));
    }

    Request request() {
      if (run == 0) {
        return Request.of("ann on a laptop", title);
      }
      return Request.of(repository + " run " + run + " attempt 1 job build", title)
          .livingBy(new RunRef(repository, run, 1, 0, "build"));
    }
  }

  private Worker() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    Order order = Order.parse(args, System.getenv("BATON_TOKEN"));
    Thread main = Thread.currentThread();
    CountDownLatch done = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  main.interrupt();
                  awaitQuietly(done);
                }));
    try {
      work(order);
    } catch (InterruptedException e) {
      // Cancelled: the line was left on the way here.
    } finally {
      done.countDown();
    }
  }

  private static void awaitQuietly(CountDownLatch done) {
    try {
      done.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void work(Order order) throws IOException, InterruptedException {
    if (order.careless()) {
      Witness.write(order.witness(), "start", 0, order.title());
      Thread.sleep(order.build().toMillis());
      Witness.write(order.witness(), "end", 0, order.title());
      return;
    }
    try (GitHubSpace space = open(order.place(), order.token());
        BuildQueue queue = space.queue(SETTINGS)) {
      Acquisition result = queue.acquire(order.request(), p -> {});
      if (!(result instanceof Acquisition.Acquired acquired)) {
        throw new IOException(order.title() + " did not get the lock: " + result);
      }
      try (Grant grant = acquired.grant()) {
        Witness.write(order.witness(), "start", grant.fencingToken(), order.title());
        Thread.sleep(order.build().toMillis());
        Witness.write(order.witness(), "end", grant.fencingToken(), order.title());
        grant.release(BuildResult.SUCCEEDED, "");
      }
    }
  }

  static GitHubSpace open(GitHubPlace place, String token) {
    return GitHubSpace.open(
        place,
        GitHubConnection.builder().token(() -> token).userAgent("baton-demo").build(),
        new SystemWorld(),
        PACE);
  }
}
