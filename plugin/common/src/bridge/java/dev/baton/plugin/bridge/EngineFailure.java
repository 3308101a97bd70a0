package dev.baton.plugin.bridge;

import java.util.Objects;

/** Why it cannot go on: what is wrong, and in a sentence what to do. */
public final class EngineFailure extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String kind;
  private final String next;

  /**
   * @param kind as docs/problems.md lists them, such as {@code TIMED_OUT}
   * @param what without a full stop
   * @param next empty, or whole sentences
   */
  public EngineFailure(String kind, String what, String next, Throwable cause) {
    super(Objects.requireNonNull(what, "what"), cause);
    this.kind = Objects.requireNonNull(kind, "kind");
    this.next = Objects.requireNonNull(next, "next");
  }

  public String kind() {
    return kind;
  }

  public String next() {
    return next;
  }
}
