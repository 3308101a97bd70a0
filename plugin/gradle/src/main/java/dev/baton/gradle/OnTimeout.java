package dev.baton.gradle;

/** What becomes of a guarded task whose turn has not come within the time to wait. */
public enum OnTimeout {
  /** It fails, and so does the build. */
  FAIL,
  /** It runs without the lock, after a warning: for work where an overlap costs time only. */
  PROCEED
}
