package dev.baton.action;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/** A file by which a step tells the runner something; the runner names it in the environment. */
final class CommandFile {

  private final String variable;
  private final Optional<Path> path;

  private CommandFile(String variable, Optional<Path> path) {
    this.variable = variable;
    this.path = path;
  }

  static CommandFile of(Map<String, String> environment, String variable) {
    return new CommandFile(
        variable,
        Optional.ofNullable(environment.get(variable)).filter(p -> !p.isBlank()).map(Path::of));
  }

  void put(String name, String value) throws IOException {
    Objects.requireNonNull(value, name);
    // Drawn anew: a value cannot hold the line that ends it.
    String end = "baton-" + UUID.randomUUID();
    append(name + "<<" + end + "\n" + value + "\n" + end + "\n");
  }

  void putAll(Map<String, String> values) throws IOException {
    for (Map.Entry<String, String> one : values.entrySet()) {
      put(one.getKey(), one.getValue());
    }
  }

  void append(String text) throws IOException {
    if (path.isEmpty()) {
      throw new IOException(
          variable + " is not set: run this as a step of a workflow, or use the command line");
    }
    Files.writeString(
        path.get(),
        text,
        StandardCharsets.UTF_8,
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }
}
