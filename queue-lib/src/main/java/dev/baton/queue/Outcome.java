package dev.baton.queue;

import dev.baton.core.Checks;
import java.time.Instant;
import java.util.Objects;

/**
 * How a ticket ended, kept for a day so that its owner can learn it after lost answers.
 *
 * @param token its last fencing token, or 0 when it never had a turn
 */
public record Outcome(long ticket, long token, End end, String nonce, Instant at) {

  /** The ways in which a ticket can end. */
  public enum End {
    RELEASED,
    REAPED,
    LEFT,
    REMOVED,
    DROPPED,
    UNLOCKED
  }

  public Outcome {
    Checks.positive("ticket", ticket);
    Checks.notNegative("token", token);
    Objects.requireNonNull(end, "end");
    Checks.line("nonce", nonce, 0, Ticket.MAX_NONCE);
    Objects.requireNonNull(at, "at");
  }
}
