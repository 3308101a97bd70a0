package dev.baton.queue;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * Somebody's wish for the build lock.
 *
 * @param entry who it is and what is to be built
 * @param waitTimeout how long to wait for the turn; empty: as long as it takes
 */
public record Request(Entry entry, Optional<Duration> waitTimeout) {

  public Request {
    Objects.requireNonNull(entry, "entry");
    Objects.requireNonNull(waitTimeout, "waitTimeout");
    waitTimeout.ifPresent(
        t -> {
          if (t.isNegative()) {
            throw new IllegalArgumentException("waitTimeout must not be negative: " + t);
          }
        });
  }

  /**
   * A build by a living process.
   *
   * @param owner who it is, for people
   * @param title what is built, for people; estimates are made from builds of the same title
   */
  public static Request of(String owner, String title) {
    return new Request(
        new Entry(newNonce(), owner, title, Liveness.BEAT, Optional.empty(), 0), Optional.empty());
  }

  public Request waitingAtMost(Duration timeout) {
    return new Request(entry, Optional.of(timeout));
  }

  public Request withPriority(int priority) {
    return new Request(
        new Entry(
            entry.nonce(), entry.owner(), entry.title(), entry.liveness(), entry.run(), priority),
        waitTimeout);
  }

  /** The same wish with another ticket. */
  public Request withNonce(String nonce) {
    return new Request(
        new Entry(
            nonce, entry.owner(), entry.title(), entry.liveness(), entry.run(), entry.priority()),
        waitTimeout);
  }

  /** The build is a workflow job, which has no process between its steps. */
  public Request livingBy(RunRef run) {
    return new Request(
        new Entry(
            entry.nonce(),
            entry.owner(),
            entry.title(),
            Liveness.RUN,
            Optional.of(run),
            entry.priority()),
        waitTimeout);
  }

  /** For an entry of one's own. */
  public static String newNonce() {
    return UUID.randomUUID().toString().replace("-", "");
  }
}
