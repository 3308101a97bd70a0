package dev.baton.client.queue;

import dev.baton.queue.Acquisition;
import dev.baton.queue.Grant;
import dev.baton.queue.QueueException;
import dev.baton.queue.Request;
import dev.baton.queue.WaitProgress;
import java.util.function.Consumer;

/** How a process that needs the lock came by it, or why it did not. */
public sealed interface LockAttempt {

  /** It waited for its turn, and gives the lock back. */
  record Granted(Grant grant) implements LockAttempt {}

  /** Its workflow job or run has the lock: proved by a write, and not given back here. */
  record Covered(Inherited lock) implements LockAttempt {}

  /** The queue has answered otherwise. */
  record Missed(Acquisition answer) implements LockAttempt {}

  /**
   * Stands in line and waits, unless this process is part of a workflow job that has the lock, or
   * gets it meanwhile.
   *
   * @param progress told now and then how the waiting goes, by the thread that waits
   * @throws QueueException when the queue cannot be used; no place in line is kept then
   */
  static LockAttempt make(OpenQueue open, Request request, Consumer<WaitProgress> progress)
      throws QueueException, InterruptedException {
    // Without heartbeats a process stands in line as its job: that it has the lock says nothing
    // about another process of the job.
    Request asked =
        request
            .entry()
            .run()
            .filter(run -> open.space().settling().isEmpty())
            .map(request::asPartOf)
            .orElse(request);
    Acquisition answer = open.patient().acquire(asked, progress);
    if (answer instanceof Acquisition.Acquired acquired) {
      return new Granted(acquired.grant());
    }
    return answer instanceof Acquisition.Covered own
        ? new Covered(new Inherited(own.ticket(), own.token()))
        : new Missed(answer);
  }
}
