package dev.baton.queue.github;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * The log of this module's tests: silent, and kept word by word while a test wants it. The server
 * that runs in the same process logs too, and may see a token; it is left out. The build names this
 * class to SLF4J.
 */
public final class CapturedLog implements SLF4JServiceProvider, ILoggerFactory {
  private static final Queue<String> LINES = new ConcurrentLinkedQueue<>();
  private static volatile boolean kept;

  private final IMarkerFactory markers = new BasicMarkerFactory();
  private final MDCAdapter context = new NOPMDCAdapter();

  /** From now on everything is kept, whatever its level. */
  static void start() {
    LINES.clear();
    kept = true;
  }

  static List<String> stop() {
    kept = false;
    return List.copyOf(LINES);
  }

  static List<String> lines() {
    return List.copyOf(LINES);
  }

  @Override
  public org.slf4j.Logger getLogger(String name) {
    return new Line(name);
  }

  @Override
  public ILoggerFactory getLoggerFactory() {
    return this;
  }

  @Override
  public IMarkerFactory getMarkerFactory() {
    return markers;
  }

  @Override
  public MDCAdapter getMDCAdapter() {
    return context;
  }

  @Override
  public String getRequestedApiVersion() {
    return "2.0.99";
  }

  @Override
  public void initialize() {}

  private static final class Line extends LegacyAbstractLogger {
    private static final long serialVersionUID = 1;

    Line(String name) {
      this.name = name;
    }

    private boolean isKept() {
      return kept && name.startsWith("dev.baton.queue");
    }

    @Override
    protected String getFullyQualifiedCallerName() {
      return null;
    }

    @Override
    protected void handleNormalizedLoggingCall(
        Level level, Marker marker, String pattern, Object[] arguments, Throwable thrown) {
      StringWriter text = new StringWriter();
      text.append(level + " " + MessageFormatter.basicArrayFormat(pattern, arguments));
      if (thrown != null) {
        thrown.printStackTrace(new PrintWriter(text));
      }
      LINES.add(text.toString());
    }

    @Override
    public boolean isTraceEnabled() {
      return isKept();
    }

    @Override
    public boolean isDebugEnabled() {
      return isKept();
    }

    @Override
    public boolean isInfoEnabled() {
      return isKept();
    }

    @Override
    public boolean isWarnEnabled() {
      return isKept();
    }

    @Override
    public boolean isErrorEnabled() {
      return isKept();
    }
  }
}
