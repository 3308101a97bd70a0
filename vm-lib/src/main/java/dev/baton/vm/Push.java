package dev.baton.vm;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * What became of a {@link BuildVm#push}.
 *
 * @param life what it is given each time; empty: it has no end, or is no more
 */
public record Push(Result result, Optional<Duration> life) {

  /** What was done. */
  public enum Result {
    /** It has its whole life before it again. */
    PUSHED,
    /** Enough of it is left. */
    ENOUGH_LEFT,
    /** Somebody works on the VM, or has just written. */
    BUSY,
    /** It does not run, or has no end. */
    NOT_MEANT
  }

  public Push {
    Objects.requireNonNull(result, "result");
    Objects.requireNonNull(life, "life");
  }
}
