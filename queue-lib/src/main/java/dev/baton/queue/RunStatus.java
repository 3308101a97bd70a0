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
    /** Not to be seen with what we are allowed to; one such answer proves nothing. */
    UNKNOWN,
    /** The service does not answer now. However often that is, it says nothing about the job. */
    UNREACHABLE
  }
}
