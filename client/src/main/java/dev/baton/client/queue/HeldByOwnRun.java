package dev.baton.client.queue;

/** Ends a wait from within, and leaves the line: the lock that is waited for is one's own. */
final class HeldByOwnRun extends RuntimeException {

  private static final long serialVersionUID = 1;

  HeldByOwnRun() {
    super("this job or its run has the lock");
  }
}
