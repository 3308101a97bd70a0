package dev.baton.vm.crash;

import dev.baton.core.World;
import java.time.Duration;
import java.time.Instant;

/**
 * A machine for one thread, on which waiting takes no time: both clocks just jump. Tasks of their
 * own are not run, so nothing renews a lock but the writes of the operation itself; what the
 * renewing task does is tested on a FakeWorld.
 */
public final class SkippingWorld implements World {

  private long nanos;
  private Instant wall = Instant.parse("2026-01-01T00:00:00Z");

  @Override
  public long nanos() {
    return nanos;
  }

  @Override
  public Instant now() {
    return wall;
  }

  @Override
  public double random() {
    return 0.5;
  }

  public void advance(Duration time) {
    nanos += time.toNanos();
    wall = wall.plus(time);
  }

  /** Somebody sets the time of day, or the machine sleeps: the monotonic clock does not notice. */
  public void setTimeOfDay(Duration later) {
    wall = wall.plus(later);
  }

  @Override
  public Signal newSignal() {
    return new Signal() {
      private boolean raised;

      @Override
      public void raise() {
        raised = true;
      }

      @Override
      public boolean await(Duration atMost) {
        if (!raised) {
          advance(atMost);
        }
        boolean seen = raised;
        raised = false;
        return seen;
      }
    };
  }

  @Override
  public Background start(String name, Runnable task) {
    return atMost -> {};
  }
}
