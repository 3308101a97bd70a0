package dev.baton.queue.board;

/**
 * A box on a board, and what a tick of it asks for. Each names all that it depends on, so that one
 * that was ticked too late, or is delivered twice, fits the queue no more.
 */
public sealed interface BoardButton {

  /**
   * Give out no lock any more.
   *
   * @param resumed when the queue was last resumed, in Unix seconds, or 0: after a pause that has
   *     come and gone since, the box is another one
   */
  record Pause(long resumed) implements BoardButton {}

  /**
   * Give out the lock again.
   *
   * @param since when the pause began, in Unix seconds: it ends this pause and no later one
   */
  record Resume(long since) implements BoardButton {}

  /**
   * Let a ticket go first.
   *
   * @param before the ticket that is first in line as long as the box fits
   */
  record First(long ticket, long before) implements BoardButton {}

  /** Take the lock away from just this turn. */
  record Unlock(long ticket, long token) implements BoardButton {}
}
