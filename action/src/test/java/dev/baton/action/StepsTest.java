package dev.baton.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.baton.core.SystemWorld;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.Grant;
import dev.baton.githubsim.SimRepository;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.BuildResult;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.github.GitHubConnection;
import dev.baton.queue.github.GitHubPlace;
import dev.baton.queue.github.GitHubSpace;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/**
 * Steps as GitHub runs them, against a GitHub on loopback: as real processes where signals and
 * kills are the point, in this process otherwise.
 */
@Execution(ExecutionMode.CONCURRENT)
class StepsTest {

  private static final String SECRET = "ghs_thisIsTheSecretOfTheWorkflow0001";
  private static final AtomicInteger REPOSITORIES = new AtomicInteger();

  private static GitHubSim sim;

  @TempDir Path directory;
  private RunnerHarness harness;
  private String repository;
  private SimRepository home;
  private GitHubSpace space;
  private BuildQueue queue;

  @BeforeAll
  static void start() {
    sim = GitHubSim.start(SimSettings.defaults());
  }

  @AfterAll
  static void stop() {
    sim.close();
  }

  @BeforeEach
  void makeQueue() throws Exception {
    setUp(sim, "octo/app-" + REPOSITORIES.incrementAndGet());
  }

  private void setUp(GitHubSim github, String name) throws Exception {
    harness = new RunnerHarness(github, directory, RunnerHarness.THREAD);
    repository = name;
    home = github.addRepository(repository, true);
    github.addToken(
        Token.workflow(
            repository,
            SECRET + repository.replace('/', '.'),
            repository,
            Grant.CONTENTS_WRITE,
            Grant.ISSUES_WRITE,
            Grant.ACTIONS_READ));
    github.addToken(Token.classic("maintainer of " + name, "maintainer-" + name, repository));
    space =
        GitHubSpace.open(
            GitHubPlace.parse("github:" + repository, URI.create(github.baseUrl())),
            GitHubConnection.builder().token(() -> "maintainer-" + name).build(),
            new SystemWorld());
    queue = space.queue(EngineSettings.DEFAULT);
    queue.create(Rules.DEFAULT);
  }

  @AfterEach
  void close() {
    queue.close();
    space.close();
  }

  private String secret() {
    return SECRET + repository.replace('/', '.');
  }

  /** From here on, steps are processes of their own. */
  private void useProcesses() {
    harness = new RunnerHarness(sim, directory.resolve("processes"), RunnerHarness.PROCESS);
  }

  private RunnerHarness.Job newJob() {
    return job(home.startRun("build", "ann", "build"), 0);
  }

  private RunnerHarness.Job job(SimRepository.RunView run, int index) {
    return harness.job(repository, run, index, "build", secret());
  }

  private QueueDocument until(Predicate<QueueDocument> wanted) throws Exception {
    long start = System.nanoTime();
    QueueDocument now = queue.status();
    while (!wanted.test(now)) {
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .as("waiting in vain; the queue has %s", now.tickets())
          .isLessThan(Duration.ofSeconds(30));
      Thread.sleep(100);
      now = queue.status();
    }
    return now;
  }

  private static Predicate<QueueDocument> waiters(int count) {
    return d -> d.line().size() == count;
  }

  // ---- one job

  @Test
  void aJobOfAMatrixKnowsItAndOneThatIsToldNonsenseIsAlone() throws Exception {
    RunnerHarness.Job job = newJob();
    RunnerHarness.Step matrix = job.run("job-index", "2", "job-total", "20");
    assertThat(matrix.acquired()).as(matrix.log()).isTrue();
    assertThat(matrix.stdout()).contains("Job 3 of a matrix of 20: asking for the lock in 2 s");
    matrix.post();
    RunnerHarness.Step nonsense = newJob().run("job-index", "20", "job-total", "many");
    assertThat(nonsense.acquired()).as(nonsense.log()).isTrue();
    assertThat(nonsense.stdout()).doesNotContain("matrix");
  }

