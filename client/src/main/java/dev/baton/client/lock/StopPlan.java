package dev.baton.client.lock;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * How a piece of work is stopped when a lock of it is lost.
 *
 * @param processes what is ended, if the work is done by processes
 * @param interrupts whether its thread is interrupted also where its processes are ended
 */
public record StopPlan(Optional<WorkProcesses> processes, boolean interrupts) {

  public StopPlan {
    Objects.requireNonNull(processes, "processes");
  }

  /** The thread that does the work is interrupted. */
  public static StopPlan byInterrupt() {
    return new StopPlan(Optional.empty(), true);
  }

  /**
   * The processes that have the mark of the work in their environment are ended; the thread that
   * waits for them sees them end. Where the system does not show the environment of processes, the
   * thread is interrupted instead.
   *
   * @param outerMarks what this process has in its own {@link MarkedProcesses#VARIABLE}
   */
  public static StopPlan ofMarkedProcesses(String outerMarks) {
    return ofMarkedProcesses(MarkedProcesses.TABLE, outerMarks);
  }

  static StopPlan ofMarkedProcesses(Path table, String outerMarks) {
    return new StopPlan(Optional.of(new MarkedProcesses(table, outerMarks)), false);
  }

  /**
   * The thread is interrupted, and all processes are ended that this one has started since this
   * call.
   */
  public static StopPlan ofChildProcesses() {
    return new StopPlan(Optional.of(new ChildProcesses()), true);
  }
}
