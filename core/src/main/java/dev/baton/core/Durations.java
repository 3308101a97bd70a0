package dev.baton.core;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write and read them. */
public final class Durations {

  private static final Pattern TEXT =
      Pattern.compile("(?:(\\d{1,5})d)?(?:(\\d{1,5})h)?(?:(\\d{1,5})m)?(?:(\\d{1,7})s)?");

  private Durations() {}

  /** Reads {@code 90s}, {@code 20m}, {@code 1h30m} or {@code 2d}; {@code 0} is no time at all. */
  public static Duration parse(String text) {
    String plain = text.strip().toLowerCase(Locale.ROOT).replace(" ", "").replace("min", "m");
    if (plain.equals("0")) {
      return Duration.ZERO;
    }
    Matcher m = TEXT.matcher(plain);
    if (plain.isEmpty() || !m.matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a length of time: write 90s, 20m, 1h30m or 2d");
    }
    return Duration.ofDays(number(m, 1))
        .plusHours(number(m, 2))
        .plusMinutes(number(m, 3))
        .plusSeconds(number(m, 4));
  }

  private static long number(Matcher m, int group) {
    return m.group(group) == null ? 0 : Long.parseLong(m.group(group));
  }

  /**
   * In a sentence: the two greatest units, such as {@code 1 h 5 min}. The value of a setting, which
   * people may type or paste, is shown by {@link Checks#shown(Duration)} instead.
   */
  public static String shown(Duration d) {
    long seconds = Math.max(0, d.toSeconds());
    if (seconds < 60) {
      return seconds + " s";
    }
    if (seconds < 600) {
      return seconds / 60 + " min" + (seconds % 60 == 0 ? "" : " " + seconds % 60 + " s");
    }
    long minutes = seconds / 60;
    if (minutes < 60) {
      return minutes + " min";
    }
    if (minutes < 48 * 60) {
      return minutes / 60 + " h" + (minutes % 60 == 0 ? "" : " " + minutes % 60 + " min");
    }
    long hours = minutes / 60;
    return hours / 24 + " days" + (hours % 24 == 0 ? "" : " " + hours % 24 + " h");
  }
}
