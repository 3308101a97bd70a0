package dev.baton.queue.github;

import dev.baton.core.BrokenDocumentException;
import dev.baton.core.json.PlainJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What GitHub has answered. Files, issues, commits and runs are read member by member: what is not
 * asked for is not looked at, so that a field that nobody here needs cannot stop the queue.
 *
 * @param headers by their names in any case
 */
record ApiAnswer(int status, Map<String, List<String>> headers, byte[] body) {
  /** A hundred issues with the longest bodies. */
  private static final int MAX_LIST = 40_000_000;

  Optional<String> header(String name) {
    List<String> values = headers.get(name);
    return values == null || values.isEmpty() ? Optional.empty() : Optional.of(values.get(0));
  }

  Optional<Long> number(String name) {
    return header(name).filter(text -> text.matches("[0-9]{1,15}")).map(Long::parseLong);
  }

  /** What time it is at GitHub. */
  Optional<Instant> date() {
    return header("Date").flatMap(ApiAnswer::httpDate);
  }

  static Optional<Instant> httpDate(String text) {
    try {
      return Optional.of(
          ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME.withLocale(Locale.ROOT))
              .toInstant());
    } catch (DateTimeException e) {
      // Then the machine's own clock has to do.
      return Optional.empty();
    }
  }

  /** GitHub says so on every answer with a body; a login page of a proxy does not. */
  boolean isJson() {
    return body.length == 0 || header("Content-Type").filter(t -> t.contains("json")).isPresent();
  }

  String text() {
    return new String(body, StandardCharsets.UTF_8);
  }

  /** The same where a server has quoted the request with its token in it. */
  ApiAnswer without(String secret) {
    Map<String, List<String>> shown = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    headers.forEach(
        (name, values) ->
            shown.put(name, values.stream().map(v -> Texts.without(secret, v)).toList()));
    return new ApiAnswer(
        status, shown, Texts.without(secret, text()).getBytes(StandardCharsets.UTF_8));
  }

  // ---- what it says

  /**
   * The strings, numbers and truth values of an object and of the objects in it, by their names:
   * {@code content.sha} is the member of a member. What is in a list, and null, is left out.
   *
   * @throws IOException when the body is anything else than one object
   */
  Map<String, String> members() throws IOException {
    return PlainJson.leaves(object(PlainJson.MAX_LENGTH));
  }

  /**
   * The {@link #members} of every object in a list.
   *
   * @throws IOException when the body is anything else than one list
   */
  List<Map<String, String>> list() throws IOException {
    try {
      return members(PlainJson.value(text(), MAX_LIST));
    } catch (BrokenDocumentException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /** The same for a list that is a member of an object. */
  List<Map<String, String>> list(String name) throws IOException {
    return members(object(MAX_LIST).get(name));
  }

  private static List<Map<String, String>> members(Object list) throws IOException {
    if (!(list instanceof List<?> all)) {
      throw new IOException("an answer of GitHub has no list where one belongs");
    }
    List<Map<String, String>> objects = new ArrayList<>();
    for (Object one : all) {
      if (one instanceof Map<?, ?> object) {
        objects.add(PlainJson.leaves(object));
      }
    }
    return objects;
  }

  /** What an answer of GraphQL says against the request; empty when it has done all of it. */
  Optional<String> graphqlError() throws IOException {
    Object errors = object(PlainJson.MAX_LENGTH).get("errors");
    if (!(errors instanceof List<?> all) || all.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        all.get(0) instanceof Map<?, ?> first && first.get("message") instanceof String said
            ? said
            : "GitHub does not say why");
  }

  private Map<String, Object> object(int maxLength) throws IOException {
    try {
      return PlainJson.object(text(), maxLength);
    } catch (BrokenDocumentException e) {
      throw new IOException(e.getMessage(), e);
    }
  }
}
