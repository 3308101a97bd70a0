package dev.baton.plugin.engine;

import dev.baton.client.problem.Advice;
import dev.baton.client.problem.Vocabulary;
import dev.baton.client.text.LogText;
import dev.baton.core.BadSetting;
import dev.baton.core.Failure;
import dev.baton.core.Problem;
import dev.baton.plugin.bridge.EngineFailure;
import java.util.Objects;
import java.util.stream.Stream;

/** What the engine tells a plugin about a failure: nothing that the reader of a log obeys. */
final class Problems {

  private Problems() {}

  /** Whether it says by itself what is wrong. */
  static boolean isKnown(Exception e) {
    return e instanceof Failure
        || Stream.<Throwable>iterate(e, Objects::nonNull, Throwable::getCause)
            .anyMatch(BadSetting.class::isInstance);
  }

  /** Something that is not to be explained is returned as it is. */
  static RuntimeException explain(Exception e, Vocabulary words) {
    if (isKnown(e)) {
      return of(Advice.on(e, words), e);
    }
    return e instanceof RuntimeException r ? r : new IllegalStateException(e);
  }

  /** What a report says about a failure. */
  static Problem advised(Exception e, Vocabulary words) {
    Problem p = Advice.on(e, words);
    return new Problem(p.kind(), LogText.of(p.what()), LogText.of(p.next()));
  }

  static EngineFailure of(Problem problem) {
    return of(problem, null);
  }

  static EngineFailure of(Problem problem, Throwable cause) {
    return new EngineFailure(
        problem.kind().name(), LogText.of(problem.what()), LogText.of(problem.next()), cause);
  }
}
