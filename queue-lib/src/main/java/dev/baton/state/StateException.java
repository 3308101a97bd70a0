package dev.baton.state;

import dev.baton.core.Failure;
import dev.baton.core.Problem;
import java.io.IOException;

/**
 * A state that cannot be read, or was not saved. What became of it is in the {@link #problem}: the
 * kinds {@code LOST} (the lock, or a newer one has written), {@code REFUSED} (changed since it was
 * loaded, or another queue guards it), {@code UNREADABLE} (damaged), {@code NEWER_FORMAT}, {@code
 * NOT_HOLDER} (a lock of something else), {@code USAGE} (nothing there), and those of the store.
 */
public final class StateException extends IOException implements Failure {
  private static final long serialVersionUID = 1;

  private final Problem problem;

  public StateException(Problem problem, Throwable cause) {
    super(problem.text(), cause);
    this.problem = problem;
  }

  public StateException(Problem.Kind kind, String what, String next) {
    this(new Problem(kind, what, next), null);
  }

  @Override
  public Problem problem() {
    return problem;
  }
}
