package dev.baton.queue.front;

import dev.baton.queue.BuildQueue;
import dev.baton.queue.engine.EngineSettings;
import dev.baton.queue.engine.QueueEngine;
import dev.baton.queue.engine.RunStatus;
import dev.baton.queue.engine.SystemWorld;
import dev.baton.queue.github.GitHubConnection;
import dev.baton.queue.github.GitHubSpace;
import dev.baton.store.FileStores;
import dev.baton.store.StoreSpace;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** An open queue. */
public final class OpenQueue implements AutoCloseable {

  private final Place place;
  private final StoreSpace space;
  private final Optional<GitHubSpace> github;
  private BuildQueue quick;
  private BuildQueue patient;

  private OpenQueue(Place place, StoreSpace space, Optional<GitHubSpace> github) {
    this.place = place;
    this.space = space;
    this.github = github;
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
      return new OpenQueue(place, FileStores.in(directory.path()), Optional.empty());
    }
    if (place instanceof Place.Elsewhere other) {
      try {
        return new OpenQueue(
            place,
            other.provider().open(other.store(), other.queue(), host.environment()),
            Optional.empty());
      } catch (IllegalArgumentException e) {
        throw new BadSetting.NoToken(e.getMessage(), "Look with `baton doctor`.", e);
      }
    }
    GitHubConnection.Builder connection =
        GitHubConnection.builder()
            .token(token.get())
            .environment(host.environment())
            .userAgent(agent);
    settings.path(Setting.CA_FILE).ifPresent(connection::caFile);
    try {
      GitHubSpace opened =
          GitHubSpace.open(
              ((Place.Repository) place).place(), connection.build(), new SystemWorld());
      return new OpenQueue(place, opened, Optional.of(opened));
    } catch (IllegalArgumentException e) {
      throw new BadSetting(
          e.getMessage(),
          "Check " + host.spelled(Setting.CA_FILE) + ", HTTPS_PROXY, HTTP_PROXY and NO_PROXY.",
          e);
    }
  }

  public Place place() {
    return place;
  }

  public StoreSpace space() {
    return space;
  }

  public Optional<GitHubSpace> github() {
    return github;
  }

  public RunStatus runStatus() {
    return github.map(GitHubSpace::runStatus).orElse(RunStatus.BLIND);
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

  private BuildQueue open(EngineSettings settings) {
    return github
        .map(g -> g.queue(settings))
        .orElseGet(() -> QueueEngine.open(space, new SystemWorld(), settings, RunStatus.BLIND));
  }

  @Override
  public void close() {
    if (patient != null) {
      patient.close();
    }
    if (quick != null) {
      quick.close();
    }
    if (space instanceof AutoCloseable closeable) {
      try {
        closeable.close();
      } catch (Exception e) {
        throw new IllegalStateException("the store cannot be closed: " + place.shown(), e);
      }
    }
  }
}
