package dev.baton.plugin.bridge;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The locks of one build, shared by all its guarded work, such as tasks or executions of goals.
 * Safe for use by several threads; a piece of work has a name that no other one of the build has.
 */
public interface GuardLocks {

  /**
   * Waits until the work has the locks of all these queues. To be called on the thread that does
   * the work, right before it.
   *
   * @return what a process that the work starts shall find in its environment
   * @throws EngineFailure when it does not get them; of the kind {@code LOST} when one is lost. If
   *     the thread was interrupted, it still is
   */
  Map<String, String> enter(String work, EndedBy endedBy, List<Map<String, String>> queues);

  /**
   * The work has done its part.
   *
   * @throws EngineFailure of the kind {@code LOST} when it was not under its locks to the end
   */
  void leave(String work);

  /**
   * The work is over, done or skipped, and enters no more. Does not wait: locks that no other work
   * needs are given back meanwhile. If it failed, the processes that it left behind are ended
   * first.
   */
  void finished(String work, boolean failed);

  /**
   * In what time the work must have ended if a lock of it were lost now; zero: there is no lease.
   */
  Duration leaseLeft(String work);

  /** Greater than that of every holder before; empty while the lock of the queue is not held. */
  Optional<String> fencingToken(Map<String, String> queue);

  /**
   * Gives all back and waits for that, at the end of the build.
   *
   * @return the losses that only this has told: the work seemed to succeed, and the build must fail
   */
  List<EngineFailure> close();
}
