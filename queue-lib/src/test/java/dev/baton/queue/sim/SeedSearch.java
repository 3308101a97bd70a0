package dev.baton.queue.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/** Runs seeds until one breaks a promise. */
final class SeedSearch {
  private static final int OPERATIONS = 1_000;
  private static final int SEEDS = 40;

  private SeedSearch() {}

  /** The first violation among some seeds. */
  static Optional<Simulation.Result> firstViolation(
      long firstSeed, String profile, Cloud.Tampering tampering, Consumer<Simulation> change) {
    Scheduler.Threads threads = new Scheduler.Threads();
    try {
      for (long seed = firstSeed; seed < firstSeed + SEEDS; seed++) {
        Simulation sim =
            new Simulation(
                new Simulation.Plan(seed, OPERATIONS, Optional.of(profile)), tampering, threads);
        change.accept(sim);
        Simulation.Result result = sim.finish();
        if (result.violation().isPresent()) {
          return Optional.of(result);
        }
      }
      return Optional.empty();
    } finally {
      threads.close();
    }
  }

  /** A run of the engine as it is. */
  static Simulation.Result run(long seed, String profile) {
    return run(seed, profile, sim -> Mutant.NONE);
  }

  static Simulation.Result run(long seed, String profile, Function<Simulation, Mutant> mutant) {
    Scheduler.Threads threads = new Scheduler.Threads();
    try {
      Simulation sim =
          new Simulation(
              new Simulation.Plan(seed, OPERATIONS, Optional.of(profile)),
              Cloud.Tampering.NONE,
              threads);
      sim.mutate(mutant.apply(sim));
      sim.populate();
      return sim.finish();
    } finally {
      threads.close();
    }
  }

  static void assertBroken(Optional<Simulation.Result> result, String... promises) {
    assertThat(result).as("a seed with a violation").isPresent();
    assertThat(result.get().violation().orElseThrow().promise())
        .as(result.get().report())
        .isIn((Object[]) promises);
    assertThat(result.get().report())
        .contains("replay: ./gradlew :queue-lib:simulate -Pseeds=1 -PfirstSeed=");
  }
}
