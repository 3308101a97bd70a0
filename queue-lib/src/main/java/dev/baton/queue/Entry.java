package dev.baton.queue;

import dev.baton.core.Checks;
import java.util.Objects;
import java.util.Optional;

/**
 * What somebody says of himself who wants to join.
 *
 * @param nonce drawn at random for this one attempt to get the lock
 */
public record Entry(
    String nonce,
    String owner,
    String title,
    Liveness liveness,
    Optional<RunRef> run,
    int priority) {
  public Entry {
    Checks.line("nonce", nonce, 8, Ticket.MAX_NONCE);
    Checks.line("owner", owner, 1, Ticket.MAX_OWNER);
    Checks.line("title", title, 0, Ticket.MAX_TITLE);
    Objects.requireNonNull(liveness, "liveness");
    Objects.requireNonNull(run, "run");
    Ticket.checkPriority(priority);
    if (liveness == Liveness.RUN && run.isEmpty()) {
      throw new IllegalArgumentException("an entry that lives by a run must name the run");
    }
  }
}
