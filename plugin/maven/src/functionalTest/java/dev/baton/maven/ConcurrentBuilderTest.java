package dev.baton.maven;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.maven.MavenBed.Build;
import dev.baton.maven.MavenBed.Result;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.BuildResult;
import dev.baton.queue.Grant;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.Rules;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Maven 4's own order: phases of several modules beside each other, by what they need. */
class ConcurrentBuilderTest {

  private static final String RELEASE =
      "<store>file:../locks</store><queue>release</queue>"
          + "<guards><guard><executions>at-compile</executions></guard></guards>";
  private static final String WITNESS = "<witness>${basedir}/../../witness.txt</witness>";
  private static final List<String> MODULES = List.of("a", "b", "c");

  @RegisterExtension final MavenBed bed = new MavenBed();
  private BuildQueue queue;

  static Stream<String> versions() {
    return MavenBed.versions().filter(v -> v.startsWith("4."));
  }

  @BeforeEach
  void reactor() throws Exception {
    queue = bed.fileQueue("locks", "release", Rules.DEFAULT);
    bed.coreExtension("app");
    String modules =
        MODULES.stream().map(m -> "<module>" + m + "</module>").collect(Collectors.joining());
    bed.write(
        "app/pom.xml",
        MavenBed.pom("app", "<modules>" + modules + "</modules>", MavenBed.plugin("", RELEASE)));
  }

  private void module(String name, String configuration) throws Exception {
    bed.write(
        "app/" + name + "/pom.xml",
        MavenBed.module("app", name, MavenBed.probe("compile", configuration + WITNESS)));
  }

  @ParameterizedTest
  @MethodSource("versions")
  void modulesShareOneLock(String version) throws Exception {
    for (String name : MODULES) {
      module(name, "");
    }
    Build build;
    try (Grant theirs = MavenBed.take(queue, "ann@desk")) {
      assertThat(theirs.ticket()).isEqualTo(1);
      build = bed.start(version, "app", "-b", "concurrent", "-T", "4", "compile");
      MavenBed.await("it waits", () -> queue.status().line().size() == 1);
      assertThat(bed.read("witness.txt")).isEmpty();
    }

    Result result = build.result();

    assertThat(result.output()).contains("BUILD SUCCESS", "BuildPlanExecutor");
    List<String> lines = bed.read("witness.txt").lines().toList();
    assertThat(lines).hasSize(6);
    assertThat(lines.stream().map(line -> line.split(" ")[2]).distinct())
        .hasSize(1)
        .doesNotContain("none");
    assertThat(queue.status().tickets()).isEmpty();
    assertThat(queue.status().history()).hasSize(2);
  }

  @ParameterizedTest
  @MethodSource("versions")
  void aFailureGivesTheLockBack(String version) throws Exception {
    module("a", "<mode>fail</mode>");
    module("b", "");
    module("c", "");

    Result result =
        bed.maven(version, "app", "-b", "concurrent", "-T", "2", "--fail-at-end", "compile");

    assertThat(result.isSuccess()).isFalse();
    assertThat(result.output()).contains("failed on purpose");
    assertThat(bed.read("witness.txt")).contains("begin a", "end b", "end c");
    assertThat(queue.status().tickets()).isEmpty();
    assertThat(queue.status().history())
        .extracting(HistoryEntry::result)
        .containsExactly(BuildResult.FAILED);
  }

  @ParameterizedTest
  @MethodSource("versions")
  void aLostLockFailsTheBuild(String version) throws Exception {
    for (String name : MODULES) {
      module(name, "<until>${basedir}/../../go.txt</until>");
    }
    Build build = bed.start(version, "app", "-b", "concurrent", "-T", "4", "compile");
    MavenBed.await("all work", () -> bed.read("witness.txt").lines().count() == MODULES.size());

    queue.forceUnlock(1, queue.status().nextToken() - 1, "ann", "too slow", true);
    bed.write("go.txt", "");

    Result result = build.result();
    assertThat(result.isSuccess()).isFalse();
    assertThat(result.output())
        .contains("The lock of file:../locks#release (ticket 1) was lost while")
        .contains("ann took the lock away (\"too slow\")");
  }
}
