package dev.baton.state;

import dev.baton.core.Checks;
import dev.baton.core.Extra;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * What a state says about its lock, for people: set while somebody works on it, cleared when that
 * is saved. The truth is in the queue, and a holder that ended without saving leaves it as it is.
 */
public record LockSection(
    Optional<String> id, Optional<String> by, Optional<Instant> at, Extra extra) {

  public static final LockSection FREE =
      new LockSection(Optional.empty(), Optional.empty(), Optional.empty(), Extra.NONE);

  public LockSection {
    id.ifPresent(t -> Checks.line("lock_id", t, 0, StateMetadata.MAX_TEXT));
    by.ifPresent(t -> Checks.line("locked_by", t, 0, StateMetadata.MAX_TEXT));
    Objects.requireNonNull(at, "at");
    Objects.requireNonNull(extra, "extra");
  }

  public boolean isLocked() {
    return id.isPresent();
  }

  public LockSection heldBy(LiveLock lock, Instant now) {
    return new LockSection(
        Optional.of(idOf(lock.ticket(), lock.token())),
        Optional.of(lock.holder()),
        Optional.of(now),
        extra);
  }

  public LockSection free() {
    return new LockSection(Optional.empty(), Optional.empty(), Optional.empty(), extra);
  }

  /** What tells one turn of a queue from every other: {@code TICKET:TOKEN}. */
  public static String idOf(long ticket, long token) {
    return ticket + ":" + token;
  }
}
