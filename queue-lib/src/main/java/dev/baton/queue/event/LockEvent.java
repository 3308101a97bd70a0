package dev.baton.queue.event;

import dev.baton.core.Checks;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * Something that a client has done with a build lock, or has seen of it. For audits and metrics: no
 * rule depends on it.
 *
 * @param ticket 0 where none was drawn
 * @param token 0 where none was granted
 * @param holder whose ticket it is
 * @param title what is built
 * @param lasted how long it was waited for, or held, or silent, by this client's clock or by the
 *     queue's history; empty where nobody can tell
 * @param by the maintainer who took the lock away
 * @param why in the words of the engine or of that maintainer; empty where there is nothing to say
 */
public record LockEvent(
    Type type,
    Instant at,
    long ticket,
    long token,
    String holder,
    String title,
    Optional<Duration> lasted,
    Optional<String> by,
    String why) {

  /** What has happened. */
  public enum Type {
    /** This client has got the lock, after it waited that long. */
    ACQUIRED,
    /** It has not, after it waited that long: timed out, removed, refused, or failed. */
    NOT_ACQUIRED,
    /** It has given the lock back, which was held that long. */
    RELEASED,
    /** It held the lock that long, and does not any more. */
    LOST,
    /** It has renewed its lease. */
    HEARTBEAT,
    /** It could not renew its lease this time. */
    HEARTBEAT_FAILED,
    /** It took the lock from somebody else, by the word of a maintainer. */
    FORCE_UNLOCKED,
    /** It has seen that the heartbeat of a holder has stopped, for that long. */
    STALE,
    /** It took the lock from a holder that was gone. */
    REAPED;

    /** Such as {@code lock.acquired}. */
    public String id() {
      return "lock." + name().toLowerCase(Locale.ROOT);
    }
  }

  public LockEvent {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(at, "at");
    Checks.notNegative("ticket", ticket);
    Checks.notNegative("token", token);
    Objects.requireNonNull(holder, "holder");
    Objects.requireNonNull(title, "title");
    Objects.requireNonNull(lasted, "lasted");
    Objects.requireNonNull(by, "by");
    Objects.requireNonNull(why, "why");
  }
}
