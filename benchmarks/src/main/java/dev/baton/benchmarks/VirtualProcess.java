package dev.baton.benchmarks;

import dev.baton.core.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One process on the virtual clock, which can be interrupted, as by SIGINT, and killed. Its main
 * thread is the one that makes it.
 */
final class VirtualProcess implements World {

  /** Ends every thread of a killed process; no code between there and here may catch it. */
  static final class Killed extends Error {
    private static final long serialVersionUID = 1;

    Killed() {
      super("the process is killed", null, false, false);
    }
  }

  private final VirtualWorld world;
  private final Thread main = Thread.currentThread();
  private final Map<Thread, Signal> awaited = new ConcurrentHashMap<>();
  private volatile boolean interrupted;
  private volatile boolean killed;

  VirtualProcess(VirtualWorld world) {
    this.world = world;
  }

  /** The main thread's wait is interrupted, the present one or the next. */
  void interrupt() {
    interrupted = true;
    Signal signal = awaited.get(main);
    if (signal != null) {
      signal.raise();
    }
  }

  /** Nothing of it goes on; a request that is on its way is still answered. */
  void kill() {
    killed = true;
    awaited.values().forEach(Signal::raise);
  }

  private void requireAlive() {
    if (killed) {
      throw new Killed();
    }
  }

  @Override
  public long nanos() {
    requireAlive();
    return world.nanos();
  }

  @Override
  public Instant now() {
    requireAlive();
    return world.now();
  }

  @Override
  public double random() {
    requireAlive();
    return world.random();
  }

  @Override
  public Signal newSignal() {
    requireAlive();
    return new ProcessSignal(world.newSignal());
  }

  @Override
  public Background start(String name, Runnable task) {
    requireAlive();
    Background started =
        world.start(
            name,
            () -> {
              try {
                task.run();
              } catch (Killed e) {
                // That is how a thread of a killed process is meant to end.
                return;
              }
            });
    return atMost -> {
      requireAlive();
      started.join(atMost);
      requireAlive();
    };
  }

  private final class ProcessSignal implements Signal {
    private final Signal inner;

    ProcessSignal(Signal inner) {
      this.inner = inner;
    }

    @Override
    public void raise() {
      inner.raise();
    }

    @Override
    public boolean await(Duration atMost) throws InterruptedException {
      requireUndisturbed();
      awaited.put(Thread.currentThread(), inner);
      boolean raised;
      try {
        raised = inner.await(atMost);
      } finally {
        awaited.remove(Thread.currentThread());
      }
      requireUndisturbed();
      return raised;
    }

    private void requireUndisturbed() throws InterruptedException {
      requireAlive();
      if (interrupted && Thread.currentThread() == main) {
        interrupted = false;
        throw new InterruptedException("cancelled");
      }
    }
  }
}
