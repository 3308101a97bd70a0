package dev.baton.vm;

import dev.baton.core.Durations;
import dev.baton.core.Failure;
import dev.baton.core.Problem;
import dev.baton.core.Problem.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** An operation that was refused or has failed. */
public class VmException extends Exception implements Failure {
  private static final long serialVersionUID = 1;

  private final Problem problem;

  protected VmException(Problem problem, Throwable cause) {
    super(problem.text(), cause);
    this.problem = problem;
  }

  private VmException(Kind kind, String what, String next) {
    this(new Problem(kind, what, next), null);
  }

  @Override
  public Problem problem() {
    return problem;
  }

  /** A nil status, as people call it. */
  static String word(Optional<Status> status) {
    return status.map(Status::word).orElse("not deployed");
  }

  /** The table of transitions has no such line. Nothing was changed. */
  public static final class NotAllowed extends VmException {
    private static final long serialVersionUID = 1;

    private final transient Optional<Status> from;
    private final transient Optional<Status> to;
    private final Operation operation;

    public NotAllowed(
        Optional<Status> from,
        Operation operation,
        Optional<Status> to,
        boolean instanceMissing,
        String next) {
      super(
          Kind.REFUSED,
          "cannot "
              + operation.deed()
              + " that is "
              + word(from)
              + (instanceMissing ? " and whose instance was deleted" : ""),
          next);
      this.from = from;
      this.operation = operation;
      this.to = to;
    }

    public Optional<Status> from() {
      return from;
    }

    public Operation operation() {
      return operation;
    }

    /** What the operation would have entered. */
    public Optional<Status> to() {
      return to;
    }
  }

  /** Somebody else works on the VM. Nothing was changed. */
  public static final class LockHeld extends VmException {
    private static final long serialVersionUID = 1;

    private final transient LockRecord lock;

    public LockHeld(VmName name, LockRecord lock, Duration age, String next) {
      super(
          Kind.REFUSED,
          "VM "
              + name
              + " is locked: "
              + lock.operation()
              + " by "
              + lock.clientId()
              + ", started "
              + Durations.shown(age)
              + " ago",
          next);
      this.lock = lock;
    }

    public LockRecord lock() {
      return lock;
    }
  }

  /** This client's lock was taken over or could not be renewed; it has stopped its work. */
  public static final class LockLost extends VmException {
    private static final long serialVersionUID = 1;

    public LockLost(VmName name, Operation operation, String why) {
      super(
          Kind.LOST,
          operation + " of VM " + name + " has stopped: " + why,
          "Run `status` to see who works on the VM now, and `" + operation + "` again after that.");
    }
  }

  /** A question was answered with no. Nothing was changed. */
  public static final class Declined extends VmException {
    private static final long serialVersionUID = 1;

    public Declined(String next) {
      super(Kind.REFUSED, "nothing was changed: the answer was no", next);
    }
  }

  /** A question had to be asked, and there is no terminal. Nothing was changed. */
  public static final class Unanswered extends VmException {
    private static final long serialVersionUID = 1;

    public Unanswered(String question) {
      super(
          Kind.USAGE,
          "there is no terminal to ask on: " + question,
          "Add --yes, or run it in a terminal.");
    }
  }

  /** A state that cannot be read. Nothing was changed. */
  public static final class BrokenState extends VmException {
    private static final long serialVersionUID = 1;

    public BrokenState(String where, String why, String next) {
      super(Kind.UNREADABLE, where + " is broken: " + why, next);
    }
  }

  /** A state that a later version has written. Nothing was changed. */
  public static final class NewerFormat extends VmException {
    private static final long serialVersionUID = 1;

    public NewerFormat(String where, String found, String known) {
      super(
          Kind.NEWER_FORMAT,
          where + " has the format " + found + ", and this version of Baton knows " + known,
          "Use a newer version of Baton for this VM.");
    }
  }

  /** A state that something else than Baton has written. Nothing was changed. */
  public static final class ForeignState extends VmException {
    private static final long serialVersionUID = 1;

    public ForeignState(String where) {
      super(
          Kind.FAILED,
          where + " was not written by Baton, and it may be all that is known about a VM",
          "Destroy that VM with the tool that deployed it and move the file away, or use another"
              + " VM name.");
    }
  }

  /** What was asked for cannot be had: unknown type, no quota. Nothing was created. */
  public static final class Impossible extends VmException {
    private static final long serialVersionUID = 1;

    private final Trouble trouble;

    public Impossible(Trouble trouble, String what, String next, Throwable cause) {
      this(trouble, new Problem(trouble.kind(), what, next), cause);
    }

    public Impossible(Trouble trouble, Problem problem, Throwable cause) {
      super(problem, cause);
      this.trouble = trouble;
    }

    public Trouble trouble() {
      return trouble;
    }
  }

  /** The cloud refused or did not answer; the VM went where the table of transitions says. */
  public static final class CloudFailed extends VmException {
    private static final long serialVersionUID = 1;

    private final Trouble trouble;

    public CloudFailed(Trouble trouble, String what, String next, Throwable cause) {
      this(trouble, new Problem(trouble.kind(), what, next), cause);
    }

    public CloudFailed(Trouble trouble, Problem problem, Throwable cause) {
      super(problem, cause);
      this.trouble = trouble;
    }

    public Trouble trouble() {
      return trouble;
    }
  }

  /** A destroy has left something behind, which is in the state. */
  public static final class Incomplete extends VmException {
    private static final long serialVersionUID = 1;

    private final transient List<Cleanup> left;

    public Incomplete(VmName name, List<Cleanup> left, String next) {
      super(
          Kind.FAILED,
          "VM "
              + name
              + " is not gone yet: "
              + String.join("; ", left.stream().map(Cleanup::toString).toList()),
          next);
      this.left = List.copyOf(left);
    }

    public List<Cleanup> left() {
      return left;
    }
  }

  /** A file of this machine, such as a key, could not be read or written. */
  public static final class FileFailed extends VmException {
    private static final long serialVersionUID = 1;

    public FileFailed(String what, String next) {
      super(Kind.FAILED, what, next);
    }
  }

  /** The place of the state could not be used. There is no other place that it would be put to. */
  public static final class StoreFailed extends VmException {
    private static final long serialVersionUID = 1;

    public StoreFailed(String what, String next, Throwable cause) {
      this(new Problem(Kind.UNREACHABLE, what, next), cause);
    }

    public StoreFailed(Problem problem, Throwable cause) {
      super(problem, cause);
    }
  }
}
