package dev.baton.action;

import dev.baton.queue.engine.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

/**
 * A world whose owner goes before the engine has done with it. A step ends while its lock is held,
 * so the queue is never closed (that would give the lock back): what is still being painted is
 * waited for here. And a step may end while its ticket stays in line: then the thread that waits is
 * held still between two looks, where nothing of it is under way.
 */
final class Stage implements World {

  private final World inner;
  private final Queue<Background> tasks = new ConcurrentLinkedQueue<>();
  private final Set<Signal> awaited = ConcurrentHashMap.newKeySet();
  private final CountDownLatch held = new CountDownLatch(1);
  private volatile Thread toHold;

  Stage(World inner) {
    this.inner = Objects.requireNonNull(inner, "inner");
  }

  /** Waits for what the engine does beside its work, such as painting the board. */
  void settle(Duration atMost) throws InterruptedException {
    long start = nanos();
    for (Background task : tasks) {
      Duration left = atMost.minusNanos(nanos() - start);
      if (left.isNegative()) {
        return;
      }
      task.join(left);
    }
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
    Background started = inner.start(name, task);
    tasks.add(started);
    return started;
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
