package dev.baton.core;

/** A document that cannot be read or written; nothing has been changed. */
public abstract class DocumentException extends RuntimeException implements Failure {

  private static final long serialVersionUID = 1L;

  private final Problem problem;

  protected DocumentException(Problem problem) {
    super(problem.text());
    this.problem = problem;
  }

  @Override
  public Problem problem() {
    return problem;
  }
}
