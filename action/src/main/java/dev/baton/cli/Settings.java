package dev.baton.cli;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What is set, and by whom. The first that says something wins:
 *
 * <ol>
 *   <li>a flag;
 *   <li>the environment;
 *   <li>a configuration file: the one that is named, else the nearest {@code .baton.properties}
 *       from the working directory up to the root of its repository, else the user's own.
 * </ol>
 */
final class Settings {

  static final String PROJECT_FILE = ".baton.properties";

  /**
   * One value.
   *
   * @param source for people: where it was found
   * @param rank the lower, the stronger
   * @param base where a relative path in it starts
   */
  record Value(String text, String source, int rank, Path base) {}

  private final Map<Key, Value> values = new EnumMap<>(Key.class);

  private Settings() {}

  /** What the environment alone says: there, an outer process names the queue it holds. */
  static Settings ofEnvironment(Shell shell) {
    Settings settings = new Settings();
    settings.readEnvironment(shell);
    settings.readWorkflow(shell);
    return settings;
  }

  static Settings resolve(Map<Key, String> flags, Shell shell, Optional<Path> named) {
    Settings settings = new Settings();
    flags.forEach(
        (key, text) -> settings.put(key, new Value(text, key.flag(), 0, shell.directory())));
    settings.readEnvironment(shell);
    Optional<Path> file = named.or(() -> projectFile(shell)).or(() -> userFile(shell));
    file.ifPresent(settings::readFile);
    settings.readWorkflow(shell);
    return settings;
  }

  private void readEnvironment(Shell shell) {
    for (Key key : Key.values()) {
      String text = shell.variable(key.variable());
      if (!text.isEmpty()) {
        put(key, new Value(text, key.variable(), 1, shell.directory()));
      }
    }
  }

  private void readWorkflow(Shell shell) {
    String api = shell.variable("GITHUB_API_URL");
    if (!api.isEmpty()) {
      put(Key.API, new Value(api, "GITHUB_API_URL", 3, shell.directory()));
    }
  }

  private void put(Key key, Value value) {
    values.putIfAbsent(key, value);
  }

  Optional<Value> get(Key key) {
    return Optional.ofNullable(values.get(key));
  }

  Optional<Path> path(Key key) {
    return get(key).map(v -> v.base().resolve(v.text()).normalize());
  }

  private static Optional<Path> projectFile(Shell shell) {
    for (Path at = shell.directory().toAbsolutePath(); at != null; at = at.getParent()) {
      Path file = at.resolve(PROJECT_FILE);
      if (Files.isRegularFile(file)) {
        return Optional.of(file);
      }
      if (Files.exists(at.resolve(".git"))) {
        return Optional.empty();
      }
    }
    return Optional.empty();
  }

  private static Optional<Path> userFile(Shell shell) {
    return Optional.of(configDirectory(shell).resolve("config.properties"))
        .filter(Files::isRegularFile);
  }

  static Path configDirectory(Shell shell) {
    if (shell.isWindows()) {
      return directory(shell, "APPDATA", "AppData/Roaming").resolve("baton");
    }
    return shell.isMac()
        ? shell.home().resolve("Library/Application Support/baton")
        : directory(shell, "XDG_CONFIG_HOME", ".config").resolve("baton");
  }

  static Path stateDirectory(Shell shell) {
    if (shell.isWindows()) {
      return directory(shell, "LOCALAPPDATA", "AppData/Local").resolve("baton");
    }
    return shell.isMac()
        ? shell.home().resolve("Library/Application Support/baton")
        : directory(shell, "XDG_STATE_HOME", ".local/state").resolve("baton");
  }

  private static Path directory(Shell shell, String variable, String belowHome) {
    String set = shell.variable(variable);
    // The XDG rules: a relative path is to be ignored.
    return !set.isEmpty() && Path.of(set).isAbsolute()
        ? Path.of(set)
        : shell.home().resolve(belowHome);
  }

  private void readFile(Path file) {
    Properties read = new Properties();
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      read.load(reader);
    } catch (IOException | IllegalArgumentException e) {
      throw new CliException(
          ExitCode.USAGE,
          "the configuration file " + file + " cannot be read",
          "Check that it is there, readable, and has lines such as store=github:OWNER/REPO.",
          e);
    }
    Map<String, Key> known =
        Arrays.stream(Key.values()).collect(Collectors.toMap(k -> k.id, k -> k));
    for (String name : new TreeSet<>(read.stringPropertyNames())) {
      if (name.equals("token")) {
        throw CliException.usage(
            "there is a token in " + file,
            "Take it out, revoke it, and put the new one into a file of its own: token-file=FILE.");
      }
      Key key = known.get(name);
      if (key == null) {
        throw CliException.usage(
            "'" + name + "' in " + file + " is no setting",
            "Settings are " + String.join(", ", new TreeSet<>(known.keySet())) + ".");
      }
      String text = read.getProperty(name).strip();
      if (!text.isEmpty()) {
        Path base = file.toAbsolutePath().getParent();
        put(key, new Value(text, file.toString(), 2, base));
      }
    }
  }
}
