package dev.baton.cli.terminal;

import java.time.Duration;

/**
 * Says something beside work that must go on: an output may take nothing for as long as it likes,
 * such as a terminal after Ctrl-S or a pipe whose reader hangs.
 */
public final class Aside {

  /** Enough for an output that takes anything at all, so that lines stay in their order. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private Aside() {}

  /**
   * Waits for it for a moment only. An interrupt ends that wait and is kept.
   *
   * @param saying writes to an output
   */
  public static void say(Runnable saying) {
    Thread thread = new Thread(saying, "baton-says");
    thread.setDaemon(true);
    thread.start();
    try {
      thread.join(PATIENCE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
