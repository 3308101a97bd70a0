package dev.baton.gradle.engine;

import dev.baton.client.queue.Inherited;
import dev.baton.client.queue.InheritedLocks;
import dev.baton.client.queue.Place;
import dev.baton.gradle.internal.bridge.Engine;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Where a lock was got.
 *
 * @param outer the locks that the build itself was started under
 * @param files variables that name files which a process needs to get there
 */
record LockSite(Place place, InheritedLocks outer, Map<String, String> files) {

  LockSite {
    files = Map.copyOf(files);
  }

  /** A lock that knows where it was got. */
  interface Sited extends Engine.Lock {
    LockSite site();
  }

  /** As {@code baton run} hands them to its command. */
  static Map<String, String> environment(List<Sited> locks) {
    LockSite first = locks.get(0).site();
    InheritedLocks all = first.outer();
    for (int i = locks.size() - 1; i >= 0; i--) {
      Sited lock = locks.get(i);
      all = all.with(lock.site().place(), new Inherited(lock.ticket(), lock.fencingToken()));
    }
    Map<String, String> environment = new LinkedHashMap<>(first.place().environment());
    environment.putAll(all.environment());
    environment.putAll(first.files());
    return environment;
  }
}
