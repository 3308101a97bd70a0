package dev.baton.maven;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.githubsim.GitHubSim;
import dev.baton.maven.MavenBed.Result;
import dev.baton.queue.Rules;
import java.nio.file.Files;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** One message, the next step, and nothing guarded has run. */
class BadInputTest {

  private static final String GUARD = "<guards><guard><goals>probe:work</goals></guard></guards>";
  private static final String PLACE = "<store>file:../locks</store><queue>release</queue>";
  private static final String WORK = MavenBed.probe("compile", "<witness>../witness.txt</witness>");

  @RegisterExtension final MavenBed bed = new MavenBed();

  private String refusal(String version, String... arguments) throws Exception {
    Result result = bed.maven(version, "app", arguments);
    assertThat(result.isSuccess()).as(result.output()).isFalse();
    assertThat(bed.read("witness.txt")).isEmpty();
    return result.output();
  }

  /** On all Mavens, also those that would pass over what they cannot read. */
  @ParameterizedTest
  @MethodSource("dev.baton.maven.MavenBed#versions")
  @Tag("share")
  void withoutAQueueNothingIsDone(String version) throws Exception {
    bed.build("app", PLACE + GUARD, WORK);
    assertThat(refusal(version, "compile"))
        .contains("Baton: There is no queue ", "mvn baton:init")
        .contains("BUILD FAILURE");
  }

