package dev.baton.queue.internal.engine;

import dev.baton.queue.Grant;

/** Looks at a grant from outside, and does single things with it that its engine does in turn. */
public final class GrantView {

  private GrantView() {}

  /**
   * What {@link Grant#state} would answer now, without the consequences of asking. A grant that is
   * not of the engine has none.
   */
  public static Grant.State peek(Grant grant) {
    return grant instanceof HeldGrant held ? held.peek() : grant.state();
  }

  /** One attempt to renew the lease, with no look at whether it is over. */
  public static void beatBlindly(Grant grant) throws InterruptedException {
    ((HeldGrant) grant).beatOnce();
  }
}
