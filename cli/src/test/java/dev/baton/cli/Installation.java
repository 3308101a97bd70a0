package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * {@code baton} as people install it, run as a process.
 *
 * @param root of the installation
 * @param home of the user, and where commands are run
 * @param environment beside what every process has
 */
record Installation(Path root, Path home, Map<String, String> environment) {

  /** What this build has installed; still without a home. */
  static final Installation BUILT =
      new Installation(Path.of(System.getProperty("baton.installed")), Path.of(""), Map.of());

  record Result(int code, String text) {}

  Installation in(Path newHome) {
    return new Installation(root, newHome, environment);
  }

  Installation with(Map<String, String> more) {
    Map<String, String> all = new HashMap<>(environment);
    all.putAll(more);
    return new Installation(root, home, all);
  }

  /** The same elsewhere, so that it can be changed. */
  Installation copiedTo(Path elsewhere) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.toList()) {
        Files.copy(file, elsewhere.resolve(root.relativize(file).toString()));
      }
    }
    return new Installation(elsewhere, home, environment);
  }

  Path extensions() {
    return root.resolve("lib/extensions");
  }

  Result run(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(root.resolve("bin/baton").toString()));
    command.addAll(List.of(arguments));
    return run(command);
  }

  /** A line as people type it, with {@code baton} on the path. */
  Result shell(String line) throws IOException, InterruptedException {
    return run(List.of("bash", "-e", "-o", "pipefail", "-c", line));
  }

  private Result run(List<String> command) throws IOException, InterruptedException {
    Path log = Files.createTempFile(home, "log", "");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(home.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().clear();
    builder
        .environment()
        .putAll(
            Map.of(
                "PATH",
                System.getenv("PATH"),
                "HOME",
                home.toString(),
                "JAVA_HOME",
                System.getProperty("java.home"),
                "BATON_CLASS_ARCHIVE",
                "no"));
    builder.environment().putAll(environment);
    builder
        .environment()
        .merge("PATH", root.resolve("bin").toString(), (old, bin) -> bin + ":" + old);
    Process process = builder.start();
    assertThat(process.waitFor(2, TimeUnit.MINUTES)).as("ended in time").isTrue();
    return new Result(process.exitValue(), Files.readString(log));
  }
}
