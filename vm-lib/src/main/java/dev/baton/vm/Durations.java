package dev.baton.vm;

import java.time.Duration;

/** Times as people say them. */
public final class Durations {
  private Durations() {}

  public static String words(Duration d) {
    long seconds = Math.max(0, d.toSeconds());
    if (seconds < 120) {
      return seconds == 1 ? "1 second" : seconds + " seconds";
    } else if (seconds < 2 * 3600) {
      return seconds / 60 + " minutes";
    } else if (seconds < 2 * 86_400) {
      return seconds / 3600 + " hours";
    }
    return seconds / 86_400 + " days";
  }

  public static String ago(Duration d) {
    return words(d) + " ago";
  }
}
