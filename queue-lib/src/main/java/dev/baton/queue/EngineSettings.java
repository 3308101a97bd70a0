package dev.baton.queue;

import dev.baton.core.Checks;
import java.time.Duration;

/**
 * How patient one client is. Unlike the queue's rules, each client may have its own. Immutable;
 * lengths of time must be positive, or the constructor throws an {@link IllegalArgumentException}.
 * The defaults are those of {@link #DEFAULT}, for a build that rather waits than fails.
 *
 * @param retryInterval pause after a failure of the store; default: 5 s
 * @param maxRetries how many failures in a row one change bears; default: 60
 * @param lockTimeout how long one change may take, conflicts with others included; default: 5 min
 * @param releaseTimeout how long giving back the lock is tried; default: 2 min. One that is lost is
 *     tried for 3 s at most
 * @param outage how long a client in line without a wait timeout bears nothing but failures;
 *     default: 1 h
 */
public record EngineSettings(
    Duration retryInterval,
    int maxRetries,
    Duration lockTimeout,
    Duration releaseTimeout,
    Duration outage) {

  public static final EngineSettings DEFAULT =
      new EngineSettings(Duration.ofSeconds(5), 60, Duration.ofMinutes(5), Duration.ofMinutes(2));

  public EngineSettings {
    Checks.positive("retryInterval", retryInterval);
    Checks.notNegative("maxRetries", maxRetries);
    Checks.positive("lockTimeout", lockTimeout);
    Checks.positive("releaseTimeout", releaseTimeout);
    Checks.positive("outage", outage);
  }

  /** A client in line bears an outage of an hour. */
  public EngineSettings(
      Duration retryInterval, int maxRetries, Duration lockTimeout, Duration releaseTimeout) {
    this(retryInterval, maxRetries, lockTimeout, releaseTimeout, Duration.ofHours(1));
  }
}
