package dev.baton.githubsim;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Where branches and tags point, and did a little while ago. Changes come one after the other, also
 * those of several refs at once.
 *
 * <p>Thread-safe.
 */
final class Refs {
  /** The name of no object: before a change a ref that is not there, after it a deleted one. */
  static final String NONE = "0".repeat(40);

  /**
   * @param before what it has to point to for the change to be made; nothing where it may be
   *     anything
   * @param after what it points to from then on
   */
  record Change(String name, Optional<String> before, String after) {}

  private final Map<String, Timeline<String>> timelines = new ConcurrentHashMap<>();

  Optional<Repository.Ref> get(String name, Instant asOf) {
    return Optional.ofNullable(timelines.get(name))
        .flatMap(timeline -> dated(name, timeline, asOf));
  }

  Optional<String> latest(String name) {
    return Optional.ofNullable(timelines.get(name)).flatMap(Timeline::latest);
  }

  List<Repository.Ref> startingWith(String prefix, Instant asOf) {
    List<Repository.Ref> found = new ArrayList<>();
    new TreeMap<>(timelines)
        .forEach(
            (name, timeline) -> {
              if (name.startsWith(prefix)) {
                dated(name, timeline, asOf).ifPresent(found::add);
              }
            });
    return found;
  }

  /** Makes all of the changes or none; returns the first that stands against it. */
  synchronized Optional<Change> change(Instant at, List<Change> changes) {
    for (Change change : changes) {
      String now = latest(change.name()).orElse(NONE);
      if (change.before().isPresent() && !change.before().get().equals(now)) {
        return Optional.of(change);
      }
    }
    for (Change change : changes) {
      Timeline<String> timeline =
          timelines.computeIfAbsent(change.name(), name -> new Timeline<>());
      if (change.after().equals(NONE)) {
        timeline.clear(at);
      } else {
        timeline.set(at, change.after());
      }
    }
    return Optional.empty();
  }

  /** Whether the ref was what it had to be and is changed now. */
  boolean replace(Instant at, String name, String before, String after) {
    return change(at, List.of(new Change(name, Optional.of(before), after))).isEmpty();
  }

  void set(Instant at, String name, String after) {
    change(at, List.of(new Change(name, Optional.empty(), after)));
  }

  private static Optional<Repository.Ref> dated(
      String name, Timeline<String> timeline, Instant asOf) {
    return timeline
        .versionAsOf(asOf)
        .flatMap(
            version -> version.value().map(sha -> new Repository.Ref(name, sha, version.at())));
  }
}
