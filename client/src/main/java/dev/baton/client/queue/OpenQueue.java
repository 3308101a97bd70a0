package dev.baton.client.queue;

import dev.baton.client.identity.WorkflowRun;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.client.settings.Tokens;
import dev.baton.core.BadSetting;
import dev.baton.core.SystemWorld;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.RunStatus;
import dev.baton.queue.github.GitHubConnection;
import dev.baton.queue.github.GitHubPlace;
import dev.baton.queue.github.GitHubSpace;
import dev.baton.queue.internal.engine.QueueEngine;
import dev.baton.store.FileStores;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** An open queue. */
public final class OpenQueue implements AutoCloseable {

  private final Place place;
  private final StoreSpace space;
  private final Optional<GitHubSpace> github;
  private final Optional<GitHubSpace> workflows;
  private BuildQueue quick;
  private BuildQueue patient;

  private OpenQueue(
      Place place,
      StoreSpace space,
      Optional<GitHubSpace> github,
      Optional<GitHubSpace> workflows) {
    this.place = place;
    this.space = space;
    this.github = github;
    this.workflows = workflows;
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
    if (place instanceof Place.Directory directory) {
      return new OpenQueue(
          place, FileStores.in(directory.path()), Optional.empty(), Optional.empty());
    }
    if (place instanceof Place.Elsewhere other) {
      Optional<GitHubSpace> eye = eye(settings, host, agent, token);
      try {
        return new OpenQueue(place, other.open(host), Optional.empty(), eye);
      } catch (RuntimeException e) {
        eye.ifPresent(GitHubSpace::close);
        throw e;
      }
    }
    GitHubSpace opened =
        github(((Place.Repository) place).place(), settings, host, agent, token.get());
    return new OpenQueue(place, opened, Optional.of(opened), Optional.of(opened));
  }

  /** Over engines that are there already, for a world that is not this machine. */
  static OpenQueue over(Place place, StoreSpace space, BuildQueue quick, BuildQueue patient) {
    OpenQueue open = new OpenQueue(place, space, Optional.empty(), Optional.empty());
    open.quick = quick;
    open.patient = patient;
    return open;
  }

  /** Within a workflow: GitHub as the one who knows which jobs have ended. */
  private static Optional<GitHubSpace> eye(
      Settings settings, Host host, String agent, Supplier<? extends Supplier<String>> token) {
    Optional<WorkflowRun> own = WorkflowRun.of(host.environment());
    if (own.isEmpty()) {
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
    String api = host.variable("GITHUB_API_URL");
    GitHubPlace place =
        new GitHubPlace(
            GitHubPlace.api(api.isEmpty() ? Place.DEFAULT_API : api),
            own.get().repository(),
            GitHubPlace.DEFAULT_QUEUE,
            GitHubPlace.Mode.GIT,
            0);
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

  /** For somebody who looks on: a store that does not answer is told within seconds. */
  public BuildQueue quick() {
    if (quick == null) {
      boolean slow = space.settling().isPresent();
      quick =
          open(
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
      patient = open(EngineSettings.DEFAULT);
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

  private BuildQueue open(EngineSettings settings) {
    return github
        .map(g -> g.queue(settings))
        .orElseGet(() -> QueueEngine.open(space, new SystemWorld(), settings, runStatus()));
  }

  @Override
  public void close() {
    if (patient != null) {
      patient.close();
    }
    if (quick != null) {
      quick.close();
    }
    close(space);
    workflows.filter(w -> w != space).ifPresent(GitHubSpace::close);
  }

  /** Closes what a store may hold on to. */
  public static void close(StoreSpace space) {
    if (space instanceof AutoCloseable closeable) {
      try {
        closeable.close();
      } catch (Exception e) {
        throw new IllegalStateException("cannot close " + space.traits().location(), e);
      }
    }
  }
}
