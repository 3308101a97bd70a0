package dev.baton.queue;

import dev.baton.core.Checks;
import java.time.Instant;
import java.util.Objects;

/** Nobody gets the lock until somebody resumes the queue; who builds goes on. */
public record Pause(String by, String reason, Instant since) {

  /** In whose name a queue is paused while somebody outside holds its lock. */
  public static final String OUTSIDE = "lock held outside this queue";

  public Pause {
    Checks.line("by", by, 1, Ticket.MAX_OWNER);
    Checks.line("reason", reason, 0, HistoryEntry.MAX_NOTE);
    Objects.requireNonNull(since, "since");
  }

  /**
   * Whether the queue has paused itself, for somebody outside who holds its lock. Such a pause says
   * who that is, ends when the lock is free, and gives way to a maintainer's.
   */
  public boolean isForOutsider() {
    return by.equals(OUTSIDE);
  }
}
