package dev.baton.githubsim;

import java.time.Duration;

/** How far reads may lag behind writes: each read by a time drawn between these two. */
public record Staleness(Duration least, Duration most) {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  public static final Staleness NONE = new Staleness(Duration.ZERO, Duration.ZERO);

  public Staleness {
    if (least.isNegative() || most.compareTo(least) < 0 || most.compareTo(LIMIT) > 0) {
      throw new IllegalArgumentException(
          "reads may lag by 0 to " + LIMIT.toSeconds() + " s, not " + least + " to " + most);
    }
  }

  /** Every read lags by the same time. */
  public static Staleness of(Duration lag) {
    return new Staleness(lag, lag);
  }
}
