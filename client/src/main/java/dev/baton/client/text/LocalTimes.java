package dev.baton.client.text;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * Times in the time zone of this machine. Time zones take a while to load, and a queue in which
 * nothing goes on shows no time: nothing is loaded before the first one.
 */
public final class LocalTimes {

  private LocalTimes() {}

  public static String timeOfDay(Instant at) {
    return shown("HH:mm", at);
  }

  public static String dateAndTime(Instant at) {
    return shown("yyyy-MM-dd HH:mm", at);
  }

  public static String dateAndSeconds(Instant at) {
    return shown("yyyy-MM-dd HH:mm:ss", at);
  }

  private static String shown(String pattern, Instant at) {
    return DateTimeFormatter.ofPattern(pattern, Locale.ROOT)
        .withZone(ZoneId.systemDefault())
        .format(at);
  }
}
