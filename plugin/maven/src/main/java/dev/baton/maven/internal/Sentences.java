package dev.baton.maven.internal;

import dev.baton.plugin.bridge.EngineFailure;
import java.util.Locale;

/** What users of the plugin read. */
public final class Sentences {

  private Sentences() {}

  /**
   * @param what without a full stop
   * @param next empty, or whole sentences
   */
  public static String joined(String what, String next) {
    String first = what.substring(0, 1).toUpperCase(Locale.ROOT) + what.substring(1);
    return ("Baton: " + first + ". " + next).trim();
  }

  public static String of(BadConfiguration bad) {
    return joined(bad.getMessage(), bad.next());
  }

  public static String of(EngineFailure failure) {
    return joined(failure.getMessage(), failure.next());
  }
}
