package dev.baton.client.queue;

import dev.baton.queue.Acquisition;
import dev.baton.queue.Entry;
import dev.baton.queue.Grant;
import dev.baton.queue.QueueException;
import dev.baton.queue.Request;
import dev.baton.queue.Ticket;
import dev.baton.queue.WaitProgress;
import java.util.List;
import java.util.Optional;
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
   */
  static LockAttempt make(OpenQueue open, Request request, Consumer<WaitProgress> progress)
      throws QueueException, InterruptedException {
    // Without heartbeats a process stands in line as its job: that it has the lock says nothing
    // about another process of the job.
    if (request.entry().run().isEmpty() || open.space().settling().isPresent()) {
      return of(open.patient().acquire(request, progress));
    }
    Request mine = request;
    Optional<Inherited> held = proven(open, mine);
    while (held.isEmpty()) {
      Entry entry = mine.entry();
      try {
        return of(
            open.patient()
                .acquire(
                    mine,
                    now -> {
                      progress.accept(now);
                      if (held(now.building(), entry).isPresent()) {
                        throw new HeldByOwnRun();
                      }
                    }));
      } catch (HeldByOwnRun e) {
        held = proven(open, mine);
        // The ticket has left the line: whoever stands in line again does so with another.
        mine = mine.withNonce(Request.newNonce());
      }
    }
    return new Covered(held.get());
  }

  private static LockAttempt of(Acquisition answer) {
    return answer instanceof Acquisition.Acquired acquired
        ? new Granted(acquired.grant())
        : new Missed(answer);
  }

  private static Optional<Inherited> held(List<Ticket> tickets, Entry entry) {
    // A ticket that was drawn for this very process is gone on with, and given back.
    List<Ticket> others = tickets.stream().filter(t -> !t.nonce().equals(entry.nonce())).toList();
    return OwnRun.lockAmong(others, entry.run().orElseThrow());
  }

  private static Optional<Inherited> proven(OpenQueue open, Request request)
      throws QueueException, InterruptedException {
    Optional<Inherited> found =
        OpenQueue.glance(open.quick(), true).flatMap(d -> held(d.tickets(), request.entry()));
    // A read may be old, and the lock given back since.
    return found.isPresent() && open.patient().verify(found.get().ticket(), found.get().token())
        ? found
        : Optional.empty();
  }
}
