package dev.baton.benchmarks;

import dev.baton.core.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * One clock for hundreds of clients and their server, which moves only while all of them wait.
 *
 * <p>Exactly one task runs at a time, the others in the order of their time: the same seed gives
 * the same run. A request is served while its client's task counts as running, so it takes no time
 * unless somebody {@linkplain #pause pauses}.
 */
final class VirtualWorld implements World, AutoCloseable {

  private static final Instant START = Instant.parse("2026-01-05T06:00:00Z");
  private static final long PATIENCE_SECONDS = 120;

  /** Ends a task whose world is closed; no code between there and here may catch it. */
  private static final class Closed extends Error {
    private static final long serialVersionUID = 1;

    Closed() {
      super("the world is closed", null, false, false);
    }
  }

  /** When to let somebody go on. */
  private static final class Wakeup implements Comparable<Wakeup> {
    final Semaphore go = new Semaphore(0);
    long at;
    long order;

    @Override
    public int compareTo(Wakeup other) {
      return at == other.at ? Long.compare(order, other.order) : Long.compare(at, other.at);
    }
  }

  private final PriorityQueue<Wakeup> due = new PriorityQueue<>();
  private final Semaphore control = new Semaphore(0);
  private final Random random;
  private long nanos;
  private long lastOrder;
  private boolean closed;
  private Throwable failure;

  VirtualWorld(long seed) {
    random = new Random(seed);
  }

  @Override
  public synchronized long nanos() {
    return nanos;
  }

  @Override
  public synchronized Instant now() {
    return START.plusNanos(nanos);
  }

  @Override
  public synchronized double random() {
    return random.nextDouble();
  }

  /** A time drawn between the two. */
  Duration between(Duration least, Duration most) {
    return least.plusNanos((long) (random() * most.minus(least).toNanos()));
  }

  Duration since(long start) {
    return Duration.ofNanos(nanos() - start);
  }

  // ---- the clock

  /** Lets time pass; called by the thread that owns the world and is none of its tasks. */
  void advance(Duration d) {
    long end = nanos() + d.toNanos();
    while (true) {
      Wakeup next;
      synchronized (this) {
        next = due.peek();
        if (next == null || next.at > end) {
          nanos = end;
          return;
        }
        due.poll();
        nanos = Math.max(nanos, next.at);
      }
      letRun(next);
    }
  }

  private void letRun(Wakeup next) {
    next.go.release();
    try {
      if (!control.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("a task neither ends nor waits for the time: " + stacks());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
    synchronized (this) {
      if (failure != null) {
        throw new IllegalStateException("a task failed: " + failure, failure);
      }
    }
  }

  private static String stacks() {
    StringBuilder all = new StringBuilder();
    Thread.getAllStackTraces()
        .forEach(
            (thread, stack) -> {
              if (stack.length > 0 && !thread.isDaemon() || thread.getName().contains("client")) {
                all.append(String.format(Locale.ROOT, "%n%s %s", thread, List.of(stack)));
              }
            });
    return all.toString();
  }

  private synchronized Wakeup wakeIn(Duration d) {
    Wakeup w = new Wakeup();
    w.at = nanos + Math.max(0, d.toNanos());
    w.order = ++lastOrder;
    due.add(w);
    return w;
  }

  private synchronized void wakeNow(Wakeup w) {
    due.remove(w);
    w.at = nanos;
    w.order = ++lastOrder;
    due.add(w);
  }

  private void handOver(Wakeup w) {
    control.release();
    w.go.acquireUninterruptibly();
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private void requireOpen() {
    if (isClosed()) {
      throw new Closed();
    }
  }

  /** Lets time pass for the running task, on its own thread. */
  void sleep(Duration d) {
    new VirtualSignal().await(d);
  }

  /** Lets time pass for the running task, on the server's thread that serves it. */
  void pause(Duration d) {
    if (d.isZero() || d.isNegative() || isClosed()) {
      return;
    }
    handOver(wakeIn(d));
  }

  // ---- what the engine asks for

  @Override
  public Signal newSignal() {
    return new VirtualSignal();
  }

  private final class VirtualSignal implements Signal {
    private boolean raised;
    private Wakeup waiting;

    @Override
    public void raise() {
      synchronized (VirtualWorld.this) {
        raised = true;
        if (waiting != null) {
          wakeNow(waiting);
          waiting = null;
        }
      }
    }

    @Override
    public boolean await(Duration atMost) {
      requireOpen();
      Wakeup mine;
      synchronized (VirtualWorld.this) {
        if (raised || atMost.isZero() || atMost.isNegative()) {
          return lower();
        }
        mine = wakeIn(atMost);
        waiting = mine;
      }
      handOver(mine);
      requireOpen();
      synchronized (VirtualWorld.this) {
        waiting = null;
        return lower();
      }
    }

    private boolean lower() {
      boolean was = raised;
      raised = false;
      return was;
    }
  }

  @Override
  public Background start(String name, Runnable task) {
    Task started = new Task(task);
    synchronized (this) {
      if (closed) {
        started.ended = true;
        return started;
      }
      started.begin = wakeIn(Duration.ZERO);
    }
    Thread thread = new Thread(started, name);
    thread.setDaemon(true);
    started.thread = thread;
    thread.start();
    return started;
  }

  private final class Task implements Runnable, Background {
    private final Runnable body;
    private final List<Signal> joining = new ArrayList<>();
    private Wakeup begin;
    private volatile Thread thread;
    private volatile boolean ended;

    Task(Runnable body) {
      this.body = body;
    }

    @Override
    public void run() {
      begin.go.acquireUninterruptibly();
      try {
        if (!isClosed()) {
          body.run();
        }
      } catch (Closed e) {
        // The owner has closed the world: that is how a task is meant to end then.
        ended = true;
      } catch (RuntimeException | Error e) {
        synchronized (VirtualWorld.this) {
          failure = failure == null ? e : failure;
        }
      } finally {
        ended = true;
        synchronized (VirtualWorld.this) {
          joining.forEach(Signal::raise);
        }
        control.release();
      }
    }

    @Override
    public void join(Duration atMost) throws InterruptedException {
      if (ended || Thread.currentThread() == thread) {
        return;
      }
      Signal end = newSignal();
      synchronized (VirtualWorld.this) {
        joining.add(end);
      }
      end.await(atMost);
    }
  }

  /** Ends all tasks where they wait. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    while (true) {
      Wakeup next;
      synchronized (this) {
        next = due.poll();
      }
      if (next == null) {
        return;
      }
      next.go.release();
      control.acquireUninterruptibly();
    }
  }
}
