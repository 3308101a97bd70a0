package dev.baton.vm;

import dev.baton.core.Checks;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Bounds of what may enter a journal. */
final class Texts {
  static final int MAX_ID = 200;
  static final int MAX_NAME = 64;
  static final int MAX_VALUE = 4_000;
  static final int MAX_FIELDS = 50;
  static final int MAX_ERROR = 600;

  private Texts() {}

  static String id(String name, String value) {
    return Checks.line(name, value, 1, MAX_ID);
  }

  static Map<String, String> fields(String name, Map<String, String> fields) {
    if (fields.size() > MAX_FIELDS) {
      throw new IllegalArgumentException(
          name + " has more than " + MAX_FIELDS + " fields: " + fields.size());
    }
    fields.forEach(
        (k, v) -> {
          Checks.line("a name in " + name, k, 1, MAX_NAME);
          Checks.line(name + "." + k, v, 0, MAX_VALUE);
        });
    return Collections.unmodifiableMap(new LinkedHashMap<>(fields));
  }

  /** Cut and cleaned rather than refused: it describes a failure, and must not be another one. */
  static String error(String text) {
    StringBuilder s = new StringBuilder();
    text.codePoints()
        .limit(MAX_ERROR)
        .map(
            c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE ? ' ' : c)
        .forEach(s::appendCodePoint);
    return s.toString();
  }
}
