package dev.baton.queue.sim;

import java.io.PrintStream;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs many simulations: {@code seeds}, {@code firstSeed}, {@code operations} (for each seed),
 * {@code profile} and {@code workers} as {@code name=value}.
 */
public final class Simulate {
  private static final long PROGRESS_NANOS = 5_000_000_000L;
  private static final int REPORTS = 5;

  private Simulate() {}

  /** What a number of runs came to. */
  public record Total(long operations, long seeds, long violations, long grants) {
    public String line() {
      return "simulated operations: "
          + operations
          + ", seeds: "
          + seeds
          + ", violations: "
          + violations;
    }
  }

  public static void main(String[] args) {
    long seeds = 200;
    long firstSeed = 1;
    int operations = 1_000;
    int workers = Math.max(1, Runtime.getRuntime().availableProcessors());
    Optional<String> profile = Optional.empty();
    boolean all = false;
    for (String arg : args) {
      String[] pair = arg.split("=", 2);
      if (pair.length != 2) {
        throw new IllegalArgumentException("expected name=value: " + arg);
      }
      switch (pair[0]) {
        case "seeds" -> seeds = Long.parseLong(pair[1]);
        case "firstSeed" -> firstSeed = Long.parseLong(pair[1]);
        case "operations" -> operations = Integer.parseInt(pair[1]);
        case "workers" -> workers = Integer.parseInt(pair[1]);
        case "profile" -> profile = Optional.of(pair[1]);
        case "log" -> all = Boolean.parseBoolean(pair[1]);
        default -> throw new IllegalArgumentException("unknown: " + arg);
      }
    }
    Simulation.keepWholeLog(all);
    Total total = runAll(firstSeed, seeds, operations, profile, workers, System.out);
    System.out.println(total.line());
    System.exit(total.violations() > 0 ? 1 : 0);
  }

  /** Runs seeds in a row, several at a time. */
  public static Total runAll(
      long firstSeed,
      long seeds,
      int operations,
      Optional<String> profile,
      int workers,
      PrintStream out) {
    AtomicLong next = new AtomicLong(firstSeed);
    AtomicLong done = new AtomicLong();
    AtomicLong ops = new AtomicLong();
    AtomicLong grants = new AtomicLong();
    AtomicLong violations = new AtomicLong();
    AtomicBoolean failed = new AtomicBoolean();
    long start = System.nanoTime();
    AtomicLong told = new AtomicLong(start);
    Thread[] threads = new Thread[workers];
    for (int i = 0; i < workers; i++) {
      threads[i] =
          new Thread(
              () -> {
                Scheduler.Threads pool = new Scheduler.Threads();
                try {
                  for (long seed = next.getAndIncrement();
                      seed < firstSeed + seeds && !failed.get();
                      seed = next.getAndIncrement()) {
                    Simulation.Result r =
                        Simulation.run(
                            new Simulation.Plan(seed, operations, profile),
                            Cloud.Tampering.NONE,
                            pool);
                    ops.addAndGet(r.operations());
                    grants.addAndGet(r.grants());
                    done.incrementAndGet();
                    if (r.violation().isPresent()) {
                      boolean whole = violations.incrementAndGet() <= REPORTS;
                      out.println(whole ? r.report() : r.headline());
                    }
                    progress(out, start, told, done, seeds, ops, grants, violations);
                  }
                } catch (RuntimeException | Error e) {
                  failed.set(true);
                  violations.incrementAndGet();
                  out.println("a run failed: " + e);
                  e.printStackTrace(out);
                } finally {
                  pool.close();
                }
              },
              "simulate-" + i);
      threads[i].start();
    }
    for (Thread t : threads) {
      try {
        t.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        failed.set(true);
      }
    }
    return new Total(ops.get(), done.get(), violations.get(), grants.get());
  }

  private static void progress(
      PrintStream out,
      long start,
      AtomicLong told,
      AtomicLong done,
      long seeds,
      AtomicLong ops,
      AtomicLong grants,
      AtomicLong violations) {
    long now = System.nanoTime();
    long last = told.get();
    if (now - last > PROGRESS_NANOS && told.compareAndSet(last, now)) {
      out.printf(
          Locale.ROOT,
          "%d of %d seeds, %d operations (%.0f/s), %d grants, %d violations%n",
          done.get(),
          seeds,
          ops.get(),
          ops.get() / ((now - start) / 1e9),
          grants.get(),
          violations.get());
    }
  }
}
