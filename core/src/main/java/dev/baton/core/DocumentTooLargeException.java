package dev.baton.core;

/** A document that its store has no room for, even without its history. */
public final class DocumentTooLargeException extends DocumentException {

  private static final long serialVersionUID = 1L;

  public DocumentTooLargeException(int smallest, int maxLength) {
    super(
        new Problem(
            Problem.Kind.FAILED,
            "the document needs " + smallest + " characters and there is room for " + maxLength,
            "Wait until some tickets are done, or drop some; nothing was changed."));
  }
}
