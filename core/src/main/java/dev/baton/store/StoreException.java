package dev.baton.store;

import dev.baton.core.Failure;
import dev.baton.core.Problem;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** A store that could not be read or written. */
public class StoreException extends IOException implements Failure {
  private static final long serialVersionUID = 1;

  private final Problem problem;
  private final boolean retryable;
  private final Duration retryAfter;
  private final boolean outage;

  /** A failure that stays until somebody does something: wrong permission, missing directory. */
  public StoreException(Problem problem, Throwable cause) {
    this(problem, cause, false, null, false);
  }

  /** The same, of a store that cannot be used as it is. */
  public StoreException(String what, String next, Throwable cause) {
    this(unreachable(what, next), cause);
  }

  /** The same, where nobody here knows what to do. */
  public StoreException(String what, Throwable cause) {
    this(what, "", cause);
  }

  private StoreException(
      Problem problem, Throwable cause, boolean retryable, Duration retryAfter, boolean outage) {
    super(problem.text(), cause);
    this.problem = problem;
    this.retryable = retryable;
    this.retryAfter = retryAfter;
    this.outage = outage;
  }

  /** A failure that may pass by itself: a connection that was cut, a server that is busy. */
  public static StoreException passing(String what, String next, Throwable cause) {
    return new StoreException(unreachable(what, next), cause, true, null, true);
  }

  /** The same, where there is nothing to do but to try again. */
  public static StoreException passing(String what, Throwable cause) {
    return passing(what, "", cause);
  }

  /** A failure after which the store asks to be left alone for a while. */
  public static StoreException busy(String what, Duration retryAfter) {
    return busy(what, "", retryAfter);
  }

  /** The same, with something to do meanwhile. */
  public static StoreException busy(String what, String next, Duration retryAfter) {
    return new StoreException(unreachable(what, next), null, true, retryAfter, false);
  }

  /** A server in trouble, which says when to ask again. */
  public static StoreException down(String what, Duration retryAfter) {
    return new StoreException(unreachable(what, ""), null, true, retryAfter, true);
  }

  /** A failure because of who asks: a key that is wrong, has expired, or may not do this. */
  public static StoreException denied(String what, String next) {
    return new StoreException(new Problem(Problem.Kind.NO_PERMISSION, what, next), null);
  }

  private static Problem unreachable(String what, String next) {
    return new Problem(Problem.Kind.UNREACHABLE, what, next);
  }

  @Override
  public Problem problem() {
    return problem;
  }

  /** Whether somebody else, or a better key, would have been let in. */
  public boolean isDenied() {
    return problem.kind() == Problem.Kind.NO_PERMISSION || problem.kind() == Problem.Kind.NO_TOKEN;
  }

  public boolean isRetryable() {
    return retryable;
  }

  /** Whether the store did not work, in contrast to one that works and asks for patience. */
  public boolean isOutage() {
    return outage;
  }

  /** How long the store asked to be left alone. */
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(retryAfter);
  }
}
