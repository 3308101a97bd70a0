package dev.baton.client.lock;

import dev.baton.client.queue.Inherited;
import dev.baton.client.queue.InheritedLocks;
import dev.baton.client.queue.Place;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Where a lock is, and what a process needs in its environment to go on under it.
 *
 * @param outer the locks that this process itself was started under
 * @param files variables that name files which a process needs to get there
 */
public record LockSite(Place place, InheritedLocks outer, Map<String, String> files) {

  public LockSite {
    files = Map.copyOf(files);
  }

  /** For processes that have the files named in their environment already, as later steps have. */
  public static LockSite of(Place place, InheritedLocks outer) {
    return new LockSite(place, outer, Map.of());
  }

  /**
   * @throws dev.baton.core.BadSetting when the environment tells of locks in another way than an
   *     outer process does
   */
  public static LockSite of(Place place, Settings settings, Host host) {
    Map<String, String> files = new LinkedHashMap<>();
    for (Setting file : List.of(Setting.TOKEN_FILE, Setting.CA_FILE)) {
      settings.path(file).ifPresent(p -> files.put(file.variable(), p.toString()));
    }
    return new LockSite(place, InheritedLocks.of(host), files);
  }

  /** What a process needs to go on under this lock and those around it. */
  public Map<String, String> environment(Inherited lock) {
    return environment(outer.with(place, lock));
  }

  private Map<String, String> environment(InheritedLocks all) {
    Map<String, String> variables = new LinkedHashMap<>(place.environment());
    variables.putAll(all.environment());
    variables.putAll(files);
    return variables;
  }

  /**
   * What a process needs to go on under several locks, all of them got by this process. Scripts get
   * to see the first.
   */
  public static Map<String, String> environment(List<? extends BuildLock> locks) {
    if (locks.isEmpty()) {
      return Map.of();
    }
    LockSite first = locks.get(0).site();
    InheritedLocks all = first.outer();
    // The one that was added last is the one that scripts see.
    for (int i = locks.size() - 1; i >= 0; i--) {
      all = all.with(locks.get(i).site().place(), locks.get(i).id());
    }
    return first.environment(all);
  }
}
