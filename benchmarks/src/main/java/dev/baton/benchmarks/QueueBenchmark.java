package dev.baton.benchmarks;

import dev.baton.core.FakeWorld;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Entry;
import dev.baton.queue.Grant;
import dev.baton.queue.Liveness;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunStatus;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.queue.internal.engine.QueueEngine;
import dev.baton.queue.internal.protocol.Command;
import dev.baton.queue.internal.protocol.Protocol;
import dev.baton.store.FileStores;
import dev.baton.store.MemoryStores;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** Prints what the queue costs on this machine, beside what the bare file system costs. */
public final class QueueBenchmark {

  private static final int ROUNDS = 100;
  private static final int PROCESSES = 8;
  private static final int ROUNDS_EACH = 15;

  private QueueBenchmark() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    if (args.length == 3 && args[0].equals("contend")) {
      contend(Path.of(args[1]), Integer.parseInt(args[2]));
      return;
    }
    if (args.length == 3 && args[0].equals("bare")) {
      bareRounds(Path.of(args[1]), Integer.parseInt(args[2]));
      return;
    }
    Path directory = Files.createTempDirectory("baton-benchmark-");
    try {
      transitions();
      operations(directory.resolve("operations"));
      longHold();
      oneProcess(directory.resolve("one"));
      manyProcesses(directory.resolve("many"));
      handOff(directory.resolve("hand-off"));
      new FlockComparison(directory.resolve("flock")).print();
    } finally {
      delete(directory);
    }
  }

  // ---- the pure part

  private static void transitions() {
    say("cost of one change: decode, join, encode (median of %d)", ROUNDS);
    double base = 0;
    String warmUp = DocumentCodec.encode(documentWith(50));
    for (int i = 0; i < 20 * ROUNDS; i++) {
      change(warmUp, new Command.Join(entry(51), 60));
    }
    for (int tickets : new int[] {10, 100, 300}) {
      QueueDocument d = documentWith(tickets);
      String text = DocumentCodec.encode(d);
      Command join = new Command.Join(entry(tickets + 1), tickets + 2);
      double[] micros = new double[ROUNDS];
      for (int i = 0; i < ROUNDS; i++) {
        long start = System.nanoTime();
        change(text, join);
        micros[i] = (System.nanoTime() - start) / 1e3;
      }
      double perCharacter = median(micros) / text.length();
      base = base == 0 ? perCharacter : base;
      say(
          "  %3d tickets: %7.0f us, document of %6d characters, per character x%.2f of the"
              + " smallest",
          tickets, median(micros), text.length(), perCharacter / base);
    }
  }

  private static void change(String text, Command join) {
    QueueDocument next = Protocol.apply(DocumentCodec.decode(text), join, Instant.EPOCH).document();
    if (DocumentCodec.encode(next).length() <= text.length()) {
      throw new IllegalStateException("nobody joined");
    }
  }

  private static QueueDocument documentWith(int tickets) {
    QueueDocument d = QueueDocument.empty(QueueDocument.MODE_CAS, Rules.DEFAULT);
    for (int i = 1; i <= tickets; i++) {
      d = Protocol.apply(d, new Command.Join(entry(i), tickets + 1), Instant.EPOCH).document();
    }
    return d;
  }

  private static Entry entry(int i) {
    return new Entry(
        String.format(Locale.ROOT, "nonce-%026d", i),
        "octo/app run " + (1_000_000 + i) + " attempt 1 job build",
        "feature/branch-number-" + i,
        Liveness.BEAT,
        Optional.empty(),
        0);
  }

  // ---- on the file store

  private static void operations(Path directory) throws IOException, InterruptedException {
    try (BuildQueue queue = QueueEngine.open(FileStores.in(directory))) {
      queue.create(Rules.DEFAULT);
      double[] grant = new double[ROUNDS];
      for (int i = 0; i < ROUNDS; i++) {
        long start = System.nanoTime();
        Grant g = acquire(queue, "free");
        grant[i] = (System.nanoTime() - start) / 1e6;
        g.close();
      }
      Grant busy = acquire(queue, "busy");
      double[] join = new double[ROUNDS];
      for (int i = 0; i < ROUNDS; i++) {
        long start = System.nanoTime();
        queue.join(entry(i));
        join[i] = (System.nanoTime() - start) / 1e6;
      }
      busy.close();
      say(
          "queue operation (join): median %.1f ms, slowest %.1f ms (goal < 100 ms)",
          median(join), max(join));
      say(
          "grant of a free lock:   median %.1f ms, slowest %.1f ms (goal < 1,000 ms)",
          median(grant), max(grant));
    }
  }

  /** A build of 70 minutes on a clock that the benchmark moves. */
  private static void longHold() {
    FakeWorld world = new FakeWorld();
    MemoryStores stores = new MemoryStores();
    Grant[] held = new Grant[1];
    long start = System.nanoTime();
    world.start(
        "builder",
        () -> {
          try {
            BuildQueue queue =
                QueueEngine.open(stores, world, EngineSettings.DEFAULT, RunStatus.BLIND);
            queue.create(Rules.DEFAULT);
            held[0] = acquire(queue, "70 minutes");
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    int minutes = 0;
    while (minutes < 70 && (minutes == 0 || held[0].state() == Grant.State.HELD)) {
      world.advance(Duration.ofMinutes(1));
      minutes++;
    }
    Grant.State state = held[0].state();
    world.start("releaser", held[0]::close);
    world.advance(Duration.ofMinutes(1));
    say(
        "hold in virtual time:   %s after %d minutes, then %s (%.0f ms of real time)",
        state, minutes, held[0].state(), seconds(start) * 1e3);
    if (state != Grant.State.HELD || minutes < 70) {
      throw new IllegalStateException("a build of 70 minutes lost its lock");
    }
  }

  private static void oneProcess(Path directory) throws IOException, InterruptedException {
    Path bare = Files.createDirectories(directory.resolve("bare"));
    bareRounds(bare, 20);
    long start = System.nanoTime();
    bareRounds(bare, ROUNDS);
    double bareRate = ROUNDS / seconds(start);
    try (BuildQueue queue = QueueEngine.open(FileStores.in(directory.resolve("queue")))) {
      queue.create(Rules.DEFAULT);
      start = System.nanoTime();
      for (int i = 0; i < ROUNDS; i++) {
        acquire(queue, "alone").close();
      }
      double rate = ROUNDS / seconds(start);
      say(
          "one process:      %6.1f acquire-release/s, bare file lock + rename %6.1f/s, ratio %.2f",
          rate, bareRate, rate / bareRate);
    }
  }

  private static void manyProcesses(Path directory) throws IOException, InterruptedException {
    Path bare = Files.createDirectories(directory.resolve("bare"));
    double bareRate = race("bare", bare);
    Path queueDirectory = directory.resolve("queue");
    try (BuildQueue queue = QueueEngine.open(FileStores.in(queueDirectory))) {
      queue.create(Rules.DEFAULT);
    }
    double rate = race("contend", queueDirectory);
    say(
        "%d processes:      %6.1f acquire-release/s, bare file lock + rename %6.1f/s, ratio %.2f"
            + " (both with the start of the processes)",
        PROCESSES, rate, bareRate, rate / bareRate);
  }

  private static double race(String what, Path directory) throws IOException, InterruptedException {
    long start = System.nanoTime();
    List<Process> processes = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      processes.add(
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  System.getProperty("java.class.path"),
                  QueueBenchmark.class.getName(),
                  what,
                  directory.toString(),
                  String.valueOf(ROUNDS_EACH))
              .inheritIO()
              .start());
    }
    for (Process p : processes) {
      if (p.waitFor() != 0) {
        throw new IllegalStateException("a process failed");
      }
    }
    return PROCESSES * ROUNDS_EACH / seconds(start);
  }

  private static void contend(Path directory, int rounds) throws IOException, InterruptedException {
    try (BuildQueue queue = QueueEngine.open(FileStores.in(directory))) {
      for (int i = 0; i < rounds; i++) {
        acquire(queue, "contending").close();
      }
    }
  }

  private static void handOff(Path directory) throws IOException, InterruptedException {
    FileStores space = FileStores.in(directory);
    int rounds = 30;
    double[] times = new double[rounds];
    try (BuildQueue holder = QueueEngine.open(space);
        BuildQueue next = QueueEngine.open(FileStores.in(directory))) {
      holder.create(Rules.DEFAULT);
      for (int i = 0; i < rounds; i++) {
        Grant held = acquire(holder, "holder");
        long[] granted = new long[1];
        Thread waiter =
            new Thread(
                () -> {
                  try {
                    Grant g = acquire(next, "next");
                    granted[0] = System.nanoTime();
                    g.close();
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
        waiter.start();
        while (holder.status().line().isEmpty()) {
          Thread.sleep(5);
        }
        // Somewhere within the poll interval, so that no phase is preferred.
        Thread.sleep((long) (Math.random() * space.traits().pollInterval().toMillis()));
        long released = System.nanoTime();
        held.close();
        waiter.join();
        times[i] = (granted[0] - released) / 1e6;
      }
    }
    double poll = space.traits().pollInterval().toMillis();
    say(
        "hand-off: median x%.2f, slowest x%.2f of the poll interval (%.0f ms)",
        median(times) / poll, max(times) / poll, poll);
  }

  private static Grant acquire(BuildQueue queue, String title)
      throws IOException, InterruptedException {
    Acquisition result = queue.acquire(Request.of("benchmark", title), p -> {});
    if (result instanceof Acquisition.Acquired acquired) {
      return acquired.grant();
    }
    throw new IllegalStateException("not acquired: " + result);
  }

  /** What an acquire and a release cost at the least: two durable, atomic writes under a lock. */
  private static void bareRounds(Path directory, int rounds) throws IOException {
    byte[] content = "x".repeat(2_000).getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < 2 * rounds; i++) {
      try (FileChannel lockFile =
              FileChannel.open(
                  directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          FileLock lock = lockFile.lock()) {
        Path temporary = directory.resolve("document.tmp");
        try (FileChannel out =
            FileChannel.open(
                temporary,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
          out.write(ByteBuffer.wrap(content));
          out.force(true);
        }
        Files.move(temporary, directory.resolve("document"), StandardCopyOption.ATOMIC_MOVE);
        if (!lock.isValid()) {
          throw new IOException("the lock is gone");
        }
      }
    }
  }

  // ---- figures

  private static double seconds(long start) {
    return (System.nanoTime() - start) / 1e9;
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private static double max(double[] values) {
    return Arrays.stream(values).max().orElseThrow();
  }

  private static void say(String format, Object... values) {
    System.out.println(String.format(Locale.ROOT, format, values));
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
