package dev.baton.client.problem;

import dev.baton.client.settings.Setting;
import dev.baton.core.BadSetting;
import dev.baton.core.Failure;
import dev.baton.core.Problem;
import dev.baton.core.Problem.Kind;

/** The one place where an exception becomes a problem that says what to do. */
public final class Advice {

  private Advice() {}

  /** The problem of a failure. */
  public static Problem on(Throwable e, Vocabulary words) {
    return on(problem(e), words);
  }

  private static Problem problem(Throwable e) {
    // Also below the store, such as a token file that is gone.
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof BadSetting setting) {
        return setting.problem();
      }
    }
    if (e instanceof Failure failure) {
      return failure.problem();
    }
    return e instanceof IllegalArgumentException
        ? new Problem(Kind.USAGE, String.valueOf(e.getMessage()))
        : new Problem(Kind.UNEXPECTED, "unexpected: " + e);
  }

  /**
   * A problem with something to do. What a library says about it counts, except where only a front
   * end can know how it is done.
   */
  public static Problem on(Problem problem, Vocabulary words) {
    boolean isSaid = !problem.next().isEmpty() && problem.kind() != Kind.NOT_INITIALISED;
    return isSaid
        ? problem
        : problem.advising(words.own(problem.kind()).orElseGet(() -> usual(problem.kind(), words)));
  }

  private static String usual(Kind kind, Vocabulary words) {
    String doctor = "Run " + words.command("doctor") + " for details.";
    return switch (kind) {
      case NOT_INITIALISED ->
          "Create it with "
              + words.command("init")
              + ", or choose another with "
              + words.setting(Setting.STORE)
              + " and "
              + words.setting(Setting.QUEUE)
              + ".";
      case BROKEN ->
          "Nothing was changed. To repair it now, run " + words.command("doctor --repair") + ".";
      case UNREACHABLE ->
          "Check "
              + words.setting(Setting.STORE)
              + " and "
              + words.setting(Setting.API)
              + ", the network and any proxy; then try again.";
      case REFUSED, NOT_HOLDER, TIMED_OUT, LOST ->
          "Look at the queue with " + words.command("status") + ".";
      case UNREADABLE -> "Nothing was changed. " + doctor;
      case NEWER_FORMAT ->
          "Use a newer version of baton, or another "
              + words.setting(Setting.QUEUE)
              + "; nothing was changed.";
      case USAGE, NOT_EXECUTABLE, COMMAND_NOT_FOUND -> "Correct it and try again.";
      case NO_TOKEN, NO_PERMISSION, WENT_BACK, FAILED, UNEXPECTED -> doctor;
    };
  }
}
