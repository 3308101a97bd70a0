package dev.baton.client.doctor;

import dev.baton.client.doctor.Finding.Grade;
import dev.baton.client.report.TextStyle;
import dev.baton.client.text.JsonOutput;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** All that was found, in the order in which it was looked at. */
public record Diagnosis(List<Finding> findings) {

  public Diagnosis {
    findings = List.copyOf(findings);
  }

  /** Whether nothing has to be done before the queue can be used. */
  public boolean isHealthy() {
    return findings.stream().noneMatch(f -> f.grade() == Grade.PROBLEM);
  }

  /** A line for each finding, for people. */
  public String text(TextStyle style) {
    return findings.stream()
        .map(
            f -> grade(style, f.grade()) + f.what() + (f.next().isEmpty() ? "" : " -> " + f.next()))
        .collect(Collectors.joining("\n"));
  }

  private static String grade(TextStyle style, Grade grade) {
    return switch (grade) {
      case OK -> style.good("ok       ");
      case WARN -> style.warn("warn     ");
      case PROBLEM -> style.bad("problem  ");
    };
  }

  /** For programs. */
  public Map<String, Object> json() {
    return JsonOutput.object("findings", findings.stream().map(Diagnosis::json).toList());
  }

  private static Map<String, Object> json(Finding f) {
    return JsonOutput.object(
        "grade", f.grade().name().toLowerCase(Locale.ROOT),
        "what", f.what(),
        "next", Optional.of(f.next()).filter(next -> !next.isEmpty()));
  }
}
