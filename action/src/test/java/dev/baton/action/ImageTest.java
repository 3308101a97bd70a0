package dev.baton.action;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.alibaba.fake.FakeAccount;
import dev.baton.alibaba.fake.FakeAliyun;
import dev.baton.alibaba.fake.FakeOss;
import dev.baton.alibaba.fake.Kind;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.Grant;
import dev.baton.githubsim.SimRepository;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is in the two images, without a container: the jars as the Dockerfile finds them, and no
 * more of Java than the images have.
 */
class ImageTest {

  private static final Path PLAIN = Path.of(System.getProperty("baton.image.plain"));
  private static final Path ALIBABA = Path.of(System.getProperty("baton.image.alibaba"));
  private static final String ID = "LTAI5tTheIdOfTheseTests0";
  private static final String SECRET = "TheSecretOfTheseTests0123456789";
  private static final String TOKEN = "ghs_thisIsTheSecretOfTheWorkflow0003";
  private static final String STORE = "oss://team-builds/ci";
  private static final String HOST_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHost";

  @TempDir Path directory;

  private final GitHubSim github = GitHubSim.start(SimSettings.defaults());
  private final FakeOss oss = FakeOss.start();
  private final FakeAliyun cloud = FakeAliyun.start("1000000000000001");
  private SimRepository home;

  @BeforeEach
  void open() {
    home = github.addRepository("octo/app", true);
    github.addToken(Token.workflow("the workflow", TOKEN, "octo/app", Grant.ACTIONS_READ));
    oss.addKey(ID, SECRET, "me");
    oss.addBucket("team-builds", "me");
    cloud.addKey(ID, SECRET);
    cloud.commands((id, text) -> Map.entry(0, HOST_KEY + " root@" + id + "\n"));
  }

  @AfterEach
  void close() {
    cloud.close();
    oss.close();
    github.close();
  }

  /** The lists of modules in the script that makes the images, the second for extensions. */
  private static String modules(Path context) throws IOException {
    String script = Files.readString(context.resolve("container/make-image.sh"));
    Matcher m = Pattern.compile("(?m)^ *modules=\"?(?:\\$modules,)?([a-z.,]+)").matcher(script);
    List<String> lists = m.results().map(r -> r.group(1)).toList();
    assertThat(lists).hasSize(2);
    return Files.isDirectory(context.resolve("lib/extensions"))
        ? String.join(",", lists)
        : lists.get(0);
  }

  private RunnerHarness.Job job(Path context) throws IOException {
    try (Stream<Path> jars = Files.list(context.resolve("lib"))) {
      String classPath =
          jars.filter(j -> j.toString().endsWith(".jar"))
              .map(Path::toString)
              .sorted()
              .collect(Collectors.joining(":"));
      RunnerHarness harness =
          new RunnerHarness(
              github,
              directory.resolve(context.getFileName()),
              RunnerHarness.process(classPath, "--limit-modules", modules(context)));
      RunnerHarness.Job job =
          harness.job("octo/app", home.startRun("build", "ann", "build"), 0, "build", TOKEN);
      job.variables().putAll(FakeAccount.variables(oss, cloud, ID, SECRET));
      job.variables().put("BATON_ALIYUN_SSH_FROM", "198.51.100.7");
      return job;
    }
  }

  @Test
  void theSmallOneSaysWhichOneHasTheClients() throws Exception {
    RunnerHarness.Job job = job(PLAIN);
    for (String[] inputs :
        new String[][] {
          {"store", STORE},
          {"command", "vm-up", "cloud", "aliyun", "vm-store", "oss://team-builds/vms"}
        }) {
      RunnerHarness.Step step = job.run(inputs);
      assertThat(step.exitCode()).as(step.log()).isEqualTo(1);
      assertThat(step.stdout()).contains("@v1-alibaba");
    }
    assertThat(oss.count() + cloud.count()).as("requests").isZero();
  }

  @Test
  void theLargeOneQueuesInOss() throws Exception {
    RunnerHarness.Job job = job(ALIBABA);
    RunnerHarness.Step made = job.run("store", STORE, "command", "init");
    assertThat(made.exitCode()).as(made.log()).isZero();
    RunnerHarness.Step held = job.run("store", STORE);
    assertThat(held.acquired()).as(held.log()).isTrue();
    assertThat(held.post().stdout()).contains("has given back");
    assertThat(held.everything()).doesNotContain(SECRET, ID);
  }

  @Test
  void theLargeOneHasAVmThatEndsByItselfAndCanBeRecognised() throws Exception {
    RunnerHarness.Step up =
        job(ALIBABA)
            .run(
                "command", "vm-up",
                "cloud", "aliyun",
                "vm-store", "oss://team-builds/vms",
                "vm-disk", "80",
                "vm-public-key", FakeAliyun.PUBLIC_KEY);
    assertThat(up.exitCode()).as(up.log()).isZero();
    assertThat(up.outputs()).containsEntry("vm-host-key", HOST_KEY);
    assertThat(up.everything()).doesNotContain(SECRET, ID);
    String instance = cloud.ids(Kind.INSTANCE).get(0);
    Instant end = Instant.parse(cloud.field(Kind.INSTANCE, instance, "AutoReleaseTime"));
    assertThat(Duration.between(Instant.now(), end))
        .isBetween(Duration.ofMinutes(470), Duration.ofMinutes(490));

    RunnerHarness.Step down = up.post();
    assertThat(cloud.everything()).as(down.log()).isEmpty();
  }

  @Test
  void aVmThatNobodyMayEnterIsNotAskedForItsKey() throws Exception {
    RunnerHarness.Step up =
        job(ALIBABA)
            .run("command", "vm-up", "cloud", "aliyun", "vm-store", "oss://team-builds/vms");
    assertThat(up.exitCode()).as(up.log()).isZero();
    assertThat(up.outputs()).containsEntry("vm-host-key", "");
    assertThat(cloud.counts()).doesNotContainKey("RunCommand");
    up.post();
    assertThat(cloud.everything()).isEmpty();
  }
}
