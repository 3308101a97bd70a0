package dev.baton.action;

import dev.baton.queue.Acquisition;
import dev.baton.queue.QueueException;
import dev.baton.queue.Request;
import dev.baton.queue.Ticket;
import dev.baton.queue.WaitProgress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/** One wait for the lock, on a thread of its own, so that the step can end it in its own ways. */
final class Waiting {

  /** How a wait ends. */
  sealed interface End {}

  /** The queue has answered. */
  record Came(Acquisition result) implements End {}

  /** The lock is held by this job or its run already; the ticket has left the line. */
  record Adopts(Inputs.Turn turn) implements End {}

  /** The time is over and the ticket is still in line. */
  record StaysInLine(Optional<WaitProgress> last) implements End {}

  private static final long LOOK_MILLIS = 50;

  private final Desk desk;
  private final Progress progress;

  Waiting(Desk desk, Progress progress) {
    this.desk = Objects.requireNonNull(desk, "desk");
    this.progress = Objects.requireNonNull(progress, "progress");
  }

  Progress progress() {
    return progress;
  }

  /**
   * An interrupted wait leaves the line.
   *
   * @param stays whether the ticket keeps its place when the request's time is over
   * @param own finds a turn among those that build that is as good as one's own
   */
  End run(Request request, boolean stays, Function<List<Ticket>, Optional<Inputs.Turn>> own)
      throws QueueException, InterruptedException {
    AtomicReference<Inputs.Turn> adopted = new AtomicReference<>();
    Request asked = stays ? new Request(request.entry(), Optional.empty()) : request;
    FutureTask<Acquisition> task =
        new FutureTask<>(
            () ->
                desk.queue()
                    .acquire(
                        asked,
                        now -> {
                          progress.accept(now);
                          Optional<Inputs.Turn> found = own.apply(now.building());
                          if (found.isPresent()) {
                            adopted.set(found.get());
                            Thread.currentThread().interrupt();
                          }
                        }));
    Thread worker = new Thread(task, "baton-wait");
    worker.setDaemon(true);
    worker.start();
    try {
      return stays && request.waitTimeout().isPresent()
          ? within(request.waitTimeout().get(), task, worker)
          : new Came(task.get());
    } catch (InterruptedException e) {
      worker.interrupt();
      worker.join(Cancellation.TIME_LEFT.toMillis());
      throw e;
    } catch (ExecutionException e) {
      return failed(e.getCause(), adopted.get());
    } finally {
      progress.end();
    }
  }

  private End within(Duration timeout, FutureTask<Acquisition> task, Thread worker)
      throws InterruptedException, ExecutionException {
    Optional<Acquisition> inTime = get(task, timeout.toMillis());
    if (inTime.isEmpty()) {
      desk.stage().hold(worker);
    }
    // A change may be under way; perhaps it is the one that gets the lock after all.
    while (inTime.isEmpty() && !desk.stage().isHeld()) {
      inTime = get(task, LOOK_MILLIS);
    }
    return inTime.isPresent() ? new Came(inTime.get()) : new StaysInLine(progress.last());
  }

  private static Optional<Acquisition> get(FutureTask<Acquisition> task, long millis)
      throws InterruptedException, ExecutionException {
    try {
      return Optional.of(task.get(millis, TimeUnit.MILLISECONDS));
    } catch (TimeoutException e) {
      return Optional.empty();
    }
  }

  private static End failed(Throwable cause, Inputs.Turn adopted)
      throws QueueException, InterruptedException {
    if (cause instanceof InterruptedException && adopted != null) {
      return new Adopts(adopted);
    } else if (cause instanceof QueueException e) {
      throw e;
    } else if (cause instanceof InterruptedException e) {
      throw e;
    } else if (cause instanceof RuntimeException e) {
      throw e;
    } else if (cause instanceof Error e) {
      throw e;
    }
    throw new IllegalStateException("the wait ended in an unknown way", cause);
  }
}
