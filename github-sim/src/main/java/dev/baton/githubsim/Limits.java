package dev.baton.githubsim;

/**
 * The limits beside the hourly one of a token.
 *
 * @param anonymousPerHour for requests without a token
 * @param concurrent requests under way at once
 * @param pointsPerMinute a read is 1 point, a write 5
 * @param contentPerMinute requests that create or change content
 * @param status of a refusal, 403 or 429
 * @param retryAfter whether a refusal says how long to wait
 */
public record Limits(
    int anonymousPerHour,
    int concurrent,
    int pointsPerMinute,
    int contentPerMinute,
    int contentPerHour,
    int status,
    boolean retryAfter) {

  public Limits {
    if (status != 403 && status != 429) {
      throw new IllegalArgumentException("GitHub refuses with 403 or 429, not " + status);
    }
  }

  public static Limits likeGitHub() {
    return new Limits(60, 100, 900, 80, 500, 403, true);
  }

  /** No secondary limit, for tests that are not about limits. */
  public static Limits none() {
    int many = Integer.MAX_VALUE;
    return new Limits(many, many, many, many, many, 403, true);
  }

  /** GraphQL has a limit of its own beside that of REST: 2,000 points a minute. */
  int graphqlPointsPerMinute() {
    return Math.max(2_000, pointsPerMinute);
  }

  public Limits refusingWith(int newStatus, boolean withRetryAfter) {
    return new Limits(
        anonymousPerHour,
        concurrent,
        pointsPerMinute,
        contentPerMinute,
        contentPerHour,
        newStatus,
        withRetryAfter);
  }
}
