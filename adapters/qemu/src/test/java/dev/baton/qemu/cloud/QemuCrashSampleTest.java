package dev.baton.qemu.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.vm.crash.CrashTest;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import org.junit.jupiter.api.Test;

/** A share of the crash test with every build; other moments every day. */
class QemuCrashSampleTest {
  private static final int STRIDE = 120;
  private static final int INSIDE = 3;
  private static final int OFFSET =
      Integer.getInteger("baton.crash.offset", (int) (LocalDate.now().toEpochDay() % STRIDE));

  private final ByteArrayOutputStream text = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8);

  @Test
  void aKillAtAnyMomentLeavesNothingBehind() {
    expectGood(
        new CrashTest(QemuScene::new, true, out, false)
            .run(QemuCrashTest.SCENARIOS, STRIDE, OFFSET),
        QemuCrashTest.SCENARIOS.size());
  }

  @Test
  void aKillInsideOfACallLeavesNothingBehind() {
    expectGood(QemuCrashTest.inside("", INSIDE, OFFSET, out, false), 20);
  }

  private void expectGood(CrashTest.Total total, int atLeast) {
    out.println("the same moments again: -PcrashOffset=" + OFFSET);
    String said = text.toString(StandardCharsets.UTF_8);
    assertThat(total.points()).as(said).isGreaterThanOrEqualTo(atLeast);
    assertThat(total.orphans()).as(said).isZero();
    assertThat(total.stuck()).as(said).isZero();
    assertThat(total.missed()).as(said).isZero();
  }
}
