package dev.baton.queue;

import dev.baton.core.Checks;
import java.time.Instant;
import java.util.Objects;

/**
 * The short right to change queue data, where it is held over several writes.
 *
 * @param by who holds it
 * @param nonce proves it to be the same holder
 * @param renewal grows with each renewal, so that others can watch it
 * @param since for people
 */
public record IssueLock(String by, String nonce, long renewal, Instant since) {
  public IssueLock {
    Checks.line("by", by, 1, Ticket.MAX_OWNER);
    Checks.line("nonce", nonce, 8, Ticket.MAX_NONCE);
    Checks.notNegative("renewal", renewal);
    Objects.requireNonNull(since, "since");
  }
}
