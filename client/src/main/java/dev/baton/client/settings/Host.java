package dev.baton.client.settings;

import dev.baton.client.adapter.Extensions;
import dev.baton.core.HostEnvironment;
import java.io.File;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The machine that a front end runs on, so that a test can be the machine. Immutable.
 *
 * @param directory where relative paths start
 * @param home the user's home directory
 * @param system the name of the operating system, as Java gives it
 * @param user who runs this
 * @param machine its name; asked for only when needed
 * @param spelling how the users of this front end spell a setting, such as {@code --store}
 * @param extensions further kinds of stores and clouds
 */
public record Host(
    Map<String, String> environment,
    Path directory,
    Path home,
    String system,
    String user,
    Supplier<String> machine,
    Function<Setting, String> spelling,
    Extensions extensions)
    implements HostEnvironment {

  public Host {
    environment = Map.copyOf(environment);
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(home, "home");
    Objects.requireNonNull(system, "system");
    Objects.requireNonNull(user, "user");
    Objects.requireNonNull(machine, "machine");
    Objects.requireNonNull(spelling, "spelling");
    Objects.requireNonNull(extensions, "extensions");
  }

  /** This very machine. */
  public static Host system(
      Map<String, String> environment, Path directory, Function<Setting, String> spelling) {
    return new Host(
        environment,
        directory,
        home(environment),
        System.getProperty("os.name"),
        System.getProperty("user.name"),
        Host::machineName,
        spelling,
        Extensions.NONE);
  }

  /** As shells have it; Java itself asks the system, whatever {@code HOME} says. */
  public static Path home(Map<String, String> environment) {
    String set = environment.getOrDefault("HOME", "");
    boolean counts = File.separatorChar == '/' && set.startsWith("/");
    return Path.of(counts ? set : System.getProperty("user.home"));
  }

  /** The same with other extensions. */
  public Host with(Extensions others) {
    return new Host(environment, directory, home, system, user, machine, spelling, others);
  }

  public String spelled(Setting setting) {
    return spelling.apply(setting);
  }

  /** Where a user's configuration is. */
  public Path configDirectory() {
    if (isWindows()) {
      return directory("APPDATA", "AppData/Roaming").resolve("baton");
    }
    return isMac()
        ? home.resolve("Library/Application Support/baton")
        : directory("XDG_CONFIG_HOME", ".config").resolve("baton");
  }

  /** The user's own configuration. */
  public Path userFile() {
    return configDirectory().resolve("config.properties");
  }

  /** Where a user's own queues are. */
  public Path stateDirectory() {
    if (isWindows()) {
      return directory("LOCALAPPDATA", "AppData/Local").resolve("baton");
    }
    return isMac()
        ? home.resolve("Library/Application Support/baton")
        : directory("XDG_STATE_HOME", ".local/state").resolve("baton");
  }

  private Path directory(String variable, String belowHome) {
    String set = variable(variable);
    // The XDG rules: a relative path is to be ignored.
    return !set.isEmpty() && Path.of(set).isAbsolute() ? Path.of(set) : home.resolve(belowHome);
  }

  private boolean isWindows() {
    return system.startsWith("Windows");
  }

  private boolean isMac() {
    return system.startsWith("Mac");
  }

  /** How this machine calls itself. */
  public static String machineName() {
    return MachineName.get();
  }
}
