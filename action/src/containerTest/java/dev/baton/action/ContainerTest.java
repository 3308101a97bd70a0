package dev.baton.action;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.alibaba.fake.FakeAccount;
import dev.baton.alibaba.fake.FakeAliyun;
import dev.baton.alibaba.fake.FakeOss;
import dev.baton.core.SystemWorld;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.SimRepository;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Rules;
import dev.baton.queue.github.GitHubConnection;
import dev.baton.queue.github.GitHubPlace;
import dev.baton.queue.github.GitHubSpace;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The image as GitHub runs it: two containers for each step, and the runner's signals. */
class ContainerTest {

  private static final String IMAGE = System.getProperty("baton.image");
  private static final String MINIMAL = System.getProperty("baton.minimal");
  private static final String REPOSITORY = "octo/app";
  private static final String SECRET = "ghs_secret";
  private static final String HOST = "github.test";
  private static final long MEGABYTE = 1_000_000;
  private static final int RUNS = 15;

  private static final String ALIBABA = System.getProperty("baton.image.alibaba");

  private static RunnerHarness.Launcher containers(String image) {
    return (phase, environment, directory) -> {
      List<String> command = new ArrayList<>();
      if (System.getProperty("os.name").equals("Linux")) {
        command.addAll(List.of("/usr/bin/env", "--default-signal=INT,TERM"));
      }
      command.addAll(
          List.of(
              "docker",
              "run",
              "--rm",
              "--network",
              "host",
              "--add-host",
              HOST + ":127.0.0.1",
              "--workdir",
              directory.resolve("workspace").toString(),
              "--volume",
              directory + ":" + directory));
      environment.forEach(
          (name, value) -> {
            if (!name.equals("PATH")) {
              command.addAll(List.of("--env", name + "=" + value));
            }
          });
      command.addAll(
          List.of("--entrypoint", "/baton/" + phase.name().toLowerCase(Locale.ROOT), image));
      return RunnerHarness.start(new ProcessBuilder(command), directory);
    };
  }

  @TempDir Path directory;
  private GitHubSim sim;
  private SimRepository home;
  private GitHubSpace space;
  private BuildQueue queue;
  private RunnerHarness harness;

  @BeforeEach
  void makeQueue() throws Exception {
    sim = GitHubSim.start(SimSettings.defaults());
    home = sim.addRepository(REPOSITORY, true);
    sim.addToken(Token.classic("job", SECRET, REPOSITORY));
    sim.addToken(Token.classic("maintainer", "maintainer", REPOSITORY));
    space =
        GitHubSpace.open(
            GitHubPlace.parse("github:" + REPOSITORY, URI.create(sim.baseUrl())),
            GitHubConnection.builder().token(() -> "maintainer").build(),
            new SystemWorld());
    queue = space.queue(EngineSettings.DEFAULT);
    queue.create(Rules.DEFAULT);
    harness = new RunnerHarness(sim, directory, containers(IMAGE));
  }

  @AfterEach
  void close() {
    queue.close();
    space.close();
    sim.close();
  }

  private RunnerHarness.Job newJob() {
    return harness.job(REPOSITORY, home.startRun("build", "ann", "build"), 0, "build", SECRET);
  }

  @Test
  void acquireIsGivenBackAtTheEndOfTheJob() throws Exception {
    RunnerHarness.Job job = newJob();
    RunnerHarness.Step main = job.run();
    assertThat(main.exitCode()).as(main.log()).isZero();
    assertThat(main.acquired()).isTrue();
    // An input with a hyphen in its name: some shells lose it on the way.
    assertThat(queue.status().tickets().get(0).run().orElseThrow().jobId()).isEqualTo(job.id());
    assertThat(queue.status().slots().get(0).ticket()).isEqualTo(main.ticket());
    RunnerHarness.Step post = main.post();
    assertThat(post.exitCode()).as(post.log()).isZero();
    assertThat(queue.status().tickets()).isEmpty();
    for (RunnerHarness.Step step : List.of(main, post)) {
      assertThat(step.stderr()).isEmpty();
      assertThat(step.everything().replace("::add-mask::" + SECRET + "\n", ""))
          .doesNotContain(SECRET);
    }
  }

  @Test
  void aCancelledStepLeavesTheLineInTime() throws Exception {
    newJob().run();
    RunnerHarness.Step waiting = newJob().start();
    QueueDocument now = queue.status();
    for (int i = 0; now.line().isEmpty() && i < 300; i++) {
      Thread.sleep(100);
      now = queue.status();
    }
    assertThat(now.line()).as(waiting.log()).hasSize(1);
    Duration took = waiting.cancel();
    assertThat(queue.status().line()).as(waiting.log()).isEmpty();
    assertThat(took).isLessThan(RunnerHarness.UNTIL_TERM);
  }