  @Test
  void acquireIsGivenBackAtTheEndOfTheJob() throws Exception {
    useProcesses();
    RunnerHarness.Job job = newJob();
    RunnerHarness.Step main = job.run("title", "release 1.4");

    assertThat(main.exitCode()).as(main.log()).isZero();
    assertThat(main.outputs())
        .containsEntry("ticket", "1")
        .containsEntry("position", "0")
        .containsEntry("fencing-token", "" + main.token())
        .containsEntry("acquired", "true")
        .containsKey("waited-seconds");
    assertThat(job.variables())
        .containsEntry("BATON_TICKET", "1")
        .containsEntry("BATON_FENCING_TOKEN", "" + main.token())
        .containsEntry("BATON_STORE", "github:" + repository)
        .containsEntry("BATON_API", sim.baseUrl())
        .containsEntry("BATON_QUEUE", "build");
    assertThat(main.summary()).contains("| ticket | <code>1</code> |").contains("release 1&#46;4");
    Ticket held = queue.status().tickets().get(0);
    assertThat(held.state()).isEqualTo(TicketState.BUILDING);
    assertThat(held.owner()).isEqualTo(repository + " run " + job.runId() + " attempt 1 job build");
    assertThat(held.run()).contains(new RunRef(repository, job.runId(), 1, job.id(), "build"));
    assertThat(home.issueBody(1).orElseThrow()).contains("release 1.4");

    RunnerHarness.Step post = main.post();
    assertThat(post.exitCode()).as(post.log()).isZero();
    assertThat(queue.status().tickets()).isEmpty();
    assertThat(queue.status().history())
        .extracting(HistoryEntry::event)
        .contains(HistoryEntry.Event.RELEASED);
    assertThat(sim.log().of(repository).charged())
        .as("%s", sim.log().entries())
        .isLessThanOrEqualTo(6);

    RunnerHarness.Step again = main.post();
    assertThat(again.exitCode()).isZero();
    assertThat(again.stdout()).contains("had given back its lock already");
  }

  @Test
  void theBoardShowsHowTheJobWent() throws Exception {
    RunnerHarness.Job job = newJob();
    RunnerHarness.Step main = job.run("title", "broken");
    job.went("failure");
    main.post();
    RunnerHarness.Job second = newJob();
    RunnerHarness.Step step = second.run("title", "stopped");
    second.went("cancelled");
    step.post();
    assertThat(queue.status().history())
        .extracting(HistoryEntry::title, HistoryEntry::result, HistoryEntry::run)
        .containsExactly(
            tuple("broken", BuildResult.FAILED, Optional.of(ref(job))),
            tuple("stopped", BuildResult.CANCELLED, Optional.of(ref(second))));
  }

  /** As the history has it, which has no room for more. */
  private RunRef ref(RunnerHarness.Job job) {
    return new RunRef(repository, job.runId(), 1, job.id(), "");
  }

  @Test
  void theSecretIsNowhereButInItsMask() throws Exception {
    useProcesses();
    RunnerHarness.Step main = newJob().run();
    RunnerHarness.Step post = main.post();
    for (RunnerHarness.Step step : List.of(main, post)) {
      String all = step.everything();
      assertThat(all).contains("::add-mask::" + secret() + "\n");
      assertThat(all.replace("::add-mask::" + secret() + "\n", "")).doesNotContain(secret());
    }
    assertThat(home.fileText("queue.json", "baton/build").orElseThrow()).doesNotContain(secret());
  }

