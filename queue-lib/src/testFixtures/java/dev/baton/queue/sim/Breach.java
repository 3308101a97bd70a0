package dev.baton.queue.sim;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A mistake that the simulation must report: an engine, a store or a document that is wrong on
 * purpose.
 *
 * @param name what is wrong, in a few words
 * @param profile in which the mistake is looked for
 * @param seeds how many seeds it is looked for in; 0 for one that is made by hand
 * @param reported one of these checks must be the first to report it
 */
record Breach(
    String name,
    String profile,
    long firstSeed,
    int seeds,
    Set<Check> reported,
    Cloud.Tampering tampering,
    Consumer<Simulation> change,
    boolean engine) {

  private static final int OPERATIONS = 1_000;
  private static final int SEEDS = 40;

  /**
   * What came of it.
   *
   * @param seed that shows it; 0 for one that is made by hand
   * @param text what was reported, or why that is not what it should be
   */
  record Verdict(boolean caught, long seed, String text) {}

  /** An engine with one mistake, which the engine as it is does not make in the same seed. */
  static Breach mutant(
      String name,
      String profile,
      long firstSeed,
      Function<Simulation, Mutant> mutant,
      Check... reported) {
    Consumer<Simulation> change =
        sim -> {
          sim.mutate(mutant.apply(sim));
          sim.populate();
        };
    return new Breach(
        name, profile, firstSeed, SEEDS, set(reported), Cloud.Tampering.NONE, change, true);
  }

  /** Surroundings that the engine cannot bear. */
  static Breach world(
      String name,
      String profile,
      long firstSeed,
      Cloud.Tampering tampering,
      Consumer<Simulation> change,
      Check... reported) {
    return new Breach(name, profile, firstSeed, SEEDS, set(reported), tampering, change, false);
  }

  /** Something that no engine does, told to the checker directly. */
  static Breach byHand(String name, String profile, Check reported, Bench.Deed deed) {
    Consumer<Simulation> change = sim -> new Bench(sim).perform(deed);
    return new Breach(name, profile, 1, 0, set(reported), Cloud.Tampering.NONE, change, false);
  }

  private static Set<Check> set(Check... checks) {
    return EnumSet.copyOf(Arrays.asList(checks));
  }

  /** Whether this shows that a check can fail: it is the only one that may report it. */
  boolean proves(Check check) {
    return reported.equals(EnumSet.of(check));
  }

  Verdict run(Scheduler.Threads threads) {
    if (seeds == 0) {
      Simulation sim = simulation(firstSeed, threads);
      change.accept(sim);
      return verdict(0, sim.violation(), "");
    }
    for (long seed = firstSeed; seed < firstSeed + seeds; seed++) {
      Simulation sim = simulation(seed, threads);
      change.accept(sim);
      Simulation.Result result = sim.finish();
      if (result.violation().isPresent()) {
        Verdict verdict = verdict(seed, result.violation(), "\n" + result.report());
        return verdict.caught() && engine ? asItIs(verdict, threads) : verdict;
      }
    }
    return new Verdict(false, 0, "nothing was reported in " + seeds + " seeds");
  }

  /** The engine itself must pass the seed that shows the mutant. */
  private Verdict asItIs(Verdict seen, Scheduler.Threads threads) {
    Simulation sim = simulation(seen.seed(), threads);
    sim.populate();
    Simulation.Result result = sim.finish();
    return result.violation().isEmpty()
        ? seen
        : new Verdict(false, seen.seed(), "the engine itself fails: " + result.report());
  }

  private Simulation simulation(long seed, Scheduler.Threads threads) {
    return new Simulation(
        new Simulation.Plan(seed, OPERATIONS, Optional.of(profile)), tampering, threads);
  }

  private Verdict verdict(long seed, Optional<Simulation.Violation> found, String report) {
    if (found.isEmpty()) {
      return new Verdict(false, seed, "nothing was reported");
    }
    Check check = found.get().check();
    String text = check.promise + ": " + found.get().text();
    return reported.contains(check)
        ? new Verdict(true, seed, text)
        : new Verdict(
            false, seed, "expected " + reported + ", got " + check + ": " + text + report);
  }

  @Override
  public String toString() {
    return name;
  }
}
