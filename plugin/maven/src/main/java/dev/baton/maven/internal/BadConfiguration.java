package dev.baton.maven.internal;

import java.util.Objects;

/** Something in the configuration that can never work: what it is, and what to write instead. */
public final class BadConfiguration extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String next;

  BadConfiguration(String what, String next) {
    super(Objects.requireNonNull(what, "what"));
    this.next = Objects.requireNonNull(next, "next");
  }

  public String next() {
    return next;
  }
}
