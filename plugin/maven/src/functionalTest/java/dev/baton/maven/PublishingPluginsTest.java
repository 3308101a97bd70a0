package dev.baton.maven;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.maven.MavenBed.Build;
import dev.baton.maven.MavenBed.Result;
import dev.baton.maven.PublishingServer.Received;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.Grant;
import dev.baton.queue.Rules;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The real plugins that put themselves in the place of {@code deploy:deploy}: they collect what all
 * modules deploy, and upload it in the last one.
 */
class PublishingPluginsTest {

  private static final String PLACE = "<store>file:../locks</store><queue>release</queue>";

  enum Publisher {
    NEXUS_STAGING(
        "org.sonatype.plugins",
        "nexus-staging-maven-plugin",
        "1.7.0",
        "<serverId>shelf</serverId><nexusUrl>%s/nexus/</nexusUrl>"
            + "<stagingProfileId>p1</stagingProfileId>",
        "nexus-staging:deploy"),
    CENTRAL_PUBLISHING(
        "org.sonatype.central",
        "central-publishing-maven-plugin",
        "0.9.0",
        "<publishingServerId>shelf</publishingServerId><centralBaseUrl>%s/central</centralBaseUrl>",
        "central-publishing:publish");

    private final String group;
    private final String artifact;
    private final String version;
    private final String configuration;
    private final String goal;

    Publisher(String group, String artifact, String version, String configuration, String goal) {
      this.group = group;
      this.artifact = artifact;
      this.version = version;
      this.configuration = configuration;
      this.goal = goal;
    }

    String plugin(PublishingServer server) {
      return """
      <plugin>
        <groupId>%s</groupId>
        <artifactId>%s</artifactId>
        <version>%s</version>
        <extensions>true</extensions>
        <configuration>%s</configuration>
      </plugin>
      """
          .formatted(group, artifact, version, configuration.formatted(server.address()));
    }
  }

  @RegisterExtension final MavenBed bed = new MavenBed();
  private BuildQueue queue;
  private PublishingServer server;

  @BeforeEach
  void open() throws Exception {
    queue = bed.fileQueue("locks", "release", Rules.DEFAULT);
    server = bed.closing(new PublishingServer(queue));
    bed.write(
        "settings.xml",
        "<settings><servers><server><id>shelf</id><username>ann</username>"
            + "<password>anns</password></server></servers></settings>");
    // What the client of nexus-staging needs on any Java of today.
    bed.variable(
        "MAVEN_OPTS",
        "--add-opens=java.base/java.util=ALL-UNNAMED"
            + " --add-opens=java.base/java.lang.reflect=ALL-UNNAMED"
            + " --add-opens=java.base/java.text=ALL-UNNAMED"
            + " --add-opens=java.desktop/java.awt.font=ALL-UNNAMED");
  }

  /** Two modules, and a parent that is built first. */
  private void reactor(Publisher publisher, String configuration) throws Exception {
    bed.coreExtension("app");
    bed.write(
        "app/pom.xml",
        MavenBed.pom(
            "app",
            "<modules><module>a</module><module>b</module></modules><distributionManagement>"
                + "<repository><id>shelf</id><url>"
                + server.address()
                + "/repository</url></repository></distributionManagement>",
            MavenBed.plugin("", configuration) + publisher.plugin(server)));
    for (String name : List.of("a", "b")) {
      bed.write("app/" + name + "/pom.xml", MavenBed.module("app", name, ""));
    }
  }

  private Build deploy(String... more) throws Exception {
    String[] arguments = new String[more.length + 3];
    arguments[0] = "-s";
    arguments[1] = bed.path("settings.xml").toString();
    System.arraycopy(more, 0, arguments, 2, more.length);
    arguments[arguments.length - 1] = "deploy";
    return bed.start(MavenBed.some(), "app", arguments);
  }

  /** By what is guarded when nothing is said. */
  @ParameterizedTest
  @EnumSource
  void theUploadWaitsForTheLockAndIsUnderIt(Publisher publisher) throws Exception {
    reactor(publisher, PLACE);
    Build build;
    try (Grant theirs = MavenBed.take(queue, "ann@desk")) {
      assertThat(theirs.ticket()).isEqualTo(1);
      build = deploy();
      MavenBed.await("it waits", () -> queue.status().line().size() == 1);
      assertThat(server.received()).isEmpty();
    }

    Result result = build.result();

    assertThat(result.output())
        .contains("BUILD SUCCESS", publisher.goal.replace(":", ":" + publisher.version + ":"))
        .doesNotContain("Nothing in this build");
    assertThat(server.received()).anyMatch(Received::isChange);
    assertThat(server.received()).extracting(Received::holder).containsOnly(2L);
    assertThat(queue.status().tickets()).isEmpty();
    assertThat(queue.status().history()).as("one lock for all modules").hasSize(2);
  }

  /** No POM has the execution when guards are checked: the plugin's own extension adds it. */
  @ParameterizedTest
  @EnumSource
  void aGuardMayNameWhatThePluginsExtensionBinds(Publisher publisher) throws Exception {
    reactor(
        publisher,
        PLACE
            + "<strict>true</strict><guards><guard><goals>"
            + publisher.goal
            + "</goals></guard></guards>");

    Result result = deploy().result();

    assertThat(result.output()).contains("BUILD SUCCESS");
    assertThat(server.received()).anyMatch(Received::isChange);
    assertThat(server.received()).extracting(Received::holder).containsOnly(1L);
  }

  /** A guard from before the plugin came would be left behind, and the upload unguarded. */
  @ParameterizedTest
  @EnumSource
  void aGuardOnWhatThePluginHasReplacedIsTold(Publisher publisher) throws Exception {
    String guard = "<guards><guard><goals>deploy:deploy</goals></guard></guards>";
    reactor(publisher, PLACE + guard);

    Result strict = deploy("-Dbaton.strict=true").result();

    assertThat(strict.isSuccess()).isFalse();
    assertThat(strict.output())
        .contains("An extension of this build has replaced what the guards name: goal deploy:")
        .contains("Guard the goal that publishes instead of it");
    assertThat(server.received()).isEmpty();

    assertThat(deploy().result().output())
        .contains("[WARNING] Baton: An extension of this build has replaced")
        .contains("BUILD SUCCESS");
  }

  @Test
  void aGoalThatThePluginDoesNotHaveIsStillAMistake() throws Exception {
    reactor(
        Publisher.CENTRAL_PUBLISHING,
        PLACE + "<guards><guard><goals>central-publishing:deploy</goals></guard></guards>");

    Result result = deploy().result();

    assertThat(result.isSuccess()).isFalse();
    assertThat(result.output()).contains("has no 'deploy'. Use one of help, publish.");
    assertThat(server.received()).isEmpty();
  }

  /** Goals of the command line that publish what was staged before. */
  @Test
  void aReleaseOfWhatWasStagedIsGuardedToo() throws Exception {
    reactor(Publisher.NEXUS_STAGING, PLACE);
    try (Grant theirs = MavenBed.take(queue, "ann@desk")) {
      assertThat(theirs.ticket()).isEqualTo(1);
      Result result =
          bed.maven(
              MavenBed.some(),
              "app",
              "-s",
              bed.path("settings.xml").toString(),
              "-N",
              "-Dbaton.waitTimeout=1s",
              "-DstagingRepositoryId=test-1001",
              "nexus-staging:release");

      assertThat(result.isSuccess()).isFalse();
      assertThat(result.output()).contains("-Dbaton.waitTimeout=2h");
      assertThat(server.received()).isEmpty();
    }
  }
}
