package dev.baton.gradle.internal.bridge;

import java.util.Objects;

/** Why it cannot go on: what is wrong, and in a sentence what to do. */
public final class EngineFailure extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** What a caller may want to tell apart. */
  public enum Kind {
    /** The time to wait was over first; the ticket has left the line. */
    TIMED_OUT,
    /** It is not there, as far as can be seen. */
    NO_QUEUE,
    OTHER
  }

  private final Kind kind;
  private final String next;

  public EngineFailure(Kind kind, String what, String next, Throwable cause) {
    super(Objects.requireNonNull(what, "what"), cause);
    this.kind = Objects.requireNonNull(kind, "kind");
    this.next = Objects.requireNonNull(next, "next");
  }

  public EngineFailure(String what, String next) {
    this(Kind.OTHER, what, next, null);
  }

  public Kind kind() {
    return kind;
  }

  public String next() {
    return next;
  }
}
