package dev.baton.core;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** The real machine. */
public final class SystemWorld implements World {

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public Instant now() {
    return Instant.now();
  }

  @Override
  public double random() {
    return ThreadLocalRandom.current().nextDouble();
  }

  @Override
  public Signal newSignal() {
    return new SemaphoreSignal();
  }

  @Override
  public Background start(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    // The lock of a program that ends without closing is given up by its lease.
    thread.setDaemon(true);
    thread.start();
    return atMost -> {
      if (Thread.currentThread() != thread) {
        thread.join(Math.max(1, atMost.toMillis()));
      }
    };
  }

  private static final class SemaphoreSignal implements Signal {
    private final Semaphore raised = new Semaphore(0);

    @Override
    public void raise() {
      raised.release();
    }

    @Override
    public boolean await(Duration atMost) throws InterruptedException {
      boolean seen = raised.tryAcquire(Math.max(0, atMost.toNanos()), TimeUnit.NANOSECONDS);
      raised.drainPermits();
      return seen;
    }
  }
}
