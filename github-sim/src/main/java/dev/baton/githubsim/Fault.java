package dev.baton.githubsim;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/** Something that goes wrong with a request. */
public sealed interface Fault {
  /** The connection is reset and nothing was done. */
  record DroppedBefore() implements Fault {}

  /** The request was carried out, then the connection is reset: the client cannot know. */
  record DroppedAfter() implements Fault {}

  /**
   * An answer of a proxy in front of GitHub.
   *
   * @param status 500, 502, 503 or 504
   * @param applied whether the request was carried out all the same
   */
  record Unavailable(int status, boolean applied) implements Fault {
    public Unavailable {
      if (status < 500 || status > 504) {
        throw new IllegalArgumentException("not a failure of a server: " + status);
      }
    }
  }

  /**
   * An answer that is not true, such as a 404 for what is there or a 401 for a good token.
   *
   * @param body JSON when it begins like that, otherwise the page of a proxy; may be empty
   * @param applied whether the request was carried out all the same
   */
  record Odd(int status, String body, boolean applied) implements Fault {
    public Odd {
      Objects.requireNonNull(body, "body");
      if (status < 200 || status > 599) {
        throw new IllegalArgumentException("not the status of an answer: " + status);
      }
    }

    /** In the shape of GitHub's own refusals. */
    public static Odd saying(int status, String message, boolean applied) {
      return new Odd(
          status,
          Json.write(Bodies.object("message", message, "status", Integer.toString(status))),
          applied);
    }
  }

  /** Carried out at once, answered late, in real time. */
  record Slow(Duration by) implements Fault {
    public Slow {
      if (by.isNegative()) {
        throw new IllegalArgumentException("slower by a negative time: " + by);
      }
    }
  }

  /**
   * A secondary limit out of the blue, with requests remaining.
   *
   * @param status 403 or 429
   * @param retryAfter nothing where GitHub does not say
   */
  record Limited(int status, Optional<Duration> retryAfter) implements Fault {
    public Limited {
      Objects.requireNonNull(retryAfter, "retryAfter");
      if (status != 403 && status != 429) {
        throw new IllegalArgumentException("GitHub refuses with 403 or 429, not " + status);
      }
    }
  }
}
