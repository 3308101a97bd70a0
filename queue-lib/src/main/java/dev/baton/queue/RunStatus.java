package dev.baton.queue;

/**
 * Tells whether a workflow job has ended. Asked by several threads; a failure is an answer, {@link
 * Answer#UNREACHABLE}, and never thrown. Default of an engine: {@link #BLIND}.
 */
@FunctionalInterface
public interface RunStatus {

  /** Nobody can tell. */
  RunStatus BLIND = run -> Answer.UNKNOWN;

  Answer of(RunRef run);

  /**
   * Whether every attempt of the run has ended, those after the named one too. Default: nobody can
   * tell.
   */
  default Answer ofAnyAttempt(RunRef run) {
    return Answer.UNKNOWN;
  }

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
