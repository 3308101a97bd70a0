package dev.baton.client.text;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Maps, lists, texts, numbers and booleans as JSON for a terminal or a log: the log takes no line
 * of it for a command, see {@link LogText}.
 */
public final class JsonOutput {

  private JsonOutput() {}

  /** A map in the order of its arguments: name, value, name, value. Empty values are left out. */
  public static Map<String, Object> object(Object... namesAndValues) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      Object value = namesAndValues[i + 1];
      if (value instanceof Optional<?> o) {
        if (o.isPresent()) {
          map.put(namesAndValues[i].toString(), o.get());
        }
      } else {
        map.put(namesAndValues[i].toString(), value);
      }
    }
    return map;
  }

  /** For people who read it. */
  public static String text(Object value) {
    StringBuilder out = new StringBuilder();
    write(out, value, "\n");
    return LogText.json(out.toString());
  }

  /** On one line. */
  public static String line(Object value) {
    StringBuilder out = new StringBuilder();
    write(out, value, "");
    return LogText.json(out.toString());
  }

  private static void write(StringBuilder out, Object value, String newLine) {
    if (value instanceof Map<?, ?> map) {
      writeAll(out, '{', '}', map.entrySet(), newLine);
    } else if (value instanceof Iterable<?> list) {
      writeAll(out, '[', ']', list, newLine);
    } else if (value instanceof Number || value instanceof Boolean || value == null) {
      out.append(value);
    } else {
      quote(out, value.toString());
    }
  }

  private static void writeAll(
      StringBuilder out, char open, char close, Iterable<?> items, String newLine) {
    String inner = newLine.isEmpty() ? "" : newLine + "  ";
    out.append(open);
    Iterator<?> each = items.iterator();
    boolean empty = !each.hasNext();
    while (each.hasNext()) {
      out.append(inner);
      Object item = each.next();
      if (item instanceof Map.Entry<?, ?> e) {
        quote(out, e.getKey().toString());
        out.append(": ");
        write(out, e.getValue(), inner);
      } else {
        write(out, item, inner);
      }
      out.append(each.hasNext() ? "," : "");
    }
    out.append(empty ? "" : newLine).append(close);
  }

  private static void quote(StringBuilder out, String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < 0x20 || isLone(text, i)) {
        out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }

  /** Half a character cannot be written as UTF-8. */
  private static boolean isLone(String text, int i) {
    char c = text.charAt(i);
    if (Character.isHighSurrogate(c)) {
      return i + 1 >= text.length() || !Character.isLowSurrogate(text.charAt(i + 1));
    }
    return Character.isLowSurrogate(c)
        && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)));
  }
}
