package dev.baton.core.probe;

import java.util.Locale;

/** What became of an assumption. */
public enum Verdict {
  HELD,
  BROKEN,
  /** The token or key may not do what it takes. */
  NOT_ALLOWED,
  /** It was tried, or should have been, and nothing came of it that tells. */
  UNKNOWN,
  /** It has no meaning here, or the user has left it out. */
  NOT_APPLICABLE;

  /** In words, such as {@code not allowed}. */
  public String words() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
