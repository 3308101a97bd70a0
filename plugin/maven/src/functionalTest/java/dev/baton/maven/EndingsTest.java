package dev.baton.maven;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.maven.MavenBed.Build;
import dev.baton.maven.MavenBed.Result;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.Entry;
import dev.baton.queue.Grant;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.Liveness;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.Slot;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What becomes of the lock when a build is stopped, and of the build when the lock is lost. */
class EndingsTest {

  private static final Rules SHORT = MavenBed.rules(Duration.ofSeconds(20), Duration.ofSeconds(2));
  private static final String RELEASE =
      "<store>file:../locks</store><queue>release</queue>"
          + "<guards><guard><goals>probe:work</goals></guard></guards>";
  private static final String LONG =
      MavenBed.probe("compile", "<witness>../witness.txt</witness><until>../go.txt</until>");

  @RegisterExtension final MavenBed bed = new MavenBed();

  private void begun() {
    MavenBed.await("it works", () -> bed.read("witness.txt").contains("begin"));
  }

  private static void signal(Build build, String name) throws Exception {
    new ProcessBuilder("kill", name, Long.toString(build.process().pid())).start().waitFor();
  }

  @ParameterizedTest
  @MethodSource("dev.baton.maven.MavenBed#versions")
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "signals")
  void ctrlCWhileWaitingLeavesTheLine(String version) throws Exception {
    BuildQueue queue = bed.fileQueue("locks", "release", Rules.DEFAULT);
    bed.build("app", RELEASE, LONG);
    try (Grant theirs = MavenBed.take(queue, "ann@desk")) {
      Build build = bed.start(version, "app", "compile");
      MavenBed.await("it waits", () -> queue.status().line().size() == 1);

      signal(build, "-INT");

      MavenBed.await("the line is empty", () -> queue.status().line().isEmpty());
      assertThat(build.result().isSuccess()).isFalse();
      assertThat(theirs.state()).isEqualTo(Grant.State.HELD);
      assertThat(bed.read("witness.txt")).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("dev.baton.maven.MavenBed#versions")
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "signals")
  @Tag("share")
  void ctrlCEndsTheWorkAndGivesTheLockBack(String version) throws Exception {
    BuildQueue queue = bed.fileQueue("locks", "release", Rules.DEFAULT);
    bed.build("app", RELEASE, LONG);
    Build build = bed.start(version, "app", "compile");
    begun();

    signal(build, "-INT");

    assertThat(build.result().isSuccess()).isFalse();
    assertThat(bed.read("witness.txt")).contains("interrupted").doesNotContain("end");
    assertThat(queue.status().tickets()).isEmpty();
  }

  /** What goes on until the process has ended may still upload. */
  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "signals")
  void ctrlCLeavesTheLockOfWorkThatDoesNotEndToItsLease() throws Exception {
    BuildQueue queue = bed.fileQueue("locks", "release", Rules.DEFAULT);
    bed.build(
        "app",
        RELEASE,
        MavenBed.probe(
            "compile",
            "<witness>../witness.txt</witness><until>../go.txt</until><mode>stubborn</mode>"));
    Build build = bed.start(MavenBed.some(), "app", "compile");
    begun();

    signal(build, "-INT");

    assertThat(build.result().output()).contains("its lock is not given back");
    assertThat(MavenBed.holder(queue.status())).contains(1L);
  }

  @ParameterizedTest
  @MethodSource("dev.baton.maven.MavenBed#versions")
  void aKilledMavenBlocksOthersForItsLeaseOnly(String version) throws Exception {
    BuildQueue queue = bed.fileQueue("locks", "release", SHORT);
    bed.build("killed", RELEASE, LONG);
    bed.build("next", RELEASE, MavenBed.probe("compile", ""));
    Build killed = bed.start(version, "killed", "compile");
    begun();

    killed.process().destroyForcibly();
    assertThat(killed.result().isSuccess()).isFalse();
    assertThat(MavenBed.holder(queue.status())).contains(1L);
    Result next = bed.maven(version, "next", "compile");

    assertThat(next.output()).contains("Waiting with ticket 2", "probe worked in next");
    assertThat(queue.status().history())
        .extracting(HistoryEntry::event)
        .containsExactly(HistoryEntry.Event.REAPED, HistoryEntry.Event.RELEASED);
  }

  @ParameterizedTest
  @MethodSource("dev.baton.maven.MavenBed#versions")
  @Tag("share")
  void aLostLockInterruptsTheWorkAndFailsTheBuild(String version) throws Exception {
    BuildQueue queue = bed.fileQueue("locks", "release", SHORT);
    bed.build("app", RELEASE, LONG);
    Build build = bed.start(version, "app", "compile");
    begun();
    queue.join(
        new Entry(Request.newNonce(), "ann@desk", "fix", Liveness.BEAT, Optional.empty(), 0));

    queue.forceUnlock(1, queue.status().nextToken() - 1, "ann", "too slow", true);

    Result result = build.result();
    assertThat(result.isSuccess()).isFalse();
    assertThat(result.output())
        .contains("[ERROR] Baton: The lock of file:../locks#release (ticket 1) was lost while")
        .contains("ticket 2 (fix, ann@desk")
        .contains("has it now. Do not publish what this build made; run it again.")
        .contains("stopped halfway");
    assertThat(bed.read("witness.txt")).contains("interrupted").doesNotContain("end");
    assertThat(queue.status().slots()).extracting(Slot::ticket).containsExactly(2L);
  }

  /** The processes that it started too. */
  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "a shell")
  void aLostLockEndsWhatTheExecutionHasStarted() throws Exception {
    BuildQueue queue = bed.fileQueue("locks", "release", SHORT);
    bed.build(
        "app",
        RELEASE,
        MavenBed.probe(
            "compile",
            "<command>sleep 300 &amp; echo $! &gt; ../child.txt; wait; echo survived</command>"));
    Build build = bed.start(MavenBed.some(), "app", "compile");
    MavenBed.await("it works", () -> bed.read("child.txt").endsWith("\n"));
    ProcessHandle child =
        ProcessHandle.of(Long.parseLong(bed.read("child.txt").strip())).orElseThrow();

    queue.forceUnlock(1, queue.status().nextToken() - 1, "ann", "too slow", true);

    Result result = build.result();
    assertThat(result.isSuccess()).isFalse();
    assertThat(result.output()).doesNotContain("survived");
    MavenBed.await("what it started is gone", () -> !child.isAlive());
  }

  /** Nothing stops a mojo from outside. */
  @ParameterizedTest
  @MethodSource("dev.baton.maven.MavenBed#versions")
  void workThatDoesNotStopHasItsProcessEnded(String version) throws Exception {
    BuildQueue queue = bed.fileQueue("locks", "release", SHORT);
    bed.build(
        "app",
        RELEASE,
        MavenBed.probe(
            "compile",
            "<witness>../witness.txt</witness><until>../go.txt</until><mode>stubborn</mode>"));
    Build build = bed.start(version, "app", "compile");
    begun();

    queue.forceUnlock(1, queue.status().nextToken() - 1, "ann", "too slow", false);

    Result result = build.result();
    assertThat(result.isSuccess()).isFalse();
    assertThat(result.output())
        .contains("guarded work did not stop after its lock was lost".substring(1))
        .contains("Ending Maven before another build gets the lock.");
    assertThat(bed.read("witness.txt")).doesNotContain("end");
  }

  /** The first beat would have told; the work is done before it. */
  @ParameterizedTest
  @MethodSource("dev.baton.maven.MavenBed#versions")
  void aLockThatWasTakenAwayRightBeforeTheEndFailsTheBuild(String version) throws Exception {
    BuildQueue queue = bed.fileQueue("locks", "release", Rules.DEFAULT);
    bed.build("app", RELEASE, LONG);
    Build build = bed.start(version, "app", "compile");
    begun();

    queue.forceUnlock(1, queue.status().nextToken() - 1, "ann", "too slow", true);
    bed.write("go.txt", "");

    Result result = build.result();
    assertThat(result.output())
        .contains("The lock of file:../locks#release (ticket 1) was lost while guarded work ran")
        .contains("ann took the lock away (\"too slow\"); nobody has it now. Do not publish")
        .contains("BUILD FAILURE");
    assertThat(result.isSuccess()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("dev.baton.maven.MavenBed#versions")
  void theTimeToWaitIsASetting(String version) throws Exception {
    BuildQueue queue = bed.fileQueue("locks", "release", Rules.DEFAULT);
    bed.build(
        "app",
        RELEASE + "<waitTimeout>1h</waitTimeout>",
        MavenBed.probe("compile", "<witness>../witness.txt</witness>"));
    try (Grant theirs = MavenBed.take(queue, "ann@desk")) {
      Result late = bed.maven(version, "app", "compile", "-Dbaton.waitTimeout=1s");
      assertThat(late.isSuccess()).isFalse();
      assertThat(late.output())
          .contains("1 s", "ticket 2", "-Dbaton.waitTimeout=2h or <waitTimeout>")
          .contains("mvn baton:status");
      assertThat(bed.read("witness.txt")).isEmpty();

      Result without =
          bed.maven(
              version, "app", "compile", "-Dbaton.waitTimeout=1s", "-Dbaton.onTimeout=proceed");
      assertThat(without.output())
          .contains("[WARNING] Baton: ", "Going on without the lock, as <onTimeout> says.")
          .contains("probe worked in app");
      assertThat(theirs.state()).isEqualTo(Grant.State.HELD);
    }
    assertThat(queue.status().tickets()).isEmpty();
  }
}
