package dev.baton.client.monitoring;

import dev.baton.client.adapter.KnownAdapters;
import dev.baton.client.identity.Who;
import dev.baton.client.identity.WorkflowRun;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.core.BadSetting;
import dev.baton.core.Checkout;
import dev.baton.core.adapter.AdapterDescriptor;
import dev.baton.queue.event.LockEvent;
import dev.baton.queue.event.LockListener;
import dev.baton.state.LockKey;
import dev.baton.store.FileTree;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.WriteResult;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what happens to a lock where the user wants it: an audit as lines of JSON, metrics as
 * lines for CloudWatch, and metrics as a file for Prometheus.
 *
 * <p>A thread of its own does so. A lock never waits for it: events that it cannot keep up with are
 * dropped and counted, and each kind of failure is told once. {@link #close} waits a little for
 * what is left. Safe for use by several threads.
 */
public final class LockReports implements LockListener, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger("dev.baton.reports");
  private static final int MOST_WAITING = 1000;
  private static final Duration LAST_WORDS = Duration.ofSeconds(3);
  private static final int ATTEMPTS = 5;
  private static final String STANDARD_OUTPUT = "-";

  /** Ends the thread when it has written all before it. */
  private static final Runnable END = () -> {};

  private final BlockingQueue<Runnable> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
  private final AtomicLong dropped = new AtomicLong();
  private final List<Sink> sinks;
  private Thread writer;
  private boolean closed;

  /** Where one kind of report goes. */
  private abstract static class Sink {
    private final String where;
    private boolean failed;

    Sink(String where) {
      this.where = where;
    }

    abstract void write(LockEvent event) throws IOException;

    void writeOrSay(LockEvent event) {
      try {
        write(event);
      } catch (IOException | RuntimeException e) {
        if (!failed) {
          failed = true;
          LOG.warn(
              "what happens to the lock is not reported to {}: {}. The lock is not affected.",
              where,
              reason(e));
        }
      }
    }
  }

  /** Most exceptions about files have but the file as their message. */
  static String reason(Exception failure) {
    if (failure instanceof NoSuchFileException) {
      return "its directory is missing";
    }
    if (failure instanceof AccessDeniedException) {
      return "permission denied";
    }
    return failure instanceof FileSystemException detailed && detailed.getReason() != null
        ? detailed.getReason()
        : failure.getMessage();
  }

  private LockReports(List<Sink> sinks) {
    this.sinks = sinks;
  }

  /**
   * What is asked for by these settings; empty when nothing is.
   *
   * @param queue which one it is, for people
   */
  public static Optional<LockReports> of(String queue, Settings settings, Host host) {
    Optional<Settings.Value> audit = value(Setting.AUDIT_LOG, settings, host);
    Optional<Settings.Value> log = value(Setting.METRICS_LOG, settings, host);
    Optional<Settings.Value> file = value(Setting.METRICS_FILE, settings, host);
    if (audit.isEmpty() && log.isEmpty() && file.isEmpty()) {
      return Optional.empty();
    }
    Redaction redaction = Redaction.of(host, adapters(host));
    LockIdentity lock = new LockIdentity(key(settings), redaction.ofAddress(queue));
    ReportLines lines = new ReportLines(lock, metadata(host), redaction);
    List<Sink> sinks = new ArrayList<>();
    audit.ifPresent(v -> sinks.add(lines(v, lines::audit)));
    log.ifPresent(v -> sinks.add(lines(v, lines::metrics)));
    file.ifPresent(v -> sinks.add(prometheus(counters(v), lock)));
    return Optional.of(new LockReports(sinks));
  }

  private static List<AdapterDescriptor> adapters(Host host) {
    try {
      return host.extensions().adapters();
    } catch (BadSetting e) {
      return KnownAdapters.all();
    }
  }

  /** A front end that takes no settings from the environment still obeys these. */
  private static Optional<Settings.Value> value(Setting setting, Settings settings, Host host) {
    return settings
        .get(setting)
        .or(
            () ->
                Optional.of(host.variable(setting.variable()))
                    .filter(text -> !text.isEmpty())
                    .map(
                        text ->
                            new Settings.Value(
                                text, setting.variable(), Settings.ENVIRONMENT, host.directory())));
  }

  private static Optional<LockKey> key(Settings settings) {
    String queue = settings.get(Setting.QUEUE).map(Settings.Value::text).orElse("");
    String store = settings.get(Setting.STORE).map(Settings.Value::text).orElse("");
    String named = LockKey.isMeant(queue) ? queue : store.substring(store.indexOf('#') + 1);
    try {
      return LockKey.isMeant(named) ? Optional.of(LockKey.parse(named)) : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // The queue could not have been opened.
    }
  }

  private static Map<String, String> metadata(Host host) {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("user", new Who(host).person());
    Optional<WorkflowRun> run = WorkflowRun.of(host.environment());
    if (run.isPresent()) {
      all.put("ci_system", "github-actions");
      all.put("ci_run_id", Long.toString(run.get().run()));
      put(all, "git_commit", host.variable("GITHUB_SHA"));
      put(all, "git_branch", host.variable("GITHUB_REF_NAME"));
    }
    all.put("hostname", Who.line(host.machine().get(), 100));
    all.put("pid", Long.toString(ProcessHandle.current().pid()));
    return all;
  }

  private static void put(Map<String, String> all, String name, String value) {
    if (!value.isEmpty()) {
      all.put(name, Who.line(value, 100));
    }
  }

  private static Path path(Settings.Value value) {
    try {
      return value.base().resolve(value.text()).toAbsolutePath().normalize();
    } catch (InvalidPathException e) {
      throw new BadSetting(
          "the file of " + value.source() + " cannot have this name", "Choose another.", e);
    }
  }

  /** Counts are added up in it, so it has to be a file. */
  private static Path counters(Settings.Value value) {
    if (value.text().equals(STANDARD_OUTPUT)) {
      throw new BadSetting(
          "metrics for Prometheus are added up in a file, and "
              + value.source()
              + " names standard output",
          "Name a file, or write lines with --" + Setting.METRICS_LOG.id() + " instead.");
    }
    return path(value);
  }

  /**
   * The name of a file is the user's. What is there under that name in a checkout may have come
   * with it: a link would have any file of the user written to. That goes for each checkout on the
   * way, whichever directory this runs in.
   */
  private static void requireNoLink(Path file) throws IOException {
    for (Path at = file; at.getParent() != null; at = at.getParent()) {
      if (Files.isSymbolicLink(at) && Checkout.workTree(at.getParent().toRealPath()).isPresent()) {
        throw new IOException(at + " is a link, and may have come with the checkout");
      }
    }
  }

  private interface Line {
    Optional<String> of(LockEvent event);
  }

  private static Sink lines(Settings.Value where, Line line) {
    if (where.text().equals(STANDARD_OUTPUT)) {
      PrintStream out = System.out;
      return new Sink("standard output") {
        @Override
        void write(LockEvent event) {
          line.of(event)
              .ifPresent(
                  text -> {
                    out.println(text);
                    out.flush();
                  });
        }
      };
    }
    Path file = path(where);
    return new Sink(file.toString()) {
      @Override
      void write(LockEvent event) throws IOException {
        Optional<String> text = line.of(event);
        if (text.isPresent()) {
          requireNoLink(file);
          // In one write: several processes may append to one file.
          Files.write(
              file,
              (text.get() + "\n").getBytes(StandardCharsets.UTF_8),
              StandardOpenOption.CREATE,
              StandardOpenOption.APPEND);
        }
      }
    };
  }

  private static Sink prometheus(Path file, LockIdentity lock) {
    FileTree directory = FileTree.in(file.getParent());
    String name = file.getFileName().toString();
    return new Sink(file.toString()) {
      @Override
      void write(LockEvent event) throws IOException {
        List<Measure> measures = Measure.of(event);
        requireNoLink(file);
        for (int attempt = 1; !measures.isEmpty(); attempt++) {
          Snapshot before = directory.read(name);
          String next = PrometheusText.with(before.content().orElse(""), lock, measures);
          if (!(directory.write(name, before.version(), next) instanceof WriteResult.Lost)) {
            return;
          }
          if (attempt == ATTEMPTS) {
            throw StoreException.passing("others write to it all the time", null);
          }
        }
      }
    };
  }

  // ---- the thread

  @Override
  public void on(LockEvent event) {
    start();
    if (!waiting.offer(() -> sinks.forEach(sink -> sink.writeOrSay(event)))) {
      dropped.incrementAndGet();
    }
  }

  private synchronized void start() {
    if (writer == null && !closed) {
      writer = new Thread(this::write, "baton-lock-reports");
      writer.setDaemon(true);
      writer.start();
    }
  }

  private void write() {
    try {
      for (Runnable next = waiting.take(); next != END; next = waiting.take()) {
        next.run();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for what is not written yet, a few seconds at most. */
  @Override
  public void close() {
    Thread last;
    synchronized (this) {
      closed = true;
      last = writer;
    }
    boolean interrupted = Thread.interrupted();
    try {
      if (last != null && waiting.offer(END, LAST_WORDS.toMillis(), TimeUnit.MILLISECONDS)) {
        last.join(LAST_WORDS.toMillis());
      }
    } catch (InterruptedException e) {
      interrupted = true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    if (dropped.get() > 0) {
      LOG.warn("{} events of the lock were not reported: there were too many", dropped.get());
    }
  }
}
