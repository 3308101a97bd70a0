package dev.baton.queue;

import java.io.IOException;

/** Something about the queue that the caller cannot go on with. The message says what to do. */
public class QueueException extends IOException {
  private static final long serialVersionUID = 1;

  public QueueException(String message, Throwable cause) {
    super(message, cause);
  }

  /** There is no queue at this place. */
  public static final class NotInitialised extends QueueException {
    private static final long serialVersionUID = 1;

    public NotInitialised(String location) {
      super("there is no queue in " + location + ": create it first", null);
    }
  }

  /** The store could not be used, and trying again has not helped. */
  public static final class Unavailable extends QueueException {
    private static final long serialVersionUID = 1;

    public Unavailable(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** The document cannot be read. Nothing was changed: looking at a queue never repairs it. */
  public static final class Broken extends QueueException {
    private static final long serialVersionUID = 1;

    public Broken(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** The document is older than one that was there before: somebody put back or deleted it. */
  public static final class WentBack extends QueueException {
    private static final long serialVersionUID = 1;

    public WentBack(String message) {
      super(message, null);
    }
  }
}
