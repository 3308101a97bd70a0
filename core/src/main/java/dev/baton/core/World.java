package dev.baton.core;

import java.time.Duration;
import java.time.Instant;

/**
 * Everything that the engine needs of the machine it runs on, so that a test can be the machine.
 * Implementations are safe for use by several threads.
 */
public interface World {

  /** Nanoseconds on a clock that never goes back. It may stand still while the machine sleeps. */
  long nanos();

  /** The time of day. It may be wrong, and it may jump. */
  Instant now();

  /** A number from 0 to 1, for jitter. */
  double random();

  /** Something to wait for. */
  Signal newSignal();

  /** Starts a task of its own; it ends by itself when it is asked to. */
  Background start(String name, Runnable task);

  /** Wakes whoever waits for it. Once raised it stays so until it is awaited. */
  interface Signal {

    void raise();

    /**
     * Waits until the signal is raised, and lowers it again.
     *
     * @return false: the time was over first
     */
    boolean await(Duration atMost) throws InterruptedException;
  }

  /** A running task. */
  interface Background {

    /** Waits for its end; returns at once when called from the task itself. */
    void join(Duration atMost) throws InterruptedException;
  }
}
