package dev.baton.cli.terminal;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The programs that Baton starts for itself, by their whole paths. Started by its name alone, one
 * of a checkout could be it: Windows looks into the working directory first, and elsewhere a {@code
 * PATH} may have {@code .} or {@code node_modules/.bin} in it.
 */
public final class Programs {

  private Programs() {}

  /** In a directory of the system, wherever {@code PATH} leads. Nothing on Windows. */
  public static Optional<Path> ofSystem(String name, String system) {
    return system.startsWith("Windows")
        ? Optional.empty()
        : Stream.of("/bin", "/usr/bin")
            .map(directory -> Path.of(directory, name))
            .filter(Files::isExecutable)
            .findFirst();
  }

  /** On the {@code PATH}, as far as that does not depend on the working directory. */
  public static Optional<Path> onPath(String name, Shell shell) {
    String file = shell.isWindows() ? name + ".exe" : name;
    return Stream.of(path(shell).split(shell.isWindows() ? ";" : ":"))
        .flatMap(part -> directory(part).stream())
        .filter(Path::isAbsolute)
        .map(directory -> directory.resolve(file))
        .filter(f -> Files.isRegularFile(f) && Files.isExecutable(f))
        .findFirst();
  }

  /** Windows calls it {@code Path}, and does not mind. */
  private static String path(Shell shell) {
    return shell.environment().entrySet().stream()
        .filter(e -> shell.isWindows() && e.getKey().equalsIgnoreCase("PATH"))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElseGet(() -> shell.variable("PATH"));
  }

  private static Optional<Path> directory(String part) {
    try {
      return Optional.of(Path.of(part.replace("\"", "")));
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }
}
