package dev.baton.queue;

import dev.baton.core.Checks;
import java.time.Instant;
import java.util.Objects;

/** Nobody gets the lock until somebody resumes the queue; who builds goes on. */
public record Pause(String by, String reason, Instant since) {
  public Pause {
    Checks.line("by", by, 1, Ticket.MAX_OWNER);
    Checks.line("reason", reason, 0, HistoryEntry.MAX_NOTE);
    Objects.requireNonNull(since, "since");
  }
}
