package dev.baton.gradle.engine;

import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** How long the locks that this process builds under are believed in, should it die now. */
final class Leases {

  private static final Map<Object, Duration> HELD = new ConcurrentHashMap<>();

  private Leases() {}

  static void add(Object lock, Duration lease) {
    HELD.put(lock, lease);
  }

  static void remove(Object lock) {
    HELD.remove(lock);
  }

  /** Zero when there is none. */
  static Duration longest() {
    return HELD.values().stream().max(Comparator.naturalOrder()).orElse(Duration.ZERO);
  }
}
