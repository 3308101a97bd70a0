package dev.baton.queue.front;

import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** What is set, and by whom. Of two values for one setting the stronger wins. */
public final class Settings {

  /** Set for this very call: a flag, or the build file. */
  public static final int DIRECT = 0;

  public static final int ENVIRONMENT = 1;

  /** In a file that serves many calls. */
  public static final int FILE = 2;

  /** What a workflow's runner says of its own accord. */
  public static final int RUNNER = 3;

  /**
   * One value.
   *
   * @param source for people: where it was found
   * @param rank the lower, the stronger
   * @param base where a relative path in it starts
   */
  public record Value(String text, String source, int rank, Path base) {
    public Value {
      Objects.requireNonNull(text, "text");
      Objects.requireNonNull(source, "source");
      Objects.requireNonNull(base, "base");
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

  /** Sets it, unless it is set by somebody stronger. */
  public void put(Setting setting, Value value) {
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
