package dev.baton.cli.queue;

import dev.baton.cli.terminal.Baton;
import dev.baton.cli.terminal.TerminalCodes;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.queue.WaitAddresses;
import dev.baton.client.queue.WaitLines;
import dev.baton.queue.WaitProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;

/** Shows life while somebody waits: one line that changes on a terminal, lines otherwise. */
final class Waiting implements Consumer<WaitProgress>, AutoCloseable {

  private static final Duration TICK = Duration.ofSeconds(1);
  private static final Duration MEASURED_FOR = Duration.ofSeconds(3);

  private final Baton baton;
  private final boolean live;
  private int columns;
  private long measured;
  private final WaitLines lines = new WaitLines();
  private final WaitAddresses addresses;
  private final Thread ticker;
  private WaitProgress last;
  private Instant lastAt;
  private String drawn;
  private boolean closed;

  Waiting(Baton baton, OpenQueue open) {
    this.baton = baton;
    this.addresses = WaitAddresses.of(open);
    this.live = baton.shell().terminal() && !baton.json && !baton.quiet;
    this.ticker = new Thread(this::tick, "baton-progress");
    ticker.setDaemon(true);
    ticker.start();
  }

  @Override
  public synchronized void accept(WaitProgress progress) {
    last = progress;
    lastAt = baton.shell().clock().instant();
    show();
  }

  private void show() {
    if (last == null || closed || baton.quiet) {
      return;
    }
    Instant now = baton.shell().clock().instant();
    Duration since = Duration.between(lastAt, now);
    if (live) {
      addresses.news(last).ifPresent(this::sayAbove);
      String line = WaitLines.live(last, since, now, columns());
      if (!line.equals(drawn)) {
        drawn = line;
        baton.shell().err().print(TerminalCodes.WIPE_LINE + line);
        baton.shell().err().flush();
      }
    } else {
      Optional<String> line = lines.plain(last, since, now);
      line.ifPresent(baton::say);
      addresses.news(last).ifPresent(baton::say);
    }
  }

  /** A line that stays, above the one that changes. */
  private void sayAbove(String line) {
    baton.shell().err().print(drawn == null ? "" : TerminalCodes.WIPE_LINE);
    baton.say(line);
    drawn = "";
  }

  /** The window may have been made narrower since. */
  private int columns() {
    long nanos = System.nanoTime();
    if (columns == 0 || nanos - measured > MEASURED_FOR.toNanos()) {
      columns = baton.shell().columns().getAsInt();
      measured = nanos;
    }
    return columns;
  }

  private void tick() {
    try {
      while (true) {
        synchronized (this) {
          wait(TICK.toMillis());
          if (closed) {
            return;
          }
          show();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The last progress, if there ever was any. */
  synchronized Optional<WaitProgress> last() {
    return Optional.ofNullable(last);
  }

  @Override
  public synchronized void close() {
    if (drawn != null && !closed) {
      baton.shell().err().print(TerminalCodes.WIPE_LINE);
      baton.shell().err().flush();
    }
    closed = true;
    notifyAll();
  }
}
