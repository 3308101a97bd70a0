package dev.baton.alibaba.ecs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.vm.crash.CrashTest;
import dev.baton.vm.crash.KillSwitch;
import dev.baton.vm.crash.Scenario;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A share of the crash test with every build, and the proof that it can fail. */
class AliyunCrashSampleTest {
  private static final int STRIDE = 120;

  /** Other moments every day, so that none is left out for ever. */
  private static final int OFFSET =
      Integer.getInteger("baton.crash.offset", (int) (LocalDate.now().toEpochDay() % STRIDE));

  private final Fakes fakes = new Fakes();
  private final ByteArrayOutputStream text = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8);

  @AfterEach
  void close() {
    fakes.close();
  }

  @Test
  void aKillAtAnyMomentLeavesNothingBehind() {
    CrashTest.Total total = test(true).run(AliyunCrashTest.SCENARIOS, STRIDE, OFFSET);
    out.println("the same moments again: -PcrashOffset=" + OFFSET);
    assertThat(total.points())
        .as(this::said)
        .isGreaterThanOrEqualTo(AliyunCrashTest.SCENARIOS.size());
    assertThat(total.orphans()).as(this::said).isZero();
    assertThat(total.stuck()).as(this::said).isZero();
    assertThat(total.missed()).as(this::said).isZero();
  }

  @Test
  void withoutTheWriteAheadIntentThereAreOrphans() {
    Scenario deploy = Scenario.ALL.get(0);
    CrashTest test = test(false);
    List<String> moments = test.rehearse(deploy).stream().map(KillSwitch.Point::where).toList();
    int moment = moments.indexOf("after create instance");
    CrashTest.Total total = test.run(List.of(deploy), moments.size(), moment);
    assertThat(total.points()).isEqualTo(1);
    assertThat(total.orphans()).as(this::said).isPositive();
    assertThat(said()).contains("run again: orphans [INSTANCE ");
  }

  private CrashTest test(boolean writeAhead) {
    return new CrashTest(() -> new AliyunScene(fakes), writeAhead, out, false);
  }

  private String said() {
    return text.toString(StandardCharsets.UTF_8);
  }
}
