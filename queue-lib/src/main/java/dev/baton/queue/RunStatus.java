package dev.baton.queue;

/** Tells whether a workflow job has ended. */
@FunctionalInterface
public interface RunStatus {

  /** Nobody can tell. */
  RunStatus BLIND = run -> Answer.UNKNOWN;

  Answer of(RunRef run);

  /** What is known of a job. */
  enum Answer {
    RUNNING,
    ENDED,
    /** Not to be seen now, or not with what we are allowed to; one such answer proves nothing. */
    UNKNOWN
  }
}
