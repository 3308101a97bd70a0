package dev.baton.client.lock;

import dev.baton.client.queue.Inherited;
import dev.baton.queue.BuildResult;
import dev.baton.queue.Release;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** A lock that is held, or was. Safe for use by several threads. */
public interface BuildLock {

  /**
   * What is known some time after a lock is lost.
   *
   * @param how how it was lost, where the history tells; it says more than the reason of before
   * @param holder who has it now, or why that cannot be seen
   */
  record Aftermath(Optional<String> how, String holder) {
    /** Both, as the end of a sentence. */
    public String text() {
      return how.map(h -> h + "; ").orElse("") + holder;
    }
  }

  /** Its ticket and its fencing token. */
  Inherited id();

  /** Whether it was an outer process that got it; then it is not given back here. */
  boolean isInherited();

  /** What a process has to know of it that works under it. */
  LockSite site();

  /**
   * In what time the work under it must have ended when it is lost; zero: at once, or there is no
   * lease.
   */
  Duration leaseLeft();

  /** Judged again at every call. */
  boolean isLost();

  /**
   * Calls back when it is lost, at once if it already is: first with the reason, without delay,
   * then, when that is known, with how that came and who has it now. Not called when it is given
   * back, nor for a lock of an outer process: that one watches over it.
   */
  void onLost(Consumer<String> reason, Consumer<Aftermath> after);

  /**
   * Gives it back, unless it is inherited; never throws. Who has it now is told as when it is lost,
   * if it was not held any more.
   *
   * @param result how the work under it went
   */
  Release release(BuildResult result);
}
