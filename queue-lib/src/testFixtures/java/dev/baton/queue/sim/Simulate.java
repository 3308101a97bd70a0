package dev.baton.queue.sim;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs many simulations: {@code seeds}, {@code firstSeed}, {@code operations} (for each seed),
 * {@code profile}, {@code workers}, {@code resume} (a file) and {@code mutants} as {@code
 * name=value}.
 */
public final class Simulate {
  private static final long PROGRESS_NANOS = 5_000_000_000L;
  private static final int REPORTS = 5;

  /** From here on a run takes so long that one may want to go on with it later. */
  private static final long LONG_RUN = 1_000;

  /** Fewer seeds, or those of one profile, are for looking at something. */
  private static final long WHOLE_RUN = 100;

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
    Optional<Path> resume = Optional.empty();
    Path usual = Path.of("simulation.progress");
    Optional<Boolean> mutants = Optional.empty();
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
        case "resume" -> resume = Optional.of(Path.of(pair[1]));
        case "usualFile" -> usual = Path.of(pair[1]);
        case "mutants" -> mutants = Optional.of(Boolean.parseBoolean(pair[1]));
        case "log" -> all = Boolean.parseBoolean(pair[1]);
        default -> throw new IllegalArgumentException("unknown: " + arg);
      }
    }
    Simulation.keepWholeLog(all);
    Progress.Plan plan =
        new Progress.Plan(
            firstSeed, seeds, operations, profile.orElse(""), Progress.hashOfClasses());
    Optional<Progress> progress = progress(resume, usual, plan);
    if (progress.isEmpty()) {
      System.exit(2);
    }
    Total total = runAll(progress.get(), operations, profile, workers, System.out);
    boolean caught =
        !mutants.orElse(seeds >= WHOLE_RUN && profile.isEmpty()) || catchAll(workers, System.out);
    if (resume.isEmpty()) {
      progress.get().forget();
    }
    System.out.println(total.line());
    System.exit(total.violations() > 0 || !caught ? 1 : 0);
  }

  private static Optional<Progress> progress(
      Optional<Path> resume, Path usual, Progress.Plan plan) {
    if (resume.isEmpty() && plan.seeds() < LONG_RUN) {
      return Optional.of(Progress.ofOneGo(plan));
    }
    Path file = resume.orElse(usual);
    try {
      return Optional.of(Progress.in(file, plan));
    } catch (Progress.Foreign e) {
      if (resume.isPresent()) {
        System.out.println(e.getMessage());
        return Optional.empty();
      }
      System.out.println("starting over: " + file + " is of another run");
      return Optional.of(Progress.over(file, plan));
    }
  }

  /** Runs seeds in a row, several at a time. */
  public static Total runAll(
      long firstSeed,
      long seeds,
      int operations,
      Optional<String> profile,
      int workers,
      PrintStream out) {
    Progress.Plan plan = new Progress.Plan(firstSeed, seeds, operations, "", "");
    return runAll(Progress.ofOneGo(plan), operations, profile, workers, out);
  }

  static Total runAll(
      Progress progress, int operations, Optional<String> profile, int workers, PrintStream out) {
    if (progress.done() > 0) {
      out.println("going on at seed " + progress.next());
    }
    AtomicLong next = new AtomicLong(progress.next());
    AtomicInteger reported = new AtomicInteger();
    AtomicBoolean failed = new AtomicBoolean();
    Meter meter = new Meter(progress, out);
    inParallel(
        workers,
        pool -> {
          try {
            for (long seed = next.getAndIncrement();
                seed < progress.end() && !failed.get();
                seed = next.getAndIncrement()) {
              Simulation.Result r =
                  Simulation.run(
                      new Simulation.Plan(seed, operations, profile), Cloud.Tampering.NONE, pool);
              progress.add(seed, r);
              if (r.violation().isPresent()) {
                out.println(reported.incrementAndGet() <= REPORTS ? r.report() : r.headline());
              }
              meter.tell();
            }
          } catch (RuntimeException | Error e) {
            failed.set(true);
            out.println("a run failed: " + e);
            e.printStackTrace(out);
          }
        });
    progress.save();
    Progress.Sum sum = progress.sum();
    int broken = sum.violations().size() + (failed.get() ? 1 : 0);
    return new Total(sum.operations(), progress.done(), broken, sum.grants());
  }

  /** Whether each mistake that is known is reported. */
  static boolean catchAll(int workers, PrintStream out) {
    List<Breach> all = Breaches.all();
    AtomicInteger next = new AtomicInteger();
    AtomicInteger caught = new AtomicInteger();
    inParallel(
        workers,
        pool -> {
          for (int i = next.getAndIncrement(); i < all.size(); i = next.getAndIncrement()) {
            Breach b = all.get(i);
            Breach.Verdict verdict = b.run(pool);
            if (verdict.caught()) {
              caught.incrementAndGet();
            } else {
              out.println("NOT CAUGHT: " + b.name() + " (" + b.profile() + "): " + verdict.text());
            }
          }
        });
    out.println("mutants: " + all.size() + ", caught: " + caught.get());
    return caught.get() == all.size();
  }

  private interface Work {
    void run(Scheduler.Threads pool);
  }

  private static void inParallel(int workers, Work work) {
    Thread[] threads = new Thread[workers];
    for (int i = 0; i < workers; i++) {
      threads[i] =
          new Thread(
              () -> {
                Scheduler.Threads pool = new Scheduler.Threads();
                try {
                  work.run(pool);
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
        throw new IllegalStateException(e);
      }
    }
  }

  /** Says now and then how it goes. */
  private static final class Meter {
    private final Progress progress;
    private final PrintStream out;
    private final long start = System.nanoTime();
    private final long doneBefore;
    private final long operationsBefore;
    private final AtomicLong told = new AtomicLong(start);

    Meter(Progress progress, PrintStream out) {
      this.progress = progress;
      this.out = out;
      this.doneBefore = progress.done();
      this.operationsBefore = progress.sum().operations();
    }

    void tell() {
      long now = System.nanoTime();
      long last = told.get();
      if (now - last <= PROGRESS_NANOS || !told.compareAndSet(last, now)) {
        return;
      }
      Progress.Sum sum = progress.sum();
      double seconds = (now - start) / 1e9;
      long done = progress.done();
      double left = seconds * (progress.seeds() - done) / Math.max(1, done - doneBefore);
      out.printf(
          Locale.ROOT,
          "%d of %d seeds, %d operations (%.0f/s), %d grants, %d violations, %s left%n",
          done,
          progress.seeds(),
          sum.operations(),
          (sum.operations() - operationsBefore) / seconds,
          sum.grants(),
          sum.violations().size(),
          Duration.ofSeconds((long) left).toString().substring(2).toLowerCase(Locale.ROOT));
    }
  }
}
