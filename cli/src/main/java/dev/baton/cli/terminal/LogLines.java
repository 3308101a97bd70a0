package dev.baton.cli.terminal;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;

/**
 * Where the log goes. A store that is away for minutes is tried every few seconds: the same warning
 * is shown once in a while, and a line that is being drawn over is wiped first.
 */
public final class LogLines extends OutputStream {

  private static final Duration ONCE_IN = Duration.ofMinutes(1);

  private final PrintStream to;
  private final boolean terminal;
  private final InstantSource clock;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private final Map<String, Instant> shown = new HashMap<>();

  public LogLines(PrintStream to, boolean terminal, InstantSource clock) {
    this.to = to;
    this.terminal = terminal;
    this.clock = clock;
  }

  @Override
  public synchronized void write(int b) {
    if (b != '\n') {
      line.write(b);
      return;
    }
    show(line.toString(StandardCharsets.UTF_8));
    line.reset();
  }

  private void show(String text) {
    if (text.startsWith("WARN ")) {
      // But for numbers, such as how often it has been tried.
      String kind = text.replaceAll("[0-9]+", "#");
      Instant now = clock.instant();
      Instant last = shown.get(kind);
      if (last != null && Duration.between(last, now).compareTo(ONCE_IN) < 0) {
        return;
      }
      shown.put(kind, now);
    }
    to.println((terminal ? TerminalCodes.WIPE_LINE : "") + text);
  }

  @Override
  public void flush() {
    to.flush();
  }
}
