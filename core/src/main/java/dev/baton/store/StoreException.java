package dev.baton.store;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** A store that could not be read or written. The message says what to do about it. */
public class StoreException extends IOException {
  private static final long serialVersionUID = 1;

  private final boolean retryable;
  private final boolean denied;
  private final Duration retryAfter;
  private final boolean outage;

  /** A failure that stays until somebody does something: wrong permission, missing directory. */
  public StoreException(String message, Throwable cause) {
    this(message, cause, false, false, null, false);
  }

  private StoreException(
      String message,
      Throwable cause,
      boolean retryable,
      boolean denied,
      Duration retryAfter,
      boolean outage) {
    super(message, cause);
    this.retryable = retryable;
    this.denied = denied;
    this.retryAfter = retryAfter;
    this.outage = outage;
  }

  /** A failure that may pass by itself: a connection that was cut, a server that is busy. */
  public static StoreException passing(String message, Throwable cause) {
    return new StoreException(message, cause, true, false, null, true);
  }

  /** A failure after which the store asks to be left alone for a while. */
  public static StoreException busy(String message, Duration retryAfter) {
    return new StoreException(message, null, true, false, retryAfter, false);
  }

  /** A server in trouble, which says when to ask again. */
  public static StoreException down(String message, Duration retryAfter) {
    return new StoreException(message, null, true, false, retryAfter, true);
  }

  /** A failure because of who asks: a key that is wrong, has expired, or may not do this. */
  public static StoreException denied(String message) {
    return new StoreException(message, null, false, true, null, false);
  }

  /** Whether somebody else, or a better key, would have been let in. */
  public boolean isDenied() {
    return denied;
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
