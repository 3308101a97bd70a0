package dev.baton.cli.probe;

import dev.baton.cli.terminal.Paint;
import dev.baton.client.text.JsonOutput;
import dev.baton.core.probe.ProbeOutcome;
import dev.baton.core.probe.ProbePlan;
import dev.baton.core.probe.ProbeReport;
import dev.baton.core.probe.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What a probe is about to do and what it has seen, for people and for programs.
 *
 * @param recorded where the recordings are
 */
record ProbeText(ProbePlan plan, ProbeReport report, Optional<String> recorded) {

  private static final String INDENT = " ".repeat(16);

  /** Before anything is sent. */
  static String announcement(ProbePlan plan) {
    StringBuilder text = new StringBuilder("The probe writes to " + plan.place() + ":");
    plan.writes().forEach(line -> text.append("\n  - ").append(line).append('.'));
    return text.append("\nIt sends at most ")
        .append(plan.mostRequests())
        .append(" requests.")
        .toString();
  }

  // ---- for people

  String text(Paint paint) {
    List<String> lines = new ArrayList<>();
    lines.add("Probe of " + plan.place());
    lines.add("");
    report.outcomes().forEach(outcome -> add(lines, paint, outcome));
    lines.add("");
    lines.add("Time per request:");
    report.operations().forEach(operation -> lines.add(line(operation)));
    lines.add("");
    lines.add(
        "Requests: " + report.requests() + ", announced: at most " + plan.mostRequests() + ".");
    report.cleaned().forEach(line -> lines.add("What earlier probes left: " + line + "."));
    report
        .left()
        .forEach(
            line ->
                lines.add(
                    paint.bad("Left behind: ")
                        + line
                        + ", or run the probe again in an hour, which does."));
    recorded.ifPresent(lines::add);
    lines.add(summary());
    return String.join("\n", lines);
  }

  private static void add(List<String> lines, Paint paint, ProbeOutcome outcome) {
    lines.add(
        painted(paint, outcome.verdict())
            + outcome.assumption().id()
            + ": "
            + outcome.assumption().assumed());
    lines.add(INDENT + "seen: " + outcome.seen());
    if (!outcome.means().isEmpty()) {
      lines.add(INDENT + "for you: " + outcome.means());
    }
  }

  private static String painted(Paint paint, Verdict verdict) {
    String word = String.format(Locale.ROOT, "%-16s", verdict.words());
    return switch (verdict) {
      case HELD -> paint.good(word);
      case BROKEN -> paint.bad(word);
      case NOT_ALLOWED, UNKNOWN -> paint.warn(word);
      case NOT_APPLICABLE -> word;
    };
  }

  private static String line(ProbeReport.Operation operation) {
    return String.format(
        Locale.ROOT,
        "  %-32s %3d x   median %5d ms   slowest %5d ms",
        operation.name(),
        operation.count(),
        operation.median().toMillis(),
        operation.slowest().toMillis());
  }

  /** Such as {@code assumptions: 42, held: 41, unknown: 1}. */
  private String summary() {
    StringBuilder line = new StringBuilder("assumptions: " + report.outcomes().size());
    counts().forEach((words, count) -> line.append(", ").append(words).append(": ").append(count));
    return line.toString();
  }

  /** How many held; the others where there are any. */
  private Map<String, Long> counts() {
    Map<String, Long> counts = new LinkedHashMap<>();
    for (Verdict verdict : Verdict.values()) {
      long count = report.count(verdict);
      if (verdict == Verdict.HELD || count > 0) {
        counts.put(verdict.words(), count);
      }
    }
    return counts;
  }

  // ---- for programs

  Map<String, Object> json() {
    return JsonOutput.object(
        "place", plan.place(),
        "assumptions", report.outcomes().stream().map(ProbeText::json).toList(),
        "counts", counts(),
        "operations",
            report.operations().stream()
                .map(
                    o ->
                        JsonOutput.object(
                            "name", o.name(),
                            "count", o.count(),
                            "medianMillis", o.median().toMillis(),
                            "slowestMillis", o.slowest().toMillis()))
                .toList(),
        "requests", report.requests(),
        "mostRequests", plan.mostRequests(),
        "cleaned", report.cleaned(),
        "left", report.left(),
        "recorded", recorded);
  }

  private static Map<String, Object> json(ProbeOutcome outcome) {
    return JsonOutput.object(
        "id", outcome.assumption().id(),
        "assumed", outcome.assumption().assumed(),
        "reliedOnBy", outcome.assumption().reliedOnBy(),
        "verdict", outcome.verdict().name().toLowerCase(Locale.ROOT),
        "seen", outcome.seen(),
        "means", outcome.means().isEmpty() ? Optional.empty() : Optional.of(outcome.means()),
        "optional", outcome.assumption().optional(),
        "millis", outcome.took().toMillis());
  }
}
