package dev.baton.qemu.node;

import dev.baton.core.Failure;
import dev.baton.core.Problem;
import java.util.Objects;

/** Something that this machine could not do. */
public final class NodeException extends Exception implements Failure {
  private static final long serialVersionUID = 1;

  /** What callers tell apart. */
  public enum Reason {
    /** What was asked for can never work. */
    BAD_INPUT(Problem.Kind.USAGE),
    /** What was asked about is not there. */
    MISSING(Problem.Kind.FAILED),
    /** Somebody else has it. */
    TAKEN(Problem.Kind.REFUSED),
    /** Too little memory or disk. */
    NO_ROOM(Problem.Kind.FAILED),
    DENIED(Problem.Kind.NO_PERMISSION),
    /** It is there and does not answer. */
    SILENT(Problem.Kind.UNREACHABLE),
    /** QEMU, or a program that was run, has refused or failed. */
    BROKEN(Problem.Kind.FAILED);

    private final Problem.Kind kind;

    Reason(Problem.Kind kind) {
      this.kind = kind;
    }
  }

  private final Reason reason;
  private final Problem problem;

  public NodeException(Reason reason, String what, String next) {
    this(reason, what, next, null);
  }

  public NodeException(Reason reason, String what, String next, Throwable cause) {
    this(Objects.requireNonNull(reason, "reason"), new Problem(reason.kind, what, next), cause);
  }

  private NodeException(Reason reason, Problem problem, Throwable cause) {
    super(problem.text(), cause);
    this.reason = reason;
    this.problem = problem;
  }

  public Reason reason() {
    return reason;
  }

  @Override
  public Problem problem() {
    return problem;
  }
}
