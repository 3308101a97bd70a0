package dev.baton.githubsim;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A request as the rules see it.
 *
 * @param path as it was sent, still encoded, without a GHES prefix
 * @param query decoded
 * @param headers by name in lower case
 * @param client as the request log names it; {@code anonymous} without a token
 */
public record SimRequest(
    String method,
    String path,
    Map<String, String> query,
    Map<String, String> headers,
    String body,
    String client) {

  public SimRequest {
    // In the order they came in: answers repeat it in their links.
    query = Collections.unmodifiableMap(new LinkedHashMap<>(query));
    headers = Map.copyOf(headers);
  }

  public Optional<String> header(String name) {
    return Optional.ofNullable(headers.get(name));
  }

  public Optional<String> parameter(String name) {
    return Optional.ofNullable(query.get(name)).filter(value -> !value.isEmpty());
  }

  public boolean read() {
    return method.equals("GET") || method.equals("HEAD");
  }

  static Map<String, String> parseQuery(String query) {
    Map<String, String> found = new LinkedHashMap<>();
    for (String pair : query.split("&")) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        found.put(
            URLDecoder.decode(pair.substring(0, equals), StandardCharsets.UTF_8),
            URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
      }
    }
    return found;
  }

  /** In a path a plus is a plus. */
  static String decodePath(String path) {
    return URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
}
