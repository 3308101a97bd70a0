package dev.baton.benchmarks;

import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.Grant;
import dev.baton.githubsim.Limits;
import dev.baton.githubsim.SimRepository;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Staleness;
import dev.baton.githubsim.Token;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.github.GitHubConnection;
import dev.baton.queue.github.GitHubPlace;
import dev.baton.queue.github.GitHubSpace;
import dev.baton.queue.internal.engine.QueueEngine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;

/**
 * A GitHub with one repository and one queue, and the clients that ask it over HTTP; all of them
 * live by one virtual clock.
 */
final class Stage implements AutoCloseable {
  static final String REPOSITORY = "octo/app";

  /** A round trip to the server and back. */
  static final Duration TRIP = Duration.ofMillis(20);

  /** How the builds of a client are known to be alive. */
  enum Shape {
    /** By its run; all jobs share the limits of their repository. */
    JOB,
    /** By heartbeats; each laptop has limits of its own. */
    LAPTOP
  }

  /**
   * One process that knows nothing of any earlier one.
   *
   * @param name in the request log
   */
  record Client(String name, Shape shape, BuildQueue queue, GitHubSpace space)
      implements AutoCloseable {
    @Override
    public void close() {
      queue.close();
      space.close();
    }
  }

  static final String TITLE = "app release";
  private static final Duration STEP = Duration.ofMinutes(2);

  /** Real time: a machine that is busy with something else must not cut a request. */
  private static final Duration CALL_TIMEOUT = Duration.ofMinutes(2);

  final VirtualWorld world;
  final GitHubSim sim;
  final SimRepository repository;
  final Traffic traffic;
  private final GitHubPlace place;

  private final boolean limited;

  private Stage(
      long seed, Staleness staleness, GitHubPlace.Mode mode, Rules rules, boolean limited) {
    this.limited = limited;
    world = new VirtualWorld(seed);
    sim =
        GitHubSim.start(
            SimSettings.defaults()
                .withClock(world::now)
                .withSeed(seed)
                .withLimits(limited ? Limits.likeGitHub() : Limits.none()));
    repository = sim.addRepository(REPOSITORY, true);
    traffic = new Traffic(sim.log(), world.now());
    URI api = URI.create(sim.baseUrl());
    int issue = 0;
    if (mode == GitHubPlace.Mode.ISSUE) {
      sim.addToken(Token.classic("person", "secret-of-person", REPOSITORY));
      issue = new IssuePage(api, REPOSITORY, "secret-of-person").make("A build queue");
    }
    place = new GitHubPlace(api, REPOSITORY, "build", mode, issue);
    task(
        "founder",
        () -> {
          try (Client founder = open("founder", Shape.LAPTOP)) {
            founder.queue().create(rules);
          }
        });
    sim.staleness(staleness);
  }

  /** The document is in git; GitHub's limits hold. */
  static Stage git(long seed, Staleness staleness) {
    return new Stage(seed, staleness, GitHubPlace.Mode.GIT, Rules.DEFAULT, true);
  }

  /** The document is in an issue; GitHub's limits hold. */
  static Stage issue(long seed, Staleness staleness) {
    return new Stage(seed, staleness, GitHubPlace.Mode.ISSUE, Rules.DEFAULT, true);
  }

  /** Nobody is refused anything: for what is not about limits. */
  static Stage unlimited(long seed, Staleness staleness, GitHubPlace.Mode mode, Rules rules) {
    return new Stage(seed, staleness, mode, rules, false);
  }

  // ---- clients

  /** With round trips that take their time. */
  Client open(String name, Shape shape) {
    GitHubSpace space = GitHubSpace.open(place, connect(name, shape), world);
    RoundTrips trips = new RoundTrips(world, TRIP, sim.log(), name);
    BuildQueue queue =
        place.mode() == GitHubPlace.Mode.GIT
            ? QueueEngine.open(
                trips.around(space),
                world,
                EngineSettings.DEFAULT,
                trips.around(space.runStatus()),
                trips.around(space.boardSite()))
            : QueueEngine.open(
                trips.around(space),
                world,
                EngineSettings.DEFAULT,
                trips.around(space.runStatus()));
    return new Client(name, shape, queue, space);
  }

  /** How a client of that name reaches the server; several of its processes may use it. */
  GitHubConnection connect(String name, Shape shape) {
    return connect(name, shape, Grant.ACTIONS_READ);
  }

  /** The same; a job may do that much with runs. */
  GitHubConnection connect(String name, Shape shape, Grant actions) {
    String secret = "secret-of-" + name;
    Token token =
        shape == Shape.JOB
            ? Token.workflow(
                name,
                secret,
                REPOSITORY,
                Grant.CONTENTS_WRITE,
                Grant.ISSUES_WRITE,
                actions,
                Grant.METADATA_READ)
            : Token.classic(name, secret, REPOSITORY);
    sim.addToken(limited ? token : token.withHourlyLimit(Integer.MAX_VALUE));
    return GitHubConnection.builder().token(() -> secret).callTimeout(CALL_TIMEOUT).build();
  }

  GitHubPlace place() {
    return place;
  }

  /** The wish for a lock, and what tells whether its owner is alive. */
  static Request request(Client client, SimRepository.RunView run) {
    return client.shape() == Shape.JOB
        ? jobRequest(client.name(), run)
        : Request.of(client.name(), TITLE);
  }

  static Request jobRequest(String owner, SimRepository.RunView run) {
    return Request.of(owner, TITLE)
        .livingBy(new RunRef(REPOSITORY, run.id(), run.attempt(), run.jobs().get(0).id(), "build"));
  }

  SimRepository.RunView startRun() {
    return repository.startRun("build.yml", "octo", "build");
  }

  void finishRun(SimRepository.RunView run) {
    repository.finishRun(run.id(), "success");
  }

  // ---- time

  /** What a client does. */
  interface Work {
    void run() throws IOException, InterruptedException;
  }

  void start(String name, Work work) {
    world.start(
        "client " + name,
        () -> {
          try {
            work.run();
          } catch (IOException e) {
            throw new UncheckedIOException(name + ": " + e.getMessage(), e);
          } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts a client", e);
          }
        });
  }

  /** Something that is over before anything else begins. */
  void task(String name, Work work) {
    boolean[] done = new boolean[1];
    start(
        name,
        () -> {
          work.run();
          done[0] = true;
        });
    for (int i = 0; i < 600 && !done[0]; i++) {
      play(Duration.ofSeconds(30));
    }
    if (!done[0]) {
      throw new IllegalStateException(name + " has not ended within five hours");
    }
  }

  void play(Duration d) {
    for (Duration left = d; !left.isZero(); ) {
      Duration step = left.compareTo(STEP) < 0 ? left : STEP;
      world.advance(step);
      traffic.collect();
      left = left.minus(step);
    }
  }

  @Override
  public void close() {
    world.close();
    sim.close();
  }
}
