package dev.baton.cli.terminal;

import dev.baton.core.Failure;
import dev.baton.core.Problem;

/** Something a person has to be told: what it is, and what to do next. */
public final class CliException extends RuntimeException implements Failure {
  private static final long serialVersionUID = 1;

  private final Problem problem;

  public CliException(Problem problem, Throwable cause) {
    super(problem.text(), cause);
    this.problem = problem;
  }

  public CliException(Problem.Kind kind, String what, String next) {
    this(kind, what, next, null);
  }

  public CliException(Problem.Kind kind, String what, String next, Throwable cause) {
    this(new Problem(kind, what, next), cause);
  }

  public static CliException usage(String what, String next) {
    return new CliException(Problem.Kind.USAGE, what, next);
  }

  @Override
  public Problem problem() {
    return problem;
  }
}
