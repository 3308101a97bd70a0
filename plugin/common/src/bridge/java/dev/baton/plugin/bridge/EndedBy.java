package dev.baton.plugin.bridge;

/** How a piece of work is ended when a lock of it is lost. */
public enum EndedBy {
  /** Its thread is interrupted. */
  INTERRUPT,
  /**
   * The processes are ended that have the mark of the work in their environment, as {@link
   * GuardLocks#enter} returns it; where the system does not show that, the thread is interrupted.
   */
  MARKED_PROCESSES,
  /**
   * Its thread is interrupted, and all processes are ended that this one has started since the work
   * entered.
   */
  CHILD_PROCESSES
}
