package dev.baton.core;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Fields that this version does not know, kept for the one that does.
 *
 * @param fields by name; values are strings, numbers, booleans, nulls, lists and maps
 */
public record Extra(Map<String, Object> fields) {

  public static final Extra NONE = new Extra(Map.of());

  public Extra {
    // Not Map.copyOf: a value may be null, and the order in the file is kept.
    fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
  }
}
