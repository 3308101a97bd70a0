package dev.baton.benchmarks;

import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.Grant;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.internal.engine.QueueEngine;
import dev.baton.store.FileStores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The queue on the file store beside {@code flock} of util-linux: the same number of processes that
 * take one lock in turn, hold it for the same time and write down themselves when they had it.
 */
final class FlockComparison {
  private static final int PROCESSES = 8;
  private static final Duration HOLD = Duration.ofMillis(20);

  /** For the processes to start before the first of them asks. */
  private static final Duration START = Duration.ofSeconds(4);

  private static final Duration RACE = Duration.ofSeconds(12);
  private static final Duration LONGEST = Duration.ofMinutes(1);
  private static final Duration SETTLED = Duration.ofSeconds(3);
  private static final Duration WATCHED = Duration.ofSeconds(15);

  /**
   * Waits without a process for it, and unlocks by closing the file: of the processes that a script
   * starts, only flock itself is measured.
   */
  private static final String SCRIPT =
      """
      export LC_ALL=C
      exec 8<> <(:)
      while (( ${EPOCHREALTIME/./} < $3 )); do read -rt 0.01 -u 8; done
      while (( ${EPOCHREALTIME/./} < $4 )); do
        exec 9> "$1"
        flock 9
        got=${EPOCHREALTIME/./}
        read -rt "$2" -u 8
        gave=${EPOCHREALTIME/./}
        exec 9>&-
        echo "$got $gave"
      done > "$5"
      """;

  /** One holder's turn, in microseconds since the epoch. */
  private record Turn(long got, long gave) {}

  /** Which command takes turns from a time to another and writes them to a file. */
  private interface Contender {
    List<String> command(long begin, long end, Path file);
  }

  /**
   * @param handOff the median, in milliseconds
   */
  private record Pace(double perSecond, double handOff) {}

  private final Path directory;

  FlockComparison(Path directory) {
    this.directory = directory;
  }

  void print() throws IOException, InterruptedException {
    Files.createDirectories(directory);
    Table table = new Table();
    table.say(
        "%d processes, each holds the lock for %d ms, again and again", PROCESSES, HOLD.toMillis());
    Optional<Pace> flock = hasFlock() ? Optional.of(race("flock", this::flock)) : Optional.empty();
    Path queue = directory.resolve("queue");
    try (BuildQueue made = QueueEngine.open(FileStores.in(queue))) {
      made.create(Rules.DEFAULT);
    }
    Pace baton = race("baton", (begin, end, file) -> java(queue, begin, end, file));
    if (flock.isPresent()) {
      table.say(
          "  flock: %.1f turns/s, hand-off p50 %.1f ms",
          flock.get().perSecond(), flock.get().handOff());
    } else {
      table.say("  flock: not compared, as flock (util-linux) or bash 5 is not installed here");
    }
    table.say(
        "  baton: %.1f turns/s%s; hand-off p50 %.1f ms: %s",
        baton.perSecond(),
        flock
            .map(f -> baton.perSecond() / f.perSecond())
            .map(share -> ratio(table, share))
            .orElse(""),
        baton.handOff(),
        table.atMost(15, baton.handOff(), " ms"));
    waiters(table);
    System.out.print(table.text());
  }

  private static String ratio(Table table, double share) {
    return String.format(
        Locale.ROOT, ", %.2f of flock's: %s", share, table.atLeast(0.5, share, ""));
  }

  // ---- the race

  private static boolean hasFlock() throws InterruptedException {
    try {
      Process asked =
          new ProcessBuilder("bash", "-c", "flock --version && [ -n \"$EPOCHREALTIME\" ]")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return asked.waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private List<String> flock(long begin, long end, Path file) {
    return List.of(
        "bash",
        "-c",
        SCRIPT,
        "flock",
        directory.resolve("flock.lock").toString(),
        String.valueOf(Table.seconds(HOLD)),
        String.valueOf(begin),
        String.valueOf(end),
        file.toString());
  }

  private static List<String> java(Path queue, long begin, long end, Path file) {
    List<String> command = new ArrayList<>(java(queue));
    command.add(String.valueOf(HOLD.toMillis()));
    command.add(String.valueOf(begin));
    command.add(String.valueOf(end));
    command.add(file.toString());
    return command;
  }

  /** With the options that {@code baton} on the command line has. */
  private static List<String> java(Path queue) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-XX:-UsePerfData",
        "-cp",
        System.getProperty("java.class.path"),
        LockContender.class.getName(),
        queue.toString());
  }

