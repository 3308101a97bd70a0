package dev.baton.state;

import dev.baton.core.Checks;
import dev.baton.core.Extra;
import java.util.Objects;

/**
 * The newest token that has worked on a state under one lock key.
 *
 * @param queue where the tokens come from: those of two queues cannot be compared
 */
public record Fence(long ticket, long token, String queue, Extra extra) {

  public static final int MAX_QUEUE = 1000;

  public Fence {
    Checks.positive("ticket", ticket);
    Checks.positive("token", token);
    Checks.line("queue", queue, 1, MAX_QUEUE);
    Objects.requireNonNull(extra, "extra");
  }

  public static Fence of(LiveLock lock) {
    return new Fence(lock.ticket(), lock.token(), lock.queue(), Extra.NONE);
  }
}
