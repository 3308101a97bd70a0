package dev.baton.client.queue;

import dev.baton.client.identity.Who;
import dev.baton.client.identity.WorkflowRun;
import dev.baton.client.monitoring.LockReports;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.client.settings.Tokens;
import dev.baton.core.BadSetting;
import dev.baton.core.SystemWorld;
import dev.baton.core.World;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Entry;
import dev.baton.queue.Liveness;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.RunRef;
import dev.baton.queue.RunStatus;
import dev.baton.queue.github.GitHubConnection;
import dev.baton.queue.github.GitHubPlace;
import dev.baton.queue.github.GitHubSpace;
import dev.baton.queue.operation.Queues;
import dev.baton.queue.spi.Waker;
import dev.baton.store.FileStores;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * An open queue. To be used by one thread at a time; the queues that it hands out may be used by
 * several. {@link #close} closes them too.
 */
public final class OpenQueue implements AutoCloseable {

  private final Place place;
  private final StoreSpace space;
  private final Optional<GitHubSpace> github;
  private final Optional<GitHubSpace> workflows;
  private final World world;
  private Optional<LockReports> reports = Optional.empty();
  private BuildQueue quick;
  private BuildQueue patient;

  private OpenQueue(
      Place place,
      StoreSpace space,
      Optional<GitHubSpace> github,
      Optional<GitHubSpace> workflows,
      World world) {
    this.place = place;
    this.space = space;
    this.github = github;
    this.workflows = workflows;
    this.world = world;
  }

  /**
   * Nothing is asked of the store yet.
   *
   * @param agent which front end this is, for GitHub's logs
   * @throws BadSetting when what is set can never work, such as no token for GitHub
   */
  public static OpenQueue open(Place place, Settings settings, Host host, String agent) {
    return open(place, settings, host, agent, () -> Tokens.of(settings, host));
  }

  /** The same with a token from elsewhere, asked for when it is needed. */
  public static OpenQueue open(
      Place place,
      Settings settings,
      Host host,
      String agent,
      Supplier<? extends Supplier<String>> token) {
    OpenQueue open = unheard(place, settings, host, agent, token);
    open.reports = LockReports.of(place.shown(), settings, host);
    return open;
  }

  private static OpenQueue unheard(
      Place place,
      Settings settings,
      Host host,
      String agent,
      Supplier<? extends Supplier<String>> token) {
    World world = new SystemWorld();
    if (place instanceof Place.Directory directory) {
      return new OpenQueue(
          place, FileStores.in(directory.path()), Optional.empty(), Optional.empty(), world);
    }
    if (place instanceof Place.Elsewhere other) {
      Optional<GitHubSpace> eye = eye(settings, host, agent, token);
      try {
        return new OpenQueue(place, other.open(host), Optional.empty(), eye, world);
      } catch (RuntimeException e) {
        eye.ifPresent(GitHubSpace::close);
        throw e;
      }
    }
    GitHubSpace opened =
        github(((Place.Repository) place).place(), settings, host, agent, token.get());
    return unheard(opened, place, host, world);
  }

  /**
   * A queue on a GitHub that is open already, or elsewhere with that GitHub as the one who knows
   * which workflow jobs have ended. Nothing is asked of the store yet. Closing it closes the GitHub
   * too.
   *
   * @throws BadSetting when what is set can never work; the GitHub stays open
   */
  public static OpenQueue over(GitHubSpace github, Place place, Host host, World world) {
    OpenQueue open = unheard(github, place, host, world);
    open.reports = LockReports.of(place.shown(), Settings.ofEnvironment(host), host);
    return open;
  }

  private static OpenQueue unheard(GitHubSpace github, Place place, Host host, World world) {
    Optional<GitHubSpace> workflows = Optional.of(github);
    return place instanceof Place.Elsewhere other
        ? new OpenQueue(place, other.open(host), Optional.empty(), workflows, world)
        : new OpenQueue(place, github, workflows, workflows, world);
  }

  /** Over engines that are there already, for a world that is not this machine. */
  static OpenQueue over(Place place, StoreSpace space, BuildQueue quick, BuildQueue patient) {
    OpenQueue open =
        new OpenQueue(place, space, Optional.empty(), Optional.empty(), new SystemWorld());
    open.quick = quick;
    open.patient = patient;
    return open;
  }

  /**
   * Within a workflow: GitHub as the one who knows which jobs have ended. The token goes to the
   * server that it is meant for: whichever store a checkout names, to no other.
   */
  private static Optional<GitHubSpace> eye(
      Settings settings, Host host, String agent, Supplier<? extends Supplier<String>> token) {
    Optional<WorkflowRun> own = WorkflowRun.of(host.environment());
    if (own.isEmpty()) {
      return Optional.empty();
    }
    String variable = host.variable("GITHUB_API_URL");
    URI api = GitHubPlace.api(variable.isEmpty() ? Place.DEFAULT_API : variable);
    boolean tokenIsForAnother =
        settings.get(Setting.API).filter(a -> !GitHubPlace.api(a.text()).equals(api)).isPresent();
    if (tokenIsForAnother) {
      return Optional.empty();
    }
    Supplier<String> known;
    try {
      known = token.get();
    } catch (BadSetting.NoToken e) {
      if (Tokens.source(settings, host).isEmpty()) {
        return Optional.empty(); // nobody has said that there is one
      }
      throw e;
    }
    GitHubPlace place =
        new GitHubPlace(
            api, own.get().repository(), GitHubPlace.DEFAULT_QUEUE, GitHubPlace.Mode.GIT, 0);
    return Optional.of(github(place, settings, host, agent, known));
  }

  private static GitHubSpace github(
      GitHubPlace place, Settings settings, Host host, String agent, Supplier<String> token) {
    GitHubConnection.Builder connection =
        GitHubConnection.builder().token(token).environment(host.environment()).userAgent(agent);
    settings.path(Setting.CA_FILE).ifPresent(connection::caFile);
    try {
      return GitHubSpace.open(place, connection.build(), new SystemWorld());
    } catch (IllegalArgumentException e) {
      throw BadSetting.of(
          e, "Check " + host.spelled(Setting.CA_FILE) + ", HTTPS_PROXY, HTTP_PROXY and NO_PROXY.");
    }
  }

  public Place place() {
    return place;
  }

  public StoreSpace space() {
    return space;
  }

  /** Where the queue is on GitHub. */
  public Optional<GitHubSpace> github() {
    return github;
  }

  /** Where somebody can tell which workflow jobs have ended. */
  public Optional<GitHubSpace> workflows() {
    return workflows;
  }

  public RunStatus runStatus() {
    return workflows.map(GitHubSpace::runStatus).orElse(RunStatus.BLIND);
  }

  /**
   * How a process of this machine stands in line here: with a heartbeat where the store keeps them,
   * else as the workflow job that it is part of.
   *
   * @param mayBeat whether a process stays alive that can give signs of life
   */
  public Entry entry(Who who, String nonce, String title, int priority, boolean mayBeat) {
    Optional<RunRef> run = who.run(workflows);
    boolean beats = mayBeat && space.settling().isEmpty();
    Liveness liveness = !beats && run.isPresent() ? Liveness.RUN : Liveness.BEAT;
    return new Entry(nonce, who.owner(), title, liveness, run, priority);
  }

  /** For somebody who looks on: a store that does not answer is told within seconds. */
  public synchronized BuildQueue quick() {
    if (quick == null) {
      boolean slow = space.settling().isPresent();
      quick =
          queue(
              new EngineSettings(
                  Duration.ofSeconds(1),
                  2,
                  slow ? EngineSettings.DEFAULT.lockTimeout() : Duration.ofMinutes(1),
                  EngineSettings.DEFAULT.releaseTimeout()));
    }
    return quick;
  }

  /** For builds, which rather wait for a store than fail. */
  public BuildQueue patient() {
    if (patient == null) {
      patient = queue(EngineSettings.DEFAULT);
    }
    return patient;
  }

  /**
   * The queue as it is within seconds, for a process that is about to wait for it. What would end
   * the wait is thrown before it begins; a limit and a broken document do not, as waiting gets over
   * them. A server that cannot be reached is waited for in a workflow, and told to a person at
   * once.
   *
   * @return empty when it cannot be seen now
   */
  public Optional<QueueDocument> glance(Host host) throws QueueException, InterruptedException {
    return glance(quick(), WorkflowRun.of(host.environment()).isPresent());
  }

  /**
   * The same.
   *
   * @param outages whether they are waited out too
   */
  public static Optional<QueueDocument> glance(BuildQueue queue, boolean outages)
      throws QueueException, InterruptedException {
    try {
      return Optional.of(queue.status());
    } catch (QueueException.Broken e) {
      return Optional.empty();
    } catch (QueueException.Unavailable e) {
      boolean limit = e.getCause() instanceof StoreException s && s.retryAfter().isPresent();
      if (outages || limit) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** The same queue with patience of one's own. Close it before this. */
  public BuildQueue queue(EngineSettings settings) {
    return queue(settings, Waker.NONE);
  }

  /** The same queue for a client that has the jobs of parked tickets run again. */
  public BuildQueue queue(EngineSettings settings, Waker waker) {
    BuildQueue queue =
        github
            .map(g -> g.queue(settings, waker))
            .orElseGet(() -> Queues.open(space, world, settings, runStatus(), waker));
    reports.ifPresent(queue::listen);
    return queue;
  }

  @Override
  public void close() {
    if (patient != null) {
      patient.close();
    }
    if (quick != null) {
      quick.close();
    }
    reports.ifPresent(LockReports::close);
    close(space);
    workflows.filter(w -> w != space).ifPresent(GitHubSpace::close);
  }

  /** Closes what a store may hold on to. */
  private static void close(StoreSpace space) {
    if (space instanceof AutoCloseable closeable) {
      try {
        closeable.close();
      } catch (Exception e) {
        throw new IllegalStateException("cannot close " + space.traits().location(), e);
      }
    }
  }
}
