package dev.baton.queue.event;

/**
 * Told of what a client does with build locks, see {@code BuildQueue.listen}. It is called by a
 * thread of the client that does nothing else, one call at a time and in the order of the events,
 * mostly a moment after them. One that is slow, or hangs, holds up neither a heartbeat nor a
 * release: up to 1,000 events wait for it, and those that come then are left out, which is logged
 * once. A release, and the closing of the queue, wait 2 seconds at most for what has yet to be
 * told. What it throws is logged once and changes nothing.
 */
@FunctionalInterface
public interface LockListener {

  /** Hears nothing. */
  LockListener NONE = event -> {};

  void on(LockEvent event);
}
