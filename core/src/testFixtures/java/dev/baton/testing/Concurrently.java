package dev.baton.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs tasks at the same time and leaves no thread behind. The first failure interrupts the other
 * tasks: a writer that goes on when its test has failed works against servers that are gone, fills
 * the logs that later tests read, and takes the processor from them.
 */
public final class Concurrently {
  private static final Duration UNTIL_INTERRUPTED_TASKS_END = Duration.ofMinutes(1);

  private Concurrently() {}

  /**
   * @param limit for all tasks together
   * @return what the tasks returned, in their order
   */
  public static <T> List<T> allOf(Duration limit, List<? extends Callable<T>> tasks)
      throws InterruptedException, ExecutionException, TimeoutException {
    try (Threads threads = new Threads(tasks.size())) {
      CompletionService<T> ended = new ExecutorCompletionService<>(threads.pool());
      List<Future<T>> running = new ArrayList<>();
      tasks.forEach(task -> running.add(ended.submit(task)));
      long end = System.nanoTime() + limit.toNanos();
      for (int i = 0; i < tasks.size(); i++) {
        Future<T> next = ended.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (next == null) {
          throw new TimeoutException(
              (tasks.size() - i) + " of " + tasks.size() + " tasks still run after " + limit);
        }
        next.get();
      }
      List<T> results = new ArrayList<>();
      for (Future<T> one : running) {
        results.add(one.get());
      }
      return results;
    }
  }

  private record Threads(ExecutorService pool) implements AutoCloseable {
    Threads(int count) {
      this(Executors.newFixedThreadPool(count));
    }

    /** Libraries may swallow an interrupt, so tasks that go on get another one. */
    @Override
    public void close() {
      boolean interrupted = false;
      long end = System.nanoTime() + UNTIL_INTERRUPTED_TASKS_END.toNanos();
      while (!pool.isTerminated()) {
        if (System.nanoTime() > end) {
          throw new AssertionError("a task goes on although it was interrupted");
        }
        pool.shutdownNow();
        try {
          pool.awaitTermination(100, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
