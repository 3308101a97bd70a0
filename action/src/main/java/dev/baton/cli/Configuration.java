package dev.baton.cli;

import dev.baton.queue.front.Host;
import dev.baton.queue.front.Setting;
import dev.baton.queue.front.Settings;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Where the settings of a command come from. The first that says something wins:
 *
 * <ol>
 *   <li>a flag;
 *   <li>the environment;
 *   <li>a configuration file: the one that is named, else the nearest {@code .baton.properties}
 *       from the working directory up to the root of its repository, else the user's own.
 * </ol>
 */
final class Configuration {

  static final String PROJECT_FILE = ".baton.properties";

  private Configuration() {}

  static Settings resolve(Map<Setting, String> flags, Host host, Optional<Path> named) {
    Settings settings = Settings.ofEnvironment(host);
    flags.forEach(
        (setting, text) ->
            settings.put(
                setting,
                new Settings.Value(
                    text, host.spelling().apply(setting), Settings.DIRECT, host.directory())));
    named
        .or(() -> projectFile(host))
        .or(() -> userFile(host))
        .ifPresent(file -> readFile(file, settings));
    return settings;
  }

  private static Optional<Path> projectFile(Host host) {
    for (Path at = host.directory().toAbsolutePath(); at != null; at = at.getParent()) {
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

  private static Optional<Path> userFile(Host host) {
    return Optional.of(host.configDirectory().resolve("config.properties"))
        .filter(Files::isRegularFile);
  }

  private static void readFile(Path file, Settings settings) {
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
    Map<String, Setting> known =
        Arrays.stream(Setting.values()).collect(Collectors.toMap(k -> k.id(), k -> k));
    for (String name : new TreeSet<>(read.stringPropertyNames())) {
      if (name.equals("token")) {
        throw CliException.usage(
            "there is a token in " + file,
            "Take it out, revoke it, and put the new one into a file of its own: token-file=FILE.");
      }
      Setting key = known.get(name);
      if (key == null) {
        throw CliException.usage(
            "'" + name + "' in " + file + " is no setting",
            "Settings are " + String.join(", ", new TreeSet<>(known.keySet())) + ".");
      }
      String text = read.getProperty(name).strip();
      if (!text.isEmpty()) {
        Path base = file.toAbsolutePath().getParent();
        settings.put(key, new Settings.Value(text, file.toString(), Settings.FILE, base));
      }
    }
  }
}
