package dev.baton.action;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.FakeTasks;
import dev.baton.core.FakeWorld;
import dev.baton.githubsim.Fault;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.Grant;
import dev.baton.githubsim.SimRepository;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Steps in a time that goes by as fast as the test wants. */
class LimitedStepTest {
  private static final String REPOSITORY = "octo/app";
  private static final String SECRET = "ghs_thisIsTheSecretOfTheWorkflow0001";

  @TempDir Path directory;
  private final GitHubSim sim = GitHubSim.start(SimSettings.defaults());
  private final SimRepository home = sim.addRepository(REPOSITORY, true);
  private final FakeWorld world = new FakeWorld();
  private final FakeTasks tasks = new FakeTasks(world);

  private RunnerHarness harness;

  @BeforeEach
  void open() {
    harness = new RunnerHarness(sim, directory, Timed::new);
  }

  @AfterEach
  void close() {
    sim.close();
  }

  /** A step that is given a quarter of an hour. */
  private final class Timed implements RunnerHarness.Running {
    private final FakeTasks.Running<Integer> task;

    Timed(Phase phase, Map<String, String> environment, Path files) throws IOException {
      Files.createFile(files.resolve("stderr"));
      PrintStream out =
          new PrintStream(
              Files.newOutputStream(files.resolve("stdout")), true, StandardCharsets.UTF_8);
      task = tasks.later(() -> Action.run(phase, new Runner(environment, new Console(out), world)));
    }

    @Override
    public boolean waitFor(Duration atMost) {
      world.advance(Duration.ofMinutes(15));
      return task.isDone();
    }

    @Override
    public boolean isAlive() {
      return !task.isDone();
    }

    @Override
    public int exitValue() {
      return task.get();
    }

    @Override
    public Optional<Process> process() {
      return Optional.empty();
    }
  }

  private RunnerHarness.Step run(String... inputs) throws InterruptedException {
    return harness
        .job(REPOSITORY, home.startRun("build", "ann", "build"), 0, "build", SECRET)
        .run(inputs);
  }

  /** GitHub takes no join for an hour. */
  private void limitJoins() throws InterruptedException {
    sim.addToken(
        Token.workflow(
            "flow",
            SECRET,
            REPOSITORY,
            Grant.CONTENTS_WRITE,
            Grant.ISSUES_WRITE,
            Grant.ACTIONS_READ));
    assertThat(run("command", "init").exitCode()).isZero();
    sim.failNext(
        1000,
        r -> r.method().equals("PUT"),
        new Fault.Limited(403, Optional.of(Duration.ofHours(1))));
  }

  @Test
  void aWaitThatEndsBeforeItHasAPlaceIsATurnThatDoesNotComeInTime() throws InterruptedException {
    limitJoins();
    RunnerHarness.Step fails = run("wait-timeout", "10m");
    assertThat(fails.exitCode()).as(fails.log()).isEqualTo(1);
    assertThat(fails.stdout())
        .contains(
            "::error title=No build lock in time::the wait timeout is over: a limit of GitHub");
  }

  @Test
  void onTimeoutContinueGoesOnThenToo() throws InterruptedException {
    limitJoins();
    RunnerHarness.Step goesOn = run("wait-timeout", "10m", "on-timeout", "continue");
    assertThat(goesOn.exitCode()).as(goesOn.log()).isZero();
    assertThat(goesOn.stdout()).contains("::warning title=Going on without the build lock::");
    assertThat(goesOn.outputs()).containsEntry("acquired", "false");
  }
}
