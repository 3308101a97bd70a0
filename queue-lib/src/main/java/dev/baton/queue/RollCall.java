package dev.baton.queue;

import java.util.List;

/**
 * Offers go unanswered: those who are there say so, so that all who are not can be passed over at
 * once. It begins with the first ticket that is passed over and ends with the next answer.
 *
 * @param since the token of the first offer that was not answered
 * @param present tickets in line whose owners have shown themselves since
 */
public record RollCall(long since, List<Long> present) {

  public RollCall {
    Checks.positive("since", since);
    present = List.copyOf(present);
    present.forEach(ticket -> Checks.positive("present", ticket));
  }
}
