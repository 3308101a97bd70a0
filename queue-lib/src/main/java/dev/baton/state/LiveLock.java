package dev.baton.state;

import dev.baton.queue.QueueException;

/** A lock under which a state is to be saved, as its holder knows it. */
public interface LiveLock {

  /** What it is the lock of. */
  LockKey key();

  /** Where its queue is, the same for all who mean the same queue; never with a secret in it. */
  String queue();

  /**
   * Whether its queue takes the place of the one that has guarded the state so far, because the
   * user says so. Default: no.
   */
  default boolean replacesQueue() {
    return false;
  }

  long ticket();

  /** Greater than that of any grant of this queue before. */
  long token();

  /** Who holds it, for people. */
  String holder();

  /**
   * Proves by a write to the queue that the lock is held at this moment.
   *
   * @return false: it is lost
   * @throws QueueException when it can be neither proved nor disproved now
   */
  boolean verify() throws QueueException, InterruptedException;
}
