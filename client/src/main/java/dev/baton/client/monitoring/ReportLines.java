package dev.baton.client.monitoring;

import dev.baton.client.text.JsonOutput;
import dev.baton.queue.event.LockEvent;
import dev.baton.queue.event.LockEvent.Type;
import dev.baton.state.LockSection;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Events as lines. Pure, and safe for use by several threads. */
final class ReportLines {

  private static final String NAMESPACE = "Deployer";

  private final LockIdentity lock;
  private final Map<String, Object> metadata;
  private final Redaction redaction;

  /**
   * @param metadata about this client
   */
  ReportLines(LockIdentity lock, Map<String, String> metadata, Redaction redaction) {
    this.lock = lock;
    this.redaction = redaction;
    this.metadata = new LinkedHashMap<>();
    metadata.forEach((name, value) -> this.metadata.put(name, redaction.of(value)));
  }

  /** A line of the audit; empty for what belongs to metrics alone. */
  Optional<String> audit(LockEvent event) {
    if (event.type() == Type.HEARTBEAT) {
      return Optional.empty();
    }
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("timestamp", event.at().truncatedTo(ChronoUnit.MILLIS).toString());
    line.put("level", isAsExpected(event.type()) ? "INFO" : "WARN");
    line.put("event", event.type().id());
    line.put("lock_key", redaction.of(lock.lockKey()));
    if (event.ticket() > 0) {
      line.put("lock_id", LockSection.idOf(event.ticket(), event.token()));
    }
    put(line, "locked_by", event.holder());
    put(line, "title", event.title());
    event.lasted().ifPresent(d -> line.put(lasted(event.type()), seconds(d)));
    event.by().ifPresent(by -> put(line, "forced_by", by));
    put(line, "reason", event.why());
    line.put("metadata", metadata);
    return Optional.of(JsonOutput.line(line));
  }

  private void put(Map<String, Object> line, String name, String value) {
    if (!value.isEmpty()) {
      line.put(name, redaction.of(value));
    }
  }

  private static boolean isAsExpected(Type type) {
    return type == Type.ACQUIRED || type == Type.RELEASED;
  }

  private static String lasted(Type type) {
    return switch (type) {
      case ACQUIRED, NOT_ACQUIRED -> "wait_seconds";
      case STALE -> "silence_seconds";
      default -> "duration_seconds";
    };
  }

  private static BigDecimal seconds(Duration d) {
    BigDecimal exact = BigDecimal.valueOf(d.toMillis(), 3).stripTrailingZeros();
    return exact.scale() < 0 ? exact.setScale(0) : exact;
  }

  /** A line in the embedded metric format of CloudWatch; empty where nothing is measured. */
  Optional<String> metrics(LockEvent event) {
    List<Measure> measures = Measure.of(event);
    if (measures.isEmpty()) {
      return Optional.empty();
    }
    Map<String, String> dimensions = new LinkedHashMap<>();
    lock.dimensions().forEach((name, value) -> dimensions.put(name, redaction.of(value)));
    Map<String, Object> directive =
        JsonOutput.object(
            "Namespace",
            NAMESPACE,
            // Without dimensions too: an alarm names all of a metric's dimensions, or none.
            "Dimensions",
            List.of(List.copyOf(dimensions.keySet()), List.of()),
            "Metrics",
            measures.stream()
                .map(m -> JsonOutput.object("Name", m.metric().id, "Unit", m.metric().unit))
                .toList());
    Map<String, Object> line = new LinkedHashMap<>();
    line.put(
        "_aws",
        JsonOutput.object(
            "Timestamp", event.at().toEpochMilli(), "CloudWatchMetrics", List.of(directive)));
    line.putAll(dimensions);
    measures.forEach(m -> line.put(m.metric().id, m.value()));
    return Optional.of(JsonOutput.line(line));
  }
}
