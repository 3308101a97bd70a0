package dev.baton.gradle.engine;

import dev.baton.client.settings.Host;
import dev.baton.client.text.LogText;
import dev.baton.core.BadSetting;
import dev.baton.core.DocumentException;
import dev.baton.core.Durations;
import dev.baton.gradle.internal.bridge.Problem;
import dev.baton.queue.Acquisition;
import dev.baton.queue.Outcome;
import dev.baton.queue.QueueException;
import dev.baton.store.StoreException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** The one place where an exception becomes advice for somebody who edits a build file. */
final class Problems {

  private Problems() {}

  /** Something that is not to be explained is returned as it is. */
  static RuntimeException explain(Exception e, String label) {
    RuntimeException explained = explained(e, label);
    return explained instanceof Problem p ? inert(p) : explained;
  }

  /** The same, with nothing in it that the reader of a log takes for a command. */
  private static Problem inert(Problem p) {
    Problem shown =
        new Problem(p.kind(), LogText.of(p.getMessage()), LogText.of(p.next()), p.getCause());
    shown.setStackTrace(p.getStackTrace());
    return shown;
  }

  private static RuntimeException explained(Exception e, String label) {
    if (e instanceof Problem p) {
      return p;
    }
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof BadSetting s) {
        return problem(s.getMessage(), s.next(), s);
      }
    }
    if (e instanceof QueueException.NotInitialised) {
      return new Problem(
          Problem.Kind.NO_QUEUE,
          e.getMessage().replaceFirst(": create it first$", ""),
          "Create it with `gradle batonInit`, or choose another with "
              + label
              + ".store and "
              + label
              + ".queue.",
          e);
    }
    if (e instanceof QueueException.Unavailable) {
      return problem(
          e.getMessage(),
          "Check " + label + ".store and " + label + ".api, the network and any proxy.",
          e);
    }
    if (e instanceof QueueException.WentBack) {
      return problem(e.getMessage(), "Look at it with `gradle batonDoctor`.", e);
    }
    if (e instanceof QueueException q) {
      return q.getCause() instanceof StoreException s
          ? ofStore(s, label)
          : split(q.getMessage(), ": ", "`gradle batonStatus` shows the queue.", q);
    }
    if (e instanceof StoreException s) {
      return ofStore(s, label);
    }
    if (e instanceof DocumentException) {
      return problem(
          e.getMessage(), "Look at it with `gradle batonDoctor`; nothing was changed.", e);
    }
    return e instanceof RuntimeException r ? r : new IllegalStateException(e);
  }

  private static RuntimeException ofStore(StoreException e, String label) {
    // Its messages are what is wrong, a full stop, and what to do.
    return split(e.getMessage(), "\\. (?=[A-Z])", "Check " + label + ".store.", e);
  }

  private static Problem split(String message, String separator, String otherwise, Exception e) {
    String[] parts = String.valueOf(message).split(separator, 2);
    if (parts.length < 2) {
      return problem(parts[0].replaceFirst("\\.$", ""), otherwise, e);
    }
    String next = parts[1].substring(0, 1).toUpperCase(Locale.ROOT) + parts[1].substring(1);
    return problem(parts[0], next.endsWith(".") ? next : next + ".", e);
  }

  private static Problem problem(String what, String next, Exception cause) {
    return new Problem(Problem.Kind.OTHER, what, next, cause);
  }

  static Problem notAcquired(Acquisition result, Optional<Duration> timeout, Host host) {
    if (result instanceof Acquisition.TimedOut late) {
      return new Problem(
          Problem.Kind.TIMED_OUT,
          "the turn did not come within "
              + timeout.map(Durations::shown).orElse("the time")
              + "; ticket "
              + late.ticket()
              + " was at place "
              + late.position()
              + " and has left the line",
          "Wait longer with -PbatonWaitTimeout=2h or baton.waitTimeout, or look who builds with"
              + " `gradle batonStatus`.",
          null);
    }
    if (result instanceof Acquisition.Removed removed) {
      return problem(
          "ticket "
              + removed.ticket()
              + " is out of the line"
              + removed.how().map(Problems::because).orElse(""),
          "`gradle batonHistory` says who did it and why; build again to stand in line anew.",
          null);
    }
    return split(
        ((Acquisition.Refused) result).message(),
        "[:;] ",
        "`gradle batonStatus` shows the queue.",
        null);
  }

  private static String because(Outcome.End end) {
    return switch (end) {
      case DROPPED -> ": a maintainer dropped it";
      case REMOVED -> ": it did not answer for too long, or its job ended";
      case REAPED, UNLOCKED -> ": it had the lock and lost it";
      case RELEASED -> ": it had the lock and gave it back";
      case LEFT -> ": it left";
    };
  }
}
