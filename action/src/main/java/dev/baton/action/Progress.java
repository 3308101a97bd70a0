package dev.baton.action;

import dev.baton.client.queue.WaitLines;
import dev.baton.core.Durations;
import dev.baton.core.World;
import dev.baton.queue.Ticket;
import dev.baton.queue.WaitProgress;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/** Shows that waiting goes on: a line when something has changed, and now and then. */
final class Progress implements Consumer<WaitProgress> {

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final Console console;
  private final World world;
  private final WaitLines lines = new WaitLines();
  private WaitProgress last;
  private boolean started;

  Progress(Console console, World world) {
    this.console = console;
    this.world = world;
  }

  /** When the turn is expected, as far as anybody can tell. */
  Optional<Instant> expected() {
    return Optional.ofNullable(last).flatMap(this::expected);
  }

  /** Behind a late build the estimate of the turn is not true. */
  private Optional<Instant> expected(WaitProgress p) {
    return p.overdue().isPresent() || p.silence().isPresent()
        ? Optional.empty()
        : p.eta().map(world.now()::plus);
  }

  @Override
  public void accept(WaitProgress now) {
    last = now.ticket() == 0 ? last : now;
    Optional<Instant> expected = expected(now);
    if (!lines.isNews(now, Duration.ZERO, world.now())) {
      return;
    }
    if (!started) {
      started = true;
      console.notice("Waiting for the build lock", line(now, expected));
      console.startGroup(now.ticket() == 0 ? "Waiting" : "Waiting with ticket " + now.ticket());
      now.ahead().stream().limit(10).forEach(t -> console.say("  ahead: " + describe(t)));
    } else {
      console.say(timeOfDay(world.now()) + "  " + line(now, expected));
    }
  }

  /** Nothing more follows. */
  void end() {
    if (started) {
      console.endGroup();
    }
  }

  private static String line(WaitProgress now, Optional<Instant> expected) {
    if (now.trouble().isPresent()) {
      return (now.position() == 0 ? "not in line yet" : "keeping place " + now.position())
          + "; "
          + now.trouble().get()
          + "; waited for "
          + Durations.shown(now.waited());
    }
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
    WaitLines.late(now, Duration.ZERO).ifPresent(late -> s.append("; ").append(late));
    expected.ifPresent(
        at ->
            s.append("; the turn is expected at ")
                .append(timeOfDay(at))
                .append(", in ")
                .append(Durations.shown(now.eta().orElseThrow())));
    return s.append("; waited for ").append(Durations.shown(now.waited())).toString();
  }

  static String timeOfDay(Instant at) {
    return TIME.format(at);
  }

  static String describe(Ticket t) {
    return (t.title().isEmpty() ? "" : t.title() + ", ")
        + t.owner()
        + " (ticket "
        + t.number()
        + ")";
  }
}
