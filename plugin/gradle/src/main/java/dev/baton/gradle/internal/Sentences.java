package dev.baton.gradle.internal;

import dev.baton.plugin.bridge.EngineFailure;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.gradle.api.GradleException;
import org.gradle.api.InvalidUserDataException;

/** What users of the plugin write and read. */
final class Sentences {

  private static final Pattern DURATION =
      Pattern.compile("(?:(\\d{1,5})d)?(?:(\\d{1,5})h)?(?:(\\d{1,5})m)?(?:(\\d{1,7})s)?");

  private Sentences() {}

  /** Something about the build file: what is wrong, and what to write instead. */
  static InvalidUserDataException badSetting(String what, String next) {
    return new InvalidUserDataException(joined(what, next));
  }

  static GradleException failure(EngineFailure problem) {
    return new GradleException(joined(problem.getMessage(), problem.next()), problem);
  }

  static String joined(String what, String next) {
    String first = what.substring(0, 1).toUpperCase(Locale.ROOT) + what.substring(1);
    return "Baton: " + first + "." + (next.isEmpty() ? "" : " " + next);
  }

  /** The same rule as on the command line: {@code 90s}, {@code 20m}, {@code 1h30m}, {@code 2d}. */
  static Duration duration(String setting, String text) {
    String plain = text.strip().toLowerCase(Locale.ROOT).replace(" ", "").replace("min", "m");
    Matcher m = DURATION.matcher(plain);
    if (plain.isEmpty() || !m.matches()) {
      throw badSetting(
          setting + " is '" + text + "', which is no duration", "Write 90s, 20m, 1h30m or 2d.");
    }
    return Duration.ofDays(number(m, 1))
        .plusHours(number(m, 2))
        .plusMinutes(number(m, 3))
        .plusSeconds(number(m, 4));
  }

  private static long number(Matcher m, int group) {
    return m.group(group) == null ? 0 : Long.parseLong(m.group(group));
  }
}
