package dev.baton.gradle.internal.bridge;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Which queue is meant, and how it is reached.
 *
 * @param settings what the build file says: {@code store}, {@code queue}, {@code mode}, {@code
 *     issue}, {@code api}, {@code token-file}, {@code ca-file}, those of them that are set
 * @param label how the build file spells the block that they stand in, such as {@code baton}
 * @param environment of the build
 * @param directory where relative paths start
 * @param extensions jars with further kinds of stores, if this queue needs them
 * @param token where the build file says that the token is, if it does
 */
public record Address(
    Map<String, String> settings,
    String label,
    Map<String, String> environment,
    Path directory,
    List<Path> extensions,
    Optional<Supplier<String>> token) {

  public Address {
    settings = Map.copyOf(settings);
    Objects.requireNonNull(label, "label");
    environment = Map.copyOf(environment);
    Objects.requireNonNull(directory, "directory");
    extensions = List.copyOf(extensions);
    Objects.requireNonNull(token, "token");
  }
}
