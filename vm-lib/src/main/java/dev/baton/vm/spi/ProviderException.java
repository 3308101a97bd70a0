package dev.baton.vm.spi;

import dev.baton.core.Failure;
import dev.baton.core.Problem;
import dev.baton.vm.Trouble;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/** A request that a cloud did not fulfil; it says what is wrong without any secret. */
public final class ProviderException extends Exception implements Failure {
  private static final long serialVersionUID = 1;

  private final Trouble trouble;
  private final Problem problem;
  private final Duration retryAfter;
  private final String said;

  public ProviderException(Trouble trouble, String what) {
    this(trouble, what, "");
  }

  /**
   * @param next what to do beyond what the trouble itself asks for, in sentences, or empty
   */
  public ProviderException(Trouble trouble, String what, String next) {
    this(trouble, new Problem(trouble.kind(), what, next), null, "");
  }

  /**
   * @param retryAfter how long the cloud asks to be left alone, or null
   */
  public ProviderException(Trouble trouble, String what, Duration retryAfter, Throwable cause) {
    this(trouble, new Problem(trouble.kind(), what), retryAfter, cause);
  }

  /**
   * @param retryAfter how long the cloud asks to be left alone, or null
   */
  public ProviderException(Trouble trouble, Problem problem, Duration retryAfter, Throwable cause) {
    this(trouble, problem, retryAfter, "", cause);
  }

  /**
   * @param retryAfter how long the cloud asks to be left alone, or null
   * @param said the cloud's own words, without secrets, for its adapter alone to read
   */
  public ProviderException(Trouble trouble, Problem problem, Duration retryAfter, String said) {
    this(trouble, problem, retryAfter, said, null);
  }

  private ProviderException(
      Trouble trouble, Problem problem, Duration retryAfter, String said, Throwable cause) {
    super(problem.text(), cause);
    this.trouble = Objects.requireNonNull(trouble, "trouble");
    this.problem = problem;
    this.retryAfter = retryAfter;
    this.said = Objects.requireNonNull(said, "said");
  }

  public Trouble trouble() {
    return trouble;
  }

  @Override
  public Problem problem() {
    return problem;
  }

  /** The cloud's own words, for its adapter alone to read; empty where it has said nothing. */
  public String said() {
    return said;
  }

  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(retryAfter);
  }
}
