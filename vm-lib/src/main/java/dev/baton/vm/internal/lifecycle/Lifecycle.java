package dev.baton.vm.internal.lifecycle;

import static dev.baton.vm.Operation.ABANDON;
import static dev.baton.vm.Operation.ATTACH;
import static dev.baton.vm.Operation.DEPLOY;
import static dev.baton.vm.Operation.DESTROY;
import static dev.baton.vm.Operation.DETACH;
import static dev.baton.vm.Operation.EXTEND;
import static dev.baton.vm.Operation.RESIZE;
import static dev.baton.vm.Operation.RESUME;
import static dev.baton.vm.Operation.START;
import static dev.baton.vm.Operation.STOP;
import static dev.baton.vm.Operation.SUSPEND;
import static dev.baton.vm.Status.DEPLOYING;
import static dev.baton.vm.Status.DESTROYED;
import static dev.baton.vm.Status.DESTROYING;
import static dev.baton.vm.Status.RESIZING;
import static dev.baton.vm.Status.RESUMING;
import static dev.baton.vm.Status.RUNNING;
import static dev.baton.vm.Status.STARTING;
import static dev.baton.vm.Status.STOPPED;
import static dev.baton.vm.Status.STOPPING;
import static dev.baton.vm.Status.SUSPENDED;
import static dev.baton.vm.Status.SUSPENDING;

import dev.baton.vm.Operation;
import dev.baton.vm.Status;
import dev.baton.vm.VmException;
import dev.baton.vm.internal.lifecycle.Transition.Action;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The table of transitions, and what follows from it. */
public final class Lifecycle {

  private static final Target NOTHING = new Target.Nothing();
  private static final Target PREVIOUS = new Target.Previous();
  private static final Target BY_SNAPSHOT = new Target.BySnapshot();

  /**
   * Every line that is allowed. An interrupted suspend, resume, stop or start is first put right
   * from the cloud's truth (see {@link #mustBeCorrectedFirst}), so its status has no other lines
   * than its own, if any.
   */
  public static final List<Transition> TABLE = table();

  private Lifecycle() {}

