package dev.baton.state.internal;

import dev.baton.store.Documents;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * JSON in the one form that checksums are of, so that equal values have equal checksums however
 * they were written:
 *
 * <ol>
 *   <li>no white space between tokens; encoded as UTF-8;
 *   <li>members of an object in the order of the UTF-16 code units of their names;
 *   <li>strings with {@code \"}, {@code \\}, {@code \b}, {@code \f}, {@code \n}, {@code \r} and
 *       {@code \t}; other characters below U+0020 as {@code \}{@code u00xx} with lower-case digits;
 *       everything else as it is;
 *   <li>numbers by their exact decimal value: without an exponent, a plus sign, leading zeros, or
 *       zeros at the end of a fraction, so that 1.0 is 1 and -0 is 0. Where that takes more than 30
 *       digits, all significant digits as a whole number without zeros at its end, {@code e}, and
 *       the power of ten.
 * </ol>
 *
 * <p>For strings and objects that is RFC 8785; its numbers are rounded to doubles, and these are
 * not.
 */
public final class CanonicalJson {

  private static final int MOST_DIGITS = 30;

  private CanonicalJson() {}

  /** {@code sha256:} and 64 hexadecimal digits. */
  public static String checksum(Object value) {
    return "sha256:" + Documents.sha256(of(value));
  }

  /**
   * @param value of maps with strings as keys, lists, strings, whole numbers, {@link BigDecimal},
   *     booleans and nulls
   */
  public static String of(Object value) {
    StringBuilder out = new StringBuilder();
    write(out, value);
    return out.toString();
  }

  private static void write(StringBuilder out, Object value) {
    if (value == null || value instanceof Boolean) {
      out.append(value);
    } else if (value instanceof String s) {
      quote(out, s);
    } else if (value instanceof Number n) {
      out.append(number(n));
    } else if (value instanceof Map<?, ?> map) {
      Map<String, Object> sorted = new TreeMap<>();
      map.forEach((k, v) -> sorted.put((String) k, v));
      out.append('{');
      List<Map.Entry<String, Object>> members = new ArrayList<>(sorted.entrySet());
      for (int i = 0; i < members.size(); i++) {
        out.append(i == 0 ? "" : ",");
        quote(out, members.get(i).getKey());
        out.append(':');
        write(out, members.get(i).getValue());
      }
      out.append('}');
    } else if (value instanceof List<?> list) {
      out.append('[');
      for (int i = 0; i < list.size(); i++) {
        out.append(i == 0 ? "" : ",");
        write(out, list.get(i));
      }
      out.append(']');
    } else {
      throw new IllegalArgumentException("no JSON for " + value.getClass().getName());
    }
  }

  private static String number(Number n) {
    BigDecimal exact =
        n instanceof BigDecimal d
            ? d
            : n instanceof BigInteger i ? new BigDecimal(i) : BigDecimal.valueOf(n.longValue());
    if (exact.signum() == 0) {
      return "0";
    }
    BigDecimal shortest = exact.stripTrailingZeros();
    long digits =
        shortest.scale() <= 0
            ? (long) shortest.precision() - shortest.scale()
            : Math.max(shortest.precision(), shortest.scale() + 1L);
    return digits <= MOST_DIGITS
        ? shortest.toPlainString()
        : shortest.unscaledValue() + "e" + -(long) shortest.scale();
  }

  private static void quote(StringBuilder out, String s) {
    out.append('"');
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\b' -> out.append("\\b");
        case '\f' -> out.append("\\f");
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < ' ') {
            out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }
}
