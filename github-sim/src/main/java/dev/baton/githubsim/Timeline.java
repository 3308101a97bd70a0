package dev.baton.githubsim;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * A value and what it was a little while ago, so that a read can be late while a write is not.
 *
 * <p>Thread-safe.
 */
final class Timeline<T> {
  /** Longer than any read may lag. */
  static final Duration KEPT = Duration.ofMinutes(1);

  record Version<T>(Instant at, Optional<T> value) {}

  private final Deque<Version<T>> newestFirst = new ArrayDeque<>();

  synchronized Optional<T> latest() {
    return newestFirst.isEmpty() ? Optional.empty() : newestFirst.peekFirst().value();
  }

  /** What a reader sees whose copy is of {@code moment}. */
  Optional<T> asOf(Instant moment) {
    return versionAsOf(moment).flatMap(Version::value);
  }

  synchronized Optional<Version<T>> versionAsOf(Instant moment) {
    for (Version<T> version : newestFirst) {
      if (!version.at().isAfter(moment)) {
        return Optional.of(version);
      }
    }
    return Optional.empty();
  }

  synchronized void set(Instant at, T value) {
    add(at, Optional.of(value));
  }

  synchronized void clear(Instant at) {
    add(at, Optional.empty());
  }

  synchronized boolean replace(Instant at, T expected, T next) {
    if (!latest().equals(Optional.ofNullable(expected))) {
      return false;
    }
    add(at, Optional.ofNullable(next));
    return true;
  }

  /** Changes the value as one step; returns the new one, or nothing where there is no value. */
  synchronized Optional<T> update(Instant at, UnaryOperator<T> change) {
    Optional<T> next = latest().map(change);
    next.ifPresent(value -> add(at, next));
    return next;
  }

  private void add(Instant at, Optional<T> value) {
    Objects.requireNonNull(at, "at");
    newestFirst.addFirst(new Version<>(at, value));
    Instant needed = at.minus(KEPT);
    // The newest version that is older than every reader's moment still has to be there.
    boolean covered = false;
    for (Iterator<Version<T>> all = newestFirst.iterator(); all.hasNext(); ) {
      Version<T> version = all.next();
      if (covered) {
        all.remove();
      } else {
        covered = !version.at().isAfter(needed);
      }
    }
  }
}
