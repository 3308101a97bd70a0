package dev.baton.alibaba.ecs;

import dev.baton.core.json.JsonLine;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * What to look for.
 *
 * @param id empty: any
 * @param tagged tags that it must have
 */
record Sought(String id, Map<String, String> tagged) {
  static final Sought ALL = new Sought("", Map.of());

  static Sought id(String id) {
    return new Sought(id, Map.of());
  }

  static Sought tag(String key, String value) {
    return new Sought("", Map.of(key, value));
  }

  /** Null when any will do, as the clients want it. */
  String idsAsJson() {
    return id.isEmpty() ? null : JsonLine.of(List.of(id));
  }

  /** Null when there are none, as the clients want it. */
  <T> List<T> tags(BiFunction<String, String, T> make) {
    if (tagged.isEmpty()) {
      return null;
    }
    List<T> made = new ArrayList<>();
    tagged.forEach((key, value) -> made.add(make.apply(key, value)));
    return made;
  }
}
