package dev.baton.cloud.aliyun;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.vm.crash.KillSwitch;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A share of the crash test with every build, and the proof that it can fail. */
class AliyunCrashSampleTest {
  private static final int STRIDE = 60;

  private final Fakes fakes = new Fakes();
  private final ByteArrayOutputStream text = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8);

  @AfterEach
  void close() {
    fakes.close();
  }

  @Test
  void aKillAtAnyMomentLeavesNothingBehind() {
    AliyunCrashTest.Total total = AliyunCrashTest.run(fakes, true, STRIDE, 11, out, false);
    assertThat(total.points()).as(this::said).isGreaterThanOrEqualTo(CrashScenario.ALL.size());
    assertThat(total.orphans()).as(this::said).isZero();
    assertThat(total.stuck()).as(this::said).isZero();
    assertThat(total.missed()).as(this::said).isZero();
  }

  @Test
  void withoutTheWriteAheadIntentThereAreOrphans() {
    CrashScenario deploy = CrashScenario.ALL.get(0);
    List<String> moments =
        AliyunCrashTest.rehearse(fakes, deploy, false).stream()
            .map(KillSwitch.Point::where)
            .toList();
    int moment = moments.indexOf("after create instance");
    AliyunCrashTest.Total total =
        AliyunCrashTest.run(fakes, deploy, false, moments.size(), moment, out, false);
    assertThat(total.points()).isEqualTo(1);
    assertThat(total.orphans()).as(this::said).isPositive();
    assertThat(said()).contains("run again: orphans [INSTANCE ");
  }

  private String said() {
    return text.toString(StandardCharsets.UTF_8);
  }
}
