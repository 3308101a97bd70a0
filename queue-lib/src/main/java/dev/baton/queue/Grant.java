package dev.baton.queue;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * The build lock, held. Safe for use by several threads.
 *
 * <p>A grant with a heartbeat renews itself until it is closed. If that does not succeed, it
 * becomes {@link State#LOST} well before anybody else can get the lock, and tells {@link #onLost}:
 * stop the build then.
 */
public interface Grant extends AutoCloseable {

  /** Whether the lock may be relied upon. */
  enum State {
    /** Held, and known to be. */
    HELD,
    /** The clocks disagree, as after a sleep of the machine: held or lost, the next beat tells. */
    UNPROVEN,
    /** Not held any more, for good. */
    LOST,
    RELEASED
  }

  long ticket();

  /** Greater than the token of any grant before: what a publish step compares. */
  long fencingToken();

  /** Which of the queue's build locks it is, from 0. */
  int slot();

  /** Judged again at every call: a paused process learns here that its lease is over. */
  State state();

  /**
   * How much of the lease is left, by the same count as {@link #state}. A build that has lost the
   * lock must have ended when this reaches zero: from then on another client may build. Zero for a
   * workflow job, which has no lease.
   */
  Duration leaseLeft();

  /**
   * Calls back once, with the reason, when the lock is lost; at once if it already is. Not called
   * when the grant is released. Runs on a thread of the engine, so it should be quick.
   */
  void onLost(Consumer<String> callback);

  /**
   * Proves by a write that the lock is held at this moment, for instance right before publishing.
   *
   * @return false: it is lost
   * @throws QueueException when it can be neither proved nor disproved now
   */
  boolean verify() throws QueueException, InterruptedException;

  /**
   * Gives the lock back, once; later calls do nothing and answer the same. A failure is logged and
   * never thrown: the lease then ends by itself.
   *
   * <p>The answer is the last word on whether the build ran under the lock to its end: a lock that
   * was taken away shows in {@link #state} only after the next beat.
   *
   * @param note what else there is to say about the build, in a line
   */
  Release release(BuildResult result, String note);

  /** Gives the lock back and does not say how the build went. */
  default Release release(String note) {
    return release(BuildResult.UNKNOWN, note);
  }

  /** Gives the lock back, once; later calls do nothing. */
  @Override
  default void close() {
    release("");
  }
}
