package dev.baton.core.json;

import java.util.List;
import java.util.Map;

/**
 * Writes an object as a file that people open: a line for each field and each entry of a list. The
 * same values always give the same text.
 */
public final class JsonFile {

  private JsonFile() {}

  public static String of(Map<String, ?> object) {
    StringBuilder out = new StringBuilder("{");
    String separator = "\n  ";
    for (Map.Entry<String, ?> field : object.entrySet()) {
      out.append(separator).append(JsonLine.plain(field.getKey())).append(": ");
      block(out, field.getValue());
      separator = ",\n  ";
    }
    return out.append("\n}\n").toString();
  }

  private static void block(StringBuilder out, Object value) {
    if (value instanceof List<?> list && !list.isEmpty()) {
      out.append('[');
      String separator = "\n    ";
      for (Object entry : list) {
        out.append(separator).append(JsonLine.plain(entry));
        separator = ",\n    ";
      }
      out.append("\n  ]");
    } else if (value instanceof Map<?, ?> map
        && map.values().stream().anyMatch(Map.class::isInstance)) {
      out.append('{');
      String separator = "\n    ";
      for (Map.Entry<?, ?> field : map.entrySet()) {
        out.append(separator).append(JsonLine.plain(field.getKey())).append(": ");
        out.append(JsonLine.plain(field.getValue()));
        separator = ",\n    ";
      }
      out.append("\n  }");
    } else {
      out.append(JsonLine.plain(value));
    }
  }
}
