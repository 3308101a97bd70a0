package dev.baton.core.json;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writes one JSON value on one line. The same value always gives the same text. */
public final class JsonLine {

  private final StringBuilder out = new StringBuilder(160);
  private boolean first = true;

  public static JsonLine object() {
    JsonLine line = new JsonLine();
    line.out.append('{');
    return line;
  }

  public static JsonLine array() {
    JsonLine line = new JsonLine();
    line.out.append('[');
    return line;
  }

  public String endObject() {
    return out.append('}').toString();
  }

  public String endArray() {
    return out.append(']').toString();
  }

  public JsonLine add(Object value) {
    comma();
    value(value);
    return this;
  }

  public JsonLine field(String name, Object value) {
    comma();
    string(name);
    out.append(':');
    value(value);
    return this;
  }

  public JsonLine fieldUnless(boolean omitted, String name, Object value) {
    return omitted ? this : field(name, value);
  }

  public JsonLine fields(Map<String, Object> fields) {
    fields.forEach(this::field);
    return this;
  }

  public static String of(Object value) {
    JsonLine line = new JsonLine();
    line.value(value);
    return line.out.toString();
  }

  private void comma() {
    if (!first) {
      out.append(',');
    }
    first = false;
  }

  private void value(Object value) {
    if (value == null || value instanceof Boolean) {
      out.append(value);
    } else if (value instanceof Long
        || value instanceof Integer
        || value instanceof BigInteger
        || value instanceof BigDecimal) {
      out.append(value);
    } else if (value instanceof String s) {
      string(s);
    } else if (value instanceof Enum<?> e) {
      string(Names.of(e));
    } else if (value instanceof Instant at) {
      string(Times.shown(at));
    } else if (value instanceof Duration d) {
      out.append(seconds(d).toPlainString());
    } else if (value instanceof List<?> list) {
      JsonLine array = array();
      list.forEach(array::add);
      out.append(array.endArray());
    } else if (value instanceof Map<?, ?> map) {
      JsonLine object = object();
      map.forEach((k, v) -> object.field((String) k, v));
      out.append(object.endObject());
    } else {
      throw new IllegalArgumentException("no JSON for " + value.getClass().getName());
    }
  }

  private static BigDecimal seconds(Duration d) {
    BigDecimal seconds = BigDecimal.valueOf(d.getSeconds()).add(BigDecimal.valueOf(d.getNano(), 9));
    return seconds.signum() == 0 ? BigDecimal.ZERO : seconds.stripTrailingZeros();
  }

  /**
   * The text goes into HTML comments and Markdown fences as well, so whatever could mean something
   * there is escaped. A text that would more than double by that, and is not short anyway, keeps
   * what is harmless on a line of its own: the room for a ticket is counted.
   */
  private void string(String s) {
    if (isPlain(s)) {
      out.append('"').append(s).append('"');
      return;
    }
    String safe = escaped(s, true);
    int room = Math.max(60, 2 * s.codePointCount(0, s.length()));
    out.append('"').append(safe.length() <= room ? safe : escaped(s, false)).append('"');
  }

  /** Whether nothing in it could have to be escaped, as in most texts. */
  private static boolean isPlain(String s) {
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      if (c < ' ' || c > '~' || c == '"' || c == '\\' || isDelicate(c)) {
        return false;
      }
    }
    return true;
  }

  private static String escaped(String s, boolean generous) {
    StringBuilder e = new StringBuilder(s.length() + 16);
    int i = 0;
    while (i < s.length()) {
      int c = s.codePointAt(i);
      if (c == '"' || c == '\\') {
        e.append('\\').append((char) c);
      } else if (mustEscape(c) || c == '>' && endsComment(s, i) || generous && isDelicate(c)) {
        for (char unit : Character.toChars(c)) {
          e.append(String.format(Locale.ROOT, "\\u%04x", (int) unit));
        }
      } else {
        e.appendCodePoint(c);
      }
      i += Character.charCount(c);
    }
    return e.toString();
  }

  private static boolean mustEscape(int c) {
    return Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE;
  }

  private static boolean isDelicate(int c) {
    return switch (c) {
      case '<', '>', '&', '`' -> true;
      default -> c > '~' && isDelicateBeyondAscii(c);
    };
  }

  private static boolean isDelicateBeyondAscii(int c) {
    return switch (Character.getType(c)) {
      case Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.PRIVATE_USE,
          Character.UNASSIGNED ->
          true;
      default -> false;
    };
  }

  private static boolean endsComment(String s, int at) {
    return s.startsWith("--", at - 2) || s.startsWith("--!", at - 3);
  }
}
