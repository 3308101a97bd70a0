package dev.baton.action;

import dev.baton.queue.Checks;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lengths of time as people write and read them. */
final class Spans {

  private static final Pattern TEXT =
      Pattern.compile("(?:(\\d{1,4})d)? *(?:(\\d{1,5})h)? *(?:(\\d{1,6})m)? *(?:(\\d{1,7})s)?");
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private Spans() {}

  /** Reads {@code 90m}, {@code 1h30m}, {@code 45s}, {@code 2d}; {@code 0} is no time at all. */
  static Duration parse(String name, String text) {
    if (text.equals("0")) {
      return Duration.ZERO;
    }
    Matcher m = TEXT.matcher(text.toLowerCase(Locale.ROOT));
    if (text.isBlank() || !m.matches()) {
      throw new IllegalArgumentException(
          name + " must be a length of time such as 90m, 1h30m or 45s: " + Checks.shown(text));
    }
    return Duration.ofDays(number(m.group(1)))
        .plusHours(number(m.group(2)))
        .plusMinutes(number(m.group(3)))
        .plusSeconds(number(m.group(4)));
  }

  private static long number(String digits) {
    return digits == null ? 0 : Long.parseLong(digits);
  }

  /** No more exact than a person needs it: {@code 40 s}, {@code 12 min}, {@code 1 h 10 min}. */
  static String show(Duration d) {
    long seconds = Math.max(0, d.toSeconds());
    if (seconds < 120) {
      return seconds + " s";
    }
    long minutes = (seconds + 30) / 60;
    if (minutes < 120) {
      return minutes + " min";
    }
    long rest = minutes % 60;
    return minutes / 60 + " h" + (rest == 0 ? "" : " " + rest + " min");
  }

  static String timeOfDay(Instant at) {
    return TIME.format(at);
  }
}
