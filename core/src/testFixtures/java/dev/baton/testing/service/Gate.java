package dev.baton.testing.service;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Holds one request before it is looked at, as if its sender had slept. */
public final class Gate {
  private static final long PATIENCE_SECONDS = 120;

  private final CountDownLatch arrived = new CountDownLatch(1);
  private final CountDownLatch opened = new CountDownLatch(1);

  Gate() {}

  /** Waits until the request is there. */
  public void awaitArrival() throws InterruptedException {
    if (!arrived.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("no such request came");
    }
  }

  /** Lets it go on. */
  public void open() {
    opened.countDown();
  }

  void pass() throws InterruptedException {
    arrived.countDown();
    if (!opened.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("nobody opened the gate");
    }
  }
}
