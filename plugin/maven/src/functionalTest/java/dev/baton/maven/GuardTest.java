package dev.baton.maven;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.maven.MavenBed.Build;
import dev.baton.maven.MavenBed.Result;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.Grant;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.Rules;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a guarded execution waits for, and how long its lock is held. */
class GuardTest {

  /** In the POMs of these tests. */
  private static final String RELEASE =
      "<store>file:../locks</store><queue>release</queue>"
          + "<guards><guard><goals>probe:work</goals></guard></guards>";

  @RegisterExtension final MavenBed bed = new MavenBed();

  @Tag("share")
  @ParameterizedTest
  @MethodSource("dev.baton.maven.MavenBed#versions")
  void aGuardedExecutionWaitsForItsTurnAndGivesItBack(String version) throws Exception {
    BuildQueue queue = bed.fileQueue("locks", "release", Rules.DEFAULT);
    bed.build("app", RELEASE, MavenBed.probe("compile", "<witness>../witness.txt</witness>"));
    Build build;
    try (Grant theirs = MavenBed.take(queue, "ann@desk")) {
      assertThat(theirs.ticket()).isEqualTo(1);
      build = bed.start(version, "app", "compile");
      MavenBed.await("it waits", () -> queue.status().line().size() == 1);
      assertThat(bed.read("witness.txt")).isEmpty();
    }
    Result result = build.result();
    assertThat(result.output())
        .contains("[INFO] Waiting with ticket 2: ")
        .contains("[INFO] Ticket 2 has the lock with token ")
        .contains("probe worked in app");
    assertThat(result.isSuccess()).isTrue();
    assertThat(queue.status().tickets()).isEmpty();
    assertThat(queue.status().history())
        .extracting(HistoryEntry::event)
        .containsExactly(HistoryEntry.Event.RELEASED, HistoryEntry.Event.RELEASED);
    assertThat(bed.read("witness.txt")).contains("BATON_LOCKS").doesNotContain("none");
  }
}
