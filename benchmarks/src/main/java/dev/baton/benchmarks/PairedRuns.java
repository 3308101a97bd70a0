package dev.baton.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The same with and without something, in turns, so that what the machine does otherwise meets
 * both; what counts is the median of the differences.
 *
 * @param pairs milliseconds without and with it
 */
record PairedRuns(List<long[]> pairs) {

  /** One run. */
  interface Run {
    /** Milliseconds. */
    long run() throws IOException, InterruptedException;
  }

  static PairedRuns of(int count, Run without, Run with) throws IOException, InterruptedException {
    List<long[]> pairs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      // Each is first in half of the pairs.
      long before = i % 2 == 0 ? without.run() : 0;
      long changed = with.run();
      pairs.add(new long[] {i % 2 == 0 ? before : without.run(), changed});
    }
    return new PairedRuns(pairs);
  }

  /**
   * @param goal what it may add at most, in milliseconds
   */
  void tell(Table table, String what, int goal) {
    tell(table, what, table.atMost(goal, median(added()), " ms"));
  }

  /** Without a goal. */
  void tell(Table table, String what) {
    tell(table, what, "no goal");
  }

  private void tell(Table table, String what, String verdict) {
    table.say(
        "%-50s %4d ms on %d ms; half of them %d to %d ms; %s",
        what,
        median(added()),
        median(pairs.stream().map(p -> p[0]).toList()),
        quantile(added(), 0.25),
        quantile(added(), 0.75),
        verdict);
  }

  private List<Long> added() {
    return pairs.stream().map(p -> p[1] - p[0]).toList();
  }

  static long median(List<Long> values) {
    return quantile(values, 0.5);
  }

  private static long quantile(List<Long> values, double share) {
    List<Long> sorted = new ArrayList<>(values);
    Collections.sort(sorted);
    return sorted.get((int) Math.min(sorted.size() - 1, Math.floor(share * sorted.size())));
  }

  static void delete(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path one : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(one);
      }
    }
  }
}
