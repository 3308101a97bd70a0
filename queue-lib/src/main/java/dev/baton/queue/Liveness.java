package dev.baton.queue;

/** How others can tell that the owner of a ticket is gone. Fixed when the ticket is drawn. */
public enum Liveness {
  /** A living process that renews a lease while it builds. */
  BEAT,
  /** A workflow job with no process between its steps: alive as long as the job is. */
  RUN
}
