package dev.baton.vm.spi;

import java.time.Duration;

/**
 * Tells a provider that waits, or that makes several requests in one call, when it must stop: the
 * lock was lost, and somebody else may be at work on the same VM.
 */
public interface Cancel {

  /**
   * @throws StoppedException when nothing may be done any more; not to be caught
   */
  void check();

  /** Waits, and checks before and after. Waiting in any other way would not notice. */
  void pause(Duration time) throws InterruptedException;
}
