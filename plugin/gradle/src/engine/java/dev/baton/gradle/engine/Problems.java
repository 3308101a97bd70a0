package dev.baton.gradle.engine;

import dev.baton.client.problem.Advice;
import dev.baton.client.problem.Vocabulary;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.client.text.LogText;
import dev.baton.core.BadSetting;
import dev.baton.core.Durations;
import dev.baton.core.Failure;
import dev.baton.core.Problem;
import dev.baton.gradle.internal.bridge.EngineFailure;
import dev.baton.queue.Acquisition;
import dev.baton.queue.Outcome;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** What the engine tells the plugin about a failure. */
final class Problems {

  private Problems() {}

  /** Something that is not to be explained is returned as it is. */
  static RuntimeException explain(Exception e, String label) {
    if (e instanceof EngineFailure p) {
      return inert(p);
    }
    boolean isOurs =
        e instanceof Failure
            || Stream.<Throwable>iterate(e, Objects::nonNull, Throwable::getCause)
                .anyMatch(BadSetting.class::isInstance);
    if (isOurs) {
      return inert(of(e, words(label)));
    }
    return e instanceof RuntimeException r ? r : new IllegalStateException(e);
  }

  /** What a report says about a failure. */
  static Problem advised(Exception e, String label) {
    Problem p = Advice.on(e, words(label));
    return new Problem(p.kind(), LogText.of(p.what()), LogText.of(p.next()));
  }

  private static Words words(String label) {
    return new Words(setting -> label + "." + setting.id());
  }

  static EngineFailure of(Exception e, Vocabulary words) {
    return of(Advice.on(e, words), e);
  }

  private static EngineFailure of(Problem problem, Exception cause) {
    return new EngineFailure(kind(problem.kind()), problem.what(), problem.next(), cause);
  }

  /** What the plugin tells apart. */
  private static EngineFailure.Kind kind(Problem.Kind kind) {
    return switch (kind) {
      case TIMED_OUT -> EngineFailure.Kind.TIMED_OUT;
      case NOT_INITIALISED -> EngineFailure.Kind.NO_QUEUE;
      default -> EngineFailure.Kind.OTHER;
    };
  }

  /** The same, with nothing in it that the reader of a log takes for a command. */
  private static EngineFailure inert(EngineFailure p) {
    EngineFailure shown =
        new EngineFailure(p.kind(), LogText.of(p.getMessage()), LogText.of(p.next()), p.getCause());
    shown.setStackTrace(p.getStackTrace());
    return shown;
  }

  /** How somebody says it who edits a build file. */
  private record Words(Function<Setting, String> spelling) implements Vocabulary {

    @Override
    public String command(String command) {
      return switch (command) {
        case "init" -> "`gradle batonInit`";
        case "status" -> "`gradle batonStatus`";
        case "doctor" -> "`gradle batonDoctor`";
        // There is no task for the rest.
        default -> "`baton " + command + "`";
      };
    }

    @Override
    public String setting(Setting setting) {
      return spelling.apply(setting);
    }
  }

  static EngineFailure notAcquired(Acquisition result, Optional<Duration> timeout, Host host) {
    if (result instanceof Acquisition.TimedOut late) {
      return new EngineFailure(
          EngineFailure.Kind.TIMED_OUT,
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
    if (result instanceof Acquisition.NotInLine late) {
      return of(
          late.problem()
              .advising(
                  "Wait longer with -PbatonWaitTimeout=2h or baton.waitTimeout, or try again"
                      + " later."),
          null);
    }
    if (result instanceof Acquisition.Removed removed) {
      return new EngineFailure(
          "ticket "
              + removed.ticket()
              + " is out of the line"
              + removed.how().map(Problems::because).orElse(""),
          "`gradle batonHistory` says who did it and why; build again to stand in line anew.");
    }
    return of(Advice.on(((Acquisition.Refused) result).problem(), new Words(host::spelled)), null);
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
