package dev.baton.queue.internal.engine;

import dev.baton.queue.QueueDocument;

/** The rules of the board, for those who check it from outside. */
public final class BoardView {

  private BoardView() {}

  /** Whether nothing but the back of the line has changed. */
  public static boolean haveSameFront(QueueDocument a, QueueDocument b) {
    return BoardDuty.haveSameFront(a, b);
  }

  /** Whether somebody waits, who looks after the board. */
  public static boolean isLookedAfter(QueueDocument d) {
    return BoardDuty.isLookedAfter(d);
  }
}
