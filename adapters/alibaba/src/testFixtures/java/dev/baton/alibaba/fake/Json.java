package dev.baton.alibaba.fake;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The little JSON that the API speaks. */
final class Json {
  private static final Pattern STRING = Pattern.compile("\"((?:[^\"\\\\])*)\"");

  private Json() {}

  public static String text(Object value) {
    StringBuilder out = new StringBuilder();
    write(value, out);
    return out.toString();
  }

  private static void write(Object value, StringBuilder out) {
    if (value instanceof Map<?, ?> map) {
      String separator = "{";
      for (Map.Entry<?, ?> one : map.entrySet()) {
        out.append(separator);
        string(String.valueOf(one.getKey()), out);
        out.append(':');
        write(one.getValue(), out);
        separator = ",";
      }
      out.append(map.isEmpty() ? "{}" : "}");
    } else if (value instanceof Iterable<?> list) {
      String separator = "";
      out.append('[');
      for (Object one : list) {
        out.append(separator);
        write(one, out);
        separator = ",";
      }
      out.append(']');
    } else if (value instanceof Number || value instanceof Boolean || value == null) {
      out.append(value);
    } else {
      string(value.toString(), out);
    }
  }

  private static void string(String text, StringBuilder out) {
    out.append('"');
    for (char c : text.toCharArray()) {
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ') {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }

  /** The strings of a list such as {@code ["i-1", "i-2"]}. */
  static List<String> strings(String json) {
    List<String> all = new ArrayList<>();
    Matcher m = STRING.matcher(json);
    while (m.find()) {
      all.add(m.group(1));
    }
    return all;
  }
}
