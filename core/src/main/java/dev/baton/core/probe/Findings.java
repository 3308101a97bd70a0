package dev.baton.core.probe;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Collects what a probe finds out; what it never comes to is unknown. */
public final class Findings {

  /** Tries one assumption. */
  @FunctionalInterface
  public interface Check {
    Observation look() throws IOException, InterruptedException;
  }

  private final List<Assumption> assumptions;
  private final ProbeClock clock;
  private final Map<Assumption, ProbeOutcome> outcomes = new LinkedHashMap<>();

  /**
   * @param assumptions all that there is to find out
   */
  public Findings(List<Assumption> assumptions, ProbeClock clock) {
    this.assumptions = List.copyOf(assumptions);
    this.clock = clock;
  }

  /**
   * Tries it, and keeps what came of it.
   *
   * @return whether it held
   */
  public boolean check(Assumption assumption, Check check) throws InterruptedException {
    long start = clock.nanos();
    Observation seen;
    try {
      seen = check.look();
    } catch (ProbeStopped e) {
      seen = Observation.unknown(e.getMessage());
    } catch (IOException e) {
      seen = Observation.unknown("no answer that could be used: " + e.getMessage());
    }
    note(assumption, seen, Duration.ofNanos(clock.nanos() - start));
    return seen.verdict() == Verdict.HELD;
  }

  /** Keeps something that was seen by the way. */
  public void note(Assumption assumption, Observation seen) {
    note(assumption, seen, Duration.ZERO);
  }

  private void note(Assumption assumption, Observation seen, Duration took) {
    if (!assumptions.contains(assumption)) {
      throw new IllegalArgumentException("not one of the plan: " + assumption.id());
    }
    outcomes.put(assumption, ProbeOutcome.of(assumption, seen, took));
  }

  /** Gives the same verdict to all of these that have none yet. */
  public void others(List<Assumption> some, Observation seen) {
    some.stream().filter(a -> !outcomes.containsKey(a)).forEach(a -> note(a, seen));
  }

  /** What became of it; empty as long as that is open. */
  public Optional<Verdict> outcomeOf(Assumption assumption) {
    return Optional.ofNullable(outcomes.get(assumption)).map(ProbeOutcome::verdict);
  }

  /** One for each assumption, in their order. */
  public List<ProbeOutcome> outcomes() {
    others(assumptions, Observation.unknown("not tried: the probe did not get that far"));
    return assumptions.stream().map(outcomes::get).toList();
  }
}
