package dev.baton.gradle.internal.bridge;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** What the plugin asks of the queue. Every method may throw {@link EngineFailure}. */
public interface Engine {

  /** The class that implements this, with a constructor without arguments. */
  String IMPLEMENTATION = "dev.baton.gradle.engine.ClientEngine";

  /** The same text for all who mean the same queue. Nothing is asked of the store. */
  String identity(Address address);

  /** Whether the queue is reached over the network. Nothing is asked of the store. */
  boolean isRemote(Address address);

  /**
   * Waits for the lock. A lock that an outer process holds for this one is proved and used instead.
   *
   * @param say told a line now and then while it waits
   */
  Lock take(Address address, Wish wish, Consumer<String> say) throws InterruptedException;

  /**
   * What a process needs in its environment to go on under these locks, all of them got here.
   * Scripts get to see the first.
   */
  Map<String, String> environment(List<Lock> locks);

  /**
   * Creates the queue.
   *
   * @return what was done, for people
   */
  String create(Address address) throws InterruptedException;

  String status(Address address, boolean json) throws InterruptedException;

  String history(Address address, int limit, boolean json) throws InterruptedException;

  Report doctor(Address address, boolean json) throws InterruptedException;

  /**
   * Takes the lock away from its holder.
   *
   * @param token 0: that of the ticket as it is now
   * @return what was done, for people
   */
  String unlock(Address address, long ticket, long token, String reason, boolean now)
      throws InterruptedException;

  /**
   * What the doctor found.
   *
   * @param healthy whether nothing needs to be done before the queue can be used
   */
  record Report(String text, boolean healthy) {}

  /** What came of giving a lock back. */
  enum Released {
    GIVEN_BACK,
    /** It was lost before: another build may have begun while this one was at work. */
    NOT_HELD,
    /** If it was still held, it ends with its lease. */
    UNKNOWN
  }

  /** A lock that is held, or was. */
  interface Lock {

    long ticket();

    long fencingToken();

    /** Whether it was an outer process that got it; then it is not given back here. */
    boolean isInherited();

    /**
     * In what time the work under it must have ended when it is lost; zero: at once, or there is no
     * lease.
     */
    Duration leaseLeft();

    /** Judged anew at every call. */
    boolean isLost();

    /**
     * Calls back when it is lost, at once if it already is: first with the reason, without delay,
     * then, when that is known, with who has it now. Not called when it is given back.
     */
    void onLost(Consumer<String> reason, Consumer<String> who);

    /**
     * Gives it back, unless it is inherited; never throws. Who has it now is told as when it is
     * lost, if it was not held any more.
     */
    Released release(String note);
  }
}
