package dev.baton.cli.terminal;

import dev.baton.client.settings.ConfigurationFiles;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Where the settings of a command come from. The first that says something wins:
 *
 * <ol>
 *   <li>a flag;
 *   <li>the environment;
 *   <li>{@link ConfigurationFiles}, each as far as it is trusted.
 * </ol>
 */
public final class Configuration {

  private Configuration() {}

  /**
   * @param notes told about files that are ignored
   */
  public static Settings resolve(
      Map<Setting, String> flags, Host host, Optional<Path> named, Consumer<String> notes) {
    Settings settings = Settings.ofEnvironment(host);
    flags.forEach(
        (setting, text) ->
            settings.put(
                setting,
                new Settings.Value(
                    text, host.spelling().apply(setting), Settings.DIRECT, host.directory())));
    ConfigurationFiles.of(host, notes).addTo(settings, named);
    return settings;
  }
}
