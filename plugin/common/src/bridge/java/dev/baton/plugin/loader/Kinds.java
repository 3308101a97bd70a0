package dev.baton.plugin.loader;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The stores and clouds that are known before the engine is loaded: the build of the plugin lists
 * them, from what adapters say about themselves.
 */
public final class Kinds {

  /** Those for queues, as a build file may name them. */
  public static final String STORES = EngineJars.text("stores");

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
  public static boolean isStore(String address) {
    return address.indexOf(':') > 0
        && STORES.contains("'" + address.substring(0, address.indexOf(':') + 1));
  }

  /** Whether an adapter of this version has it; empty if it is not known. */
  public static Optional<Boolean> isInAdapter(String addressOrName) {
    return Optional.ofNullable(ARTIFACTS.get(addressOrName.split(":", 2)[0]))
        .map(artifact -> !artifact.isEmpty());
  }

  /** The {@code GROUP:MODULE} of the adapter that has it; empty if the engine has it, or nobody. */
  public static Optional<String> adapterOf(String addressOrName) {
    return Optional.ofNullable(ARTIFACTS.get(addressOrName.split(":", 2)[0]))
        .filter(artifact -> !artifact.isEmpty());
  }

  /** The adapters of this version. */
  public static Set<String> artifacts() {
    Set<String> all = new LinkedHashSet<>(ARTIFACTS.values());
    all.remove("");
    return all;
  }
}
