package dev.baton.githubsim;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * An answer before it meets HTTP.
 *
 * @param body a tree of maps, lists and plain values, a {@link RawBody}, or nothing
 * @param validator what the entity tag is made of where GitHub does not hash the body
 */
record Reply(
    int status,
    Optional<Object> body,
    Map<String, String> headers,
    Optional<String> validator,
    Optional<Instant> changed) {

  static Reply of(int status, Object body) {
    return new Reply(status, Optional.of(body), Map.of(), Optional.empty(), Optional.empty());
  }

  static Reply empty(int status) {
    return new Reply(status, Optional.empty(), Map.of(), Optional.empty(), Optional.empty());
  }

  /**
   * @param documentation below GitHub's documentation
   */
  static Reply moved(int status, String url, String documentation) {
    return of(
            status,
            Bodies.object(
                "message",
                "Moved Permanently",
                "url",
                url,
                "documentation_url",
                "https://docs.github.com/rest" + documentation))
        .with("Location", url);
  }

  Reply with(String header, String value) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.put(header, value);
    return new Reply(status, body, all, validator, changed);
  }

  Reply changedAt(Instant at) {
    return new Reply(status, body, headers, validator, Optional.of(at));
  }

  Reply validatedBy(String text) {
    return new Reply(status, body, headers, Optional.of(text), changed);
  }
}
