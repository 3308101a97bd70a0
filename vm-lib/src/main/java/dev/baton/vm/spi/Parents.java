package dev.baton.vm.spi;

import dev.baton.vm.Kind;
import dev.baton.vm.Resource;
import java.util.Map;

/** What a resource is built on, as the plan for it names that. */
public final class Parents {

  private Parents() {}

  /** Those that are there, by the keys of their kinds. */
  public static void put(Map<String, String> plan, Map<Kind, Resource> have, Kind... parents) {
    for (Kind parent : parents) {
      Resource resource = have.get(parent);
      if (resource != null) {
        plan.put(parent.key(), resource.id());
      }
    }
  }
}
