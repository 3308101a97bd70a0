package dev.baton.core;

/** A document that cannot be read or written; nothing has been changed. */
public abstract class DocumentException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  protected DocumentException(String message) {
    super(message);
  }
}
