package dev.baton.queue;

import dev.baton.core.Checks;
import java.time.Duration;

/**
 * For how long somebody who has left the line had watched a turn, so that a later client need not
 * start again. It is never more than the true time: a client adds what it watches from when it has
 * read this, and nothing that it watched before.
 *
 * @param what is watched of the turn, such as its heartbeat
 * @param token of the turn
 * @param mark names the very content that was seen; empty where the token says enough
 * @param time rounded down
 */
public record WatchedTime(String what, long token, String mark, Duration time) {

  private static final int MAX_WHAT = 20;
  private static final int MAX_MARK = 120;

  public WatchedTime {
    Checks.line("what", what, 1, MAX_WHAT);
    Checks.positive("token", token);
    Checks.line("mark", mark, 0, MAX_MARK);
    Checks.positive("time", time);
  }

  /** Whether both are about the same of one turn, though they may have seen different contents. */
  public boolean isAbout(WatchedTime other) {
    return token == other.token && what.equals(other.what);
  }
}