  @ParameterizedTest
  @MethodSource("dev.baton.maven.MavenBed#versions")
  void anOldJavaIsRefusedBeforeAnythingRuns(String version) throws Exception {
    bed.fileQueue("locks", "release", Rules.DEFAULT);
    bed.build("app", PLACE + GUARD, WORK);
    bed.coreExtensions("app", "baton-maven-plugin", "probe-maven-plugin");
    assertThat(refusal(version, "compile", "-Dprobe.java=11"))
        .contains("Baton: Guarded executions need Maven to run on Java 17 or newer, and this is")
        .contains("Java 11. Install JDK 17 or newer and let JAVA_HOME lead there");
    Result other = bed.maven(version, "app", "validate", "-Dprobe.java=11");
    assertThat(other.output()).as("nothing guarded").contains("BUILD SUCCESS");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "<guards><guard><goals>deploy</goals></guard></guards>|guard 'deploy' is not a goal",
        "<guards><guard><goals>probe:wrok</goals></guard></guards>|"
            + "has no 'wrok'. Use one of fork, work.",
        "<guards><guard><phases>deplyo</phases></guard></guards>|guard 'deplyo' is not a phase",
        "<guards><guard/></guards>|A <guard> names nothing",
        "<guards><guard><goals>probe:work</goals><queues>lab</queues></guard></guards>|"
            + "needs the queue 'lab', which is not among <queues>",
        "<stroe>file:x</stroe>|Unknown setting <stroe>",
        "<queue>Release</queue>|<queue> cannot be 'Release'",
        "<waitTimeout>soon</waitTimeout>|<waitTimeout> cannot be 'soon'",
        "<onTimeout>later</onTimeout>|<onTimeout> cannot be 'later'",
        "<priority>high</priority>|<priority> cannot be 'high'",
        "<store>${nowhere}</store>|<store> is '${nowhere}', and nothing says what that is",
        "<tokenFile>a</tokenFile><tokenServer>b</tokenServer>|in several ways where the token is",
        "<queues><queue><store>file:x</store></queue></queues>|A <queue> has no <name>",
      })
  void whatThePomSaysWrong(String configuration, String message) throws Exception {
    bed.build("app", configuration, WORK);
    assertThat(refusal(MavenBed.some(), "compile")).contains("Baton: ").contains(message);
  }

  @Test
  void anotherKindOfStoreIsRefusedBeforeAnythingRuns() throws Exception {
    bed.build("app", "<store>ftp:somewhere</store>" + GUARD, MavenBed.probe("validate", "") + "");
    assertThat(refusal(MavenBed.some(), "validate")).contains("ftp:", "file:DIR");
  }

  @Test
  void withoutATokenGitHubIsNotAsked() throws Exception {
    bed.build("app", "<store>github:octo/app</store>" + GUARD, WORK);
    assertThat(refusal(MavenBed.some(), "compile"))
        .contains("Baton: There is no token for GitHub. Set BATON_TOKEN", "<tokenFile>");
  }

  @Test
  void aWrongTokenIsNotShown() throws Exception {
    GitHubSim sim = bed.sim("octo/app");
    bed.variable("BATON_API", sim.baseUrl()).variable("GITHUB_TOKEN", "ghp_wrongToken");
    bed.build("app", "<store>github:octo/app</store>" + GUARD, WORK);
    assertThat(refusal(MavenBed.some(), "compile")).contains("Baton: ").doesNotContain("ghp_");
  }

  @Test
  void offlineReachesNothingOverTheNetwork() throws Exception {
    GitHubSim sim = bed.sim("octo/app");
    bed.variable("BATON_API", sim.baseUrl()).variable("GITHUB_TOKEN", MavenBed.TOKEN);
    bed.build("app", "<store>github:octo/app</store>" + GUARD, WORK);
    assertThat(refusal(MavenBed.some(), "--offline", "compile"))
        .contains("cannot be reached with --offline. Leave out --offline");
  }

  /** A line of .mvn/maven.config is a line of the checkout. */
  @Test
  void noCommandLineSaysWhereATokenGoes() throws Exception {
    bed.fileQueue("locks", "release", Rules.DEFAULT);
    bed.build("app", PLACE + GUARD, WORK);
    assertThat(refusal(MavenBed.some(), "-Dbaton.api=http://127.0.0.1:9", "compile"))
        .contains("-Dbaton.api is not taken from a command line");
    assertThat(refusal(MavenBed.some(), "-Dbaton.waitTimout=1s", "compile"))
        .contains("Unknown setting -Dbaton.waitTimout");
  }

  @Test
  void aGuardThatNamesNothingIsTold() throws Exception {
    bed.fileQueue("locks", "release", Rules.DEFAULT);
    String idle = "<guards><guard><goals>probe:work, nexus-stagin:deploy</goals></guard></guards>";
    bed.build("app", PLACE + idle, WORK);
    assertThat(refusal(MavenBed.some(), "compile", "-Dbaton.strict=true"))
        .contains("Nothing in this build is what the guards name: goal nexus-stagin:deploy.");

    Result warned = bed.maven(MavenBed.some(), "app", "compile");
    assertThat(warned.isSuccess()).isTrue();
    assertThat(warned.output()).contains("[WARNING] Baton: Nothing in this build");
  }

  @ParameterizedTest
  @MethodSource("dev.baton.maven.MavenBed#versions")
  @Tag("share")
  void verifyFailsWithoutTheExtension(String version) throws Exception {
    bed.build("app", PLACE, WORK);
    String pom =
        MavenBed.pom(
            "app",
            "",
            MavenBed.plugin(
                    "<executions><execution><goals><goal>verify</goal></goals></execution>"
                        + "</executions>",
                    PLACE)
                + WORK);
    bed.write("app/pom.xml", pom);
    Result with = bed.maven(version, "app", "validate");
    assertThat(with.output()).contains("BUILD SUCCESS");

    Files.delete(bed.path("app/.mvn/extensions.xml"));

    assertThat(refusal(version, "compile"))
        .contains("Baton: Nothing guards this build: the extension is not active. Add")
        .contains("to .mvn/extensions.xml, or <extensions>true</extensions> to the plugin.");
  }

  @Test
  void twoVersionsOfTheExtensionAreRefused() throws Exception {
    bed.coreExtension("app");
    bed.otherVersion("9.9.9");
    bed.write(
        "app/pom.xml",
        MavenBed.pom(
            "app",
            "",
            MavenBed.plugin("<extensions>true</extensions>", PLACE)
                    .replace(MavenBed.VERSION, "9.9.9")
                + WORK));
    assertThat(refusal(MavenBed.some(), "compile"))
        .contains("two versions of the extension: " + MavenBed.VERSION + " and 9.9.9");
  }
}
