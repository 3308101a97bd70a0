package dev.baton.maven;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.githubsim.GitHubSim;
import dev.baton.maven.MavenBed.Build;
import dev.baton.maven.MavenBed.Result;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.Grant;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.Rules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the goals do, with and without a POM. */
class GoalsTest {

  private static final String PLACE = "<store>file:../locks</store><queue>release</queue>";

  @RegisterExtension final MavenBed bed = new MavenBed();

  private Result goal(String version, String goal, String... more) throws Exception {
    List<String> arguments = new ArrayList<>(List.of(more));
    arguments.add(0, "dev.baton:baton-maven-plugin:" + MavenBed.VERSION + ":" + goal);
    return bed.maven(version, "app", arguments.toArray(String[]::new));
  }

  @ParameterizedTest
  @MethodSource("dev.baton.maven.MavenBed#versions")
  void theLifeOfAQueue(String version) throws Exception {
    bed.build("app", PLACE, "");
    assertThat(goal(version, "init").output()).contains("is created.");
    assertThat(goal(version, "init").output()).contains("was there already.");
    BuildQueue queue = bed.fileQueue("locks", "release", Rules.DEFAULT);
    try (Grant theirs = MavenBed.take(queue, "ann@desk")) {
      assertThat(goal(version, "status").output()).contains("[INFO] ", "ann@desk");
      assertThat(goal(version, "status", "-q", "-Dbaton.json=true").output().strip())
          .startsWith("{")
          .endsWith("}");
      assertThat(goal(version, "doctor").output()).contains("BUILD SUCCESS");
      Result unlocked =
          goal(version, "unlock", "-Dbaton.ticket=1", "-Dbaton.reason=stuck", "-Dbaton.now=true");
      assertThat(unlocked.output()).contains("The lock is taken away");
      assertThat(queue.status().tickets()).isEmpty();
      assertThat(theirs.ticket()).isEqualTo(1);
    }
    assertThat(goal(version, "history").output()).contains("by hand", "stuck");
  }

  @Test
  void unlockSaysWhatItNeeds() throws Exception {
    bed.build("app", PLACE, "");
    assertThat(goal(MavenBed.some(), "unlock").output())
        .contains("Baton: -Dbaton.ticket is missing. Give a number");
    assertThat(goal(MavenBed.some(), "unlock", "-Dbaton.ticket=1").output())
        .contains("Baton: -Dbaton.reason is missing");
  }

  @Test
  void helpListsGoalsAndTheirParameters() throws Exception {
    bed.build("app", PLACE, "");
    String output = goal(MavenBed.some(), "help", "-Ddetail", "-Dgoal=run").output();
    assertThat(output)
        .contains("[INFO] baton:run", "command (-Dbaton.command)", "waitTimeout")
        .doesNotContain("baton:unlock", "<code>");
  }

  /** Guarded by what it is, without a word in the POM. */
  @ParameterizedTest
  @MethodSource("dev.baton.maven.MavenBed#versions")
  void aCommandRunsUnderTheLock(String version) throws Exception {
    BuildQueue queue = bed.fileQueue("locks", "release", Rules.DEFAULT);
    bed.build("app", PLACE, "");
    Result result = goal(version, "run", "-Dbaton.command=echo fence $BATON_FENCING_TOKEN.");
    assertThat(result.output()).containsPattern("fence \\d+\\.").contains("BUILD SUCCESS");
    Result failed = goal(version, "run", "-Dbaton.command=exit 3");
    assertThat(failed.output()).contains("Baton: The command ended with code 3.");
    assertThat(failed.isSuccess()).isFalse();
    assertThat(queue.status().history())
        .extracting(HistoryEntry::event)
        .containsExactly(HistoryEntry.Event.RELEASED, HistoryEntry.Event.RELEASED);
  }

  @Test
  void aCommandRunsUnderTheLockWithoutTheExtension() throws Exception {
    BuildQueue queue = bed.fileQueue("locks", "release", Rules.DEFAULT);
    bed.write("app/pom.xml", MavenBed.pom("app", "", MavenBed.plugin("", PLACE)));
    Result result =
        goal(MavenBed.some(), "run", "-Dbaton.command=echo fence $BATON_FENCING_TOKEN.");
    assertThat(result.output()).containsPattern("fence \\d+\\.").contains("BUILD SUCCESS");
    assertThat(queue.status().history()).hasSize(1);
  }

  @Test
  void anInitBesideAGuardedExecutionMakesTheQueue() throws Exception {
    bed.build(
        "app",
        PLACE + "<guards><guard><goals>probe:work</goals></guard></guards>",
        MavenBed.probe("compile", ""));
    Result result = goal(MavenBed.some(), "init", "compile");
    assertThat(result.output()).contains("is created.", "probe worked in app", "BUILD SUCCESS");
  }

  /** The GitHub on loopback; a token from the settings. */
  @ParameterizedTest
  @MethodSource("dev.baton.maven.MavenBed#versions")
  @Tag("share")
  void aQueueOnGitHubWithATokenOfTheSettings(String version) throws Exception {
    GitHubSim sim = bed.sim("octo/app");
    bed.variable("BATON_API", sim.baseUrl());
    bed.write(
        "settings.xml",
        "<settings><servers><server><id>github</id><password>"
            + MavenBed.TOKEN
            + "</password></server></servers></settings>");
    bed.build(
        "app",
        "<store>github:octo/app</store><tokenServer>github</tokenServer>"
            + "<guards><guard><goals>probe:work</goals></guard></guards>",
        MavenBed.probe("compile", "<witness>../witness.txt</witness>"));
    String settings = bed.path("settings.xml").toString();
    Result result =
        bed.maven(
            version,
            "app",
            "-s",
            settings,
            "dev.baton:baton-maven-plugin:" + MavenBed.VERSION + ":init",
            "compile");
    assertThat(result.output())
        .contains("is created.", "probe worked in app", "BUILD SUCCESS")
        .doesNotContain(MavenBed.TOKEN);
    assertThat(bed.read("witness.txt")).contains("end app");
  }

  @Test
  void aWaitingBuildShowsLifeAndQuietOnesDoNot() throws Exception {
    BuildQueue queue =
        bed.fileQueue(
            "locks", "release", MavenBed.rules(Duration.ofSeconds(60), Duration.ofSeconds(5)));
    bed.build(
        "app",
        PLACE + "<guards><guard><goals>probe:work</goals></guard></guards>",
        MavenBed.probe("compile", ""));
    Build quiet;
    try (Grant theirs = MavenBed.take(queue, "ann@desk")) {
      assertThat(theirs.ticket()).isEqualTo(1);
      quiet = bed.start(MavenBed.some(), "app", "-q", "compile");
      MavenBed.await("it waits", () -> queue.status().line().size() == 1);
    }
    Result result = quiet.result();
    assertThat(result.isSuccess()).isTrue();
    assertThat(result.output()).isBlank();
  }
}
