package dev.baton.githubsim;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The body of a request, and the text of an answer. */
final class Json {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final JsonNode root;

  private Json(JsonNode root) {
    this.root = root;
  }

  /** Nothing where the text is no JSON object. */
  static Optional<Json> parse(String text) {
    try {
      JsonNode root = MAPPER.readTree(text);
      return root != null && root.isObject() ? Optional.of(new Json(root)) : Optional.empty();
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }

  static String write(Object tree) {
    try {
      return MAPPER.writeValueAsString(tree);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("an answer is made of plain values", e);
    }
  }

  public Optional<String> text(String name) {
    JsonNode value = root.get(name);
    return value != null && value.isTextual() ? Optional.of(value.textValue()) : Optional.empty();
  }

  boolean flag(String name) {
    return root.path(name).asBoolean(false);
  }

  boolean has(String name) {
    return root.has(name);
  }

  /** Nothing where it is no number. */
  Optional<Double> number(String name) {
    JsonNode value = root.get(name);
    return value != null && value.isNumber() ? Optional.of(value.doubleValue()) : Optional.empty();
  }

  public Optional<Json> object(String name) {
    JsonNode value = root.get(name);
    return value != null && value.isObject() ? Optional.of(new Json(value)) : Optional.empty();
  }

  /** An object as plain values; empty where there is none. */
  Map<String, Object> map(String name) {
    JsonNode value = root.get(name);
    return value != null && value.isObject()
        ? MAPPER.convertValue(value, new TypeReference<Map<String, Object>>() {})
        : Map.of();
  }

  /** Nothing where it is no list of objects. */
  Optional<List<Json>> objects(String name) {
    JsonNode value = root.get(name);
    if (value == null || !value.isArray()) {
      return Optional.empty();
    }
    List<Json> all = new ArrayList<>();
    for (JsonNode one : value) {
      if (!one.isObject()) {
        return Optional.empty();
      }
      all.add(new Json(one));
    }
    return Optional.of(all);
  }

  /** Labels come as names or as objects with a name. */
  Optional<List<String>> names(String name) {
    JsonNode value = root.get(name);
    if (value == null || !value.isArray()) {
      return Optional.empty();
    }
    List<String> all = new ArrayList<>();
    value.forEach(one -> all.add(one.isTextual() ? one.textValue() : one.path("name").asText()));
    return Optional.of(all);
  }
}
