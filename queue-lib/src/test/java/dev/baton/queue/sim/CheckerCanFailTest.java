package dev.baton.queue.sim;

import static dev.baton.queue.sim.SeedSearch.assertBroken;
import static dev.baton.queue.sim.SeedSearch.firstViolation;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A checker that never complains proves nothing: here it has to. */
class CheckerCanFailTest {

  @Test
  void readCheckWriteWithoutCompareAndSetBreaksMutualExclusion() {
    assertBroken(firstViolation(1, "calm", Cloud.Tampering.LAST_WRITER_WINS, NaiveTeam::of), "Q1");
  }

  @Test
  void readCheckWriteWithCompareAndSetDoesNot() {
    // So it is the missing compare-and-set that the checker complains about above.
    assertThat(firstViolation(1, "calm", Cloud.Tampering.NONE, NaiveTeam::of)).isEmpty();
  }

  @Test
  void theEngineNeedsCompareAndSet() {
    assertBroken(
        firstViolation(
            1, "rough", Cloud.Tampering.SOMETIMES_LAST_WRITER_WINS, Simulation::populate),
        "Q1",
        "Q2",
        "Q3",
        "Q4",
        "Q6",
        "Q7");
  }

  @Test
  void theEngineNeedsHeartbeatsThatAreKept() {
    assertBroken(
        firstViolation(1, "maintainers", Cloud.Tampering.BEATS_ARE_DROPPED, Simulation::populate),
        "Q1",
        "Q6");
  }

  @Test
  void readsMayNotBeOlderThanTheStoreSays() {
    assertBroken(
        firstViolation(1, "calm", Cloud.Tampering.READS_GO_BACK, Simulation::populate), "Q9");
  }

  /** Outside of the promise: only the fencing token helps then, as the documentation says. */
  @Test
  void aMachineSuspendedWithBothClocksDoesNotNotice() {
    assertBroken(
        firstViolation(
            13,
            "clocks",
            Cloud.Tampering.NONE,
            sim -> {
              sim.suspendMachines();
              sim.populate();
            }),
        "Q1",
        "Q6");
  }

  @Test
  void clocksMustGoAlike() {
    assertBroken(
        firstViolation(
            144,
            "isolated",
            Cloud.Tampering.NONE,
            sim -> {
              sim.letClocksRunWild();
              sim.populate();
            }),
        "Q1",
        "Q6");
  }

  private static final class NaiveTeam {
    static void of(Simulation sim) {
      sim.endWithoutProbes();
      for (int i = 0; i < 5; i++) {
        new NaiveClient(sim, "naive-" + i).begin();
      }
    }
  }
}
