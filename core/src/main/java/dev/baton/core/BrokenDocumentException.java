package dev.baton.core;

/** A document that is damaged. The message says what is wrong and where, and quotes little. */
public final class BrokenDocumentException extends DocumentException {

  private static final long serialVersionUID = 1L;

  public BrokenDocumentException(String message) {
    super(message);
  }
}
