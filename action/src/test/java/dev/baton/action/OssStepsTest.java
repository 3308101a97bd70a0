package dev.baton.action;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.alibaba.fake.FakeOss;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.Grant;
import dev.baton.githubsim.SimRepository;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Steps whose queue is in OSS, while GitHub says which jobs have ended. */
class OssStepsTest {

  private static final String REPOSITORY = "octo/app";
  private static final String TOKEN = "ghs_thisIsTheSecretOfTheWorkflow0002";
  private static final String KEY = "LTAI5tTheIdOfTheseTests0";
  private static final String KEY_SECRET = "TheSecretOfTheseTests0123456789";
  private static final String STORE = "oss://team-builds/ci";

  @TempDir Path directory;

  private final GitHubSim github = GitHubSim.start(SimSettings.defaults());
  private final FakeOss oss = FakeOss.start();
  private SimRepository home;
  private RunnerHarness harness;

  @BeforeEach
  void setUp() {
    harness = new RunnerHarness(github, directory, RunnerHarness.THREAD);
    home = github.addRepository(REPOSITORY, true);
    // No right to write anything: the queue is not here.
    github.addToken(Token.workflow("the workflow", TOKEN, REPOSITORY, Grant.ACTIONS_READ));
    oss.addKey(KEY, KEY_SECRET, "me");
    oss.addBucket("team-builds", "me");
  }

  @AfterEach
  void close() {
    oss.close();
    github.close();
  }

  private RunnerHarness.Job newJob() {
    RunnerHarness.Job job =
        harness.job(REPOSITORY, home.startRun("build", "ann", "build"), 0, "build", TOKEN);
    job.variables()
        .putAll(
            Map.of(
                "ALIBABA_CLOUD_ACCESS_KEY_ID",
                KEY,
                "ALIBABA_CLOUD_ACCESS_KEY_SECRET",
                KEY_SECRET,
                "ALIBABA_CLOUD_REGION_ID",
                FakeOss.REGION,
                "BATON_OSS_ENDPOINT",
                oss.endpoint()));
    return job;
  }

  @Test
  void aTurnIsTakenAndGivenBackAndTheNextJobHasToWaitForIt() throws Exception {
    RunnerHarness.Job first = newJob();
    RunnerHarness.Step init = first.run("command", "init", "store", STORE + "/");
    assertThat(init.exitCode()).as(init.log()).isZero();
    assertThat(init.stdout()).contains("made " + STORE + "#build").doesNotContain("board");

    RunnerHarness.Step held = first.run("store", STORE);
    assertThat(held.exitCode()).as(held.log()).isZero();
    assertThat(held.acquired()).isTrue();
    assertThat(first.variables())
        .containsEntry("BATON_STORE", STORE)
        .containsEntry("BATON_QUEUE", "build")
        .containsEntry("BATON_TICKET", Long.toString(held.ticket()));

    RunnerHarness.Step again = first.run("store", STORE);
    assertThat(again.stdout()).contains("is held already");

    RunnerHarness.Step late =
        newJob().run("store", STORE, "wait-timeout", "1s", "on-timeout", "continue");
    assertThat(late.exitCode()).as(late.log()).isZero();
    assertThat(late.acquired()).isFalse();

    assertThat(held.post().stdout()).contains("has given back the lock of " + STORE + "#build");
    RunnerHarness.Job next = newJob();
    RunnerHarness.Step free = next.run("store", STORE);
    assertThat(free.acquired()).as(free.log()).isTrue();
    assertThat(free.token()).isGreaterThan(held.token());
    for (RunnerHarness.Step step : new RunnerHarness.Step[] {init, held, again, late, free}) {
      assertThat(step.everything()).doesNotContain(KEY_SECRET);
    }
  }

  @Test
  void theLockOfAJobThatWasKilledIsFreedAsGitHubSaysItHasEnded() throws Exception {
    RunnerHarness.Job killed = newJob();
    killed.run("command", "init", "store", STORE);
    RunnerHarness.Step lost = killed.run("store", STORE);
    assertThat(lost.acquired()).as(lost.log()).isTrue();
    killed.end("cancelled");

    RunnerHarness.Step next = newJob().run("store", STORE, "wait-timeout", "45s");
    assertThat(next.acquired()).as(next.log()).isTrue();
    assertThat(next.token()).isGreaterThan(lost.token());
  }

  @Test
  void storesThatAreNoneAreRefused() throws Exception {
    for (String store :
        new String[] {"file:/tmp/queue", "github:octo/app", STORE + "#x", "s3://x", "oss://A"}) {
      RunnerHarness.Step step = newJob().run("store", store);
      assertThat(step.exitCode()).as(store).isEqualTo(1);
      assertThat(step.stdout()).contains("::error title=Wrong input::");
    }
    assertThat(oss.count()).isZero();
  }

  @Test
  void withoutKeysItSaysWhatToSet() throws Exception {
    RunnerHarness.Job job = newJob();
    job.forgetVariables();
    RunnerHarness.Step step = job.run("store", STORE);
    assertThat(step.exitCode()).isEqualTo(1);
    assertThat(step.stdout()).contains("ALIBABA_CLOUD_ACCESS_KEY_ID");
  }
}
