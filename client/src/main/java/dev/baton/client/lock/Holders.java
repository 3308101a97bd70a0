package dev.baton.client.lock;

import dev.baton.queue.QueueDocument;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import java.util.List;
import java.util.stream.Collectors;

/** Who has the lock now, for somebody who has lost it. */
final class Holders {

  private Holders() {}

  /** The end of a sentence. */
  static String shown(QueueDocument d) {
    List<Ticket> holders =
        d.slots().stream()
            .filter(s -> !s.isFree() && s.state() != Slot.State.REVOKED)
            .flatMap(s -> d.ticket(s.ticket()).stream())
            .toList();
    if (holders.isEmpty()) {
      return "nobody has it now";
    }
    return holders.stream()
            .map(
                t ->
                    "ticket "
                        + t.number()
                        + " ("
                        + t.title()
                        + ", "
                        + t.owner()
                        + (t.state() == TicketState.OFFERED ? ", asked" : "")
                        + ")")
            .collect(Collectors.joining(" and "))
        + (holders.size() == 1 ? " has it now" : " have it now");
  }
}
