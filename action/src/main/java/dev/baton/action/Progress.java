package dev.baton.action;

import dev.baton.queue.Ticket;
import dev.baton.queue.WaitProgress;
import dev.baton.queue.engine.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;

/** Shows that waiting goes on: a line when something has changed, and now and then. */
final class Progress implements Consumer<WaitProgress> {

  private static final Duration AT_LEAST_EVERY = Duration.ofMinutes(10);

  /** A turn that is expected a little sooner or later is no news. */
  private static final Duration NEWS = Duration.ofMinutes(3);

  private final Console console;
  private final World world;
  private WaitProgress last;
  private WaitProgress lastShown;
  private long shownAt;
  private Optional<Instant> expectedThen = Optional.empty();

  Progress(Console console, World world) {
    this.console = console;
    this.world = world;
  }

  /** How it stood at the last look; empty: no look has found the ticket in line. */
  synchronized Optional<WaitProgress> last() {
    return Optional.ofNullable(last);
  }

  /** When the turn is expected, as far as anybody can tell. */
  synchronized Optional<Instant> expected() {
    return last == null ? Optional.empty() : last.eta().map(world.now()::plus);
  }

  @Override
  public synchronized void accept(WaitProgress now) {
    last = now;
    Optional<Instant> expected = now.eta().map(world.now()::plus);
    boolean first = lastShown == null;
    if (!first && !isNews(now, expected)) {
      return;
    }
    if (first) {
      console.notice("Waiting for the build lock", line(now, expected));
      console.startGroup("Waiting with ticket " + now.ticket());
      now.ahead().stream().limit(10).forEach(t -> console.say("  ahead: " + describe(t)));
    } else {
      console.say(Spans.timeOfDay(world.now()) + "  " + line(now, expected));
    }
    lastShown = now;
    shownAt = world.nanos();
    expectedThen = expected;
  }

  /** Nothing more follows. */
  synchronized void end() {
    if (lastShown != null) {
      console.endGroup();
    }
  }

  private boolean isNews(WaitProgress now, Optional<Instant> expected) {
    return now.position() != lastShown.position()
        || now.paused().isPresent() != lastShown.paused().isPresent()
        || expected.isPresent() != expectedThen.isPresent()
        || expected.isPresent()
            && Duration.between(expected.get(), expectedThen.get()).abs().compareTo(NEWS) > 0
        || world.nanos() - shownAt >= AT_LEAST_EVERY.toNanos();
  }

  private static String line(WaitProgress now, Optional<Instant> expected) {
    StringBuilder s = new StringBuilder("place ").append(now.position()).append(" in line");
    now.paused()
        .ifPresent(
            p ->
                s.append("; the queue is paused by ")
                    .append(p.by())
                    .append(p.reason().isEmpty() ? "" : " (" + p.reason() + ")"));
    now.building().stream()
        .findFirst()
        .ifPresent(t -> s.append("; now builds: ").append(describe(t)));
    expected.ifPresent(
        at ->
            s.append("; the turn is expected at ")
                .append(Spans.timeOfDay(at))
                .append(", in ")
                .append(Spans.show(now.eta().orElseThrow())));
    return s.append("; waited for ").append(Spans.show(now.waited())).toString();
  }

  static String describe(Ticket t) {
    return (t.title().isEmpty() ? "" : t.title() + ", ")
        + t.owner()
        + " (ticket "
        + t.number()
        + ")";
  }
}
