package dev.baton.queue.sim;

import static dev.baton.queue.sim.SeedSearch.assertBroken;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * Mistakes that an engine could make: the simulation must see each of them, in a seed that the
 * engine itself passes.
 */
class MutantsTest {

  private static void assertSeen(
      String profile, String promise, Function<Simulation, Mutant> mutant) {
    Optional<Simulation.Result> found =
        SeedSearch.firstViolation(
            1,
            profile,
            Cloud.Tampering.NONE,
            sim -> {
              sim.mutate(mutant.apply(sim));
              sim.populate();
            });
    assertBroken(found, promise);
    System.out.println(profile + ": " + found.get().headline());
    Simulation.Result asItIs = SeedSearch.run(found.get().plan().seed(), profile);
    assertThat(asItIs.violation()).as(asItIs.report()).isEmpty();
  }

  @Test
  void aHeartbeatThatNeverLooksAtItsLease() {
    assertSeen("isolated", "Q6", Mutants::whoseHeartbeatNeverLooksAtItsLease);
  }

  @Test
  void aLeaseThatIsJudgedOnlyBetweenCalls() {
    assertSeen("hangs", "Q6", sim -> Mutants.whichLooksAtItsLeaseBetweenCalls());
  }

  @Test
  void aLimitThatEndsAWait() {
    assertSeen("limited", "Q9", sim -> Mutants.whichDoesNotWaitOutALimit());
  }

  @Test
  void aRefusalThatIsNeverDoubted() {
    assertSeen("odd", "Q9", sim -> Mutants.whichNeverRepeatsARefusedWrite());
  }

  @Test
  void anAbsenceThatIsBelievedAtOnce() {
    assertSeen("odd", "Q9", sim -> Mutants.whichBelievesASingleAbsence());
  }

  @Test
  void anOldReadThatIsBelievedAtOnce() {
    assertSeen("odd", "Q9", sim -> Mutants.whichBelievesASingleOldRead());
  }

  @Test
  void heartbeatsThatAreLookedAtRarelyFromFarBack() {
    assertSeen("deaths", "Q5", Mutants::whichLooksAwayFarBack);
  }

  @Test
  void aRollCallThatNobodyAnswers() {
    assertSeen("deaths", "Q5", sim -> Mutants.whichNeverShowsItself());
  }

  @Test
  void aRollCallThatSomeDoNotAnswer() {
    assertSeen("deaths", "Q3", sim -> Mutants.whichSometimesDoesNotShowItself());
  }

  @Test
  void aMinuteThatEndsAWait() {
    assertSeen("herd", "Q9", sim -> Mutants.whichGivesUpInAHerd());
  }

  @Test
  void oneWhoIsAlwaysLeftOut() {
    assertSeen("herd", "Q5", sim -> Mutants.whichLeavesOneOut());
  }

  @Test
  void tokensThatStartOver() {
    assertSeen("deleted", "Q2", sim -> Mutants.whichStartsTokensOver());
  }
}