  @Test
  void aNestedStepUsesTheLockAndDoesNotGiveItBack() throws Exception {
    RunnerHarness.Job job = newJob();
    RunnerHarness.Step outer = job.run();
    RunnerHarness.Step inner = job.run();
    assertThat(inner.acquired()).as(inner.log()).isTrue();
    assertThat(inner.ticket()).isEqualTo(outer.ticket());
    inner.post();
    assertThat(queue.status().slots().get(0).state()).isEqualTo(Slot.State.BUILDING);

    // Without the variables it is the same job that would wait for itself.
    job.forgetVariables();
    RunnerHarness.Step third = job.run();
    assertThat(third.acquired()).as(third.log()).isTrue();
    assertThat(third.ticket()).isEqualTo(outer.ticket());

    queue.forceUnlock(outer.ticket(), outer.token(), "ann", "stuck", true);
    RunnerHarness.Step late = job.run();
    assertThat(late.exitCode()).isEqualTo(1);
    assertThat(late.stdout())
        .contains("::error title=The build lock is lost::")
        .contains(" any more: ann took the lock away (\"stuck\"). Re-run all jobs");
    RunnerHarness.Step post = outer.post();
    assertThat(post.exitCode()).isZero();
    assertThat(post.stdout())
        .contains("::warning title=The build lock was lost before the job")
        .contains(": ann took the lock away (\"stuck\"). Another build may have run");
  }

  @Test
  void aReleaseOfALockThatWasTakenAwaySaysSo() throws Exception {
    RunnerHarness.Job job = newJob();
    RunnerHarness.Step step = job.run();
    queue.forceUnlock(step.ticket(), step.token(), "ann", "stuck", true);
    RunnerHarness.Step release = job.run("command", "release");
    assertThat(release.exitCode()).as(release.log()).isZero();
    assertThat(release.stdout())
        .contains("::warning title=The build lock was lost before it was given back::")
        .contains("::ann took the lock away (\"stuck\"). Another build may have run beside");
    assertThat(job.variables()).containsEntry("BATON_LOCKS", "");
  }

  @Test
  void aJobMayHoldTheLocksOfTwoQueues() throws Exception {
    RunnerHarness.Job job = newJob();
    assertThat(job.run("command", "init", "queue", "lab").exitCode()).isZero();
    RunnerHarness.Step first = job.run();
    RunnerHarness.Step second = job.run("queue", "lab");
    assertThat(second.acquired()).as(second.log()).isTrue();
    String both = job.variables().get("BATON_LOCKS");
    assertThat(both).contains("%23build").contains("%23lab");

    for (String one : List.of("build", "lab")) {
      RunnerHarness.Step again = job.run("queue", one);
      assertThat(again.stdout()).as(again.log()).contains("is held already, by ticket 1");
    }
    RunnerHarness.Step release = job.run("command", "release");
    assertThat(release.exitCode()).as(release.log()).isZero();
    assertThat(queue.status().tickets()).isEmpty();
    assertThat(job.variables().get("BATON_LOCKS")).doesNotContain("%23build").contains("%23lab");
    assertThat(job.variables()).containsEntry("BATON_TICKET", "1");

    second.post();
    assertThat(job.variables()).containsEntry("BATON_LOCKS", "").containsEntry("BATON_TICKET", "");
    assertThat(first.post().stdout()).contains("had given back its lock already");
  }

  @Test
  void joinTakesAPlaceThatAcquireGoesOnWith() throws Exception {
    RunnerHarness.Step holder = newJob().run();
    RunnerHarness.Job job = newJob();
    RunnerHarness.Step joined = job.run("command", "join");
    assertThat(joined.outputs()).containsEntry("position", "1").containsEntry("acquired", "false");
    holder.post();
    RunnerHarness.Step acquired = job.run();
    assertThat(acquired.acquired()).as(acquired.log()).isTrue();
    assertThat(acquired.ticket()).isEqualTo(joined.ticket());
    acquired.post();
    assertThat(queue.status().tickets()).isEmpty();
    assertThat(joined.post().exitCode()).isZero();
  }

  @Test
  void aLockThatAcquireKeepsForTheRunIsNotTakenAwayByJoin() throws Exception {
    RunnerHarness.Step holder = newJob().run();
    SimRepository.RunView run = home.startRun("build", "ann", "lock", "build");
    RunnerHarness.Job job = job(run, 0);
    RunnerHarness.Step joined = job.run("command", "join", "hold", "run");
    assertThat(joined.outputs()).containsEntry("acquired", "false");
    holder.post();
    RunnerHarness.Step acquired = job.run("hold", "run");
    assertThat(acquired.acquired()).as(acquired.log()).isTrue();
    // The last step's post phase comes first.
    assertThat(acquired.post().stdout()).contains("keeps the lock");
    RunnerHarness.Step joinPost = joined.post();
    assertThat(queue.status().tickets()).as(joinPost.stdout()).hasSize(1);
  }

