package dev.baton.queue.event;

/**
 * Told of what a client does with build locks, see {@code BuildQueue.listen}. It is called by the
 * thread that does it, the heartbeat's among them, and by several at once: it must return at once,
 * so whatever may take time belongs to a thread of the listener. What it throws is logged once and
 * changes nothing.
 */
@FunctionalInterface
public interface LockListener {

  /** Hears nothing. */
  LockListener NONE = event -> {};

  void on(LockEvent event);
}
