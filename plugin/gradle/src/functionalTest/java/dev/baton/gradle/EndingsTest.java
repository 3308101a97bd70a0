package dev.baton.gradle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.Entry;
import dev.baton.queue.Grant;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.Liveness;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.Slot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.gradle.testkit.runner.BuildResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Builds that do not end well: killed, stopped, overtaken, too late. */
class EndingsTest {

  private static final Rules SHORT = Bed.rules(Duration.ofSeconds(8), Duration.ofSeconds(2));

  private static final String SETTINGS = "baton { store = 'file:../locks'; queue = 'release' }\n";

  /** Works until it is told to stop, and says where it is. */
  private static final String LONG =
      SETTINGS
          + """
          def pid = file('pid.txt')
          def stopped = file('stopped.txt')
          def work = tasks.register('work') {
              doLast {
                  pid.text = ProcessHandle.current().pid()
                  try {
                      Thread.sleep(120_000)
                  } catch (InterruptedException e) {
                      stopped.text = 'yes'
                      throw new GradleException('stopped halfway')
                  }
              }
          }
          baton.guard(work)
          """;

  private static final String QUICK =
      SETTINGS
          + """
          def work = tasks.register('work') { doLast { println 'worked' } }
          baton.guard(work)
          """;

  @TempDir Path directory;
  private Bed bed;

  @BeforeEach
  void open() {
    bed = new Bed(directory);
  }

  @AfterEach
  void close() {
    bed.close();
  }

  private static Grant take(BuildQueue queue, String who) throws Exception {
    return ((Acquisition.Acquired) queue.acquire(Request.of(who, "by hand"), p -> {})).grant();
  }

