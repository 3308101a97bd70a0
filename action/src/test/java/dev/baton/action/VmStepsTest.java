package dev.baton.action;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.SystemWorld;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.SimRepository;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import dev.baton.vm.Client;
import dev.baton.vm.VmName;
import dev.baton.vm.VmState;
import dev.baton.vm.operation.Vms;
import dev.baton.vm.simulated.SimulatedCloud;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.store.FileVmSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A VM for a job, as the runner runs its steps: in processes where signals and kills matter. */
class VmStepsTest {

  private static GitHubSim sim;
  private static SimRepository repository;

  @TempDir Path directory;
  private Path place;
  private SimulatedCloud cloud;
  private RunnerHarness harness;

  @BeforeAll
  static void start() {
    sim = GitHubSim.start(SimSettings.defaults());
    repository = sim.addRepository("octo/vm", true);
  }

  @AfterAll
  static void stop() {
    sim.close();
  }

  @BeforeEach
  void makePlace() {
    place = directory.resolve("vms");
    cloud = SimulatedCloud.in(place.resolve(".cloud"), new SystemWorld());
    harness = new RunnerHarness(sim, directory, RunnerHarness.THREAD);
  }

  private void useProcesses() {
    harness = new RunnerHarness(sim, directory.resolve("processes"), RunnerHarness.PROCESS);
  }

  private RunnerHarness.Job newJob(SimRepository.RunView run, String key) {
    return harness.job("octo/vm", run, 0, key, "no token is needed");
  }

  private RunnerHarness.Job newJobWith(String token) {
    return harness.job("octo/vm", repository.startRun("build", "ann", "build"), 0, "x", token);
  }

  private RunnerHarness.Job newJob() {
    return newJob(repository.startRun("build", "ann", "build"), "Build It");
  }

  private RunnerHarness.Step up(RunnerHarness.Job job) {
    return job.start("command", "vm-up", "cloud", "simulated", "vm-store", "file:" + place);
  }

  private List<String> kinds() throws ProviderException {
    return cloud.everything().stream().map(Found::kind).map(Enum::name).sorted().toList();
  }

  private void slow() throws ProviderException {
    cloud.configure(s -> s.withLatency(Duration.ofMillis(1_500)));
  }

  private void fast() throws ProviderException {
    cloud.configure(s -> s.withLatency(Duration.ZERO));
  }

