package dev.baton.cli.terminal;

import dev.baton.client.adapter.Extensions;
import dev.baton.client.settings.Host;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * The world as a command sees it, so that a test can be the world.
 *
 * @param out where nothing that others wrote is a command, like {@code err}; see {@link
 *     InertStream}
 * @param terminal whether a person sees what is printed while it is printed
 * @param columns how wide that person's terminal is
 * @param directory where relative paths start
 * @param home the user's home directory
 * @param system the name of the operating system, as Java gives it
 * @param user who runs this
 * @param host on which machine; asked for only when needed
 */
public record Shell(
    Map<String, String> environment,
    InputStream in,
    PrintStream out,
    PrintStream err,
    boolean terminal,
    IntSupplier columns,
    Path directory,
    Path home,
    String system,
    String user,
    Supplier<String> host,
    InstantSource clock) {

  public Shell {
    environment = Map.copyOf(environment);
    Objects.requireNonNull(in, "in");
    Objects.requireNonNull(out, "out");
    Objects.requireNonNull(err, "err");
    Objects.requireNonNull(columns, "columns");
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(home, "home");
    Objects.requireNonNull(system, "system");
    Objects.requireNonNull(user, "user");
    Objects.requireNonNull(host, "host");
    Objects.requireNonNull(clock, "clock");
    out = InertStream.over(out);
    err = InertStream.over(err);
  }

  /** Empty when it is not set or empty: a workflow cannot unset a variable. */
  public String variable(String name) {
    return environment.getOrDefault(name, "");
  }

  public boolean isWindows() {
    return system.startsWith("Windows");
  }

  /** The same in another directory. */
  public Shell at(Path other) {
    return new Shell(
        environment, in, out, err, terminal, columns, other, home, system, user, host, clock);
  }

  public Host asHost() {
    return new Host(
        environment,
        directory,
        home,
        system,
        user,
        host,
        setting -> "--" + setting.id(),
        Extensions.besides(
            Shell.class,
            adapter ->
                "Reinstall Baton, which has the adapter for "
                    + adapter.name()
                    + " in lib/extensions."));
  }
}
