package dev.baton.vm.internal.operation;

import dev.baton.core.World;
import java.time.Duration;
import java.util.Optional;

/** How long to wait before something is tried again: longer each time, and never in step. */
final class Pauses {

  static final int ATTEMPTS = 5;

  private static final Duration FIRST = Duration.ofSeconds(1);
  private static final Duration LONGEST = Duration.ofSeconds(60);

  private final World world;

  Pauses(World world) {
    this.world = world;
  }

  /**
   * @param attempt how many have failed
   * @param atLeast what the other side asks for
   */
  Duration length(int attempt, Optional<Duration> atLeast) {
    Duration time = FIRST.multipliedBy(1L << Math.min(attempt - 1, 5));
    Duration jittered = time.dividedBy(2).plusMillis((long) (time.toMillis() * world.random()));
    Duration wanted = atLeast.filter(d -> d.compareTo(jittered) > 0).orElse(jittered);
    return wanted.compareTo(LONGEST) > 0 ? LONGEST : wanted;
  }

  void backOff(int attempt, Optional<Duration> atLeast) throws InterruptedException {
    world.newSignal().await(length(attempt, atLeast));
  }
}
