package dev.baton.vm;

/** What can be wrong with a request to a cloud. */
public enum Trouble {
  NOT_FOUND(false),
  /** Asked too often. */
  THROTTLED(true),
  QUOTA_EXCEEDED(false),
  OUT_OF_STOCK(false),
  /** Something else still needs what is to be deleted. */
  DEPENDENCY(false),
  /** The token was used before, with other parameters. */
  TOKEN_MISMATCH(false),
  /** No answer, or one that says nothing about whether the request was carried out. */
  UNAVAILABLE(true),
  DENIED(false),
  BAD_REQUEST(false);

  private final boolean passing;

  Trouble(boolean passing) {
    this.passing = passing;
  }

  /** Whether the same request may well succeed a little later. */
  public boolean isPassing() {
    return passing;
  }

  /** Whether it is sure that a request to create something has created nothing. */
  public boolean isSureThatNothingWasDone() {
    return switch (this) {
      case QUOTA_EXCEEDED, OUT_OF_STOCK, DENIED, BAD_REQUEST, NOT_FOUND -> true;
      case THROTTLED, DEPENDENCY, TOKEN_MISMATCH, UNAVAILABLE -> false;
    };
  }
}
