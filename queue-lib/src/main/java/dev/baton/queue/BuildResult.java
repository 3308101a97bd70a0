package dev.baton.queue;

import java.util.Objects;
import java.util.Optional;

/**
 * How a build went, as seen by the process that gave its lock back.
 *
 * @param exitCode of the command that was the build, where there was one and it did not succeed
 */
public record BuildResult(Ending ending, Optional<Integer> exitCode) {

  /** The ways in which a build can end. */
  public enum Ending {
    /** The client that gave the lock back did not say. */
    UNKNOWN,
    SUCCEEDED,
    FAILED,
    /** A person or a signal ended it. */
    CANCELLED
  }

  public static final BuildResult UNKNOWN = new BuildResult(Ending.UNKNOWN, Optional.empty());
  public static final BuildResult SUCCEEDED = new BuildResult(Ending.SUCCEEDED, Optional.empty());
  public static final BuildResult FAILED = new BuildResult(Ending.FAILED, Optional.empty());
  public static final BuildResult CANCELLED = new BuildResult(Ending.CANCELLED, Optional.empty());

  public BuildResult {
    Objects.requireNonNull(ending, "ending");
    Objects.requireNonNull(exitCode, "exitCode");
    boolean hasCode = ending == Ending.FAILED || ending == Ending.CANCELLED;
    if (exitCode.isPresent() && (!hasCode || exitCode.get() == 0)) {
      throw new IllegalArgumentException(
          "a build that " + ending + " has no exit code " + exitCode.get());
    }
  }

  /**
   * What the exit code of a command says. By the convention of shells, 130 and 143 are those of a
   * command that Ctrl-C or SIGTERM has ended.
   */
  public static BuildResult exited(int code) {
    if (code == 0) {
      return SUCCEEDED;
    }
    boolean bySignal = code == 128 + 2 || code == 128 + 15;
    return new BuildResult(bySignal ? Ending.CANCELLED : Ending.FAILED, Optional.of(code));
  }

  /** Whether it is known to have come to nothing. */
  public boolean isBad() {
    return ending == Ending.FAILED || ending == Ending.CANCELLED;
  }
}
