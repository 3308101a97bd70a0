package dev.baton.core;

import java.time.Duration;
import java.util.concurrent.Callable;

/**
 * Runs what a test does as tasks of a {@link FakeWorld}, since only those may wait for its time.
 */
public final class FakeTasks {

  private static final Duration MOMENT = Duration.ofMillis(100);

  private final FakeWorld world;
  private int names;

  public FakeTasks(FakeWorld world) {
    this.world = world;
  }

  /** Something that was started and may still wait. */
  public static final class Running<T> {
    private final String name;
    private volatile boolean done;
    private volatile T result;
    private volatile Throwable failure;

    private Running(String name) {
      this.name = name;
    }

    public String name() {
      return name;
    }

    public boolean isDone() {
      return done;
    }

    public T get() {
      if (!done) {
        throw new AssertionError(name + " is not done yet");
      }
      if (failure != null) {
        throw new AssertionError(name + " has failed", failure);
      }
      return result;
    }

    public Throwable failure() {
      return failure;
    }
  }

  /** Starts it and lets it run until it waits for time. */
  public <T> Running<T> later(Callable<T> call) {
    Running<T> running = new Running<>("test-" + names++);
    world.start(
        running.name,
        () -> {
          try {
            running.result = call.call();
          } catch (Exception | AssertionError e) {
            running.failure = e;
          }
          running.done = true;
        });
    world.settle();
    return running;
  }

  /** Done without any time going by, but for the moments that a store takes. */
  public <T> T now(Callable<T> call) {
    Running<T> running = later(call);
    world.advance(MOMENT);
    return running.get();
  }
}
