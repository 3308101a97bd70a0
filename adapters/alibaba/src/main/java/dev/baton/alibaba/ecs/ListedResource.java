package dev.baton.alibaba.ecs;

import dev.baton.vm.Kind;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.Phase;
import dev.baton.vm.spi.Request;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A resource as a list of the API shows it. Nothing in it is null.
 *
 * @param created as the API writes it
 */
record ListedResource(
    Kind kind,
    String id,
    String status,
    String name,
    String description,
    Map<String, String> tags,
    String created,
    Map<String, String> attributes) {

  ListedResource(
      Kind kind,
      String id,
      String status,
      String name,
      String description,
      Map<String, String> tags,
      String created) {
    this(
        kind,
        id,
        text(status),
        text(name),
        text(description),
        tags,
        text(created),
        new LinkedHashMap<>());
  }

  ListedResource with(String attribute, Object value) {
    if (value != null && !value.toString().isEmpty()) {
      attributes.put(attribute, value.toString());
    }
    return this;
  }

  Found found(CloudClock clock) {
    return new Found(
        kind,
        id,
        phase(),
        Marks.owner(tags, description, name),
        Marks.token(tags, description),
        clock.age(created),
        attributes);
  }

  /** Whether a subnet or an instance is coming or going its status does not tell. */
  private Phase phase() {
    return switch (kind) {
      case NETWORK, SUBNET -> status.equals("Available") ? Phase.READY : Phase.PENDING;
      case ADDRESS ->
          switch (status) {
            case "Available", "InUse" -> Phase.READY;
            case "Releasing", "RELEASING" -> Phase.DELETING;
            default -> Phase.PENDING;
          };
      case IMAGE ->
          switch (status) {
            case "Available" -> Phase.READY;
            case "CreateFailed", "UnAvailable", "Deprecated" -> Phase.FAILED;
            default -> Phase.PENDING;
          };
      case SNAPSHOT ->
          switch (status) {
            case "accomplished" -> Phase.READY;
            case "failed" -> Phase.FAILED;
            default -> Phase.PENDING;
          };
      case INSTANCE ->
          switch (status) {
            case "Running" -> Phase.RUNNING;
            case "Starting" -> Phase.STARTING;
            case "Stopping" -> Phase.STOPPING;
            case "Stopped" -> Phase.STOPPED;
            default -> Phase.PENDING;
          };
      default -> Phase.READY;
    };
  }

  /** What was just created; how it really is the next look tells. */
  static Found created(Request request, String id, Map<String, String> attributes) {
    return new Found(
        request.kind(),
        id,
        Phase.PENDING,
        java.util.Optional.of(request.owner()),
        java.util.Optional.of(request.token()),
        Duration.ZERO,
        attributes);
  }

  static String text(String value) {
    return value == null ? "" : value;
  }
}
