package dev.baton.client.queue;

import dev.baton.queue.HistoryEntry;
import dev.baton.queue.QueueException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Asks the queue who took a lock away, and why, while what ran under the lock is being stopped: the
 * store may take its time, and may be the very reason for which the lock was lost.
 */
public final class LossInquiry {

  private final FutureTask<Optional<HistoryEntry>> asking;

  private LossInquiry(FutureTask<Optional<HistoryEntry>> asking) {
    this.asking = asking;
  }

  /** Begins to ask, on a thread of its own. */
  public static LossInquiry begin(OpenQueue open, long ticket, long token) {
    FutureTask<Optional<HistoryEntry>> asking = new FutureTask<>(() -> answer(open, ticket, token));
    Thread thread = new Thread(asking, "baton-asks-who");
    thread.setDaemon(true);
    thread.start();
    return new LossInquiry(asking);
  }

  /** Asks, and waits for the answer; empty when the history does not tell, or cannot be read. */
  public static Optional<HistoryEntry> answer(OpenQueue open, long ticket, long token)
      throws InterruptedException {
    try {
      return open.quick().status().endOf(ticket, token);
    } catch (QueueException e) {
      return Optional.empty();
    }
  }

  /** What is known by then; empty when there was no answer in this time. */
  public Optional<HistoryEntry> within(Duration patience) throws InterruptedException {
    try {
      return asking.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return Optional.empty();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }
}