  private Pace race(String name, Contender contender) throws IOException, InterruptedException {
    long begin = LockContender.micros() + micros(START);
    long end = begin + micros(RACE);
    List<Process> processes = new ArrayList<>();
    List<Path> files = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      Path file = directory.resolve(name + "-" + i);
      files.add(file);
      processes.add(new ProcessBuilder(contender.command(begin, end, file)).inheritIO().start());
    }
    awaitAll(processes, START.plus(RACE).plus(LONGEST));
    List<Turn> turns = new ArrayList<>();
    long allAtIt = begin;
    for (Path file : files) {
      List<Turn> mine = Files.readAllLines(file).stream().map(FlockComparison::turn).toList();
      turns.addAll(mine);
      allAtIt = Math.max(allAtIt, mine.isEmpty() ? end : mine.get(0).got());
    }
    return pace(name, turns, allAtIt, end);
  }

  private static Turn turn(String line) {
    int space = line.indexOf(' ');
    return new Turn(
        Long.parseLong(line.substring(0, space)), Long.parseLong(line.substring(space + 1)));
  }

  /** From when each has had its first turn, so that nothing of their start is in it. */
  private static Pace pace(String name, List<Turn> all, long from, long to) {
    List<Turn> turns = all.stream().sorted(Comparator.comparingLong(Turn::got)).toList();
    List<Duration> handOffs = new ArrayList<>();
    long counted = 0;
    for (int i = 1; i < turns.size(); i++) {
      long handOff = turns.get(i).got() - turns.get(i - 1).gave();
      if (handOff < 0) {
        throw new IllegalStateException("two had the lock of " + name + " at once");
      }
      if (turns.get(i).got() >= from && turns.get(i).got() < to) {
        counted++;
        handOffs.add(Duration.of(handOff, ChronoUnit.MICROS));
      }
    }
    if (counted < PROCESSES) {
      throw new IllegalStateException(
          "too few turns of " + name + " to measure on a machine as busy as this: " + counted);
    }
    return new Pace(counted / ((to - from) / 1e6), Table.percentile(handOffs, 0.5) * 1e3);
  }

  private static long micros(Duration d) {
    return d.toNanos() / 1_000;
  }

  private static void awaitAll(List<Process> processes, Duration atMost)
      throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    try {
      for (Process p : processes) {
        if (!p.waitFor(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
          throw new IllegalStateException("a process does not end: " + p.pid());
        }
        if (p.exitValue() != 0) {
          throw new IllegalStateException("a process failed: " + p.pid());
        }
      }
    } finally {
      processes.forEach(Process::destroyForcibly);
    }
  }

  // ---- what waiting costs

  private void waiters(Table table) throws IOException, InterruptedException {
    Path queue = directory.resolve("waiters");
    List<Process> processes = new ArrayList<>();
    List<Double> shares = new ArrayList<>();
    try (BuildQueue holder = QueueEngine.open(FileStores.in(queue))) {
      holder.create(Rules.DEFAULT);
      Grant held =
          ((Acquisition.Acquired) holder.acquire(Request.of("benchmark", "holds"), p -> {}))
              .grant();
      for (int i = 1; i < PROCESSES; i++) {
        processes.add(new ProcessBuilder(java(queue)).inheritIO().start());
        awaitInLine(holder, i);
      }
      Thread.sleep(SETTLED.toMillis());
      List<Duration> before = processes.stream().map(FlockComparison::cpu).toList();
      long start = System.nanoTime();
      Thread.sleep(WATCHED.toMillis());
      double watched = (System.nanoTime() - start) / 1e9;
      for (int i = 0; i < before.size(); i++) {
        shares.add(100 * Table.seconds(cpu(processes.get(i)).minus(before.get(i))) / watched);
      }
      held.close();
    } finally {
      awaitAll(processes, LONGEST);
    }
    double worst = shares.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
    table.say(
        "  a waiter takes %.2f %% of a CPU, the next in line %.2f %%, the busiest %.2f %%: %s",
        shares.stream().mapToDouble(Double::doubleValue).average().orElseThrow(),
        shares.get(0),
        worst,
        table.atMost(0.5, worst, " %"));
  }

  private static void awaitInLine(BuildQueue queue, int number)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + LONGEST.toNanos();
    while (queue.status().line().size() < number) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("a process does not get in line");
      }
      Thread.sleep(20);
    }
  }

  private static Duration cpu(Process process) {
    return process
        .info()
        .totalCpuDuration()
        .orElseThrow(() -> new IllegalStateException("no CPU time of " + process.pid()));
  }
}
