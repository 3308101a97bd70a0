package dev.baton.gradle.internal.bridge;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * How somebody stands in line.
 *
 * @param title what is built, for people; empty: the branch, else {@code otherwise}
 * @param otherwise the title where neither is to be had
 * @param waitTimeout empty: as long as it takes
 */
public record Wish(
    Optional<String> title, String otherwise, int priority, Optional<Duration> waitTimeout) {
  public Wish {
    Objects.requireNonNull(title, "title");
    Objects.requireNonNull(otherwise, "otherwise");
    Objects.requireNonNull(waitTimeout, "waitTimeout");
  }

  public Wish waitingAtMost(Duration atMost) {
    return new Wish(title, otherwise, priority, Optional.of(atMost));
  }
}
