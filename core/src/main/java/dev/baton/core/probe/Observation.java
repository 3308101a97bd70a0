package dev.baton.core.probe;

import java.util.Objects;

/**
 * What one try of an assumption has shown.
 *
 * @param seen what the service did, without a full stop
 * @param means what that means for the user, in sentences; empty where the assumption itself says
 *     so
 */
public record Observation(Verdict verdict, String seen, String means) {
  public Observation {
    Objects.requireNonNull(verdict, "verdict");
    Objects.requireNonNull(seen, "seen");
    Objects.requireNonNull(means, "means");
  }

  public static Observation held(String seen) {
    return new Observation(Verdict.HELD, seen, "");
  }

  public static Observation broken(String seen) {
    return new Observation(Verdict.BROKEN, seen, "");
  }

  /**
   * @param remedy what to allow, and what works without it
   */
  public static Observation notAllowed(String seen, String remedy) {
    return new Observation(Verdict.NOT_ALLOWED, seen, remedy);
  }

  public static Observation unknown(String seen) {
    return new Observation(
        Verdict.UNKNOWN, seen, "Nothing is known about it. Run the probe again later.");
  }

  /**
   * @param why in sentences
   */
  public static Observation notApplicable(String why) {
    return new Observation(Verdict.NOT_APPLICABLE, "not tried", why);
  }

  /** {@code held} if that is what was seen, otherwise {@code broken}. */
  public static Observation of(boolean held, String seen) {
    return held ? held(seen) : broken(seen);
  }
}
