package dev.baton.vm.internal.lifecycle;

import dev.baton.vm.Operation;
import dev.baton.vm.Status;
import java.util.Objects;
import java.util.Optional;

/**
 * A line of the table.
 *
 * @param entering the status while it is under way; empty: no state meanwhile either
 * @param remember whether the status before becomes {@code previous_status}
 */
public record Transition(
    Situation from,
    Operation operation,
    Action action,
    Optional<Status> entering,
    Target success,
    Target failure,
    boolean remember) {

  /** What is done. */
  public enum Action {
    /** There is nothing to do: it is so already. */
    SKIP,
    CREATE,
    CREATE_FROM_SNAPSHOT,
    CONTINUE_CREATING,
    /** Create what is missing, without leaving the status. */
    REPAIR,
    STOP,
    START,
    DELETE,
    /** Delete what an earlier destroy has left, and a snapshot that is not wanted any more. */
    DELETE_LEFTOVERS,
    /** Delete what a deploy has created so far. */
    CLEAN_UP,
    RESIZE,
    /** Attach or detach a further disk, without leaving the status. */
    CHANGE_DISKS,
    /** What was begun is given up, and what it has changed already is put back. */
    GO_BACK,
    /** Move the time at which it is taken down. */
    EXTEND,
    /** Something that has nothing to do with the status. */
    STAY
  }

  public Transition {
    Objects.requireNonNull(from, "from");
    Objects.requireNonNull(operation, "operation");
    Objects.requireNonNull(action, "action");
    Objects.requireNonNull(entering, "entering");
    Objects.requireNonNull(success, "success");
    Objects.requireNonNull(failure, "failure");
  }
}
