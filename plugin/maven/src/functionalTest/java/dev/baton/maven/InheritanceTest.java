package dev.baton.maven;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.githubsim.GitHubSim;
import dev.baton.maven.MavenBed.Build;
import dev.baton.maven.MavenBed.Result;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.Grant;
import dev.baton.queue.Rules;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A build goes on under a lock that another process got for it. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "shells")
class InheritanceTest {

  private static final String GUARD =
      "<queue>release</queue><guards><guard><goals>probe:work</goals></guard></guards>";

  @RegisterExtension final MavenBed bed = new MavenBed();
  private BuildQueue queue;

  @BeforeEach
  void open() throws Exception {
    queue = bed.fileQueue("locks", "release", Rules.DEFAULT);
  }

  private String place() {
    return "<store>file:" + bed.path("locks") + "</store>" + GUARD;
  }

  /** Maven's own script. */
  private String mvn(String version, String arguments) {
    return "'"
        + MavenBed.home(version).resolve("bin/mvn")
        + "' -B -Dmaven.repo.local='"
        + System.getProperty("localRepository")
        + "' "
        + arguments;
  }

  @ParameterizedTest
  @MethodSource("dev.baton.maven.MavenBed#versions")
  @Tag("share")
  void underBatonRun(String version) throws Exception {
    bed.build("app", place(), MavenBed.probe("compile", "<witness>../witness.txt</witness>"));

    Build run =
        bed.baton(
            "app",
            "run",
            "--store",
            "file:" + bed.path("locks") + "#release",
            "--",
            "sh",
            "-c",
            mvn(version, "compile"));

    Result result = run.result();
    assertThat(result.output())
        .contains("Going on under the lock of ticket 1.", "BUILD SUCCESS")
        .doesNotContain("Waiting with");
    assertThat(queue.status().history()).hasSize(1);
    assertThat(queue.status().tickets()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("dev.baton.maven.MavenBed#versions")
  @Tag("share")
  void underTheAction(String version) throws Exception {
    GitHubSim sim = bed.sim("octo/app");
    BuildQueue onGitHub = bed.gitHubQueue(sim, "octo/app", "release", Rules.DEFAULT);
    bed.build(
        "app",
        "<store>github:octo/app</store><waitTimeout>1s</waitTimeout>" + GUARD,
        MavenBed.probe("compile", "<witness>../witness.txt</witness>"));
    bed.getLockByAction(sim, "octo/app", "release", "app");
    assertThat(MavenBed.holder(onGitHub.status())).contains(1L);

    Result result = bed.maven(version, "app", "compile");

    assertThat(result.output())
        .contains("Going on under the lock of ticket 1.", "BUILD SUCCESS")
        .doesNotContain("Waiting with", MavenBed.TOKEN);
    assertThat(bed.read("witness.txt")).contains("end app");
    // It is the job's, which goes on.
    assertThat(MavenBed.holder(onGitHub.status())).contains(1L);
    assertThat(onGitHub.status().nextTicket()).isEqualTo(2);
  }

  /** A real one, with the plugin for it, which needs the same lock. */
  @ParameterizedTest
  @MethodSource("dev.baton.maven.MavenBed#versions")
  @Tag("share")
  void aGradleThatAGuardedExecutionStartsGoesOnUnderItsLock(String version) throws Exception {
    bed.gradleBuild(
        "inner",
        """
        baton { store = 'file:%s'; queue = 'release' }
        def token = baton.fencingToken
        def ship = tasks.register('ship') { doLast { println "shipped under ${token.get()}" } }
        baton.guard(ship)
        """
            .formatted(bed.path("locks")));
    bed.build(
        "outer",
        place(),
        MavenBed.probe("compile", command(bed.gradle("inner", "ship -PbatonWaitTimeout=1s"))));

    Result result = bed.maven(version, "outer", "compile");

    assertThat(result.output())
        .contains("Going on under the lock of ticket 1.", "shipped under ", "BUILD SUCCESS")
        .doesNotContain("Waiting with");
    assertThat(queue.status().history()).hasSize(1);
    assertThat(queue.status().tickets()).isEmpty();
  }

  @Test
  void anOuterLockThatIsNotHeldAnyMoreStopsTheBuild() throws Exception {
    Grant theirs = MavenBed.take(queue, "ann@desk");
    bed.variable("BATON_STORE", "file:" + bed.path("locks"))
        .variable("BATON_QUEUE", "release")
        .variable("BATON_TICKET", Long.toString(theirs.ticket()))
        .variable("BATON_FENCING_TOKEN", Long.toString(theirs.fencingToken()));
    theirs.release("done");
    bed.build("app", place(), MavenBed.probe("compile", "<witness>../witness.txt</witness>"));

    Result result = bed.maven(MavenBed.some(), "app", "compile");

    assertThat(result.isSuccess()).isFalse();
    assertThat(result.output()).contains("is not held any more", "Stop the outer build");
    assertThat(bed.read("witness.txt")).isEmpty();
  }

  /** As release:perform starts it: without a way to hand on an environment. */
  @ParameterizedTest
  @MethodSource("dev.baton.maven.MavenBed#versions")
  void aMavenThatAGuardedExecutionStartsGoesOnUnderItsLock(String version) throws Exception {
    bed.build("inner", place(), MavenBed.probe("compile", "<witness>../witness.txt</witness>"));
    bed.build(
        "outer",
        place(),
        MavenBed.probe(
            "compile", command("cd ../inner && unset BATON_LOCKS && " + inner(version))));

    Result result = bed.maven(version, "outer", "compile");

    assertThat(result.output()).contains("Going on under the lock of ticket 1.", "BUILD SUCCESS");
    assertThat(bed.read("witness.txt")).contains("end inner");
    assertThat(queue.status().history()).hasSize(1);
  }

  /** There, nobody knows which execution has started it. */
  @Test
  void aMavenThatAParallelOneStartsIsRefused() throws Exception {
    bed.build("inner", place(), MavenBed.probe("compile", "<witness>../witness.txt</witness>"));
    String start = "cd ../inner && unset BATON_LOCKS && " + inner(MavenBed.some());
    bed.build("outer", place(), MavenBed.probe("compile", command(start)));

    Result result = bed.maven(MavenBed.some(), "outer", "-T", "2", "compile");

    assertThat(result.isSuccess()).isFalse();
    assertThat(result.output())
        .contains("This Maven was started by a parallel one that holds a lock")
        .contains("hand the lock on: <environmentVariables>");
    assertThat(bed.read("witness.txt")).isEmpty();
    assertThat(queue.status().tickets()).isEmpty();
  }

  @Test
  void aProcessThatIsToldGoesOnUnderTheLock() throws Exception {
    bed.build("inner", place(), MavenBed.probe("compile", "<witness>../witness.txt</witness>"));
    String start = "cd ../inner && " + inner(MavenBed.some());
    bed.build("outer", place(), MavenBed.probe("compile", command(start)));

    Result result = bed.maven(MavenBed.some(), "outer", "-T", "2", "compile");

    assertThat(result.output()).contains("Going on under the lock of ticket 1.", "BUILD SUCCESS");
    assertThat(bed.read("witness.txt")).contains("end inner");
  }

  private String inner(String version) {
    return mvn(version, "compile");
  }

  private static String command(String command) {
    return "<command><![CDATA[" + command + "]]></command>";
  }
}
