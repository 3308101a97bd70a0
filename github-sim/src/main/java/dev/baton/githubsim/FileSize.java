package dev.baton.githubsim;

/** What GitHub does with a file of a certain size, as its documentation says. */
enum FileSize {
  /** Up to 1 MB: everything works. */
  WHOLE,
  /** Up to 100 MB: without content, which the raw media type still gives. */
  WITHOUT_CONTENT,
  /** Larger: refused. */
  REFUSED;

  // Documented in MB; that these are 1024 * 1024 bytes is inferred.
  private static final int MEGABYTE = 1024 * 1024;

  static FileSize of(int bytes) {
    if (bytes <= MEGABYTE) {
      return WHOLE;
    }
    return bytes <= 100 * MEGABYTE ? WITHOUT_CONTENT : REFUSED;
  }
}
