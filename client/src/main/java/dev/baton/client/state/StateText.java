package dev.baton.client.state;

import dev.baton.client.report.TextStyle;
import dev.baton.client.text.JsonOutput;
import dev.baton.client.text.LocalTimes;
import dev.baton.core.Durations;
import dev.baton.state.Deployment;
import dev.baton.state.DeploymentState;
import dev.baton.state.SnapshotName;
import dev.baton.state.StateKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** States of deployments as text and as JSON. Pure, and safe for use by several threads. */
public final class StateText {

  private StateText() {}

  /** What a state says, in a few lines; the whole of it is its JSON. */
  public static String of(DeploymentState state, boolean isNew, TextStyle style) {
    StringBuilder text = new StringBuilder(style.bold("State of " + state.key()));
    if (isNew) {
      return text.append("\n  never saved").toString();
    }
    state
        .metadata()
        .lastUpdated()
        .ifPresent(at -> line(text, "Saved", LocalTimes.dateAndSeconds(at) + by(state)));
    state.metadata().deploymentId().ifPresent(id -> line(text, "Deployment", id));
    state.metadata().gitCommit().ifPresent(c -> line(text, "Commit", c + branch(state)));
    line(text, "Resources", resources(state));
    line(text, "Outputs", Integer.toString(state.outputs().size()));
    state
        .fencing()
        .tokens()
        .forEach((key, fence) -> line(text, "Newest token", fence.token() + " of " + key));
    if (!state.verified()) {
      line(text, "Checksums", style.warn("of another program, so not verified"));
    }
    return text.toString();
  }

  private static String by(DeploymentState state) {
    return state.metadata().lastUpdatedBy().map(by -> " by " + by).orElse("");
  }

  private static String branch(DeploymentState state) {
    return state.metadata().gitBranch().map(b -> " on " + b).orElse("");
  }

  private static String resources(DeploymentState state) {
    Map<String, Long> kinds =
        state.resources().values().stream()
            .map(r -> r instanceof Map<?, ?> map ? String.valueOf(map.get("kind")) : "?")
            .collect(Collectors.groupingBy(k -> k, TreeMap::new, Collectors.counting()));
    String all =
        kinds.entrySet().stream()
            .map(e -> e.getValue() + " " + (e.getKey().equals("null") ? "others" : e.getKey()))
            .collect(Collectors.joining(", "));
    return state.resources().size() + (all.isEmpty() ? "" : " (" + all + ")");
  }

  private static void line(StringBuilder text, String name, String value) {
    text.append(String.format(Locale.ROOT, "%n  %-13s %s", name + ":", value));
  }

  /** Deployments, the newest last, and the states that can be restored. */
  public static String history(
      StateKey key, List<Deployment> deployments, List<SnapshotName> snapshots, TextStyle style) {
    String done =
        deployments.isEmpty()
            ? "No deployment of " + key + " is recorded."
            : deployments.stream().map(d -> line(d, style)).collect(Collectors.joining("\n"));
    String kept =
        snapshots.isEmpty()
            ? "No state is kept that could be restored."
            : style.bold("States that can be restored")
                + snapshots.stream().map(s -> "\n  " + s).collect(Collectors.joining());
    return done + "\n\n" + kept;
  }

  private static String line(Deployment d, TextStyle style) {
    return style.dim(LocalTimes.dateAndTime(d.at()))
        + String.format(Locale.ROOT, "  %-10s", d.status().orElse(""))
        + " "
        + Stream.of(
                d.id(),
                d.version().orElse(""),
                d.triggeredBy().map(by -> "(" + by + ")").orElse(""),
                d.duration().map(t -> "in " + Durations.shown(t)).orElse(""),
                d.changes()
                    .map(c -> "+" + c.created() + " ~" + c.updated() + " -" + c.deleted())
                    .orElse(""))
            .filter(part -> !part.isEmpty())
            .collect(Collectors.joining(" "));
  }

  /** For programs; the newest last. */
  public static Map<String, Object> historyJson(
      StateKey key, List<Deployment> deployments, List<SnapshotName> snapshots) {
    return JsonOutput.object(
        "stack", key.stack(),
        "environment", key.environment(),
        "deployments", deployments.stream().map(StateText::json).toList(),
        "snapshots",
            snapshots.stream()
                .map(s -> JsonOutput.object("name", s.text(), "at", s.at().toString()))
                .toList());
  }

  private static Map<String, Object> json(Deployment d) {
    return JsonOutput.object(
        "deploymentId", d.id(),
        "at", Instant.from(d.at()).toString(),
        "triggeredBy", d.triggeredBy(),
        "gitCommit", d.gitCommit(),
        "version", d.version(),
        "status", d.status(),
        "durationSeconds", d.duration().map(Duration::toSeconds));
  }
}
