package dev.baton.benchmarks;

import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.Grant;
import dev.baton.queue.Request;
import dev.baton.queue.internal.engine.QueueEngine;
import dev.baton.store.FileStores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/**
 * A process that takes a lock on the file store again and again, and writes down when it had it:
 * {@code DIRECTORY HOLD_MILLIS BEGIN END FILE}, times in microseconds since the epoch. Without more
 * than the directory it takes the lock once.
 */
public final class LockContender {
  private LockContender() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    try (BuildQueue queue = QueueEngine.open(FileStores.in(Path.of(args[0])))) {
      if (args.length == 1) {
        acquire(queue).close();
        return;
      }
      long end = Long.parseLong(args[3]);
      Thread.sleep(Math.max(0, (Long.parseLong(args[2]) - micros()) / 1_000));
      List<String> turns = new ArrayList<>();
      while (micros() < end) {
        turns.add(turn(queue, Long.parseLong(args[1])));
      }
      Files.write(Path.of(args[4]), turns);
    }
  }

  private static String turn(BuildQueue queue, long holdMillis)
      throws IOException, InterruptedException {
    Grant grant = acquire(queue);
    long got = micros();
    Thread.sleep(holdMillis);
    long gave = micros();
    grant.close();
    return got + " " + gave;
  }

  private static Grant acquire(BuildQueue queue) throws IOException, InterruptedException {
    Acquisition result = queue.acquire(Request.of("benchmark", "contending"), p -> {});
    if (result instanceof Acquisition.Acquired acquired) {
      return acquired.grant();
    }
    throw new IllegalStateException("not acquired: " + result);
  }

  /** The time of day, which all processes of a machine share. */
  static long micros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }
}