  /** It would be given back at the end of the job, while later jobs of the run build under it. */
  @Test
  void aTicketThatWasDrawnForAJobIsNotHeldForTheRun() throws Exception {
    RunnerHarness.Step holder = newJob().run();
    RunnerHarness.Job job = newJob();
    RunnerHarness.Step joined = job.run("command", "join");
    RunnerHarness.Step refused = job.run("hold", "run");
    assertThat(refused.exitCode()).as(refused.log()).isEqualTo(1);
    assertThat(refused.stdout())
        .contains("ticket " + joined.ticket() + " ends with the job that drew it")
        .contains("`hold: run`");
    refused.post();
    joined.post();
    holder.post();
    assertThat(queue.status().tickets()).isEmpty();

    RunnerHarness.Job free = newJob();
    RunnerHarness.Step got = free.run("command", "join");
    assertThat(got.acquired()).isTrue();
    RunnerHarness.Step again = free.run("hold", "run");
    assertThat(again.exitCode()).as(again.log()).isEqualTo(1);
    assertThat(again.stdout()).contains("until the end of the job that took it");
    again.post();
    assertThat(queue.status().tickets()).hasSize(1);
    got.post();
    assertThat(queue.status().tickets()).isEmpty();
  }

  @Test
  void aPlaceThatAcquireKeepsIsNotTakenAwayByJoin() throws Exception {
    newJob().run();
    RunnerHarness.Job job = newJob();
    RunnerHarness.Step joined = job.run("command", "join");
    RunnerHarness.Step late = job.run("wait-timeout", "1s", "on-timeout", "leave-queued");
    assertThat(late.stdout()).contains("::error title=Still in line::");
    late.post();
    RunnerHarness.Step joinPost = joined.post();
    assertThat(queue.status().line()).as(joinPost.stdout()).hasSize(1);
  }

  @Test
  void theLastStepThatGoesOnWithATicketSeesToIt() throws Exception {
    newJob().run();
    RunnerHarness.Job job = newJob();
    RunnerHarness.Step joined = job.run("command", "join");
    RunnerHarness.Step stays = job.run("wait-timeout", "1s", "on-timeout", "leave-queued");
    RunnerHarness.Step again = job.run("command", "join");
    assertThat(again.ticket()).isEqualTo(joined.ticket());
    assertThat(queue.status().line()).hasSize(1);
    assertThat(again.post().stdout()).contains("Nothing of this step is in");
    assertThat(queue.status().line()).isEmpty();
    assertThat(stays.post().stdout())
        .contains("A later step has gone on with the ticket; its own end gives back what it has.");
    assertThat(joined.post().stdout()).contains("A later step has gone on with the ticket");
  }

  @Test
  void aTicketThatHasLeftIsNotGoneOnWith() throws Exception {
    RunnerHarness.Step holder = newJob().run();
    RunnerHarness.Job job = newJob();
    RunnerHarness.Step joined = job.run("command", "join");
    RunnerHarness.Step late = job.run("wait-timeout", "1s", "on-timeout", "continue");
    assertThat(late.outputs()).as(late.log()).containsEntry("acquired", "false");
    holder.post();
    RunnerHarness.Step again = job.run();
    assertThat(again.acquired()).as(again.log()).isTrue();
    assertThat(again.ticket()).isGreaterThan(joined.ticket());
    again.post();
    assertThat(queue.status().tickets()).isEmpty();
  }

  @Test
  void aTicketThatIsDoneIsNotGoneOnWithEvenIfItsVariableIsStillThere() throws Exception {
    RunnerHarness.Step holder = newJob().run();
    RunnerHarness.Job job = newJob();
    job.run("command", "join");
    String nonce = job.variables().get("BATON_NONCE");
    holder.post();
    assertThat(job.run().acquired()).isTrue();
    assertThat(job.run("command", "release").exitCode()).isZero();
    assertThat(job.variables()).containsEntry("BATON_NONCE", "");
    job.variables().put("BATON_NONCE", nonce);
    RunnerHarness.Step again = job.run();
    assertThat(again.acquired()).as(again.log()).isTrue();
  }

