package dev.baton.client.settings;

import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What is set, and by whom. Of two values for one setting the stronger wins, of two that are as
 * strong the first. Not safe for use by several threads while something is put into it.
 */
public final class Settings {

  /** Set for this very call: a flag, or the build file. */
  public static final int DIRECT = 0;

  public static final int ENVIRONMENT = 1;

  /**
   * What a workflow's runner says by itself. Stronger than every file: the workflow's token is for
   * this server.
   */
  public static final int RUNNER = 2;

  /** In a file of the project, which comes with a checkout and is not trusted. */
  public static final int PROJECT = 3;

  /** In the user's own file, or in one that the user has named. */
  public static final int FILE = 4;

  /**
   * One value.
   *
   * @param source for people: where it was found
   * @param rank the lower, the stronger
   * @param base where a relative path in it starts
   * @param project the directory that a path in it must stay in, of a value that is not trusted
   */
  public record Value(String text, String source, int rank, Path base, Optional<Path> project) {
    public Value {
      Objects.requireNonNull(text, "text");
      Objects.requireNonNull(source, "source");
      Objects.requireNonNull(base, "base");
      if (project.isPresent() != (rank == PROJECT)) {
        throw new IllegalArgumentException("a value of a project, and no other, has its directory");
      }
    }

    /** One that is trusted. */
    public Value(String text, String source, int rank, Path base) {
      this(text, source, rank, base, Optional.empty());
    }
  }

  private final Map<Setting, Value> values = new EnumMap<>(Setting.class);

  /** What the environment says; there, an outer process names the queue that it holds. */
  public static Settings ofEnvironment(Host host) {
    Settings settings = new Settings();
    for (Setting setting : Setting.values()) {
      String text = host.variable(setting.variable());
      if (!text.isEmpty()) {
        settings.put(setting, new Value(text, setting.variable(), ENVIRONMENT, host.directory()));
      }
    }
    String api = host.variable("GITHUB_API_URL");
    if (!api.isEmpty()) {
      settings.put(Setting.API, new Value(api, "GITHUB_API_URL", RUNNER, host.directory()));
    }
    return settings;
  }

  /**
   * Sets it, unless something stronger has set it.
   *
   * @throws IllegalArgumentException when it is not for the file of a project to set
   */
  public void put(Setting setting, Value value) {
    if (value.project().isPresent() && !setting.isForProjects()) {
      // The last line of defence: ConfigurationFiles has refused it, with advice.
      throw new IllegalArgumentException(setting.id() + " cannot come from " + value.source());
    }
    values.merge(setting, value, (old, other) -> old.rank() <= other.rank() ? old : other);
  }

  public Optional<Value> get(Setting setting) {
    return Optional.ofNullable(values.get(setting));
  }

  /** A value that names a file. */
  public Optional<Path> path(Setting setting) {
    return get(setting).map(v -> v.base().resolve(v.text()).normalize());
  }
}
