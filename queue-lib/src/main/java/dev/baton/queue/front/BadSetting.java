package dev.baton.queue.front;

import java.util.Objects;

/** Something that was set cannot be used: the message says what it is, {@link #next} what to do. */
public class BadSetting extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String next;

  public BadSetting(String what, String next, Throwable cause) {
    super(Objects.requireNonNull(what, "what"), cause);
    this.next = Objects.requireNonNull(next, "next");
  }

  BadSetting(String what, String next) {
    this(what, next, null);
  }

  /** One sentence. */
  public String next() {
    return next;
  }

  /** There is no token, or none that can be read. */
  public static final class NoToken extends BadSetting {
    private static final long serialVersionUID = 1;

    NoToken(String what, String next, Throwable cause) {
      super(what, next, cause);
    }
  }
}