  @ParameterizedTest
  @ValueSource(strings = {Bed.NEW, Bed.OLD})
  void aDaemonThatIsKilledBlocksOthersForItsLeaseOnly(String version) throws Exception {
    BuildQueue queue = bed.fileQueue("locks", "release", SHORT);
    bed.build("killed", LONG);
    bed.build("next", QUICK);
    Process killed = bed.gradleProcess(version, "killed", "work");
    Bed.await("it works", () -> !bed.read("killed/pid.txt").isEmpty());

    ProcessHandle.of(Long.parseLong(bed.read("killed/pid.txt"))).orElseThrow().destroyForcibly();
    assertThat(killed.waitFor(Bed.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(Bed.holder(queue.status())).contains(1L);
    BuildResult next = bed.gradle(version, "next", "work").build();

    assertThat(next.getOutput()).contains("Waiting with ticket 2", "worked");
    assertThat(queue.status().history())
        .extracting(HistoryEntry::event)
        .containsExactly(HistoryEntry.Event.REAPED, HistoryEntry.Event.RELEASED);
  }

  @ParameterizedTest
  @ValueSource(strings = {Bed.NEW, Bed.OLD})
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "signals")
  void ctrlCWhileWaitingLeavesTheLine(String version) throws Exception {
    BuildQueue queue = bed.fileQueue("locks", "release", Rules.DEFAULT);
    bed.build("app", QUICK);
    try (Grant mine = take(queue, "ann@desk")) {
      Process build = bed.gradleProcess(version, "app", "work");
      Bed.await("it waits", () -> bed.read("app.out").contains("Waiting with ticket 2"));
      assertThat(queue.status().line()).hasSize(1);

      new ProcessBuilder("kill", "-INT", Long.toString(build.pid())).start().waitFor();

      Bed.await("the line is empty", () -> queue.status().line().isEmpty());
      assertThat(build.waitFor(Bed.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(mine.state()).isEqualTo(Grant.State.HELD);
      assertThat(bed.read("app.out")).contains("has been building for").contains("(ann@desk)");
    }
  }

  /** Gradle ends the process of the task and not what that has started. */
  @Test
  @EnabledOnOs(value = OS.LINUX, disabledReason = "elsewhere processes cannot be told apart")
  void ctrlCEndsWhatTheTaskStartedBeforeTheLockIsGivenBack() throws Exception {
    BuildQueue queue = bed.fileQueue("locks", "release", Rules.DEFAULT);
    bed.build(
        "app",
        SETTINGS
            + """
            def work = tasks.register('work', Exec) {
                commandLine 'sh', '-c', 'sleep 200 & echo $! > child.txt; wait'
            }
            baton.guard(work)
            """);
    Process build = bed.gradleProcess(Bed.NEW, "app", "work");
    Bed.await("it works", () -> bed.read("app/child.txt").endsWith("\n"));
    ProcessHandle child =
        ProcessHandle.of(Long.parseLong(bed.read("app/child.txt").strip())).orElseThrow();
    try {
      assertThat(queue.status().tickets()).hasSize(1);

      new ProcessBuilder("kill", "-INT", Long.toString(build.pid())).start().waitFor();
      Bed.await("the lock is given back", () -> queue.status().tickets().isEmpty());

      assertThat(isAtWork(child)).as("the work goes on without the lock").isFalse();
    } finally {
      child.destroyForcibly();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {Bed.NEW, Bed.OLD})
  void aLostLockStopsTheWorkAndFailsTheBuild(String version) throws Exception {
    BuildQueue queue = bed.fileQueue("locks", "release", SHORT);
    bed.build("app", LONG);
    CompletableFuture<BuildResult> build =
        CompletableFuture.supplyAsync(() -> bed.gradle(version, "app", "work").buildAndFail());
    Bed.await("it works", () -> !bed.read("app/pid.txt").isEmpty());
    queue.join(
        new Entry(Request.newNonce(), "ann@desk", "fix", Liveness.BEAT, Optional.empty(), 0));

    queue.forceUnlock(1, queue.status().nextToken() - 1, "ann", "too slow", true);

    String output = build.get(Bed.PATIENCE.toSeconds(), TimeUnit.SECONDS).getOutput();
    assertThat(output)
        .contains("The lock of file:../locks#release (ticket 1) was lost while guarded work ran")
        .contains("ticket 2 (fix, ann@desk")
        .contains("has it now. Do not publish what this build made; run it again.")
        .contains("Execution failed for task ':work'", "stopped halfway");
    assertThat(bed.read("app/stopped.txt")).isEqualTo("yes");
    QueueDocument after = queue.status();
    assertThat(after.slots()).extracting(Slot::ticket).containsExactly(2L);
  }

  /** The first beat would have told; the task is done before it. */
  @ParameterizedTest
  @ValueSource(strings = {Bed.NEW, Bed.OLD})
  void aLockThatWasTakenAwayRightBeforeTheEndFailsTheBuild(String version) throws Exception {
    BuildQueue queue = bed.fileQueue("locks", "release", Rules.DEFAULT);
    bed.build(
        "app",
        SETTINGS
            + """
            def begun = file('begun.txt')
            def go = file('go.txt')
            def work = tasks.register('work') {
                doLast {
                    begun.text = 'yes'
                    while (!go.exists()) { Thread.sleep(20) }
                    println 'worked'
                }
            }
            baton.guard(work)
            """);
    CompletableFuture<BuildResult> build =
        CompletableFuture.supplyAsync(() -> bed.gradle(version, "app", "work").buildAndFail());
    Bed.await("it works", () -> !bed.read("app/begun.txt").isEmpty());

    queue.forceUnlock(1, queue.status().nextToken() - 1, "ann", "too slow", true);
    Files.writeString(directory.resolve("app/go.txt"), "");

    String output = build.get(Bed.PATIENCE.toSeconds(), TimeUnit.SECONDS).getOutput();
    assertThat(output)
        .contains("worked", "BUILD FAILED")
        .contains("The lock of file:../locks#release (ticket 1) was lost while guarded work ran")
        .contains("ann took the lock away (\"too slow\"); nobody has it now. Do not publish");
  }

  @Test
  void aLostLockEndsTheProcessOfATask() throws Exception {
    BuildQueue queue = bed.fileQueue("locks", "release", SHORT);
    bed.build(
        "app",
        SETTINGS
            + """
            def work = tasks.register('work', Exec) {
                commandLine 'sh', '-c', 'echo $$ > pid.txt; sleep 120; echo survived'
            }
            baton.guard(work)
            """);
    CompletableFuture<BuildResult> build =
        CompletableFuture.supplyAsync(() -> bed.gradle(Bed.NEW, "app", "work").buildAndFail());
    Bed.await("it works", () -> bed.read("app/pid.txt").endsWith("\n"));
    long pid = Long.parseLong(bed.read("app/pid.txt").strip());

    queue.forceUnlock(1, queue.status().nextToken() - 1, "ann", "too slow", true);

    String output = build.get(Bed.PATIENCE.toSeconds(), TimeUnit.SECONDS).getOutput();
    assertThat(output)
        .contains("was lost while guarded work ran: ann took the lock away (\"too slow\")")
        .doesNotContain("taken away; ann")
        .contains("Execution failed for task ':work'")
        .doesNotContain("survived");
    assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
  }

  /** Beside it, the same daemon runs what has nothing to do with the lock. */
  @Test
  @EnabledOnOs(value = OS.LINUX, disabledReason = "elsewhere the task is interrupted")
  void aLostLockEndsOnlyWhatTheGuardedTaskStarted() throws Exception {
    BuildQueue queue = bed.fileQueue("locks", "release", SHORT);
    bed.build(
        "app",
        SETTINGS
            + """
            def work = tasks.register('work', Exec) {
                commandLine 'sh', '-c',
                    '(sleep 300 & echo $! > orphan.txt); echo $$ > work.txt; sleep 300; echo survived'
            }
            baton.guard(work)
            tasks.register('free', Exec) {
                def begun = file('work.txt')
                doFirst { while (begun.length() == 0) { Thread.sleep(20) } }
                commandLine 'sh', '-c',
                    'echo $$ > free.txt; while [ ! -e go.txt ]; do sleep 0.1; done; echo still free'
            }
            """);
    CompletableFuture<BuildResult> build =
        CompletableFuture.supplyAsync(
            () ->
                bed.gradle(
                        Bed.NEW,
                        "app",
                        "work",
                        "free",
                        "--configuration-cache",
                        "--max-workers=4",
                        "--continue")
                    .buildAndFail());
    Bed.await("both work", () -> bed.read("app/free.txt").endsWith("\n"));

    queue.forceUnlock(1, queue.status().nextToken() - 1, "ann", "too slow", true);

    Bed.await("the guarded process is gone", () -> !isAlive("app/work.txt"));
    Bed.await("so is what it left behind", () -> !isAlive("app/orphan.txt"));
    Bed.await("the build has noticed", () -> queue.status().tickets().isEmpty());
    assertThat(isAlive("app/free.txt")).isTrue();
    bed.write("app/go.txt", "");
    String output = build.get(Bed.PATIENCE.toSeconds(), TimeUnit.SECONDS).getOutput();
    assertThat(output)
        .contains("Execution failed for task ':work'", "was lost while guarded work ran")
        .contains("still free")
        .doesNotContain("survived", "Execution failed for task ':free'");
  }

  /** Not one that has ended and is only kept until its parent asks for its exit code. */
  private static boolean isAtWork(ProcessHandle process) {
    try {
      Path status = Path.of("/proc/" + process.pid() + "/status");
      return process.isAlive() && !Files.readString(status).contains("State:\tZ");
    } catch (IOException e) {
      return false; // it is gone
    }
  }

  private boolean isAlive(String pidFile) throws IOException {
    return ProcessHandle.of(Long.parseLong(bed.read(pidFile).strip()))
        .filter(ProcessHandle::isAlive)
        .isPresent();
  }

  @Test
  void aTaskThatDoesNotNoticeFailsAllTheSame() throws Exception {
    BuildQueue queue = bed.fileQueue("locks", "release", SHORT);
    bed.build(
        "app",
        SETTINGS
            + """
            def begun = file('begun.txt')
            def work = tasks.register('work') {
                doLast {
                    begun.text = 'yes'
                    while (!Thread.interrupted()) {
                        java.util.concurrent.locks.LockSupport.parkNanos(1_000_000)
                    }
                }
            }
            baton.guard(work)
            """);
    CompletableFuture<BuildResult> build =
        CompletableFuture.supplyAsync(() -> bed.gradle(Bed.NEW, "app", "work").buildAndFail());
    Bed.await("it works", () -> !bed.read("app/begun.txt").isEmpty());
    queue.forceUnlock(1, queue.status().nextToken() - 1, "ann", "too slow", true);

    String output = build.get(Bed.PATIENCE.toSeconds(), TimeUnit.SECONDS).getOutput();
    assertThat(output).contains("Execution failed for task ':work'", "was lost while guarded work");
  }

  @Test
  void theTimeToWaitIsASetting() throws Exception {
    BuildQueue queue = bed.fileQueue("locks", "release", Rules.DEFAULT);
    bed.build("app", QUICK + "baton { waitTimeout('1h') }\n");
    try (Grant mine = take(queue, "ann@desk")) {
      BuildResult late = bed.gradle(Bed.NEW, "app", "work", "-PbatonWaitTimeout=1s").buildAndFail();
      assertThat(late.getOutput())
          .contains(
              "Timed out after 1 s waiting for the lock; ticket 2 was at place 1 and has left")
          .contains("-PbatonWaitTimeout=2h or baton.waitTimeout")
          .doesNotContain("\nworked\n");

      BuildResult without =
          bed.gradle(Bed.NEW, "app", "work", "-PbatonWaitTimeout=1s", "-PbatonOnTimeout=proceed")
              .build();
      assertThat(without.getOutput())
          .contains("Going on without the lock, as baton.onTimeout says.")
          .contains("\nworked\n");
      assertThat(mine.state()).isEqualTo(Grant.State.HELD);
    }
    assertThat(queue.status().tickets()).isEmpty();
  }
}
