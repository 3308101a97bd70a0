package dev.baton.core;

/** A document that is damaged. It says what is wrong and where, and quotes little. */
public final class BrokenDocumentException extends DocumentException {

  private static final long serialVersionUID = 1L;

  public BrokenDocumentException(String what) {
    this(what, "");
  }

  public BrokenDocumentException(String what, String next) {
    super(new Problem(Problem.Kind.UNREADABLE, what, next));
  }
}
