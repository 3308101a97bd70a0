package dev.baton.aws.vm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.vm.crash.CrashTest;
import dev.baton.vm.crash.Scenario;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import org.junit.jupiter.api.Test;

/** A share of the crash test with every build. */
class AwsCrashSampleTest {
  private static final int STRIDE = 150;

  /** Other moments every day, so that none is left out for ever. */
  private static final int OFFSET = (int) (LocalDate.now().toEpochDay() % STRIDE);

  @Test
  void aKillAtAnyMomentLeavesNothingBehind() {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8);
    out.println("moments " + OFFSET + ", " + (OFFSET + STRIDE) + " and so on");
    CrashTest.Total total;
    try (VmDesk desk = new VmDesk(true)) {
      total = new CrashTest(desk::scene, true, out, false).run(Scenario.ALL, STRIDE, OFFSET);
    }
    assertThat(total.points())
        .as(() -> text.toString(StandardCharsets.UTF_8))
        .isGreaterThanOrEqualTo(Scenario.ALL.size());
    assertThat(total.orphans()).as(() -> text.toString(StandardCharsets.UTF_8)).isZero();
    assertThat(total.stuck()).as(() -> text.toString(StandardCharsets.UTF_8)).isZero();
    assertThat(total.missed()).as(() -> text.toString(StandardCharsets.UTF_8)).isZero();
  }
}
