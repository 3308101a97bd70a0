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
import java.util.regex.Pattern;

/**
 * Where the log goes. A store that is away for minutes is tried every few seconds: the same warning
 * is shown once in a while, and a line that is being drawn over is wiped first. Where nobody has
 * asked for the log, a warning is shown as Baton's own notice, and no stack trace is.
 */
public final class LogLines extends OutputStream {

  private static final Duration ONCE_IN = Duration.ofMinutes(1);

  private static final Pattern LEVEL = Pattern.compile("^(WARN|ERROR) ");

  /** What follows a message that has an exception with it. */
  private static final Pattern STACK =
      Pattern.compile(
          "^(\\s+at |\\s+\\.\\.\\. \\d+ |(Caused by: )?[\\w.$]+(Exception|Error)(: |$))");

  private final PrintStream to;
  private final boolean asked;
  private final boolean terminal;
  private final InstantSource clock;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private final Map<String, Instant> shown = new HashMap<>();

  /**
   * @param asked whether somebody wants to see the log as it is
   */
  public LogLines(PrintStream to, boolean asked, boolean terminal, InstantSource clock) {
    this.to = to;
    this.asked = asked;
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
    if (!asked && STACK.matcher(text).find()) {
      return;
    }
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
    to.println(
        (terminal ? TerminalCodes.WIPE_LINE : "")
            + (asked ? text : LEVEL.matcher(text).replaceFirst("baton: ")));
  }

  @Override
  public void flush() {
    to.flush();
  }
}
