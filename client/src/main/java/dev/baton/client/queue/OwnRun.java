package dev.baton.client.queue;

import dev.baton.queue.Liveness;
import dev.baton.queue.RunRef;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import java.util.Optional;

/** Whether a workflow job has the lock already, through an earlier step or another job. */
public final class OwnRun {

  private OwnRun() {}

  /** The lock that this very job or its whole run holds: to wait for it would never end. */
  public static Optional<Inherited> lockAmong(Iterable<Ticket> tickets, RunRef own) {
    for (Ticket t : tickets) {
      // A ticket with a heartbeat is that of one process, which gives it back when it is done.
      if (t.state() == TicketState.BUILDING
          && t.liveness() == Liveness.RUN
          && t.run().filter(r -> covers(r, own)).isPresent()) {
        return Optional.of(new Inherited(t.number(), t.token()));
      }
    }
    return Optional.empty();
  }

  private static boolean covers(RunRef holder, RunRef own) {
    boolean sameRun =
        holder.repository().equals(own.repository())
            && holder.runId() == own.runId()
            && holder.attempt() == own.attempt();
    // A job that could not be told from the others of its run has no number, but it has a name.
    // The legs of a matrix share the name: it proves nothing.
    boolean wholeRun = holder.jobId() == 0 && holder.jobName().isEmpty();
    return sameRun && (wholeRun || holder.jobId() > 0 && holder.jobId() == own.jobId());
  }
}
