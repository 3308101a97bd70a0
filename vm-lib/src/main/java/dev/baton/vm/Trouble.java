package dev.baton.vm;

import dev.baton.core.Problem;

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

  /** What a front end tells apart. */
  public Problem.Kind kind() {
    return switch (this) {
      case BAD_REQUEST -> Problem.Kind.USAGE;
      case DENIED -> Problem.Kind.NO_PERMISSION;
      case UNAVAILABLE, THROTTLED -> Problem.Kind.UNREACHABLE;
      case NOT_FOUND, QUOTA_EXCEEDED, OUT_OF_STOCK, DEPENDENCY, TOKEN_MISMATCH ->
          Problem.Kind.FAILED;
    };
  }

  /** Whether it is sure that a request to create something has created nothing. */
  public boolean isSureThatNothingWasDone() {
    return switch (this) {
      case QUOTA_EXCEEDED, OUT_OF_STOCK, DENIED, BAD_REQUEST, NOT_FOUND -> true;
      case THROTTLED, DEPENDENCY, TOKEN_MISMATCH, UNAVAILABLE -> false;
    };
  }
}
