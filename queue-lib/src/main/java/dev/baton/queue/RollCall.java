package dev.baton.queue;

import dev.baton.core.Checks;
import java.util.List;

/**
 * A heartbeat has stopped, or offers go unanswered: those in line who are there say so, so that all
 * who are not can be passed over at once.
 *
 * @param since the token of the turn whose heartbeat has stopped, or of the first offer that was
 *     not answered
 * @param beat the last heartbeat of that turn; 0 when there was none
 * @param present tickets in line whose owners have shown themselves since
 */
public record RollCall(long since, long beat, List<Long> present) {

  public RollCall {
    Checks.positive("since", since);
    Checks.notNegative("beat", beat);
    present = List.copyOf(present);
    present.forEach(ticket -> Checks.positive("present", ticket));
  }
}
