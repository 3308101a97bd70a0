package dev.baton.queue.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.queue.internal.protocol.Command;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A checker that never complains proves nothing: each of its checks has to, here. */
class BreachesTest {
  private static final Scheduler.Threads THREADS = new Scheduler.Threads();

  @AfterAll
  static void endThreads() {
    THREADS.close();
  }

  static Stream<Breach> breaches() {
    return Breaches.all().stream();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("breaches")
  void isReported(Breach breach) {
    Breach.Verdict verdict = breach.run(THREADS);
    assertThat(verdict.caught()).as(breach.name() + ": " + verdict.text()).isTrue();
    System.out.println(
        breach.profile()
            + ", seed "
            + verdict.seed()
            + ", "
            + breach.name()
            + ": "
            + verdict.text());
  }

  @ParameterizedTest
  @EnumSource(Check.class)
  void everyCheckCanFail(Check check) {
    assertThat(breaches().filter(b -> b.proves(check)))
        .as("a mistake that " + check + " alone reports")
        .isNotEmpty();
  }

  @Test
  void theDocumentationListsEveryCheckAndWhatProvesIt() throws Exception {
    String text = Files.readString(Path.of("../docs/simulation.md"));
    for (Check check : Check.values()) {
      List<String> proofs = breaches().filter(b -> b.proves(check)).map(Breach::name).toList();
      assertThat(text).contains(row(check, proofs));
    }
  }

  private static String row(Check check, List<String> proofs) {
    return "| " + check.promise + " | " + check.says + " | " + String.join("; ", proofs) + " |";
  }

  // ---- what must not be reported

  private static Bench bench() {
    Simulation.Plan plan = new Simulation.Plan(1, 1_000, Optional.of("calm"));
    return new Bench(new Simulation(plan, Cloud.Tampering.NONE, THREADS));
  }

  @Test
  void aReleaseByItsOwnerIsFine() {
    Bench bench = bench();
    bench.write(bench.applied(new Command.Release(1, 1, "")), bench.owner);
    assertThat(bench.sim.violation()).isEmpty();
  }

  @Test
  void aWordMovesATicket() {
    Bench bench = bench();
    bench.write(bench.applied(new Command.MoveBefore(3, 2, "maintainer")), bench.stranger);
    assertThat(bench.sim.violation()).isEmpty();
  }

  /** So it is the missing compare-and-set that is reported where there is none. */
  @Test
  void readCheckWriteWithCompareAndSetIsFine() {
    Breach breach =
        Breach.world(
            "with compare-and-set",
            "calm",
            1,
            Cloud.Tampering.NONE,
            NaiveClient::team,
            Check.values());
    assertThat(breach.run(THREADS).text()).contains("nothing was reported");
  }

  @Test
  void whatIsReportedSaysHowToSeeItAgain() {
    Breach wrong =
        Breach.world(
            "expected otherwise",
            "calm",
            1,
            Cloud.Tampering.LAST_WRITER_WINS,
            NaiveClient::team,
            Check.NO_END);
    assertThat(Arrays.asList(wrong.run(THREADS).text().split("\n")))
        .anyMatch(
            l -> l.startsWith("replay: ./gradlew :queue-lib:simulate -Pseeds=1 -PfirstSeed="));
  }
}
