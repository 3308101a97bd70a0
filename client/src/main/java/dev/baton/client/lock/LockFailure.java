package dev.baton.client.lock;

import dev.baton.core.Failure;
import dev.baton.core.Problem;
import java.util.Objects;

/** Guarded work cannot begin, or did not end under its lock: what is wrong and what to do. */
public final class LockFailure extends RuntimeException implements Failure {
  private static final long serialVersionUID = 1;

  private final Problem problem;

  public LockFailure(Problem problem, Throwable cause) {
    super(problem.text(), cause);
    this.problem = Objects.requireNonNull(problem, "problem");
  }

  public LockFailure(Problem problem) {
    this(problem, null);
  }

  @Override
  public Problem problem() {
    return problem;
  }
}
