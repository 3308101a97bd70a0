package dev.baton.queue.github;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** How a request ended that brought no answer to work with. */
abstract sealed class WireFailure extends IOException {
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
    private final boolean aboutSso;

    /**
     * @param permissions what GitHub says it would have accepted, or empty
     * @param aboutSso whether GitHub asks for single sign-on
     */
    Refused(int status, String said, String permissions, boolean aboutSso) {
      super(status + ": " + said, null);
      this.status = status;
      this.said = said;
      this.permissions = permissions;
      this.aboutSso = aboutSso;
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

    /** The file is another than the request was meant for. */
    boolean isAnotherContent() {
      return status == 409 && says("does not match");
    }

    /** The file is there, and the request was meant for none. */
    boolean isOfExistingFile() {
      return status == 422 && says("\"sha\" wasn't supplied");
    }

    /** The branch has moved during the request. */
    boolean isMovedBranch() {
      return status == 409 && (says("but expected") || says("expected to be at"));
    }

    /** What was to be made is there. */
    boolean isAlreadyThere() {
      return status == 422 && says("already exists");
    }

    /** The run cannot be run again yet, since it still runs. */
    boolean isOfRunningRun() {
      return says("already running");
    }

    /** The repository has no issues. */
    boolean isWithoutIssues() {
      return status == 410 && says("disabled");
    }

    /** The issue was deleted, in so many words. */
    boolean isDeletedIssue() {
      return status == 410 && says("was deleted");
    }

    boolean isAboutSso() {
      return aboutSso;
    }

    Optional<String> permissions() {
      return permissions.isEmpty() ? Optional.empty() : Optional.of(permissions);
    }
  }

  /** Nothing was done, and nothing will be for a while: a limit, or a server in trouble. */
  static final class Limited extends WireFailure {
    private static final long serialVersionUID = 1;

    private final Duration pause;
    private final boolean outage;

    /**
     * @param outage whether the server is in trouble
     */
    Limited(String message, Duration pause, boolean outage) {
      super(message, null);
      this.pause = pause;
      this.outage = outage;
    }

    boolean isOutage() {
      return outage;
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

    /** The same; without its cause where the server's words in it have the token in them. */
    Broken without(String secret) {
      String shown = Texts.without(secret, getMessage());
      return shown.equals(getMessage()) ? this : new Broken(shown, sent, null);
    }
  }

  /** The token cannot be sent at all. */
  static final class NoToken extends WireFailure {
    private static final long serialVersionUID = 1;

    private final String next;

    public NoToken(String message, String next) {
      super(message, null);
      this.next = next;
    }

    /** What to do about it. */
    String next() {
      return next;
    }
  }
}
