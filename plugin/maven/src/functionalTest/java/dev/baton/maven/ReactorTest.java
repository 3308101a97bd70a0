package dev.baton.maven;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.maven.MavenBed.Build;
import dev.baton.maven.MavenBed.Result;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.BuildResult;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.Rules;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** One lock for all modules, from the first guarded execution to the last. */
class ReactorTest {

  private static final String RELEASE =
      "<store>file:../locks</store><queue>release</queue>"
          + "<guards><guard><executions>at-compile</executions></guard></guards>";

  @RegisterExtension final MavenBed bed = new MavenBed();
  private BuildQueue queue;

  @BeforeEach
  void open() throws Exception {
    queue = bed.fileQueue("locks", "release", Rules.DEFAULT);
  }

  /** A reactor; what each module does is in its own POM. */
  private void reactor(String more, List<String> modules) throws IOException {
    bed.coreExtension("app");
    String list =
        modules.stream()
            .map(m -> "<module>" + m + "</module>")
            .collect(Collectors.joining("", "<modules>", "</modules>"));
    bed.write("app/pom.xml", MavenBed.pom("app", list, MavenBed.plugin(more, RELEASE)));
  }

  private void module(String name, String plugins) throws IOException {
    bed.write("app/" + name + "/pom.xml", MavenBed.module("app", name, plugins));
  }

  private static final String WITNESS = "<witness>${basedir}/../../witness.txt</witness>";

  @ParameterizedTest
  @MethodSource("dev.baton.maven.MavenBed#versions")
  @Tag("share")
  void modulesInParallelShareOneLock(String version) throws Exception {
    reactor("", List.of("a", "b", "c"));
    for (String name : List.of("a", "b", "c")) {
      module(name, MavenBed.probe("compile", WITNESS));
    }

    Result result = bed.maven(version, "app", "-T", "4", "compile");

    assertThat(result.output()).contains("BUILD SUCCESS");
    List<String> lines = bed.read("witness.txt").lines().toList();
    assertThat(lines).hasSize(6);
    assertThat(lines.stream().map(line -> line.split(" ")[2]).distinct()).hasSize(1);
    assertThat(queue.status().history())
        .extracting(HistoryEntry::event)
        .containsExactly(HistoryEntry.Event.RELEASED);
  }

  @ParameterizedTest
  @MethodSource("dev.baton.maven.MavenBed#versions")
  void theLockIsGivenBackAfterTheLastGuardedExecution(String version) throws Exception {
    reactor("", List.of("a", "b", "c"));
    module("a", MavenBed.probe("compile", WITNESS));
    module("b", MavenBed.probe("compile", WITNESS));
    module("c", MavenBed.probe("package", "<until>${basedir}/../../go.txt</until>" + WITNESS));

    Build build = bed.start(version, "app", "package");
    MavenBed.await("the last module works", () -> bed.read("witness.txt").contains("begin c"));
    MavenBed.await("the lock is free", () -> queue.status().tickets().isEmpty());
    assertThat(build.process().isAlive()).isTrue();
    assertThat(bed.read("witness.txt")).contains("end b");
    bed.write("go.txt", "");

    assertThat(build.result().isSuccess()).isTrue();
    assertThat(queue.status().history()).hasSize(1);
  }

  /** Between the guarded executions of two modules, the lock stays. */
  @ParameterizedTest
  @MethodSource("dev.baton.maven.MavenBed#versions")
  void theLockIsHeldBetweenTheFirstAndTheLast(String version) throws Exception {
    reactor("", List.of("a", "b", "c"));
    module("a", MavenBed.probe("compile", WITNESS));
    module("b", MavenBed.probe("package", "<until>${basedir}/../../go.txt</until>" + WITNESS));
    module("c", MavenBed.probe("compile", WITNESS));

    Build build = bed.start(version, "app", "package");
    MavenBed.await("the second module works", () -> bed.read("witness.txt").contains("begin b"));
    assertThat(MavenBed.holder(queue.status())).contains(1L);
    bed.write("go.txt", "");

    assertThat(build.result().isSuccess()).isTrue();
    assertThat(queue.status().history()).hasSize(1);
  }

  @ParameterizedTest
  @MethodSource("dev.baton.maven.MavenBed#versions")
  void aFailureGivesTheLockBack(String version) throws Exception {
    reactor("", List.of("a", "b"));
    module("a", MavenBed.probe("compile", "<mode>fail</mode>" + WITNESS));
    module("b", MavenBed.probe("compile", WITNESS));

    Result result = bed.maven(version, "app", "compile");

    assertThat(result.isSuccess()).isFalse();
    assertThat(result.output()).contains("failed on purpose");
    assertThat(queue.status().tickets()).isEmpty();
    assertThat(queue.status().history())
        .extracting(HistoryEntry::result)
        .containsExactly(BuildResult.FAILED);
  }

