package dev.baton.gradle.internal;

import dev.baton.plugin.loader.EngineJars;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The stores and clouds that are known before the engine is loaded: the build of the plugin lists
 * them, from what adapters say about themselves.
 */
final class Kinds {

  /** Those for queues, as a build file may name them. */
  static final String STORES = EngineJars.text("stores");

  /** By scheme or name, the {@code GROUP:MODULE} that has it; empty: the engine has it. */
  private static final Map<String, String> ARTIFACTS = new LinkedHashMap<>();

  static {
    for (String line : EngineJars.text("kinds").split("\n")) {
      int end = line.indexOf(' ');
      ARTIFACTS.put(line.substring(0, end), line.substring(end + 1));
    }
  }

  private Kinds() {}

  /** Whether queues can be at addresses of this scheme. */
  static boolean isStore(String address) {
    return address.indexOf(':') > 0
        && STORES.contains("'" + address.substring(0, address.indexOf(':') + 1));
  }

  /** Whether an adapter of this version has it; empty if it is not known. */
  static Optional<Boolean> isInAdapter(String addressOrName) {
    return Optional.ofNullable(ARTIFACTS.get(addressOrName.split(":", 2)[0]))
        .map(artifact -> !artifact.isEmpty());
  }

  /** The adapters of this version. */
  static Set<String> artifacts() {
    Set<String> all = new LinkedHashSet<>(ARTIFACTS.values());
    all.remove("");
    return all;
  }
}
