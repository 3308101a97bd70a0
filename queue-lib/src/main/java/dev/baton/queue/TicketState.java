package dev.baton.queue;

/** Where a ticket is on its way through the queue. */
public enum TicketState {
  /** In line. */
  WAITING,
  /** It is its turn, and its owner has not said yet that it goes. */
  OFFERED,
  /** It has the build lock. */
  BUILDING,
  /** It did not answer when it was its turn; it keeps its place and is skipped. */
  AWAY
}
