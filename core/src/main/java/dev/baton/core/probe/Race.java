package dev.baton.core.probe;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Does several things at the same moment. */
public final class Race {

  private Race() {}

  /**
   * Waits for all of them.
   *
   * @return what each came to, in their order
   * @throws ExecutionException with what the first that failed threw
   */
  public static <T> List<T> run(List<Callable<T>> runners)
      throws ExecutionException, InterruptedException {
    CountDownLatch start = new CountDownLatch(1);
    List<FutureTask<T>> tasks = new ArrayList<>();
    for (Callable<T> runner : runners) {
      FutureTask<T> task =
          new FutureTask<>(
              () -> {
                start.await();
                return runner.call();
              });
      Thread thread = new Thread(task, "baton-probe-" + tasks.size());
      thread.setDaemon(true);
      thread.start();
      tasks.add(task);
    }
    start.countDown();
    ExecutionException failure = null;
    List<T> results = new ArrayList<>();
    for (FutureTask<T> task : tasks) {
      try {
        results.add(task.get());
      } catch (ExecutionException e) {
        failure = failure == null ? e : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
    return results;
  }
}
