package dev.baton.core.probe;

import java.time.Duration;
import java.util.List;

/**
 * What a probe has seen.
 *
 * @param outcomes one for each assumption of the plan, in its order
 * @param operations how long each kind of request took
 * @param requests how many were sent
 * @param cleaned what killed probes had left and this one has removed, a line each
 * @param left what could not be removed, a line each
 */
public record ProbeReport(
    List<ProbeOutcome> outcomes,
    List<Operation> operations,
    int requests,
    List<String> cleaned,
    List<String> left) {

  public ProbeReport {
    outcomes = List.copyOf(outcomes);
    operations = List.copyOf(operations);
    cleaned = List.copyOf(cleaned);
    left = List.copyOf(left);
  }

  /** How long one kind of request took. */
  public record Operation(String name, int count, Duration median, Duration slowest) {}

  public long count(Verdict verdict) {
    return outcomes.stream().filter(o -> o.verdict() == verdict).count();
  }

  /** Whether something that Baton needs is not as assumed, or nobody can tell. */
  public boolean isDoubtful() {
    return !left.isEmpty()
        || count(Verdict.BROKEN) > 0
        || outcomes.stream()
            .anyMatch(o -> o.verdict() == Verdict.UNKNOWN && !o.assumption().optional());
  }

  /** Whether the token or key lacks a permission that Baton needs. */
  public boolean isDenied() {
    return outcomes.stream()
        .anyMatch(o -> o.verdict() == Verdict.NOT_ALLOWED && !o.assumption().optional());
  }
}
