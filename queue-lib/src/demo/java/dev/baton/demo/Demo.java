package dev.baton.demo;

import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.Extra;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.Ticket;
import dev.baton.queue.WaitProgress;
import dev.baton.queue.engine.QueueEngine;
import dev.baton.store.FileStores;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Several processes on this machine build one after the other, through a queue in a directory. One
 * is killed while it builds, one is moved forward by a maintainer; at the end a witness file that
 * every build wrote to shows whether the promises were kept.
 */
public final class Demo {

  private static final Rules RULES =
      new Rules(
          1,
          Duration.ofSeconds(6),
          Duration.ofSeconds(1),
          Duration.ofSeconds(5),
          Duration.ofMinutes(1),
          Duration.ofMinutes(60),
          Extra.NONE);

  private static final String KILLED = "build that gets killed";

  private Demo() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    if (args.length == 4 && args[0].equals("worker")) {
      Worker.run(Path.of(args[1]), args[2], Duration.ofMillis(Long.parseLong(args[3])));
      return;
    }
    if (!play()) {
      System.exit(1);
    }
  }

  private static boolean play() throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("baton-demo-");
    List<Process> workers = new ArrayList<>();
    Thread cleanUp =
        new Thread(
            () -> {
              workers.forEach(Process::destroyForcibly);
              delete(directory);
            });
    Runtime.getRuntime().addShutdownHook(cleanUp);
    try (BuildQueue queue = QueueEngine.open(FileStores.in(directory))) {
      say("A queue in %s: six processes want to build, one at a time.", directory);
      queue.create(RULES);
      for (String title : List.of("app", KILLED, "docs", "site")) {
        workers.add(start(directory, title, title.equals(KILLED) ? 60_000 : 1_500));
        awaitTickets(queue, workers.size());
      }
      workers.add(start(directory, "hotfix", 1_000));
      awaitTickets(queue, workers.size());
      Ticket hotfix = find(queue.status(), "hotfix").orElseThrow();
      Ticket docs = find(queue.status(), "docs").orElseThrow();
      say("A maintainer moves the hotfix before the docs.");
      queue.moveBefore(hotfix.number(), docs.number(), "the maintainer");
      workers.add(start(directory, "app", 1_000));

      Process victim = workers.get(1);
      while (find(queue.status(), KILLED).filter(t -> t.token() > 0).isEmpty()) {
        watch(queue);
      }
      watch(queue);
      say("Somebody kills the process that builds (kill -9). Its lease is 6 s.");
      victim.destroyForcibly();
      while (workers.stream().anyMatch(Process::isAlive)) {
        watch(queue);
      }
      return report(queue.status(), Witness.read(directory));
    }
  }

  private static Optional<Ticket> find(QueueDocument d, String title) {
    return d.tickets().stream().filter(t -> t.title().equals(title)).findFirst();
  }

  private static void awaitTickets(BuildQueue queue, int count)
      throws QueueException, InterruptedException {
    while (queue.status().nextTicket() <= count) {
      Thread.sleep(50);
    }
  }

  private static String shown = "";

  private static void watch(BuildQueue queue) throws QueueException, InterruptedException {
    QueueDocument d = queue.status();
    StringBuilder s = new StringBuilder();
    d.tickets().stream()
        .filter(t -> t.token() > 0)
        .forEach(t -> s.append(String.format("[%s, token %d]", t.title(), t.token())));
    d.line().forEach(t -> s.append(" <- ").append(t.title()));
    String line = s.isEmpty() ? "nobody" : s.toString();
    if (!line.equals(shown)) {
      say("  %s", line);
      shown = line;
    }
    Thread.sleep(200);
  }

  private static boolean report(QueueDocument d, List<Witness> witnesses) {
    say("");
    say("%-24s %6s %10s %10s  %s", "build", "token", "waited", "built", "end");
    d.history().stream()
        .filter(h -> h.built().isPresent())
        .forEach(
            h ->
                say(
                    "%-24s %6d %8d s %8d s  %s",
                    h.title(),
                    h.token(),
                    h.waited().orElse(Duration.ZERO).toSeconds(),
                    h.built().get().toSeconds(),
                    h.event() == HistoryEntry.Event.RELEASED ? "released" : h.note()));
    List<String> broken = Witness.check(witnesses);
    List<String> order = witnesses.stream().map(Witness::title).toList();
    List<String> expected = List.of("app", KILLED, "hotfix", "docs", "site", "app");
    if (!order.equals(expected)) {
      broken.add("the order was " + order + " and should have been " + expected);
    }
    say("");
    broken.forEach(b -> say("BROKEN: %s", b));
    if (broken.isEmpty()) {
      say("Kept: one build at a time, in order, with growing fencing tokens.");
    }
    return broken.isEmpty();
  }

  private static Process start(Path directory, String title, long millis) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            Demo.class.getName(),
            "worker",
            directory.toString(),
            title,
            String.valueOf(millis))
        .inheritIO()
        .start();
  }

  private static void say(String format, Object... values) {
    System.out.println(String.format(Locale.ROOT, format, values));
  }

  private static void delete(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException e) {
      System.err.println("could not remove " + directory + ": " + e.getMessage());
    }
  }

  /** A process that takes its turn. */
  private static final class Worker {

    static void run(Path directory, String title, Duration build)
        throws IOException, InterruptedException {
      try (BuildQueue queue = QueueEngine.open(FileStores.in(directory))) {
        Acquisition result =
            queue.acquire(
                Request.of("process " + ProcessHandle.current().pid(), title),
                (WaitProgress progress) -> {});
        if (result instanceof Acquisition.Acquired acquired) {
          Witness.write(directory, "start", acquired.grant().fencingToken(), title);
          Thread.sleep(build.toMillis());
          Witness.write(directory, "end", acquired.grant().fencingToken(), title);
          acquired.grant().release("ok");
        } else {
          throw new IOException(title + " did not get the lock: " + result);
        }
      }
    }
  }

  /** What a build wrote to the file that all builds share. */
  private record Witness(String title, long token, Instant start, Optional<Instant> end) {

    static void write(Path directory, String what, long token, String title) throws IOException {
      Files.writeString(
          directory.resolve("witness.txt"),
          String.join("\t", what, String.valueOf(token), Instant.now().toString(), title) + "\n",
          StandardCharsets.UTF_8,
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    }

    static List<Witness> read(Path directory) throws IOException {
      List<Witness> result = new ArrayList<>();
      for (String line : Files.readAllLines(directory.resolve("witness.txt"))) {
        String[] part = line.split("\t", 4);
        Instant at = Instant.parse(part[2]);
        if (part[0].equals("start")) {
          result.add(new Witness(part[3], Long.parseLong(part[1]), at, Optional.empty()));
        } else {
          result.replaceAll(
              w ->
                  w.token == Long.parseLong(part[1])
                      ? new Witness(w.title, w.token, w.start, Optional.of(at))
                      : w);
        }
      }
      return result;
    }

    /** In the order in which they started: no overlap, growing tokens. */
    static List<String> check(List<Witness> all) {
      List<String> broken = new ArrayList<>();
      for (int i = 1; i < all.size(); i++) {
        Witness before = all.get(i - 1);
        Witness now = all.get(i);
        if (now.token <= before.token) {
          broken.add("token " + now.token + " came after " + before.token);
        }
        if (before.end.isPresent() && now.start.isBefore(before.end.get())) {
          broken.add(now.title + " started before " + before.title + " had ended");
        }
        if (before.end.isEmpty() && !before.title.equals(KILLED)) {
          broken.add(before.title + " never ended");
        }
      }
      return broken;
    }
  }
}
