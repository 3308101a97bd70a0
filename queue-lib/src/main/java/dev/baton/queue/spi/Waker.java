package dev.baton.queue.spi;

import dev.baton.queue.RunRef;
import java.util.Objects;
import java.util.Optional;

/**
 * Has the job of a parked ticket run again. Asked by several threads; a failure is an answer, and
 * never thrown. Default of an engine: {@link #NONE}.
 */
public interface Waker {

  /** Nobody here runs jobs again, so nobody here parks either. */
  Waker NONE =
      new Waker() {
        @Override
        public boolean wakes() {
          return false;
        }

        @Override
        public Optional<String> whyNotToPark(RunRef job) {
          return Optional.of("this client cannot have a job run again");
        }

        @Override
        public Optional<Attempt> lastAttempt(RunRef job) {
          return Optional.empty();
        }

        @Override
        public Answer wake(RunRef job) {
          return new Answer.Unknown();
        }
      };

  /**
   * The last attempt of a run.
   *
   * @param number from 1
   * @param completed only then a job of it can be run again
   */
  record Attempt(int number, boolean completed) {}

  /** What came of asking. */
  sealed interface Answer {

    /** A runner is looked for. */
    record Started() implements Answer {}

    /** It is not done, for good as far as this client is concerned. */
    record Refused(String why) implements Answer {
      public Refused {
        Objects.requireNonNull(why, "why");
      }
    }

    /** It may have been done, or may be done later. */
    record Unknown() implements Answer {}
  }

  /** Whether this client asks at all. */
  default boolean wakes() {
    return true;
  }

  /**
   * Why a job should wait with its runner; empty when it can be run again once it has ended.
   * Another time the answer may be another one, as when the other jobs of its run are done.
   */
  Optional<String> whyNotToPark(RunRef job);

  /**
   * Why this client should not say that it asks for a job, since it would be refused, as without
   * the permission: others may do more. Empty when it can ask.
   */
  default Optional<String> whyNotToWake(RunRef job) {
    return Optional.empty();
  }

  /** How far the run of a job is; empty when that cannot be seen now. */
  Optional<Attempt> lastAttempt(RunRef job);

  /** Has one job run again, and no other of its run. Sent once. */
  Answer wake(RunRef job);
}
