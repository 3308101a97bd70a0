package dev.baton.gradle.internal;

import dev.baton.plugin.bridge.EngineFailure;
import dev.baton.plugin.bridge.QueueCheck;
import java.time.Duration;
import java.util.Locale;
import org.gradle.api.GradleException;
import org.gradle.api.InvalidUserDataException;

/** What users of the plugin write and read. */
final class Sentences {

  private Sentences() {}

  /** Something about the build file: what is wrong, and what to write instead. */
  static InvalidUserDataException badSetting(String what, String next) {
    return new InvalidUserDataException(joined(what, next));
  }

  static GradleException failure(EngineFailure problem) {
    return new GradleException(joined(problem.getMessage(), problem.next()), problem);
  }

  static String joined(String what, String next) {
    // The name of a setting, such as baton.store, is spelled as it is written.
    boolean isWord = what.split("\\s", 2)[0].matches("[a-z]+('s)?[,:]?");
    String first =
        isWord ? what.substring(0, 1).toUpperCase(Locale.ROOT) + what.substring(1) : what;
    return "Baton: " + first + "." + (next.isEmpty() ? "" : " " + next);
  }

  /** The same rule as on the command line: {@code 90s}, {@code 20m}, {@code 1h30m}, {@code 2d}. */
  static Duration duration(String setting, String text) {
    return QueueCheck.duration(text)
        .orElseThrow(
            () ->
                badSetting(
                    setting + " cannot be '" + text + "'",
                    "Write a duration such as 90s, 20m, 1h30m or 2d."));
  }
}
