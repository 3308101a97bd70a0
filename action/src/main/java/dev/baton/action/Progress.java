package dev.baton.action;

import dev.baton.client.queue.WaitAddresses;
import dev.baton.client.queue.WaitLines;
import dev.baton.core.World;
import dev.baton.queue.WaitProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;

/** Shows that waiting goes on: a line when something has changed, and now and then. */
final class Progress implements Consumer<WaitProgress> {

  /** A wait that is shorter is not worth a word about what it costs. */
  private static final Duration SHORT = Duration.ofMinutes(5);

  private final Console console;
  private final World world;
  private final WaitLines lines = new WaitLines();
  private final WaitAddresses addresses;
  private Optional<String> cost;
  private WaitProgress last;
  private boolean started;

  /**
   * Nothing is said yet.
   *
   * @param cost what there is to say once about a wait that takes longer
   */
  Progress(Console console, World world, WaitAddresses addresses, Optional<String> cost) {
    this.console = console;
    this.cost = cost;
    this.addresses = addresses;
    this.world = world;
  }

  /** When the turn is expected, as far as anybody can tell. */
  Optional<Instant> expected() {
    return Optional.ofNullable(last).flatMap(p -> WaitLines.expected(p, world.now()));
  }

  @Override
  public void accept(WaitProgress now) {
    last = now.ticket() == 0 ? last : now;
    if (!lines.isNews(now, Duration.ZERO, world.now())) {
      return;
    }
    if (!started) {
      started = true;
      console.notice("Waiting for the build lock", WaitLines.logged(now, world.now()));
      sayCost(now);
      console.startGroup(now.ticket() == 0 ? "Waiting" : "Waiting with ticket " + now.ticket());
      now.ahead().stream()
          .limit(10)
          .forEach(t -> console.say("  ahead: " + WaitLines.described(t)));
    } else {
      console.say(WaitLines.timeOfDay(world.now()) + "  " + WaitLines.logged(now, world.now()));
      sayCost(now);
    }
    addresses.news(now).ifPresent(line -> console.say("  " + line));
  }

  /** Once, when the turn is further away, or nobody can tell. */
  private void sayCost(WaitProgress now) {
    Instant soon = world.now().plus(SHORT);
    if (WaitLines.expected(now, world.now()).filter(turn -> turn.isBefore(soon)).isEmpty()) {
      cost.ifPresent(console::say);
      cost = Optional.empty();
    }
  }

  /** Nothing more follows. */
  void end() {
    if (started) {
      console.endGroup();
    }
  }
}
