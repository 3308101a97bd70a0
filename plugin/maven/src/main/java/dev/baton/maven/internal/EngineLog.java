package dev.baton.maven.internal;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/**
 * What the engine logs, as Maven logs it: warnings, and the rest for those who debug. The engine's
 * own class loader leaves the logging of the JDK as the one thing that both know.
 */
final class EngineLog extends Handler {

  /** Held here: the JDK forgets a logger that nobody holds, with its settings. */
  private static final Logger ENGINE = Logger.getLogger("dev.baton");

  private final org.slf4j.Logger log;

  private EngineLog(org.slf4j.Logger log) {
    this.log = log;
  }

  static synchronized void send(org.slf4j.Logger log) {
    for (Handler former : ENGINE.getHandlers()) {
      if (former instanceof EngineLog) {
        ENGINE.removeHandler(former);
      }
    }
    ENGINE.setUseParentHandlers(false);
    ENGINE.setLevel(log.isDebugEnabled() ? Level.ALL : Level.WARNING);
    ENGINE.addHandler(new EngineLog(log));
  }

  @Override
  public void publish(LogRecord entry) {
    String text = new SimpleFormatter().formatMessage(entry);
    if (entry.getLevel().intValue() >= Level.SEVERE.intValue()) {
      log.error(text, entry.getThrown());
    } else if (entry.getLevel().intValue() >= Level.WARNING.intValue()) {
      log.warn(text, entry.getThrown());
    } else {
      log.debug(text, entry.getThrown());
    }
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
