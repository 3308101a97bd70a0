package dev.baton.action;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.Grant;
import dev.baton.githubsim.SimRepository;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import dev.baton.testing.SampleAdapter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An adapter that this build does not know works in an image by being in it. */
class SampleAdapterTest {

  private static final Path PLAIN = Path.of(System.getProperty("baton.image.plain"));
  private static final String TOKEN = "ghs_thisIsTheSecretOfTheWorkflow0004";

  @TempDir Path directory;

  private final GitHubSim github = GitHubSim.start(SimSettings.defaults());
  private SimRepository home;
  private RunnerHarness.Job job;

  /** The jars of the plain image, and the adapter where an image has extensions. */
  @BeforeEach
  void setUp() throws IOException {
    home = github.addRepository("octo/app", true);
    github.addToken(Token.workflow("the workflow", TOKEN, "octo/app", Grant.ACTIONS_READ));
    Path lib = Files.createDirectories(directory.resolve("image/lib"));
    List<String> classPath = new ArrayList<>();
    try (Stream<Path> jars = Files.list(PLAIN.resolve("lib"))) {
      for (Path jar : jars.filter(j -> j.toString().endsWith(".jar")).sorted().toList()) {
        classPath.add(Files.copy(jar, lib.resolve(jar.getFileName())).toString());
      }
    }
    Path made = SampleAdapter.jar(directory);
    Files.copy(made, Files.createDirectory(lib.resolve("extensions")).resolve("shelf.jar"));
    RunnerHarness harness =
        new RunnerHarness(
            github, directory.resolve("steps"), RunnerHarness.process(String.join(":", classPath)));
    job = harness.job("octo/app", home.startRun("build", "ann", "build"), 0, "build", TOKEN);
    job.variables().put("SHELF_ROOT", directory.resolve("root").toString());
  }

  @AfterEach
  void close() {
    github.close();
  }

  @Test
  void aJobWaitsInItsStore() throws Exception {
    RunnerHarness.Step made = job.run("store", "shelf:top", "command", "init");
    assertThat(made.exitCode()).as(made.log()).isZero();
    RunnerHarness.Step held = job.run("store", "shelf:top");
    assertThat(held.acquired()).as(held.log()).isTrue();
    assertThat(directory.resolve("root/top/build/queue.json")).exists();
    assertThat(held.post().stdout()).contains("has given back");
  }

  @Test
  void aJobHasAVmInItsCloud() throws Exception {
    RunnerHarness.Step up =
        job.run("command", "vm-up", "cloud", "carpenter", "vm-store", "shelf:vms");
    assertThat(up.exitCode()).as(up.log()).isZero();
    assertThat(up.outputs()).containsKey("vm-name");
    assertThat(directory.resolve("root/workshop")).isDirectory();
    RunnerHarness.Step down = up.post();
    assertThat(down.exitCode()).as(down.log()).isZero();
  }

  @Test
  void whatIsWrongIsToldWithItInTheList() throws Exception {
    assertThat(job.run("command", "vm-up", "vm-store", "shelf:vms").stdout())
        .contains("`cloud: simulated`", "`cloud: aliyun` with the action @v1-alibaba")
        .contains("or `cloud: carpenter`");
    assertThat(job.run("store", "file:/tmp/queue").stdout())
        .containsPattern("store must be such as oss://BUCKET/PREFIX.* or shelf:BOARD;");
    assertThat(job.run("store", "oss://team-builds/ci").stdout())
        .contains("For Alibaba Cloud use the action @v1-alibaba.");
  }
}
