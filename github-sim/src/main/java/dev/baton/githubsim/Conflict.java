package dev.baton.githubsim;

/** How GitHub words the 409 for a branch that moved during a write. */
public enum Conflict {
  /** {@code is at X but expected Y}. */
  CURRENT,
  /** {@code refs/heads/b expected to be at Y}. */
  OLDER;

  String text(String ref, String actual, String expected) {
    return this == CURRENT
        ? "is at " + actual + " but expected " + expected
        : ref + " expected to be at " + expected;
  }
}