  @Test
  void speaksTlsToAHostNameWithACertificateOfAPrivateAuthority() throws Exception {
    HeldCertificate authority =
        new HeldCertificate.Builder().ecdsa256().certificateAuthority(0).build();
    HeldCertificate server =
        new HeldCertificate.Builder()
            .ecdsa256()
            .addSubjectAlternativeName(HOST)
            .signedBy(authority)
            .build();
    try (TlsFront front = TlsFront.before(URI.create(sim.serverUrl()).getPort(), server)) {
      String url = "https://" + HOST + ":" + front.port();
      RunnerHarness.Job job = newJob();
      RunnerHarness.Step distrusts = job.run("github-url", url, "command", "status");
      assertThat(distrusts.exitCode()).as(distrusts.log()).isEqualTo(1);
      assertThat(distrusts.stdout()).contains("::error title=");
      assertThat(sim.log().of("job").charged()).isZero();

      job.inWorkspace("ca.pem", authority.certificatePem());
      RunnerHarness.Step trusts = job.run("github-url", url, "ca-file", "ca.pem");
      assertThat(trusts.exitCode()).as(trusts.log()).isZero();
      assertThat(trusts.acquired()).isTrue();
    }
  }

  @Test
  void isSmall() throws Exception {
    System.out.printf(
        Locale.ROOT,
        "image %.1f MB, with the clients of Alibaba Cloud %.1f MB%n",
        (double) size(IMAGE) / MEGABYTE,
        (double) size(ALIBABA) / MEGABYTE);
    assertThat(size(IMAGE)).isLessThanOrEqualTo(100 * MEGABYTE);
    assertThat(size(ALIBABA)).isLessThanOrEqualTo(130 * MEGABYTE);
  }

  private static long size(String image) throws Exception {
    return Long.parseLong(run("docker", "image", "inspect", "--format", "{{.Size}}", image));
  }

  @Test
  void oneImageHasTheClientsOfAlibabaCloudAndTheOtherSaysSo() throws Exception {
    try (FakeOss oss = FakeOss.start();
        FakeAliyun cloud = FakeAliyun.start("1000000000000001")) {
      oss.addKey("LTAIid", "theSecretOfTheKey", "me");
      oss.addBucket("team-builds", "me");
      cloud.addKey("LTAIid", "theSecretOfTheKey");
      Map<String, String> variables =
          FakeAccount.variables(oss, cloud, "LTAIid", "theSecretOfTheKey");
      RunnerHarness.Job plain = newJob();
      plain.variables().putAll(variables);
      RunnerHarness.Step lacks = plain.run("store", "oss://team-builds/ci");
      assertThat(lacks.exitCode()).as(lacks.log()).isEqualTo(1);
      assertThat(lacks.stdout()).contains("@v1-alibaba");

      harness = new RunnerHarness(sim, directory.resolve("alibaba"), containers(ALIBABA));
      RunnerHarness.Job job = newJob();
      job.variables().putAll(variables);
      RunnerHarness.Step made = job.run("store", "oss://team-builds/ci", "command", "init");
      assertThat(made.exitCode()).as(made.log()).isZero();
      RunnerHarness.Step held = job.run("store", "oss://team-builds/ci");
      assertThat(held.acquired()).as(held.log()).isTrue();
      assertThat(held.post().stdout()).contains("has given back");
      RunnerHarness.Step up =
          job.run("command", "vm-up", "cloud", "aliyun", "vm-store", "oss://team-builds/vms");
      assertThat(up.exitCode()).as(up.log()).isZero();
      assertThat(cloud.everything()).isNotEmpty();
      RunnerHarness.Step down = up.post();
      assertThat(cloud.everything()).as(down.log()).isEmpty();
    }
  }

  @Test
  void startsFast() throws Exception {
    String[] minimal = {"--entrypoint", "/bin/true", MINIMAL};
    // As far as the first thing that the program says, without the network.
    String[] program = {"--env", "INPUT_COMMAND=nothing", "--env", "GITHUB_REPOSITORY=o/r", IMAGE};
    long[] nothing = new long[RUNS];
    long[] started = new long[RUNS];
    long[] status = new long[RUNS];
    RunnerHarness.Job job = newJob();
    for (int i = 0; i < RUNS; i++) {
      nothing[i] = nanosOfContainer(0, minimal);
      started[i] = nanosOfContainer(1, program);
      long before = System.nanoTime();
      RunnerHarness.Step asked = job.run("command", "status");
      status[i] = System.nanoTime() - before;
      assertThat(asked.exitCode()).as(asked.log()).isZero();
    }
    double start = (double) median(started) / median(nothing);
    double step = (double) median(status) / median(nothing);
    System.out.printf(
        Locale.ROOT,
        "/bin/true %d ms, start %d ms (%.1f times), status of a queue %d ms (%.1f times)%n",
        median(nothing) / 1_000_000,
        median(started) / 1_000_000,
        start,
        median(status) / 1_000_000,
        step);
    assertThat(start).isLessThanOrEqualTo(3);
    assertThat(step).as("a whole step that asks GitHub").isLessThanOrEqualTo(3);
  }

  private static long median(long[] times) {
    return Arrays.stream(times).sorted().skip(times.length / 2).findFirst().orElseThrow();
  }

  private static long nanosOfContainer(int exitCode, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("docker", "run", "--rm", "--network", "host"));
    command.addAll(List.of(arguments));
    long start = System.nanoTime();
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertThat(process.waitFor()).isEqualTo(exitCode);
    return System.nanoTime() - start;
  }

  private static String run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertThat(process.waitFor()).as(said).isZero();
    return said;
  }
}
