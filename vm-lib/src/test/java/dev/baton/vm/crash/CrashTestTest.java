package dev.baton.vm.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.vm.BuildVm.Disk;
import dev.baton.vm.Operation;
import dev.baton.vm.Status;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A share of the crash test with every build, and the proof that it can fail. */
class CrashTestTest {

  private static final int STRIDE = 6;

  private final ByteArrayOutputStream text = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8);

  @Test
  void aKillAtAnyMomentLeavesNothingBehind() {
    CrashTest.Total total = run(true, STRIDE);
    assertThat(total.points()).as(this::said).isGreaterThanOrEqualTo(200);
    assertThat(total.orphans()).as(this::said).isZero();
    assertThat(total.stuck()).as(this::said).isZero();
    assertThat(total.missed()).as(this::said).isZero();
    assertThat(total.line()).isEqualTo("kill points: " + total.points() + ", orphans: 0, stuck: 0");
  }

  @Test
  void withoutTheWriteAheadIntentThereAreOrphans() {
    CrashTest.Total total = run(false, 3 * STRIDE);
    assertThat(total.orphans()).as(this::said).isPositive();
    assertThat(said()).contains("run again: orphans [INSTANCE ");
  }

  @Test
  void aMomentThatDoesNotComeAgainIsToldAndDoesNotCount() {
    int[] times = {0};
    Scenario fickle =
        new Scenario(
            "deploy, of what the rehearsal had not",
            Operation.DEPLOY,
            clients -> {
              if (times[0]++ > 0) {
                clients.vm("other").deploy(clients.scene.spec(), Clients.YES);
                clients.vm("other").destroy(Disk.KEEP, Clients.YES);
              }
            },
            Scenario.on((vm, spec) -> vm.deploy(spec, Clients.YES)),
            Optional.of(Status.RUNNING));
    CrashTest test = new CrashTest(SimulatedScene::inMemory, true, out, false);
    CrashTest.Total another = test.run(List.of(fickle), 1000, 60);
    assertThat(another.line())
        .as(this::said)
        .isEqualTo("kill points: 0, orphans: 0, stuck: 0, moments that did not come again: 2");
    assertThat(another.isGood(1000)).isFalse();
    assertThat(said()).contains("run again: was ").contains(" this time");

    Scenario brief =
        new Scenario(
            "resume, of what only the rehearsal had suspended",
            Operation.RESUME,
            clients -> {
              clients.vm("other").deploy(clients.scene.spec(), Clients.YES);
              if (times[0]++ == 3) {
                clients.vm("other").suspend(Clients.YES);
              }
            },
            Scenario.on((vm, spec) -> vm.resume(Clients.YES)),
            Optional.of(Status.RUNNING));
    CrashTest.Total none = test.run(List.of(brief), 1000, 7);
    assertThat(none.missed()).as(this::said).isEqualTo(2);
    assertThat(none.points()).isZero();
    assertThat(said()).contains("sweep: was over after 0 moments, not 7");
  }

  private CrashTest.Total run(boolean writeAhead, int stride) {
    List<Scenario> scenarios =
        Stream.concat(Scenario.ALL.stream(), Scenario.MORE.stream()).toList();
    return new CrashTest(SimulatedScene::inMemory, writeAhead, out, false)
        .run(scenarios, stride, 0);
  }

  private String said() {
    return text.toString(StandardCharsets.UTF_8);
  }
}
