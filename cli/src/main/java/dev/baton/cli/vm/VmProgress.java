package dev.baton.cli.vm;

import dev.baton.cli.terminal.Baton;
import dev.baton.cli.terminal.TerminalCodes;
import dev.baton.client.vm.StepLines;
import dev.baton.core.Durations;
import java.time.Duration;

/** Shows each step with its time: one line that counts on a terminal, a line when it is done. */
final class VmProgress extends StepLines implements AutoCloseable {

  private static final Duration TICK = Duration.ofSeconds(1);

  private final Baton baton;
  private final boolean live;
  private final int columns;
  private final Thread ticker;
  private Step current;
  private long since;
  private boolean closed;

  VmProgress(Baton baton) {
    super(baton::say);
    this.baton = baton;
    this.live = baton.shell().terminal() && !baton.json && !baton.quiet;
    this.columns = live ? baton.shell().columns().getAsInt() : 0;
    this.ticker = new Thread(this::tick, "baton-progress");
    if (live) {
      ticker.setDaemon(true);
      ticker.start();
    }
  }

  @Override
  public synchronized void started(Step step) {
    super.started(step);
    current = step;
    since = System.nanoTime();
    draw();
  }

  @Override
  public synchronized void finished(Step step, String result, Duration took) {
    wipe();
    current = null;
    super.finished(step, result, took);
  }

  @Override
  public synchronized void note(String text) {
    wipe();
    super.note(text);
    draw();
  }

  /** On a terminal a clock runs. */
  @Override
  public void waiting(String text) {
    if (!live) {
      note(text);
    }
  }

  private void draw() {
    if (live && current != null && !closed) {
      Duration so = Duration.ofNanos(System.nanoTime() - since);
      String line = label(current) + " … " + Durations.shown(so) + "  (Ctrl-C stops it safely)";
      // One that is wider would not be wiped as a whole.
      String fitting = line.substring(0, Math.min(line.length(), Math.max(0, columns - 1)));
      baton.shell().err().print(TerminalCodes.WIPE_LINE + fitting);
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
