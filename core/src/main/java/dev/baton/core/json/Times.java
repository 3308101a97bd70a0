package dev.baton.core.json;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

/**
 * Times as documents have them. A document has hundreds, nearly all of them in whole seconds: for
 * those the ways of the JDK, which know every calendar, take most of the time that reading and
 * writing takes.
 */
final class Times {

  private static final String PATTERN = "0000-00-00T00:00:00Z";
  private static final long FIRST = Instant.parse("0000-01-01T00:00:00Z").getEpochSecond();
  private static final long LAST = Instant.parse("9999-12-31T23:59:59Z").getEpochSecond();

  private Times() {}

  /** The same as {@link Instant#toString}. */
  static String shown(Instant at) {
    if (at.getNano() != 0 || at.getEpochSecond() < FIRST || at.getEpochSecond() > LAST) {
      return at.toString();
    }
    LocalDateTime t = LocalDateTime.ofEpochSecond(at.getEpochSecond(), 0, ZoneOffset.UTC);
    char[] out = PATTERN.toCharArray();
    put(out, 0, t.getYear() / 100);
    put(out, 2, t.getYear() % 100);
    put(out, 5, t.getMonthValue());
    put(out, 8, t.getDayOfMonth());
    put(out, 11, t.getHour());
    put(out, 14, t.getMinute());
    put(out, 17, t.getSecond());
    return new String(out);
  }

  private static void put(char[] out, int at, int number) {
    out[at] = (char) ('0' + number / 10);
    out[at + 1] = (char) ('0' + number % 10);
  }

  /**
   * The same as {@link Instant#parse}.
   *
   * @throws java.time.DateTimeException when it is not a time
   */
  static Instant parse(String s) {
    if (!hasPattern(s) || two(s, 11) > 23 || two(s, 17) > 59) {
      return Instant.parse(s);
    }
    return LocalDateTime.of(
            100 * two(s, 0) + two(s, 2), two(s, 5), two(s, 8), two(s, 11), two(s, 14), two(s, 17))
        .toInstant(ZoneOffset.UTC);
  }

  private static boolean hasPattern(String s) {
    if (s.length() != PATTERN.length()) {
      return false;
    }
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      boolean fits = PATTERN.charAt(i) == '0' ? c >= '0' && c <= '9' : c == PATTERN.charAt(i);
      if (!fits) {
        return false;
      }
    }
    return true;
  }

  private static int two(String s, int at) {
    return 10 * (s.charAt(at) - '0') + s.charAt(at + 1) - '0';
  }
}
