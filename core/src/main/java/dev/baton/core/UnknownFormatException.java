package dev.baton.core;

/** A document of another kind, or of a version of Baton that came after this one. */
public final class UnknownFormatException extends DocumentException {

  private static final long serialVersionUID = 1L;

  public UnknownFormatException(String what) {
    super(new Problem(Problem.Kind.NEWER_FORMAT, what));
  }
}
