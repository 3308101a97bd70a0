package dev.baton.vm;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What became of an operation that did not fail. */
public sealed interface Outcome {

  Operation operation();

  /** The state afterwards; empty: nothing is deployed. */
  Optional<VmState> state();

  /** How it was done. */
  enum How {
    /** From nothing, or simply as asked. */
    FRESH,
    FROM_SNAPSHOT,
    /** An earlier one that was interrupted was brought to its end. */
    CONTINUED,
    /** What was deleted or stopped by hand was put right. */
    REPAIRED
  }

  /**
   * It was done.
   *
   * @param created what a deploy has created; the rest was there before
   * @param left what is in nobody's way but would not go; the next destroy or sweep tries again
   * @param notes what people should know although it was done
   */
  record Done(
      Operation operation,
      How how,
      Optional<Status> from,
      Optional<VmState> state,
      List<Kind> created,
      List<Cleanup> left,
      List<String> notes,
      Duration took)
      implements Outcome {
    public Done {
      created = List.copyOf(created);
      left = List.copyOf(left);
      notes = List.copyOf(notes);
    }
  }

  /** There was nothing to do. */
  record Unchanged(Operation operation, Optional<VmState> state, String why) implements Outcome {}
}
