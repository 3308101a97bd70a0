package dev.baton.queue.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProgressTest {
  private static final Progress.Plan PLAN = new Progress.Plan(10, 5, 1_000, "", "hash");

  @TempDir Path dir;

  private Path file() {
    return dir.resolve("below/simulation.progress");
  }

  private static Simulation.Result result(long seed, boolean broken) {
    return new Simulation.Result(
        new Simulation.Plan(seed, 1_000, Optional.empty()),
        "calm",
        100,
        7,
        seed,
        broken
            ? Optional.of(new Simulation.Violation(Check.TWO_HOLDERS, "text"))
            : Optional.empty(),
        List.of());
  }

  @Test
  void goesOnAfterTheRowThatIsDone() {
    Progress first = Progress.in(file(), PLAN);
    first.add(11, result(11, true));
    first.add(10, result(10, false));
    first.add(13, result(13, false));
    assertThat(first.done()).isEqualTo(3);
    assertThat(first.sum().operations()).isEqualTo(300);
    first.save();
    Progress second = Progress.in(file(), PLAN);
    assertThat(second.next()).as("12 was not done, so 13 is done again").isEqualTo(12);
    assertThat(second.sum()).isEqualTo(new Progress.Sum(200, 14, List.of(11L)));
    for (long seed = second.next(); seed < second.end(); seed++) {
      second.add(seed, result(seed, false));
    }
    assertThat(second.done()).isEqualTo(5);
    assertThat(second.sum()).isEqualTo(new Progress.Sum(500, 35, List.of(11L)));
  }

  @Test
  void refusesToMixClassesOrPlans() {
    Progress.in(file(), PLAN).save();
    Progress.Plan newer = new Progress.Plan(10, 5, 1_000, "", "another hash");
    assertThatThrownBy(() -> Progress.in(file(), newer))
        .isInstanceOf(Progress.Foreign.class)
        .hasMessageContaining("classes is 'hash' and not 'another hash'");
    Progress.Plan longer = new Progress.Plan(10, 6, 1_000, "", "hash");
    assertThatThrownBy(() -> Progress.in(file(), longer)).isInstanceOf(Progress.Foreign.class);
    assertThat(Progress.over(file(), longer).next()).isEqualTo(10);
  }

  @Test
  void aFinishedRunIsForgotten() {
    Progress done = Progress.in(file(), PLAN);
    done.save();
    assertThat(file()).exists();
    done.forget();
    assertThat(Files.exists(file())).isFalse();
    assertThat(Progress.in(file(), PLAN).next()).isEqualTo(10);
  }

  @Test
  void theHashIsThatOfTheClasses() {
    assertThat(Progress.hashOfClasses())
        .hasSize(32)
        .isEqualTo(Progress.hashOfClasses())
        .isNotEqualTo("0".repeat(32));
  }

  /** What a run of two halves says is what one run says. */
  @Test
  void anInterruptedRunComesToTheSame() {
    Progress.Plan plan = new Progress.Plan(1, 6, 200, "calm", "");
    Optional<String> profile = Optional.of("calm");
    Simulate.Total whole = Simulate.runAll(1, 6, 200, profile, 2, System.out);
    Progress half = Progress.in(file(), plan);
    Scheduler.Threads threads = new Scheduler.Threads();
    for (long seed = 1; seed <= 3; seed++) {
      half.add(
          seed,
          Simulation.run(new Simulation.Plan(seed, 200, profile), Cloud.Tampering.NONE, threads));
    }
    threads.close();
    half.save();
    Simulate.Total rest = Simulate.runAll(Progress.in(file(), plan), 200, profile, 2, System.out);
    assertThat(rest).isEqualTo(whole);
  }
}
