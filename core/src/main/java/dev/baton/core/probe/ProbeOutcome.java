package dev.baton.core.probe;

import java.time.Duration;
import java.util.Objects;

/**
 * What a probe has found out about one assumption.
 *
 * @param seen what the service did, without a full stop
 * @param means what that means for the user, in sentences; empty when the assumption held
 * @param took how long it took to try it
 */
public record ProbeOutcome(
    Assumption assumption, Verdict verdict, String seen, String means, Duration took) {
  public ProbeOutcome {
    Objects.requireNonNull(assumption, "assumption");
    Objects.requireNonNull(verdict, "verdict");
    Objects.requireNonNull(seen, "seen");
    Objects.requireNonNull(means, "means");
    Objects.requireNonNull(took, "took");
  }

  static ProbeOutcome of(Assumption assumption, Observation observation, Duration took) {
    boolean told = observation.verdict() == Verdict.HELD || !observation.means().isEmpty();
    return new ProbeOutcome(
        assumption,
        observation.verdict(),
        observation.seen(),
        told ? observation.means() : assumption.otherwise(),
        took);
  }
}
