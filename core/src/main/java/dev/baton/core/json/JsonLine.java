package dev.baton.core.json;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Writes one JSON value on one line. The same value always gives the same text. */
public final class JsonLine {

  private final StringBuilder out = new StringBuilder(160);
  private final UnaryOperator<String> quoting;
  private boolean first = true;

  private JsonLine(UnaryOperator<String> quoting) {
    this.quoting = quoting;
  }

  public static JsonLine object() {
    return new JsonLine(JsonLine::quotedForMarkdown).begin('{');
  }

  public static JsonLine array() {
    return new JsonLine(JsonLine::quotedForMarkdown).begin('[');
  }

  private JsonLine begin(char bracket) {
    out.append(bracket);
    return this;
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
    out.append(quoting.apply(name)).append(':');
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
    return of(value, JsonLine::quotedForMarkdown);
  }

  /** For a file that nothing but JSON is in: only what JSON itself does not allow is escaped. */
  static String plain(Object value) {
    return of(value, JsonLine::quotedPlainly);
  }

  private static String of(Object value, UnaryOperator<String> quoting) {
    JsonLine line = new JsonLine(quoting);
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
      out.append(quoting.apply(s));
    } else if (value instanceof Enum<?> e) {
      out.append(quoting.apply(Names.of(e)));
    } else if (value instanceof Instant at) {
      out.append(quoting.apply(Times.shown(at)));
    } else if (value instanceof Duration d) {
      out.append(seconds(d).toPlainString());
    } else if (value instanceof List<?> list) {
      JsonLine array = new JsonLine(quoting).begin('[');
      list.forEach(array::add);
      out.append(array.endArray());
    } else if (value instanceof Map<?, ?> map) {
      JsonLine object = new JsonLine(quoting).begin('{');
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
  private static String quotedForMarkdown(String s) {
    if (isPlain(s)) {
      return '"' + s + '"';
    }
    String safe = escaped(s, true);
    int room = Math.max(60, 2 * s.codePointCount(0, s.length()));
    return '"' + (safe.length() <= room ? safe : escaped(s, false)) + '"';
  }

  /** With line separators, which are not allowed in a text of JavaScript. */
  private static String quotedPlainly(String s) {
    StringBuilder quoted = new StringBuilder(s.length() + 16).append('"');
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ' || c == 0x7f || c == 0x2028 || c == 0x2029) {
        quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
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
