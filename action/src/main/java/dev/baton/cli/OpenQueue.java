package dev.baton.cli;

import dev.baton.queue.BuildQueue;
import dev.baton.queue.engine.EngineSettings;
import dev.baton.queue.engine.QueueEngine;
import dev.baton.queue.engine.RunStatus;
import dev.baton.queue.engine.SystemWorld;
import dev.baton.queue.github.GitHubConnection;
import dev.baton.queue.github.GitHubPlace;
import dev.baton.queue.github.GitHubSpace;
import dev.baton.store.FileStores;
import dev.baton.store.StoreSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** An open queue. */
final class OpenQueue implements AutoCloseable {

  private static final List<String> TOKENS = List.of("BATON_TOKEN", "GITHUB_TOKEN", "GH_TOKEN");

  private final Where where;
  private final StoreSpace space;
  private final Optional<GitHubSpace> github;
  private BuildQueue quick;
  private BuildQueue patient;

  private OpenQueue(Where where, StoreSpace space, Optional<GitHubSpace> github) {
    this.where = where;
    this.space = space;
    this.github = github;
  }

  static OpenQueue open(Where where, Settings settings, Shell shell) {
    if (where instanceof Where.Directory directory) {
      return new OpenQueue(where, FileStores.in(directory.path()), Optional.empty());
    }
    GitHubPlace place = ((Where.Repository) where).place();
    GitHubConnection.Builder connection =
        GitHubConnection.builder()
            .token(token(settings, shell))
            .environment(shell.environment())
            .userAgent("baton-cli");
    settings.path(Key.CA_FILE).ifPresent(connection::caFile);
    try {
      GitHubSpace opened = GitHubSpace.open(place, connection.build(), new SystemWorld());
      return new OpenQueue(where, opened, Optional.of(opened));
    } catch (IllegalArgumentException e) {
      throw new CliException(
          ExitCode.USAGE,
          e.getMessage(),
          "Check --ca-file, HTTPS_PROXY, HTTP_PROXY and NO_PROXY.",
          e);
    }
  }

  /** Where the token is from, for people. */
  static Optional<String> tokenSource(Settings settings, Shell shell) {
    return settings
        .path(Key.TOKEN_FILE)
        .map(Path::toString)
        .or(() -> TOKENS.stream().filter(t -> !shell.variable(t).isBlank()).findFirst());
  }

  private static Supplier<String> token(Settings settings, Shell shell) {
    Optional<Path> file = settings.path(Key.TOKEN_FILE);
    if (file.isPresent()) {
      readToken(file.get());
      // Anew for each request: an app's token lives for an hour, and somebody renews the file.
      return () -> readToken(file.get());
    }
    for (String name : TOKENS) {
      String token = shell.variable(name).strip();
      if (!token.isEmpty()) {
        return () -> token;
      }
    }
    throw new CliException(
        ExitCode.NO_PERMISSION,
        "there is no token for GitHub",
        "Set BATON_TOKEN, GITHUB_TOKEN or GH_TOKEN, or name a file with --token-file. It needs"
            + " `contents: write` and `issues: write`.");
  }

  private static String readToken(Path file) {
    String text;
    try {
      text = Files.readString(file).strip();
    } catch (IOException e) {
      throw new CliException(
          ExitCode.NO_PERMISSION,
          "the token file " + file + " cannot be read",
          "Check that it is there and that this user may read it.",
          e);
    }
    if (text.isEmpty() || text.contains("\n")) {
      throw new CliException(
          ExitCode.NO_PERMISSION,
          "the token file " + file + (text.isEmpty() ? " is empty" : " has more than one line"),
          "It must have the token in it and nothing else.");
    }
    return text;
  }

  Where where() {
    return where;
  }

  StoreSpace space() {
    return space;
  }

  Optional<GitHubSpace> github() {
    return github;
  }

  RunStatus runStatus() {
    return github.map(GitHubSpace::runStatus).orElse(RunStatus.BLIND);
  }

  /** For somebody who looks on: a store that does not answer is told within seconds. */
  BuildQueue quick() {
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
  BuildQueue patient() {
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
    github.ifPresent(GitHubSpace::close);
  }
}
