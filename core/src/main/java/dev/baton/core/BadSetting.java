package dev.baton.core;

import java.util.Objects;

/** Something that was set cannot be used. */
public class BadSetting extends IllegalArgumentException implements Failure {
  private static final long serialVersionUID = 1;

  private final Problem problem;

  private BadSetting(Problem problem, Throwable cause) {
    super(problem.text(), cause);
    this.problem = problem;
  }

  public BadSetting(String what, String next, Throwable cause) {
    this(new Problem(Problem.Kind.USAGE, Objects.requireNonNull(what, "what"), next), cause);
  }

  public BadSetting(String what, String next) {
    this(what, next, null);
  }

  /**
   * The refusal of a value, with what to do about it.
   *
   * @param otherwise what to do, where the refusal does not say
   */
  public static BadSetting of(IllegalArgumentException e, String otherwise) {
    return e instanceof BadSetting known
        ? known
        : new BadSetting(String.valueOf(e.getMessage()), otherwise, e);
  }

  @Override
  public Problem problem() {
    return problem;
  }

  /** There is no token and no key, or none that can be read. */
  public static final class NoToken extends BadSetting {
    private static final long serialVersionUID = 1;

    public NoToken(String what, String next, Throwable cause) {
      super(new Problem(Problem.Kind.NO_TOKEN, what, next), cause);
    }
  }
}
