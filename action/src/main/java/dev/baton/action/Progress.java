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

  private final Console console;
  private final World world;
  private final WaitLines lines = new WaitLines();
  private final WaitAddresses addresses;
  private WaitProgress last;
  private boolean started;

  Progress(Console console, World world, WaitAddresses addresses) {
    this.console = console;
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
      console.startGroup(now.ticket() == 0 ? "Waiting" : "Waiting with ticket " + now.ticket());
      now.ahead().stream()
          .limit(10)
          .forEach(t -> console.say("  ahead: " + WaitLines.described(t)));
    } else {
      console.say(WaitLines.timeOfDay(world.now()) + "  " + WaitLines.logged(now, world.now()));
    }
    addresses.news(now).ifPresent(line -> console.say("  " + line));
  }

  /** Nothing more follows. */
  void end() {
    if (started) {
      console.endGroup();
    }
  }
}
