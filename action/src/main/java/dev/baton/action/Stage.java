package dev.baton.action;

import dev.baton.core.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/**
 * A world whose owner may go while its ticket stays in line: the thread that waits is then held
 * still between two looks, where nothing of it is under way.
 */
final class Stage implements World {

  private final World inner;
  private final Set<Signal> awaited = ConcurrentHashMap.newKeySet();
  private final CountDownLatch held = new CountDownLatch(1);
  private volatile Thread toHold;

  Stage(World inner) {
    this.inner = Objects.requireNonNull(inner, "inner");
  }

  /** From its next pause on, this thread does nothing any more. */
  void hold(Thread thread) {
    toHold = Objects.requireNonNull(thread, "thread");
    awaited.forEach(Signal::raise);
  }

  boolean isHeld() {
    return held.getCount() == 0;
  }

  @Override
  public long nanos() {
    return inner.nanos();
  }

  @Override
  public Instant now() {
    return inner.now();
  }

  @Override
  public double random() {
    return inner.random();
  }

  @Override
  public Background start(String name, Runnable task) {
    return inner.start(name, task);
  }

  @Override
  public Signal newSignal() {
    Signal signal = inner.newSignal();
    return new Signal() {
      @Override
      public void raise() {
        signal.raise();
      }

      @Override
      public boolean await(Duration atMost) throws InterruptedException {
        awaited.add(signal);
        try {
          // Looked at only once it is in the set: whoever holds raises what it finds there.
          boolean raised = Thread.currentThread() != toHold && signal.await(atMost);
          if (Thread.currentThread() == toHold) {
            held.countDown();
            new CountDownLatch(1).await();
          }
          return raised;
        } finally {
          awaited.remove(signal);
        }
      }
    };
  }
}
