package dev.baton.core;

import java.util.Objects;

/** Something that was set cannot be used: the message says what it is, {@link #next} what to do. */
public class BadSetting extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String next;

  public BadSetting(String what, String next, Throwable cause) {
    super(Objects.requireNonNull(what, "what"), cause);
    this.next = Objects.requireNonNull(next, "next");
  }

  public BadSetting(String what, String next) {
    this(what, next, null);
  }

  /**
   * @param sentences the first says what, the rest what to do
   * @param otherwise what to do, where there is but one
   */
  public static BadSetting saying(String sentences, String otherwise, Throwable cause) {
    String[] parts = parts(sentences, otherwise);
    return new BadSetting(parts[0], parts[1], cause);
  }

  /**
   * What is wrong, and what to do, of a message that is both.
   *
   * @param otherwise what to do, where it does not say
   */
  public static String[] parts(String sentences, String otherwise) {
    // Not at the dots of a name or of "…".
    String[] parts = sentences.split("(?<=[^.]\\.) ", 2);
    return parts.length == 2
        ? new String[] {parts[0].replaceFirst("\\.$", ""), parts[1]}
        : new String[] {sentences, otherwise};
  }

  /** What to do, as sentences. */
  public String next() {
    return next;
  }

  /** There is no token and no key, or none that can be read. */
  public static final class NoToken extends BadSetting {
    private static final long serialVersionUID = 1;

    public NoToken(String what, String next, Throwable cause) {
      super(what, next, cause);
    }

    /** As {@link BadSetting#saying}. */
    public static NoToken saying(String sentences, String otherwise, Throwable cause) {
      String[] parts = parts(sentences, otherwise);
      return new NoToken(parts[0], parts[1], cause);
    }
  }
}
