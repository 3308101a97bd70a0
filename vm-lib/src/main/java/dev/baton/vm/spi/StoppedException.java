package dev.baton.vm.spi;

/** The work must stop at once and change nothing any more. Whoever catches it passes it on. */
public final class StoppedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public StoppedException(String why) {
    super(why);
  }
}