  private static List<Transition> table() {
    List<Transition> t = new ArrayList<>();
    Situation nothing = Situation.nothing();
    Situation deploying = Situation.at(DEPLOYING);
    Situation running = Situation.at(RUNNING);
    Situation suspending = Situation.at(SUSPENDING);
    Situation suspended = Situation.at(SUSPENDED);
    Situation resuming = Situation.at(RESUMING);
    Situation stopped = Situation.at(STOPPED);
    Situation resizing = Situation.at(RESIZING);
    Situation destroying = Situation.at(DESTROYING);
    Situation destroyed = Situation.at(DESTROYED);

    t.add(line(nothing, DEPLOY, Action.CREATE, DEPLOYING, to(RUNNING), to(DEPLOYING)));
    t.add(line(deploying, DEPLOY, Action.CONTINUE_CREATING, DEPLOYING, to(RUNNING), to(DEPLOYING)));
    t.add(
        line(
            destroyed, DEPLOY, Action.CREATE_FROM_SNAPSHOT, DEPLOYING, to(RUNNING), to(DEPLOYING)));
    t.add(line(running, DEPLOY, Action.REPAIR, RUNNING, to(RUNNING), to(RUNNING)));

    t.add(line(running, SUSPEND, Action.STOP, SUSPENDING, to(SUSPENDED), to(RUNNING)));
    t.add(line(suspending, SUSPEND, Action.STOP, SUSPENDING, to(SUSPENDED), to(RUNNING)));
    t.add(line(suspended, SUSPEND, Action.SKIP, SUSPENDED, to(SUSPENDED), to(SUSPENDED)));

    t.add(line(suspended, RESUME, Action.START, RESUMING, to(RUNNING), to(SUSPENDED)));
    t.add(line(resuming, RESUME, Action.START, RESUMING, to(RUNNING), to(SUSPENDED)));
    t.add(line(running, RESUME, Action.SKIP, RUNNING, to(RUNNING), to(RUNNING)));

    t.add(line(running, STOP, Action.STOP, STOPPING, to(STOPPED), to(RUNNING)));
    t.add(line(suspended, STOP, Action.STOP, STOPPING, to(STOPPED), to(SUSPENDED)));
    t.add(line(stopped, STOP, Action.SKIP, STOPPED, to(STOPPED), to(STOPPED)));

    t.add(line(stopped, START, Action.START, STARTING, to(RUNNING), to(STOPPED)));
    t.add(line(running, START, Action.SKIP, RUNNING, to(RUNNING), to(RUNNING)));

    t.add(resizingFrom(running));
    t.add(resizingFrom(stopped));
    t.add(line(resizing, RESIZE, Action.RESIZE, RESIZING, PREVIOUS, PREVIOUS));
    t.add(line(resizing, ABANDON, Action.GO_BACK, RESIZING, PREVIOUS, PREVIOUS));
    t.add(line(resizing, DESTROY, Action.DELETE, DESTROYING, BY_SNAPSHOT, PREVIOUS));

    t.add(line(stopped, ATTACH, Action.CHANGE_DISKS, STOPPED, to(STOPPED), to(STOPPED)));
    t.add(line(stopped, DETACH, Action.CHANGE_DISKS, STOPPED, to(STOPPED), to(STOPPED)));

    t.add(remembering(running));
    t.add(remembering(suspended));
    t.add(remembering(stopped));
    t.add(line(destroying, DESTROY, Action.DELETE, DESTROYING, BY_SNAPSHOT, PREVIOUS));
    t.add(line(destroyed, DESTROY, Action.DELETE_LEFTOVERS, DESTROYED, BY_SNAPSHOT, to(DESTROYED)));
    t.add(
        new Transition(
            nothing, DESTROY, Action.DELETE_LEFTOVERS, Optional.empty(), NOTHING, NOTHING, false));

    t.add(line(deploying, DESTROY, Action.CLEAN_UP, DEPLOYING, BY_SNAPSHOT, to(DEPLOYING)));
    t.add(line(deploying, ABANDON, Action.CLEAN_UP, DEPLOYING, BY_SNAPSHOT, to(DEPLOYING)));
    t.add(line(destroying, ABANDON, Action.GO_BACK, DESTROYING, PREVIOUS, PREVIOUS));

    t.add(line(running, EXTEND, Action.EXTEND, RUNNING, to(RUNNING), to(RUNNING)));

    // Without its instance a VM can be made whole or taken down, and nothing else.
    t.add(
        line(running.withoutInstance(), DEPLOY, Action.REPAIR, RUNNING, to(RUNNING), to(RUNNING)));
    t.add(remembering(running.withoutInstance()));
    for (Situation down : List.of(suspended, stopped)) {
      t.add(
          line(
              down.withoutInstance(),
              DEPLOY,
              Action.CREATE_FROM_SNAPSHOT,
              DEPLOYING,
              to(RUNNING),
              to(DEPLOYING)));
      t.add(remembering(down.withoutInstance()));
    }
    // The mark stays while such an operation is under way, so what continues it meets it too.
    t.add(
        line(
            deploying.withoutInstance(),
            DEPLOY,
            Action.CONTINUE_CREATING,
            DEPLOYING,
            to(RUNNING),
            to(DEPLOYING)));
    for (Operation ending : List.of(DESTROY, ABANDON)) {
      t.add(
          line(
              deploying.withoutInstance(),
              ending,
              Action.CLEAN_UP,
              DEPLOYING,
              BY_SNAPSHOT,
              to(DEPLOYING)));
    }
    t.add(
        line(
            destroying.withoutInstance(),
            DESTROY,
            Action.DELETE,
            DESTROYING,
            BY_SNAPSHOT,
            PREVIOUS));
    t.add(
        line(
            destroying.withoutInstance(), ABANDON, Action.GO_BACK, DESTROYING, PREVIOUS, PREVIOUS));
    return List.copyOf(t);
  }

  private static Transition remembering(Situation from) {
    return new Transition(
        from, DESTROY, Action.DELETE, Optional.of(DESTROYING), BY_SNAPSHOT, PREVIOUS, true);
  }

  private static Transition resizingFrom(Situation from) {
    return new Transition(
        from, RESIZE, Action.RESIZE, Optional.of(RESIZING), PREVIOUS, PREVIOUS, true);
  }

  private static Transition line(
      Situation from,
      Operation operation,
      Action action,
      Status entering,
      Target success,
      Target failure) {
    return new Transition(from, operation, action, Optional.of(entering), success, failure, false);
  }

  private static Target to(Status status) {
    return new Target.To(status);
  }

  /** The line for an operation, or a refusal that carries from and to. */
  public static Transition require(Situation from, Operation operation)
      throws VmException.NotAllowed {
    return TABLE.stream()
        .filter(t -> t.from().equals(from) && t.operation() == operation)
        .findFirst()
        .orElseThrow(
            () ->
                new VmException.NotAllowed(
                    from.status(),
                    operation,
                    entered(operation),
                    from.instanceMissing(),
                    advice(from, operation) + "."));
  }