  @ParameterizedTest
  @MethodSource("dev.baton.maven.MavenBed#versions")
  void othersGoOnUnderTheLockAfterAFailure(String version) throws Exception {
    reactor("", List.of("a", "b"));
    module("a", MavenBed.probe("compile", "<mode>fail</mode>" + WITNESS));
    module("b", MavenBed.probe("compile", WITNESS));

    Result result = bed.maven(version, "app", "--fail-at-end", "compile");

    assertThat(result.isSuccess()).isFalse();
    assertThat(bed.read("witness.txt")).contains("begin a", "end b").doesNotContain("none");
    assertThat(queue.status().tickets()).isEmpty();
    assertThat(queue.status().history()).hasSize(1);
  }

  @ParameterizedTest
  @MethodSource("dev.baton.maven.MavenBed#versions")
  void aResumedBuildTakesTheLockForWhatIsLeft(String version) throws Exception {
    reactor("", List.of("a", "b"));
    module("a", MavenBed.probe("compile", "<mode>fail</mode>" + WITNESS));
    module("b", MavenBed.probe("compile", WITNESS));

    Result result = bed.maven(version, "app", "-rf", ":b", "compile");

    assertThat(result.output()).contains("BUILD SUCCESS");
    assertThat(bed.read("witness.txt")).contains("end b").doesNotContain("begin a");
    assertThat(queue.status().tickets()).isEmpty();
    assertThat(queue.status().history()).hasSize(1);
  }

  /** It runs before the goal that forks it, and nobody knew of it. */
  @ParameterizedTest
  @MethodSource("dev.baton.maven.MavenBed#versions")
  void aForkedLifecycleIsGuardedToo(String version) throws Exception {
    bed.build("app", RELEASE, MavenBed.probe("compile", "<witness>../witness.txt</witness>"));

    Result result =
        bed.maven(version, "app", "dev.baton:probe-maven-plugin:" + MavenBed.VERSION + ":fork");

    assertThat(result.output()).contains("forked", "BUILD SUCCESS");
    assertThat(bed.read("witness.txt")).contains("end app").doesNotContain("none");
    assertThat(queue.status().tickets()).isEmpty();
  }

  /** As an extension of the build, from the POM alone: also where modules build at once. */
  @ParameterizedTest
  @MethodSource("dev.baton.maven.MavenBed#versions")
  @Tag("share")
  void anExtensionInThePomGuardsToo(String version) throws Exception {
    reactor("<extensions>true</extensions>", List.of("a", "b"));
    java.nio.file.Files.delete(bed.path("app/.mvn/extensions.xml"));
    for (String name : List.of("a", "b")) {
      module(name, MavenBed.probe("compile", WITNESS));
    }

    Result result = bed.maven(version, "app", "-T", "2", "compile");

    assertThat(result.output()).contains("BUILD SUCCESS");
    assertThat(bed.read("witness.txt")).contains("end a", "end b").doesNotContain("none");
    assertThat(queue.status().history()).hasSize(1);
  }

  /** What uploads at the end does so in the last module: the lock is still held then. */
  @Test
  void aDeploymentAtTheEndIsUnderTheLock() throws Exception {
    bed.coreExtension("app");
    bed.write(
        "app/pom.xml",
        MavenBed.pom(
            "app",
            "<modules><module>a</module><module>b</module></modules>"
                + "<distributionManagement><repository><id>shelf</id>"
                + "<url>file://${basedir}/../../shelf</url></repository></distributionManagement>",
            MavenBed.plugin("", "<store>file:../locks</store><queue>release</queue>")
                + "<plugin><artifactId>maven-deploy-plugin</artifactId><version>3.1.4</version>"
                + "<configuration><deployAtEnd>true</deployAtEnd></configuration></plugin>"));
    for (String name : List.of("a", "b")) {
      module(name, "");
    }

    Result result = bed.maven(MavenBed.some(), "app", "deploy");

    assertThat(result.output()).contains("BUILD SUCCESS", "Deferring deploy for test:a:1 at end");
    assertThat(queue.status().history()).hasSize(1);
    try (Stream<Path> shelf = java.nio.file.Files.walk(bed.path("shelf"))) {
      assertThat(shelf.map(f -> f.getFileName().toString())).contains("a-1.pom", "b-1.pom");
    }
  }
}
