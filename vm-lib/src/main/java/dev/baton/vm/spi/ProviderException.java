package dev.baton.vm.spi;

import dev.baton.vm.Trouble;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/** A request that a cloud did not fulfil. The message says what is wrong, without any secret. */
public final class ProviderException extends Exception {
  private static final long serialVersionUID = 1;

  private final Trouble trouble;
  private final Duration retryAfter;

  public ProviderException(Trouble trouble, String message) {
    this(trouble, message, null, null);
  }

  /**
   * @param retryAfter how long the cloud asks to be left alone, or null
   */
  public ProviderException(Trouble trouble, String message, Duration retryAfter, Throwable cause) {
    super(message, cause);
    this.trouble = Objects.requireNonNull(trouble, "trouble");
    this.retryAfter = retryAfter;
  }

  public Trouble trouble() {
    return trouble;
  }

  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(retryAfter);
  }
}
