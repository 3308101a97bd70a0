package dev.baton.client.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A queue whose lock guarded work needs, as a front end means it. Two that were made from the same
 * settings are equal.
 */
public interface LockQueue {

  /**
   * The same text for all who mean the same queue. It may take its time over what it needs, such as
   * the jars of an adapter; nothing is asked of the store.
   *
   * @throws LockFailure when the settings can never work
   */
  String identity();

  /** For people. */
  String shown();

  /** What is said when the work goes on after a time-out without the lock; empty: it fails. */
  Optional<String> withoutLock();

  /**
   * Waits for the lock, or proves that an outer process holds it for this one.
   *
   * @param atMost how long to wait; empty: as long as the settings say
   * @param say told a line now and then while it waits
   * @throws LockFailure of the kind {@code TIMED_OUT} when the turn did not come in time, {@code
   *     NOT_INITIALISED} when there is no such queue
   */
  BuildLock take(Optional<Duration> atMost, Consumer<String> say) throws InterruptedException;

  /**
   * Creates the queue.
   *
   * @return what was done, for people
   * @throws LockFailure when it cannot be created
   */
  String create() throws InterruptedException;
}