  @Test
  void aTicketThatAMaintainerDroppedIsToldAndThenForgotten() throws Exception {
    newJob().run();
    RunnerHarness.Job job = newJob();
    RunnerHarness.Step joined = job.run("command", "join");
    queue.drop(joined.ticket(), "ann", "not now");
    RunnerHarness.Step told = job.run();
    assertThat(told.exitCode()).isEqualTo(1);
    assertThat(told.stdout())
        .contains("::ann dropped ticket " + joined.ticket() + " (\"not now\"). Re-run");
    assertThat(job.variables()).containsEntry("BATON_NONCE", "");
  }

  @Test
  void initLeavesAQueueThatIsThereAlone() throws Exception {
    Rules before = queue.status().rules();
    RunnerHarness.Step init = newJob().run("command", "init", "max-hold", "8h");
    assertThat(init.exitCode()).as(init.log()).isZero();
    assertThat(init.stdout())
        .contains("its rules were not changed: max-hold 6h (asked: 8h)")
        .contains("baton rules --store github:" + repository + " --queue build");
    assertThat(queue.status().rules()).isEqualTo(before);
    RunnerHarness.Step raised = newJob().run("max-hold", "8h");
    assertThat(raised.acquired()).as(raised.log()).isTrue();
    assertThat(queue.status().rules()).isEqualTo(before.withMaxHold(Duration.ofHours(8)));
  }

  // ---- the end comes early

  @Test
  @ResourceLock(Resources.GLOBAL) // it is about seconds: nothing else runs meanwhile
  void aCancelledStepLeavesTheLineInTime() throws Exception {
    RunnerHarness.Step holder = newJob().run();
    useProcesses();
    RunnerHarness.Step waiting = newJob().start();
    until(waiters(1));
    Duration took = waiting.cancel();
    assertThat(queue.status().line()).as(waiting.log()).isEmpty();
    assertThat(took).isLessThan(RunnerHarness.UNTIL_TERM);
    assertThat(waiting.stdout()).contains("place 1 in line").contains("::endgroup::");
    assertThat(waiting.post().exitCode()).isZero();
    assertThat(queue.status().slots().get(0).ticket()).isEqualTo(holder.ticket());
  }

  @Test
  void postLeavesTheLineForAStepThatWasKilled() throws Exception {
    newJob().run();
    useProcesses();
    RunnerHarness.Step waiting = newJob().start();
    until(waiters(1));
    waiting.kill();
    assertThat(queue.status().line()).hasSize(1);
    assertThat(waiting.state()).containsKey("nonce");
    RunnerHarness.Step post = waiting.post();
    assertThat(queue.status().line()).as(post.log()).isEmpty();
  }

  @Test
  void jobsThatWereKilledAreFreedByTheirStatus() throws Exception {
    RunnerHarness.Job lost = newJob();
    RunnerHarness.Step killed = lost.run();
    assertThat(killed.acquired()).isTrue();
    lost.end("cancelled");
    RunnerHarness.Step holder = newJob().run();
    assertThat(holder.acquired()).as(holder.log()).isTrue();
    assertThat(holder.token()).isEqualTo(killed.token() + 1);

    useProcesses();
    RunnerHarness.Job waiter = newJob();
    RunnerHarness.Step waiting = waiter.start();
    until(waiters(1));
    waiting.kill();
    waiter.end("failure");
    holder.post();
    RunnerHarness.Step next = newJob().run();
    assertThat(next.acquired()).as(next.log()).isTrue();
    assertThat(queue.status().tickets()).extracting(Ticket::number).containsExactly(next.ticket());
  }

