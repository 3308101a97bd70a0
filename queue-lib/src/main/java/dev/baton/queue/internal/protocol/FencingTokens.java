package dev.baton.queue.internal.protocol;

import dev.baton.core.Checks;
import java.time.Instant;

/**
 * Where the tokens of a queue start, and go on after a loss: above every one that was given out.
 *
 * <ol>
 *   <li>By the clock: at the Unix time in milliseconds. A token takes a write, which takes longer
 *       than a millisecond, and a recovery, which skips some tokens, gives out none for a whole
 *       lease. So tokens fall behind the clock that they started from, and a queue that is created
 *       later starts above them even if nothing has survived. Where the store tells the time, as
 *       GitHub does, its clock counts too, so that a machine whose clock is slow does not matter.
 *   <li>Clocks differ, so what has survived counts too: heartbeat documents, and earlier contents
 *       that the store has kept. The last tokens may be missing there: those of builds that were
 *       too short for a heartbeat, or of versions that are lost. So they go on a leap above.
 * </ol>
 */
public final class FencingTokens {

  /** More tokens than were given out since a surviving document was written. */
  public static final long LEAP = 1_000;

  private FencingTokens() {}

  /**
   * A token that is greater than any that was given out.
   *
   * @param highestKnown by anything that has survived; 0 for none
   */
  public static long above(long highestKnown, Instant now) {
    Checks.notNegative("highestKnown", highestKnown);
    return Math.max(highestKnown + LEAP + 1, now.toEpochMilli());
  }
}
