package dev.baton.core;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A machine whose time goes by only when a test says so. Tasks are real threads; {@link #advance}
 * wakes them one moment after the other, and goes on when all of them wait again.
 */
public class FakeWorld implements World {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final List<FakeSignal> waiting = new ArrayList<>();
  private final List<FakeTask> tasks = new ArrayList<>();
  private long nanos;
  private Instant wall = Instant.parse("2026-01-01T00:00:00Z");
  private int running;

  @Override
  public synchronized long nanos() {
    return nanos;
  }

  @Override
  public synchronized Instant now() {
    return wall;
  }

  @Override
  public double random() {
    return 0.5;
  }

  @Override
  public Signal newSignal() {
    return new FakeSignal();
  }

  @Override
  public synchronized Background start(String name, Runnable task) {
    FakeTask started = new FakeTask(name, task);
    tasks.add(started);
    running++;
    started.thread.start();
    return started;
  }

  private final class FakeTask implements Background {
    private final Thread thread;
    private boolean ended;
    private int joining;

    FakeTask(String name, Runnable task) {
      thread =
          new Thread(
              () -> {
                try {
                  task.run();
                } finally {
                  end();
                }
              },
              name);
    }

    /** Those who wait for the end run again from this very moment. */
    private void end() {
      synchronized (FakeWorld.this) {
        ended = true;
        running += joining - 1;
        FakeWorld.this.notifyAll();
      }
    }

    @Override
    public void join(Duration atMost) throws InterruptedException {
      synchronized (FakeWorld.this) {
        if (ended || Thread.currentThread() == thread) {
          return;
        }
        joining++;
        running--;
        FakeWorld.this.notifyAll();
        while (!ended) {
          FakeWorld.this.wait();
        }
      }
    }
  }

  /** The machine sleeps: the time of day goes on, the monotonic clock and all tasks stand still. */
  public synchronized void sleepMachine(Duration d) {
    wall = wall.plus(d);
  }

  /** Lets both clocks run. */
  public synchronized void advance(Duration d) {
    long end = nanos + d.toNanos();
    settle();
    while (true) {
      Optional<FakeSignal> next =
          waiting.stream()
              .filter(s -> s.deadline <= end)
              .min((a, b) -> Long.compare(a.deadline, b.deadline));
      if (next.isEmpty()) {
        moveTo(end);
        return;
      }
      moveTo(Math.max(nanos, next.get().deadline));
      next.get().timeUp();
      settle();
    }
  }

  private void moveTo(long time) {
    wall = wall.plusNanos(time - nanos);
    nanos = time;
  }

  /** Waits until every task waits for time or for a signal. */
  public synchronized void settle() {
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (running > 0) {
      if (System.nanoTime() > until) {
        throw new AssertionError("a task neither ends nor waits: " + living());
      }
      try {
        wait(100);
      } catch (InterruptedException e) {
        throw new AssertionError("the test was interrupted", e);
      }
    }
  }

  /** Tasks that were started and have not ended. */
  public synchronized List<String> living() {
    return tasks.stream().filter(t -> !t.ended).map(t -> t.thread.getName()).toList();
  }

  /** Interrupts a task that waits; it runs again from this very moment. */
  public synchronized void interrupt(String name) {
    for (FakeTask t : tasks) {
      if (!t.ended && t.thread.getName().equals(name)) {
        waiting.stream().filter(s -> s.waiter == t.thread).findFirst().ifPresent(FakeSignal::wake);
        t.thread.interrupt();
      }
    }
  }

  private final class FakeSignal implements Signal {
    private boolean raised;
    private boolean timeUp;
    private long deadline;
    private Thread waiter;

    @Override
    public void raise() {
      synchronized (FakeWorld.this) {
        raised = true;
        wake();
      }
    }

    void timeUp() {
      timeUp = true;
      wake();
    }

    private void wake() {
      if (waiting.remove(this)) {
        running++;
        FakeWorld.this.notifyAll();
      }
    }

    @Override
    public boolean await(Duration atMost) throws InterruptedException {
      synchronized (FakeWorld.this) {
        waiter = Thread.currentThread();
        if (tasks.stream().noneMatch(t -> t.thread == waiter)) {
          throw new AssertionError("only tasks started by this world may wait for its time");
        }
        timeUp = false;
        deadline = nanos + Math.max(0, atMost.toNanos());
        if (!raised && !atMost.isZero() && !atMost.isNegative()) {
          waiting.add(this);
          running--;
          FakeWorld.this.notifyAll();
          while (!raised && !timeUp) {
            FakeWorld.this.wait();
          }
        }
        boolean seen = raised;
        raised = false;
        return seen;
      }
    }
  }
}