  @Test
  void aTurnThatDoesNotComeInTime() throws Exception {
    newJob().run();
    RunnerHarness.Step fails = newJob().start("wait-timeout", "1s");
    RunnerHarness.Step goesOn = newJob().start("wait-timeout", "1s", "on-timeout", "continue");
    assertThat(fails.await().exitCode()).as(fails.log()).isEqualTo(1);
    assertThat(fails.stdout()).contains("::error title=No build lock in time::");
    assertThat(goesOn.await().exitCode()).as(goesOn.log()).isZero();
    assertThat(goesOn.outputs()).containsEntry("acquired", "false");
    assertThat(queue.status().line()).isEmpty();
  }

  @Test
  void aReRunTakesOverThePlaceThatWasKept() throws Exception {
    RunnerHarness.Step holder = newJob().run();
    SimRepository.RunView run = home.startRun("build", "ann", "build");
    RunnerHarness.Step first = job(run, 0).run("wait-timeout", "2s", "on-timeout", "leave-queued");
    assertThat(first.exitCode()).as(first.log()).isEqualTo(1);
    assertThat(first.stdout())
        .contains("::error title=Still in line::")
        .contains("/actions/runs/" + run.id())
        .contains(" and choose \"Re-run failed jobs\" before the turn comes")
        .contains("While it waits, this step occupies a runner. It waits for up to 2 s");
    assertThat(first.summary()).contains("Still in line").contains("re&#45;run");
    first.post();
    RunnerHarness.Step other = newJob().start();
    assertThat(until(waiters(2)).position(first.ticket())).isEqualTo(1);

    home.finishRun(run.id(), "failure");
    RunnerHarness.Step second = job(home.rerun(run.id()), 0).start();
    QueueDocument taken = until(d -> d.line().size() == 2 && d.ticket(first.ticket()).isEmpty());
    assertThat(taken.line().get(0).run().orElseThrow().attempt()).isEqualTo(2);
    assertThat(other.isAlive()).isTrue();

    holder.post();
    assertThat(second.await().acquired()).as(second.log()).isTrue();
    assertThat(other.isAlive()).isTrue();
    second.post();
    assertThat(other.await().acquired()).as(other.log()).isTrue();
  }

  // ---- several jobs

  @Test
  void aRunHoldsTheLockOverItsJobs() throws Exception {
    SimRepository.RunView run = home.startRun("build", "ann", "lock", "build", "release");
    RunnerHarness.Step lock = job(run, 0).run("hold", "run");
    assertThat(lock.acquired()).as(lock.log()).isTrue();
    assertThat(lock.post().stdout()).contains("keeps the lock");
    job(run, 0).end("success");
    String ticket = lock.outputs().get("ticket");
    String token = lock.outputs().get("fencing-token");

    RunnerHarness.Step build = job(run, 1).run("ticket", ticket, "fencing-token", token);
    assertThat(build.acquired()).as(build.log()).isTrue();
    build.post();
    assertThat(queue.status().slots().get(0).ticket()).isEqualTo(lock.ticket());

    long before = queue.status().version();
    RunnerHarness.Step wrong =
        newJob().run("command", "release", "ticket", "7", "fencing-token", token);
    assertThat(wrong.exitCode()).isEqualTo(1);
    assertThat(wrong.stdout()).contains("::error title=Not released::");
    RunnerHarness.Step none = newJob().run("command", "release");
    assertThat(none.stdout()).contains("::error title=Nothing to release::");
    assertThat(queue.status().version()).isEqualTo(before);

    RunnerHarness.Job last = job(run, 2);
    for (int time = 1; time <= 2; time++) {
      RunnerHarness.Step release =
          last.run("command", "release", "ticket", ticket, "fencing-token", token);
      assertThat(release.exitCode()).as(release.log()).isZero();
    }
    assertThat(queue.status().tickets()).isEmpty();
  }

  @Test
  void legsOfAMatrixTakeTurns() throws Exception {
    SimRepository.RunView run = home.startRun("build", "ann", "build (17)", "build (21)");
    RunnerHarness.Step one = job(run, 0).run();
    RunnerHarness.Step two = job(run, 1).start();
    until(waiters(1));
    one.post();
    assertThat(two.await().acquired()).as(two.log()).isTrue();
    assertThat(two.ticket()).isNotEqualTo(one.ticket());
    assertThat(two.token()).isGreaterThan(one.token());
  }

