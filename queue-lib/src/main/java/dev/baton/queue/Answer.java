package dev.baton.queue;

import dev.baton.core.Problem;

/** What became of a maintainer's word. */
public sealed interface Answer {

  /** It is so now; perhaps it had been before. */
  record Done() implements Answer {}

  /** It was not done, and nothing was changed. */
  record Refused(Problem problem) implements Answer {

    public String message() {
      return problem.text();
    }
  }
}
