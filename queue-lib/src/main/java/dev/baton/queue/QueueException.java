package dev.baton.queue;

import dev.baton.core.Failure;
import dev.baton.core.Problem;
import dev.baton.core.Problem.Kind;
import dev.baton.store.StoreException;
import java.io.IOException;

/** Something about the queue that the caller cannot go on with. */
public class QueueException extends IOException implements Failure {
  private static final long serialVersionUID = 1;

  private final Problem problem;

  public QueueException(Problem problem, Throwable cause) {
    super(problem.text(), cause);
    this.problem = problem;
  }

  /** A store that cannot be used until somebody does something. */
  public QueueException(StoreException cause) {
    this(cause.problem(), cause);
  }

  @Override
  public Problem problem() {
    return problem;
  }

  /** There is no queue at this place. */
  public static final class NotInitialised extends QueueException {
    private static final long serialVersionUID = 1;

    public NotInitialised(String location) {
      super(
          new Problem(Kind.NOT_INITIALISED, "there is no queue in " + location, "Create it first."),
          null);
    }
  }

  /** The store could not be used, and trying again has not helped. */
  public static final class Unavailable extends QueueException {
    private static final long serialVersionUID = 1;

    public Unavailable(String what, String next, Throwable cause) {
      super(new Problem(Kind.UNREACHABLE, what, next), cause);
    }

    public Unavailable(String what, Throwable cause) {
      this(what, "", cause);
    }
  }

  /** The document cannot be read. Nothing was changed: looking at a queue never repairs it. */
  public static final class Broken extends QueueException {
    private static final long serialVersionUID = 1;

    public Broken(String what, Throwable cause) {
      super(new Problem(Kind.BROKEN, what), cause);
    }
  }

  /** The document is older than one that was there before: somebody put back or deleted it. */
  public static final class WentBack extends QueueException {
    private static final long serialVersionUID = 1;

    public WentBack(String what) {
      super(new Problem(Kind.WENT_BACK, what), null);
    }
  }
}
