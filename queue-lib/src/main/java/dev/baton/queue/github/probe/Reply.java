package dev.baton.queue.github.probe;

import dev.baton.core.BrokenDocumentException;
import dev.baton.core.json.PlainJson;
import dev.baton.core.probe.Observation;
import dev.baton.core.probe.Transport;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What GitHub has answered.
 *
 * @param at when the answer was there, on the monotonic clock
 */
record Reply(Transport.Answer answer, Duration took, long at) {
  private static final int LONGEST = 40_000_000;
  private static final int LONGEST_SHOWN = 200;

  int status() {
    return answer.status();
  }

  Optional<String> header(String name) {
    return answer.header(name);
  }

  Optional<Long> number(String name) {
    return header(name).filter(text -> text.matches("[0-9]{1,15}")).map(Long::parseLong);
  }

  /** The server's time. */
  Optional<Instant> date() {
    try {
      return header("Date")
          .map(
              text ->
                  ZonedDateTime.parse(
                          text, DateTimeFormatter.RFC_1123_DATE_TIME.withLocale(Locale.ROOT))
                      .toInstant());
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  /** An entity tag without what stands around it. */
  Optional<String> tag() {
    return header("ETag").map(tag -> tag.replaceFirst("^W/", "").replace("\"", ""));
  }

  // ---- the body

  Map<String, Object> object() throws IOException {
    return parsed(answer.body());
  }

  /** The objects of a list. */
  List<Map<String, Object>> list() throws IOException {
    return objects(parsed("{\"list\":" + answer.body() + "}"), "list");
  }

  /** The objects of a list that is a member of an object. */
  static List<Map<String, Object>> objects(Map<String, Object> parent, String name)
      throws IOException {
    if (!(parent.get(name) instanceof List<?> all)) {
      throw new IOException("an answer without a list of " + name);
    }
    return all.stream().filter(Map.class::isInstance).map(Reply::object).toList();
  }

  private static Map<String, Object> parsed(String text) throws IOException {
    try {
      return PlainJson.object(text, LONGEST);
    } catch (BrokenDocumentException e) {
      throw new IOException("an answer that is not JSON (" + e.getMessage() + ")", e);
    }
  }

  /** A member of a member, such as {@code content.sha}; empty when it is not there or no text. */
  String text(String path) throws IOException {
    return text(object(), path);
  }

  static String text(Map<String, Object> object, String path) {
    Object value = object;
    for (String name : path.split("\\.")) {
      value = value instanceof Map<?, ?> map ? map.get(name) : null;
    }
    return value instanceof String || value instanceof Number ? value.toString() : "";
  }

  @SuppressWarnings("unchecked") // names in JSON are strings
  private static Map<String, Object> object(Object value) {
    return (Map<String, Object>) value;
  }

  // ---- refusals

  /** GitHub's own words. */
  String message() {
    try {
      return text("message");
    } catch (IOException e) {
      return "";
    }
  }

  boolean says(String words) {
    return message().toLowerCase(Locale.ROOT).contains(words.toLowerCase(Locale.ROOT));
  }

  /** Whether a limit was met: then nothing else can be learned now. */
  boolean isLimited() {
    boolean limitable = status() == 403 || status() == 429;
    boolean spent = number("X-RateLimit-Remaining").filter(n -> n == 0).isPresent();
    return limitable
        && (status() == 429
            || spent
            || header("Retry-After").isPresent()
            || header("gh-limited-by").isPresent()
            || says("rate limit"));
  }

  /** For people. */
  String shown() {
    return clean(status() + (status() < 400 || message().isEmpty() ? "" : " " + message()));
  }

  static String clean(String text) {
    String line = text.replaceAll("[\\s\\p{Cntrl}\\p{Cf}]+", " ").strip();
    return line.length() <= LONGEST_SHOWN ? line : line.substring(0, LONGEST_SHOWN) + "…";
  }

  /**
   * What it says about an assumption.
   *
   * @param permission what it takes, such as {@code contents: write}
   */
  Observation judged(boolean held, String permission) {
    if (held) {
      return Observation.held(shown());
    }
    if (status() == 401 || status() == 403) {
      return denied(permission);
    }
    return status() >= 500 ? Observation.unknown(shown()) : Observation.broken(shown());
  }

  Observation denied(String permission) {
    return Observation.notAllowed(shown(), remedy(permission));
  }

  static String remedy(String permission) {
    return "Give the token `"
        + permission
        + "`: in a workflow under `permissions:`, otherwise in the token's settings.";
  }
}
