package dev.baton.core.probe;

import java.time.Duration;

/** Time as a probe needs it, so that a test need not wait. */
public interface ProbeClock {

  ProbeClock SYSTEM =
      new ProbeClock() {
        @Override
        public long nanos() {
          return System.nanoTime();
        }

        @Override
        public void pause(Duration time) throws InterruptedException {
          Thread.sleep(time.toMillis());
        }
      };

  /** Nanoseconds on a clock that never goes back. */
  long nanos();

  void pause(Duration time) throws InterruptedException;
}
