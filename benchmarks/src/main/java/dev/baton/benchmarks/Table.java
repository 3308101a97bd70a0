package dev.baton.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Collects figures beside their goals and remembers whether one was missed. */
final class Table {
  private final StringBuilder text = new StringBuilder();
  private boolean missed;

  void say(String format, Object... values) {
    text.append(String.format(Locale.ROOT, format + "%n", values));
  }

  String text() {
    return text.toString();
  }

  /** Whether the figure is as small as it should be, in words. */
  String atMost(double goal, double figure, String unit) {
    return verdict(figure <= goal, "<= " + number(goal) + unit);
  }

  String atLeast(double goal, double figure, String unit) {
    return verdict(figure >= goal, ">= " + number(goal) + unit);
  }

  String below(double goal, double figure, String unit) {
    return verdict(figure < goal, "< " + number(goal) + unit);
  }

  private String verdict(boolean met, String goal) {
    missed |= !met;
    return "goal " + goal + (met ? " met" : " NOT met");
  }

  boolean isMissed() {
    return missed;
  }

  // ---- figures

  static String number(double value) {
    return value == Math.rint(value)
        ? String.format(Locale.ROOT, "%,d", (long) value)
        : String.format(Locale.ROOT, "%,.2f", value);
  }

  /** The smallest of them that is as great as that share of all. */
  static double percentile(List<Duration> times, double share) {
    double[] sorted = times.stream().mapToDouble(Table::seconds).sorted().toArray();
    if (sorted.length == 0) {
      throw new IllegalStateException("nothing was measured");
    }
    int rank = (int) Math.ceil(share * sorted.length);
    return sorted[Math.max(0, rank - 1)];
  }

  static double seconds(Duration d) {
    return d.toNanos() / 1e9;
  }
}
