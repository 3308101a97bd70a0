package dev.baton.core.probe;

import java.util.List;
import java.util.Objects;

/**
 * What a probe is going to do. Making one asks nobody.
 *
 * @param place what is probed, for people
 * @param assumptions in the order of the report
 * @param writes what is written there and what becomes of it, a line each
 * @param mostRequests never more than this many requests
 * @param recording how exchanges are recorded
 */
public record ProbePlan(
    String place,
    List<Assumption> assumptions,
    List<String> writes,
    int mostRequests,
    Recording recording) {
  public ProbePlan {
    Objects.requireNonNull(place, "place");
    Objects.requireNonNull(recording, "recording");
    assumptions = List.copyOf(assumptions);
    writes = List.copyOf(writes);
  }
}
