package dev.baton.vm;

import java.time.Duration;
import java.util.Objects;

/**
 * How an operation deals with people and with others who are at work.
 *
 * @param force ask whether the lock of a living client may be taken over
 * @param waitAtMost how long to wait for such a client to finish
 */
public record Options(boolean force, Duration waitAtMost, Questions questions, Progress progress) {

  /** Asks nobody, waits for nobody, tells nobody. */
  public static final Options DEFAULT =
      new Options(false, Duration.ZERO, Questions.refuse(), Progress.NONE);

  public Options {
    Objects.requireNonNull(questions, "questions");
    Objects.requireNonNull(progress, "progress");
    if (waitAtMost.isNegative()) {
      throw new IllegalArgumentException("waitAtMost must not be negative: " + waitAtMost);
    }
  }

  public Options forcing() {
    return new Options(true, waitAtMost, questions, progress);
  }

  public Options waitingAtMost(Duration time) {
    return new Options(force, time, questions, progress);
  }

  public Options asking(Questions others) {
    return new Options(force, waitAtMost, others, progress);
  }

  public Options telling(Progress other) {
    return new Options(force, waitAtMost, questions, other);
  }
}
