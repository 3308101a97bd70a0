package dev.baton.client.lock;

import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How long the locks that this process works under are believed in, should it die now. Safe for use
 * by several threads.
 */
public final class Leases {

  private static final Map<Object, Duration> HELD = new ConcurrentHashMap<>();

  private Leases() {}

  static void add(BuildLock lock, Duration lease) {
    HELD.put(lock, lease);
  }

  static void remove(BuildLock lock) {
    HELD.remove(lock);
  }

  /** Zero when there is none. */
  public static Duration longest() {
    return HELD.values().stream().max(Comparator.naturalOrder()).orElse(Duration.ZERO);
  }
}