  @Test
  void legsOfARunThatHoldsTheLockShareIt() throws Exception {
    RunnerHarness.Step other = newJob().run();
    SimRepository.RunView run = home.startRun("build", "ann", "build (17)", "build (21)");
    RunnerHarness.Step one = job(run, 0).start("hold", "run");
    until(waiters(1));
    RunnerHarness.Step two = job(run, 1).start("hold", "run");
    until(waiters(2));
    other.post();
    assertThat(one.await().acquired()).as(one.log()).isTrue();
    assertThat(two.await().acquired()).as(two.log()).isTrue();
    assertThat(two.ticket()).isEqualTo(one.ticket());
    assertThat(queue.status().tickets()).hasSize(1);
  }

  // ---- other places and tokens

  @Test
  void aServerOfOnesOwnFindsTheJobByItsRunner() throws Exception {
    try (GitHubSim server = GitHubSim.start(SimSettings.defaults().withGhes(true))) {
      close();
      setUp(server, "octo/own");
      RunnerHarness.Job job = newJob().withoutId();
      RunnerHarness.Step main = job.run("github-url", server.baseUrl());
      assertThat(main.acquired()).as(main.log()).isTrue();
      assertThat(queue.status().tickets().get(0).run().orElseThrow().jobId()).isEqualTo(job.id());
      main.post();
      assertThat(queue.status().tickets()).isEmpty();
    }
  }

  @Test
  void aPasswordInTheAddressOfTheServerIsNotShown() throws Exception {
    for (String address :
        List.of("https://me:pa55w0rd@ghe.example/api/v3", "https://me:pa55w0rd^@ghe.example")) {
      RunnerHarness.Step main = newJob().run("github-url", address);
      assertThat(main.exitCode()).isEqualTo(1);
      assertThat(main.log()).contains("api must").doesNotContain("pa55w0rd");
    }
  }

  @Test
  void aPasswordInTheAddressOfTheQueueIsNotShown() throws Exception {
    for (String address : List.of("github:me:pa55w0rd@octo/app", "oss://me:pa55w0rd@bucket/ci#q")) {
      RunnerHarness.Step main = newJob().run("store", address);
      assertThat(main.exitCode()).isEqualTo(1);
      assertThat(main.log()).contains("store must").doesNotContain("pa55w0rd");
    }
    for (String repository : List.of("me:pa55w0rd@octo/" + "a".repeat(150), "me:pa55w0rd@a/\tb")) {
      RunnerHarness.Step main = newJob().run("repository", repository);
      assertThat(main.exitCode()).isEqualTo(1);
      assertThat(main.log()).contains("repository").doesNotContain("pa55w0rd");
    }
  }

  @Test
  void aTokenThatMayOnlyReadGetsOneMessage() throws Exception {
    String token = "ghs_fork" + REPOSITORIES.get();
    sim.addToken(
        Token.workflow(
            "fork of " + repository,
            token,
            repository,
            Grant.CONTENTS_READ,
            Grant.ISSUES_READ,
            Grant.ACTIONS_READ));
    RunnerHarness.Job fork =
        harness.job(repository, home.startRun("build", "eve", "build"), 0, "build", token);
    long before = queue.status().version();
    RunnerHarness.Step fails = fork.run();
    assertThat(fails.exitCode()).isEqualTo(1);
    assertThat(fails.stdout())
        .contains("::error title=Baton needs contents%3A write::")
        .contains("A pull request from a fork always has a read-only token");
    RunnerHarness.Step goesOn = fork.run("on-timeout", "continue");
    assertThat(goesOn.exitCode()).as(goesOn.log()).isZero();
    assertThat(goesOn.outputs()).containsEntry("acquired", "false");
    assertThat(fails.post().exitCode()).isZero();
    assertThat(queue.status().version()).isEqualTo(before);
    assertThat(sim.log().of("fork of " + repository).charged()).isLessThan(15);
  }
}
