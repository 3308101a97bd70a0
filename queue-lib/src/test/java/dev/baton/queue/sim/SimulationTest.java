package dev.baton.queue.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SimulationTest {
  private static final int OPERATIONS = 1_000;

  private static void assertClean(long firstSeed, int seeds) {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8);
    Simulate.Total total = Simulate.runAll(firstSeed, seeds, OPERATIONS, Optional.empty(), 2, out);
    assertThat(total.violations()).as(text.toString(StandardCharsets.UTF_8)).isZero();
    assertThat(total.seeds()).isEqualTo(seeds);
    assertThat(total.operations()).isGreaterThanOrEqualTo((long) seeds * OPERATIONS);
    assertThat(total.grants()).as("turns that somebody had").isGreaterThan(seeds * 5L);
  }

  @Test
  void promisesHoldOverFixedSeeds() {
    assertClean(1, 100);
  }

  @Test
  void promisesHoldOverNewSeeds() {
    long firstSeed = ThreadLocalRandom.current().nextLong(1_000_000, 1_000_000_000);
    System.out.println("simulating 5 seeds from " + firstSeed);
    assertClean(firstSeed, 5);
  }

  /** Seeds in which a roll call that leaves no time for old reads passes over somebody alive. */
  @ParameterizedTest
  @ValueSource(longs = {700_122, 700_167, 700_193, 700_290})
  void nobodyAliveIsPassedOverForAnOldRead(long seed) {
    assertNoDeathHarms(seed);
  }

  /**
   * Seeds in which a lock passed on too late: a roll call that everybody had long answered counted
   * only from the end of the turn, and looks in the last lease before a turn were too rare. In the
   * third a change says more than the store has room for.
   */
  @ParameterizedTest
  @ValueSource(longs = {760_044, 800_103, 800_247})
  void manyDeathsCostOneAndAHalfLeases(long seed) {
    assertNoDeathHarms(seed);
  }

  private static void assertNoDeathHarms(long seed) {
    Simulation.Plan plan = new Simulation.Plan(seed, OPERATIONS, Optional.of("deaths"));
    Scheduler.Threads threads = new Scheduler.Threads();
    assertThat(run(plan, threads).violation()).isEmpty();
    threads.close();
  }

  @ParameterizedTest
  @EnumSource(Profile.Kind.class)
  void aSeedAlwaysGivesTheSameCourseOfEvents(Profile.Kind profile) {
    Simulation.Plan plan = new Simulation.Plan(7, OPERATIONS, Optional.of(profile.name()));
    Simulation.Result first = run(plan, new Scheduler.Threads());
    Scheduler.Threads used = new Scheduler.Threads();
    run(new Simulation.Plan(8, OPERATIONS, Optional.empty()), used);
    Simulation.Result second = run(plan, used);
    assertThat(second.hash()).isEqualTo(first.hash());
    assertThat(second.operations()).isEqualTo(first.operations());
    assertThat(second.lastEvents()).isEqualTo(first.lastEvents());
    assertThat(run(new Simulation.Plan(9, OPERATIONS, plan.profile()), used).hash())
        .as("another seed")
        .isNotEqualTo(first.hash());
    used.close();
  }

  private static Simulation.Result run(Simulation.Plan plan, Scheduler.Threads threads) {
    return Simulation.run(plan, Cloud.Tampering.NONE, threads);
  }
}
