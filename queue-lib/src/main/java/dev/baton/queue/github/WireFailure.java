package dev.baton.queue.github;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.kohsuke.github.GHIOException;

/**
 * How a request ended that brought no answer to work with. As exceptions of this type they pass
 * through the client library as they are: it repeats and rewraps every other kind.
 */
abstract sealed class WireFailure extends GHIOException {
  private static final long serialVersionUID = 1;

  private WireFailure(String message, Throwable cause) {
    super(message, cause);
  }

  /** The server has refused. */
  static final class Refused extends WireFailure {
    private static final long serialVersionUID = 1;

    private final int status;
    private final String said;
    private final String permissions;

    /**
     * @param permissions what GitHub says it would have accepted, or empty
     */
    Refused(int status, String said, String permissions) {
      super(status + ": " + said, null);
      this.status = status;
      this.said = said;
      this.permissions = permissions;
    }

    int status() {
      return status;
    }

    /** The server's own words, cleaned. */
    String said() {
      return said;
    }

    boolean says(String words) {
      return Texts.containsIgnoringCase(said, words);
    }

    Optional<String> permissions() {
      return permissions.isEmpty() ? Optional.empty() : Optional.of(permissions);
    }
  }

  /** A limit: nothing was done, and nothing will be for a while. */
  static final class Limited extends WireFailure {
    private static final long serialVersionUID = 1;

    private final Duration pause;

    Limited(String message, Duration pause) {
      super(message, null);
      this.pause = pause;
    }

    Duration pause() {
      return pause;
    }
  }

  /** No whole answer came. */
  static final class Broken extends WireFailure {
    private static final long serialVersionUID = 1;

    private final boolean sent;

    /**
     * @param sent whether the server may have got the request
     */
    Broken(String message, boolean sent, IOException cause) {
      super(message, cause);
      this.sent = sent;
    }

    boolean sent() {
      return sent;
    }
  }

  /** The document is still one of those that the caller has named. */
  static final class Unchanged extends WireFailure {
    private static final long serialVersionUID = 1;

    private final String tag;

    Unchanged(String tag) {
      super("unchanged", null);
      this.tag = tag;
    }

    String tag() {
      return tag;
    }
  }

  /** The token cannot be sent at all. */
  static final class NoToken extends WireFailure {
    private static final long serialVersionUID = 1;

    NoToken(String message) {
      super(message, null);
    }
  }
}
