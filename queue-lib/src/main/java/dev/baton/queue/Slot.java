package dev.baton.queue;

import dev.baton.core.Checks;
import dev.baton.core.Extra;
import java.util.Objects;

/**
 * One build lock of the queue; most queues have one.
 *
 * @param ticket whose it is, or 0
 * @param token the fencing token that belongs to the ticket's turn; of the last one when free
 * @param claim drawn at random by the process that took the turn, so that another one that knows
 *     the ticket's nonce does not build as well; empty where no process is behind the turn
 */
public record Slot(State state, long ticket, long token, String claim, Extra extra) {

  /** What a slot is doing. */
  public enum State {
    FREE,
    /** Kept for a ticket that has not answered yet. */
    OFFERED,
    BUILDING,
    /** Taken away from its ticket; given to the next one when the old lease is surely over. */
    REVOKED
  }

  public static final int MAX_CLAIM = 32;

  public static final Slot NEW = new Slot(State.FREE, 0, 0, Extra.NONE);

  public Slot {
    Objects.requireNonNull(state, "state");
    Checks.line("claim", claim, 0, MAX_CLAIM);
    Objects.requireNonNull(extra, "extra");
    Checks.notNegative("token", token);
    if (state == State.FREE ? ticket != 0 : ticket <= 0 || token <= 0) {
      throw new IllegalArgumentException(
          "slot is " + state + " with ticket " + ticket + " and token " + token);
    }
  }

  public Slot(State state, long ticket, long token, Extra extra) {
    this(state, ticket, token, "", extra);
  }

  public boolean isFree() {
    return state == State.FREE;
  }

  /** Whether it is this very turn that has the slot. */
  public boolean belongsTo(long someTicket, long someToken) {
    return !isFree() && ticket == someTicket && token == someToken;
  }

  public Slot freed() {
    return new Slot(State.FREE, 0, token, extra);
  }

  public Slot given(State next, long toTicket, long withToken) {
    return new Slot(next, toTicket, withToken, extra);
  }

  public Slot in(State next) {
    return new Slot(next, ticket, token, claim, extra);
  }

  public Slot claimedBy(String process) {
    return new Slot(state, ticket, token, process, extra);
  }
}
