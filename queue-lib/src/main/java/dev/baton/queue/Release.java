package dev.baton.queue;

/** What came of giving back a build lock. */
public enum Release {
  /** The grant held the lock to the end and has given it back. */
  GIVEN_BACK,
  /**
   * The grant did not hold the lock any more: a maintainer took it away, its lease had passed on,
   * or somebody else gave it back. Another build may have begun before this one ended, so do not
   * publish what it made.
   */
  NOT_HELD,
  /** The store did not tell in time. If the lock was still held, it ends with its lease. */
  UNKNOWN
}
