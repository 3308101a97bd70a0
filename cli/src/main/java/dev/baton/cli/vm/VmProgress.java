package dev.baton.cli.vm;

import dev.baton.cli.terminal.Baton;
import dev.baton.cli.terminal.TerminalCodes;
import dev.baton.core.Durations;
import dev.baton.vm.Progress;
import java.time.Duration;
import java.util.Locale;

/** Shows each step with its time: one line that counts on a terminal, a line when it is done. */
final class VmProgress implements Progress, AutoCloseable {

  private static final Duration TICK = Duration.ofSeconds(1);

  private final Baton baton;
  private final boolean live;
  private final Thread ticker;
  private Step current;
  private long since;
  private boolean closed;

  VmProgress(Baton baton) {
    this.baton = baton;
    this.live = baton.shell().terminal() && !baton.json && !baton.quiet;
    this.ticker = new Thread(this::tick, "baton-progress");
    if (live) {
      ticker.setDaemon(true);
      ticker.start();
    }
  }

  @Override
  public synchronized void started(Step step) {
    current = step;
    since = System.nanoTime();
    draw();
  }

  @Override
  public synchronized void finished(Step step, String result, Duration took) {
    wipe();
    current = null;
    baton.say(label(step) + "  " + result + "  " + shown(took));
  }

  @Override
  public synchronized void note(String text) {
    wipe();
    baton.say(text);
    draw();
  }

  /** On a terminal a clock runs. */
  @Override
  public void waiting(String text) {
    if (!live) {
      note(text);
    }
  }

  private static String label(Step step) {
    return String.format(Locale.ROOT, "[%d/%d] %s", step.number(), step.of(), step.name());
  }

  private static String shown(Duration took) {
    return took.toSeconds() < 10
        ? String.format(Locale.ROOT, "%.1f s", took.toMillis() / 1000.0)
        : Durations.shown(took);
  }

  private void draw() {
    if (live && current != null && !closed) {
      Duration so = Duration.ofNanos(System.nanoTime() - since);
      baton
          .shell()
          .err()
          .print(TerminalCodes.WIPE_LINE + label(current) + " … " + Durations.shown(so));
      baton.shell().err().flush();
    }
  }

  private void wipe() {
    if (live) {
      baton.shell().err().print(TerminalCodes.WIPE_LINE);
      baton.shell().err().flush();
    }
  }

  private void tick() {
    try {
      while (true) {
        synchronized (this) {
          wait(TICK.toMillis());
          if (closed) {
            return;
          }
          draw();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      wipe();
      closed = true;
      notifyAll();
    }
  }
}
