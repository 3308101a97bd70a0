package dev.baton.client.lock;

import dev.baton.client.queue.Inherited;
import dev.baton.client.queue.InheritedLocks;
import dev.baton.client.queue.LossInquiry;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.settings.Host;
import dev.baton.core.Problem;
import dev.baton.core.Problem.Kind;
import dev.baton.queue.QueueException;
import dev.baton.queue.text.Turns;
import java.util.Optional;

/** The lock that a process was started under. */
public final class OuterLock {

  private OuterLock() {}

  /**
   * The lock of this queue that an outer process holds, proved by a write; empty where the
   * environment tells of none.
   *
   * @throws QueueException of the kind {@code LOST} when it is not held any more
   */
  public static Optional<Inherited> proven(OpenQueue open, Host host)
      throws QueueException, InterruptedException {
    Optional<Inherited> outer = InheritedLocks.of(host).of(open.place());
    if (outer.isPresent() && !open.patient().verify(outer.get().ticket(), outer.get().token())) {
      throw new QueueException(
          new Problem(
              Kind.LOST,
              "the lock that this was started under (ticket "
                  + outer.get().ticket()
                  + ", token "
                  + outer.get().token()
                  + ") is not held any more"
                  + LossInquiry.answer(open, outer.get().ticket(), outer.get().token())
                      .map(end -> ": " + Turns.howLost(end))
                      .orElse("")
                  + "; "
                  + Holders.shown(open.quick().status()),
              "Stop the outer build. To stand in line independently of it, unset "
                  + Inherited.TICKET
                  + ", "
                  + Inherited.TOKEN
                  + " and "
                  + Inherited.ALL
                  + ": env -u "
                  + String.join(" -u ", Inherited.TICKET, Inherited.TOKEN, Inherited.ALL)
                  + " …"),
          null);
    }
    return outer;
  }
}
