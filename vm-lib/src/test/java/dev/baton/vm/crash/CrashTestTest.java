package dev.baton.vm.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** A share of the crash test with every build, and the proof that it can fail. */
class CrashTestTest {

  private static final int STRIDE = 6;

  private final ByteArrayOutputStream text = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8);

  @Test
  void aKillAtAnyMomentLeavesNothingBehind() {
    CrashTest.Total total = CrashTest.run(true, STRIDE, out, false);
    assertThat(total.points()).as(this::said).isGreaterThanOrEqualTo(200);
    assertThat(total.orphans()).as(this::said).isZero();
    assertThat(total.stuck()).as(this::said).isZero();
    assertThat(total.line()).isEqualTo("kill points: " + total.points() + ", orphans: 0, stuck: 0");
  }

  @Test
  void withoutTheWriteAheadIntentThereAreOrphans() {
    CrashTest.Total total = CrashTest.run(false, 3 * STRIDE, out, false);
    assertThat(total.orphans()).as(this::said).isPositive();
    assertThat(said()).contains("run again: 1 orphans");
  }

  private String said() {
    return text.toString(StandardCharsets.UTF_8);
  }
}
