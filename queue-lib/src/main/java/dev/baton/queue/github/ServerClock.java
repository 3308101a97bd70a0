package dev.baton.queue.github;

import dev.baton.core.World;
import java.time.Instant;
import java.util.Optional;

/** GitHub's own clock, as its latest answer has shown it. Thread-safe. */
final class ServerClock {
  private final World world;

  // Guarded by this.
  private Instant shown;
  private long shownAt;

  ServerClock(World world) {
    this.world = world;
  }

  synchronized void shows(Instant time) {
    shown = time;
    shownAt = world.nanos();
  }

  /** By this machine's clock as long as no answer has shown another. */
  synchronized Instant now() {
    return told().orElseGet(world::now);
  }

  /** Empty as long as no answer has shown it. */
  synchronized Optional<Instant> told() {
    return Optional.ofNullable(shown)
        .map(time -> time.plusNanos(Math.max(0, world.nanos() - shownAt)));
  }
}
