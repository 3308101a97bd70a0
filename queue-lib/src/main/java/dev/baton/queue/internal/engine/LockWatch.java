package dev.baton.queue.internal.engine;

import dev.baton.core.World;
import dev.baton.queue.IssueLock;
import java.time.Duration;

/** Watches for how long the same issue lock has been seen, on this machine's monotonic clock. */
final class LockWatch {
  private final World world;
  private final Duration lease;
  private IssueLock seen;
  private long since;

  LockWatch(World world, Duration lease) {
    this.world = world;
    this.lease = lease;
  }

  /** Whether this very lock, at this very renewal, has been seen for a whole lease. */
  boolean isOver(IssueLock lock) {
    if (!lock.equals(seen)) {
      seen = lock;
      since = world.nanos();
    }
    return world.nanos() - since >= lease.toNanos();
  }
}