  /** For an operation that leaves the status alone, whatever it is. */
  public static Transition stay(Situation at, Operation operation) {
    Target same = at.status().map(Lifecycle::to).orElse(NOTHING);
    return new Transition(at, operation, Action.STAY, at.status(), same, same, false);
  }

  /** For an operation that makes a state of what somebody else has made. */
  public static Transition taking(Situation from, Operation operation, Target.To to) {
    return new Transition(from, operation, Action.STAY, Optional.of(to.status()), to, to, false);
  }

  /** Whether the cloud tells what an operation that was interrupted in that status has come to. */
  public static boolean isToldByTheCloud(Status status) {
    return switch (status) {
      case SUSPENDING, RESUMING, STOPPING, STARTING -> true;
      default -> false;
    };
  }

  /** Whether the status is what an interrupted operation left, and wants another look. */
  public static boolean mustBeCorrectedFirst(Situation from, Operation operation) {
    if (from.status().isEmpty()) {
      return false;
    }
    return switch (from.status().get()) {
      case SUSPENDING -> operation != SUSPEND;
      case RESUMING -> operation != RESUME;
      case STOPPING, STARTING -> true;
      default -> false;
    };
  }

  /** What the cloud says about the instance of a VM. */
  public enum Truth {
    RUNNING,
    /** As a suspend leaves it. */
    SUSPENDED,
    /** Off, in a cloud that tells that from being suspended. */
    STOPPED,
    /** On its way to one of these. */
    CHANGING,
    GONE
  }

  /**
   * What an interrupted suspend, resume, stop or start has come to.
   *
   * @param mark the instance is gone
   */
  public record Corrected(Status to, boolean mark) {}

  /**
   * @return empty: there is nothing to put right, or not yet
   */
  public static Optional<Corrected> correct(Status interrupted, Truth truth) {
    if (!isToldByTheCloud(interrupted)) {
      return Optional.empty();
    }
    return switch (truth) {
      case RUNNING -> Optional.of(new Corrected(RUNNING, false));
      case SUSPENDED -> Optional.of(new Corrected(SUSPENDED, false));
      case STOPPED -> Optional.of(new Corrected(STOPPED, false));
      case GONE -> Optional.of(new Corrected(before(interrupted), true));
      case CHANGING -> Optional.empty();
    };
  }

  private static Status before(Status interrupted) {
    return switch (interrupted) {
      case RESUMING -> SUSPENDED;
      case STARTING -> STOPPED;
      default -> RUNNING;
    };
  }

  private static Optional<Status> entered(Operation operation) {
    return switch (operation) {
      case DEPLOY -> Optional.of(DEPLOYING);
      case SUSPEND -> Optional.of(SUSPENDING);
      case RESUME -> Optional.of(RESUMING);
      case STOP -> Optional.of(STOPPING);
      case START -> Optional.of(STARTING);
      case RESIZE -> Optional.of(RESIZING);
      case DESTROY -> Optional.of(DESTROYING);
      default -> Optional.empty();
    };
  }

  private static String advice(Situation from, Operation wanted) {
    boolean disks = wanted == ATTACH || wanted == DETACH;
    return disks && from.equals(Situation.at(RUNNING))
        ? "Run `stop` first: its disks can be changed while it is off"
        : advice(from);
  }

  /** What can be done instead. */
  public static String advice(Situation from) {
    if (from.status().isEmpty()) {
      return "Run `deploy` first";
    }
    if (from.instanceMissing() && !from.status().get().isPassing()) {
      return "Its instance was deleted: `deploy` creates a new one, `destroy` removes the rest";
    }
    return switch (from.status().get()) {
      case DEPLOYING -> "Run `deploy` to finish, or `destroy` to delete what it has created";
      case RUNNING -> "Next: `suspend`, `destroy`, or `deploy` to repair it";
      case SUSPENDING -> "Run `suspend` again, or `status` to see what has become of it";
      case SUSPENDED -> "Next: `resume` or `destroy`";
      case RESUMING -> "Run `resume` again, or `status` to see what has become of it";
      case STOPPING, STARTING -> "Run `status` to see what has become of it";
      case STOPPED -> "Next: `start` or `destroy`";
      case RESIZING -> "Run `resize` to finish, or `abandon` to go back to its old size";
      case DESTROYING -> "Run `destroy` to finish, or `abandon` to keep what is left";
      case DESTROYED -> "Run `deploy` to get it back from its snapshot";
    };
  }
}