  private void untilSomethingIsThere() throws Exception {
    long start = System.nanoTime();
    while (cloud.everything().isEmpty()) {
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(60));
      Thread.sleep(20);
    }
  }

  @Test
  void noCloudIsNotTakenForASimulatedOne() throws Exception {
    for (String command : List.of("vm-up", "vm-down", "vm-sweep")) {
      RunnerHarness.Step step = newJob().run("command", command, "vm-store", "file:" + place);
      assertThat(step.exitCode()).as(step.log()).isEqualTo(1);
      assertThat(step.stdout())
          .contains("::error title=Wrong input::cloud is not set")
          .contains("cloud: aliyun")
          .contains("cloud: simulated");
      RunnerHarness.Step post = step.post();
      assertThat(post.stdout()).as("nothing to take down").doesNotContain("::warning");
    }
    assertThat(kinds()).isEmpty();
  }

  @Test
  void aVmIsUpForTheJobAndGoneAfterIt() throws Exception {
    RunnerHarness.Job job = newJob();
    RunnerHarness.Step up = up(job).await();
    assertThat(up.exitCode()).as(up.log()).isZero();
    String name = up.outputs().get("vm-name");
    assertThat(name).matches("run-" + job.runId() + "-1-build-it-[0-9a-f]{8}");
    assertThat(up.outputs().get("vm-ip")).startsWith("203.0.113.");
    assertThat(up.outputs().get("vm-host-key")).startsWith("ssh-ed25519 ");
    assertThat(job.variables())
        .containsEntry("BATON_VM", name)
        .containsEntry("BATON_VM_STORE", "file:" + place);
    assertThat(up.summary()).contains("Build VM").contains("8 h");
    assertThat(up.stdout()).contains("::group::VM " + name).contains("[1/5] network");
    assertThat(kinds()).hasSize(5);

    RunnerHarness.Step post = up.post();
    assertThat(post.exitCode()).as(post.log()).isZero();
    assertThat(post.stdout()).contains("VM " + name + " is gone.");
    assertThat(kinds()).isEmpty();
  }

  @Test
  void cancelledWhileItComesUpNothingIsLeft() throws Exception {
    useProcesses();
    slow();
    RunnerHarness.Step up = up(newJob());
    untilSomethingIsThere();
    assertThat(up.cancel()).isLessThan(RunnerHarness.UNTIL_TERM);
    assertThat(up.exitCode()).as(up.log()).isNotZero();
    fast();
    RunnerHarness.Step post = up.post();
    assertThat(post.exitCode()).as(post.log()).isZero();
    assertThat(kinds()).isEmpty();
  }

  @Test
  void killedWhileItComesUpTheEndOfTheJobTakesItsLockAndItsResources() throws Exception {
    useProcesses();
    slow();
    RunnerHarness.Step up = up(newJob());
    untilSomethingIsThere();
    up.kill();
    fast();
    assertThat(up.state()).containsKey("vm");
    RunnerHarness.Step post = up.post();
    assertThat(post.exitCode()).as(post.log()).isZero();
    assertThat(post.stdout()).contains("is gone");
    assertThat(kinds()).isEmpty();
  }

  @Test
  void aLastJobFindsTheVmsOfItsRunByTheStateAlone() throws Exception {
    SimRepository.RunView run = repository.startRun("build", "ann", "build");
    assertThat(up(newJob(run, "linux")).await().exitCode()).isZero();
    assertThat(up(newJob(run, "windows")).await().exitCode()).isZero();
    RunnerHarness.Step other = up(newJob()).await();
    assertThat(kinds()).hasSize(15);

    RunnerHarness.Step down =
        newJob(run, "last")
            .run("command", "vm-down", "cloud", "simulated", "vm-store", "file:" + place);
    assertThat(down.exitCode()).as(down.log()).isZero();
    assertThat(kinds()).hasSize(5);
    RunnerHarness.Step again =
        newJob(run, "last")
            .run("command", "vm-down", "cloud", "simulated", "vm-store", "file:" + place);
    assertThat(again.exitCode()).as(again.log()).isZero();
    other.post();
    assertThat(kinds()).isEmpty();
  }

  @Test
  void aVmOfTheWholeRunOutlivesItsJobUnlessItNeverCameUp() throws Exception {
    RunnerHarness.Job job = newJob();
    RunnerHarness.Step up =
        job.run(
            "command", "vm-up", "cloud", "simulated", "vm-store", "file:" + place, "hold", "run");
    assertThat(up.exitCode()).as(up.log()).isZero();
    assertThat(up.post().stdout()).contains("stays until `command: vm-down`");
    assertThat(kinds()).hasSize(5);
    assertThat(
            job.run("command", "vm-down", "cloud", "simulated", "vm-store", "file:" + place)
                .exitCode())
        .isZero();
    assertThat(kinds()).isEmpty();

    useProcesses();
    slow();
    RunnerHarness.Step killed =
        newJob()
            .start(
                "command",
                "vm-up",
                "cloud",
                "simulated",
                "vm-store",
                "file:" + place,
                "hold",
                "run");
    untilSomethingIsThere();
    killed.kill();
    fast();
    killed.post();
    assertThat(kinds()).isEmpty();
  }

  @Test
  void aVmLivesAtLeastAsLongAsTheLockOfItsJobMayBeHeld() throws Exception {
    RunnerHarness.Job job = newJob();
    job.variables().put("BATON_TICKET", "4");
    job.variables().put("BATON_FENCING_TOKEN", "7");
    String[] line = {
      "command", "vm-up", "cloud", "simulated", "vm-store", "file:" + place, "vm-max-life", "1h"
    };
    assertThat(end(job.run(line))).isAfter(Instant.now().plus(Duration.ofMinutes(350)));
    assertThat(end(newJob().run(line))).as("without a lock").isBefore(in(Duration.ofMinutes(61)));
  }

  @Test
  void aVmThatCameFirstLivesOnWhenItsJobGetsTheLock() throws Exception {
    sim.addToken(Token.classic("job", "ghs_job", "octo/vm"));
    RunnerHarness.Job job = newJobWith("ghs_job");
    assertThat(job.run("command", "init", "max-hold", "7h").exitCode()).isZero();
    String[] line = {
      "command", "vm-up", "cloud", "simulated", "vm-store", "file:" + place, "vm-max-life", "1h"
    };
    RunnerHarness.Step up = job.run(line);
    assertThat(end(up)).isBefore(in(Duration.ofMinutes(61)));
    RunnerHarness.Step lock = job.run();
    assertThat(lock.acquired()).as(lock.log()).isTrue();
    assertThat(lock.stdout()).doesNotContain("::warning");
    assertThat(end(up)).isAfter(in(Duration.ofMinutes(410)));
    lock.post();

    RunnerHarness.Job other = newJobWith("ghs_job");
    other.variables().put("BATON_VM", up.outputs().get("vm-name"));
    other.variables().put("BATON_VM_STORE", "oss:nowhere");
    RunnerHarness.Step blind = other.run();
    assertThat(blind.acquired()).as(blind.log()).isTrue();
    assertThat(blind.stdout()).contains("may be taken down before the lock is given back");
    blind.post();
  }

  private static Instant in(Duration time) {
    return Instant.now().plus(time);
  }

  private Instant end(RunnerHarness.Step up) throws Exception {
    assertThat(up.exitCode()).as(up.log()).isZero();
    VmName name = new VmName(up.outputs().get("vm-name"));
    return Vms.open(FileVmSpace.in(place), cloud, Client.named("test"))
        .vm(name)
        .status()
        .state()
        .flatMap(VmState::expiresAt)
        .orElseThrow();
  }

  @Test
  void whatEvenTheEndOfTheJobMissedIsSwept() throws Exception {
    RunnerHarness.Job job = newJob();
    RunnerHarness.Step up =
        job.run(
            "command",
            "vm-up",
            "cloud",
            "simulated",
            "vm-store",
            "file:" + place,
            "vm-max-life",
            "3s");
    assertThat(up.exitCode()).as(up.log()).isZero();
    long start = System.nanoTime();
    RunnerHarness.Step sweep;
    do {
      sweep =
          newJob().run("command", "vm-sweep", "cloud", "simulated", "vm-store", "file:" + place);
      assertThat(sweep.exitCode()).as(sweep.log()).isZero();
    } while (!kinds().isEmpty()
        && Duration.ofNanos(System.nanoTime() - start).compareTo(Duration.ofSeconds(60)) < 0);
    assertThat(kinds()).as(sweep.log()).isEmpty();
  }

  @Test
  void aCloudThatWillNotLetGoIsAWarningAndNotAFailure() throws Exception {
    RunnerHarness.Step up = up(newJob()).await();
    // The place of the states is gone: nobody can tell what the VM consists of.
    Files.move(place, directory.resolve("elsewhere"));
    Files.writeString(place, "a file");
    RunnerHarness.Step post = up.post();
    assertThat(post.exitCode()).as(post.log()).isZero();
    assertThat(post.stdout()).contains("::warning").contains("vm-sweep");
  }

  @Test
  void theScriptIsInNoFileAndNoLog() throws Exception {
    RunnerHarness.Step up =
        newJob()
            .run(
                "command",
                "vm-up",
                "cloud",
                "simulated",
                "vm-store",
                "file:" + place,
                "vm-script",
                "register --token s3cr3t");
    assertThat(up.exitCode()).as(up.log()).isZero();
    assertThat(up.log()).doesNotContain("s3cr3t");
    assertNowhere("s3cr3t");
  }

  private void assertNowhere(String secret) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        assertThat(Files.readString(file)).as(file.toString()).doesNotContain(secret);
      }
    }
  }

  @Test
  void badInputIsOneMessageAndNothingIsCreated() throws Exception {
    for (String[] bad :
        new String[][] {
          {"command", "vm-explode", "command must be one of vm-up, vm-down, vm-sweep"},
          {"hold", "step", "hold must be job or run"},
          {"vm-max-life", "soon", "vm-max-life must be a length of time"},
          {"vm-max-life", "0", "vm-max-life must be positive"},
          {"vm-type", "huge", "unknown instance type"},
          {"vm-disk", "40 GB", "vm-disk must be a number of GB"},
          {"vm-disk", "99999", "disk must have 1 to 32768 GB"},
          {"vm-public-key", "two\nlines", "public key"},
          {"cloud", "moon", "unsupported cloud \"moon\""},
        }) {
      RunnerHarness.Step step =
          newJob()
              .run(
                  "command",
                  "vm-up",
                  "cloud",
                  "simulated",
                  "vm-store",
                  "file:" + place,
                  bad[0],
                  bad[1]);
      assertThat(step.exitCode()).as(step.log()).isEqualTo(1);
      assertThat(step.stdout().lines().filter(l -> l.startsWith("::error"))).hasSize(1);
      assertThat(step.stdout()).contains(bad[2]);
      assertThat(kinds()).isEmpty();
    }
  }
}
