package dev.baton.githubsim;

import java.util.List;
import java.util.Map;

/** What became of a request: a value, or a refusal as GitHub words it. */
sealed interface Outcome<T> {
  record Done<T>(int status, T value) implements Outcome<T> {}

  /**
   * @param errors the entries of {@code errors}; empty where GitHub gives none
   */
  record Refused<T>(int status, String message, List<Map<String, Object>> errors)
      implements Outcome<T> {}

  static <T> Outcome<T> done(int status, T value) {
    return new Done<>(status, value);
  }

  static <T> Outcome<T> refused(int status, String message) {
    return new Refused<>(status, message, List.of());
  }

  static <T> Outcome<T> notFound() {
    return refused(404, "Not Found");
  }
}
