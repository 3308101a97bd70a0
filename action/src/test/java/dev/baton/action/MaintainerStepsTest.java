package dev.baton.action;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.SystemWorld;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.SimRepository;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Entry;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.Liveness;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.Ticket;
import dev.baton.queue.github.GitHubConnection;
import dev.baton.queue.github.GitHubPlace;
import dev.baton.queue.github.GitHubSpace;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What maintainers do from a workflow that they start by hand. */
class MaintainerStepsTest {

  private static final String SECRET = "ghs_thisIsTheSecretOfTheWorkflow0002";
  private static final String REPOSITORY = "octo/app";

  @TempDir Path directory;
  private GitHubSim sim;
  private SimRepository home;
  private GitHubSpace space;
  private BuildQueue queue;
  private RunnerHarness.Job job;

  /** Ticket 1 builds; 2 to 4 wait. */
  @BeforeEach
  void start() throws Exception {
    sim = GitHubSim.start(SimSettings.defaults());
    home = sim.addRepository(REPOSITORY, true);
    sim.addToken(Token.classic("ann", SECRET, REPOSITORY));
    space =
        GitHubSpace.open(
            GitHubPlace.parse("github:" + REPOSITORY, URI.create(sim.baseUrl())),
            GitHubConnection.builder().token(() -> SECRET).build(),
            new SystemWorld());
    queue = space.queue(EngineSettings.DEFAULT);
    queue.create(Rules.DEFAULT);
    for (int i = 0; i < 4; i++) {
      queue.join(
          new Entry(Request.newNonce(), "bob@laptop", "app", Liveness.BEAT, Optional.empty(), 0));
    }
    RunnerHarness harness = new RunnerHarness(sim, directory, RunnerHarness.THREAD);
    job =
        harness.job(
            REPOSITORY, home.startRun("maintain", "ann", "maintain"), 0, "maintain", SECRET);
  }

  @AfterEach
  void stop() {
    queue.close();
    space.close();
    sim.close();
  }

  private String done(String... inputs) throws Exception {
    RunnerHarness.Step step = job.run(inputs);
    assertThat(step.exitCode()).as(step.log()).isZero();
    assertThat(step.post().exitCode()).isZero();
    return step.stdout();
  }

  private String refused(String... inputs) throws Exception {
    RunnerHarness.Step step = job.run(inputs);
    assertThat(step.exitCode()).as(step.log()).isEqualTo(1);
    return step.stdout();
  }

  private List<Long> line() throws Exception {
    return queue.status().line().stream().map(Ticket::number).toList();
  }

  @Test
  void ticketsAreMovedAndDroppedInTheNameOfTheOneWhoStartedTheWorkflow() throws Exception {
    assertThat(done("command", "bump", "tickets", "4, 3"))
        .contains("Tickets 4, 3 are in line before ticket 2 now.");
    assertThat(line()).containsExactly(4L, 3L, 2L);
    assertThat(done("command", "bump", "tickets", "2", "before", "3")).contains("before ticket 3");
    assertThat(refused("command", "bump", "tickets", "4", "before", "3 2"))
        .contains("before must be one number such as 14");
    assertThat(done("command", "bump", "tickets", "4")).contains("is first in line already");
    assertThat(refused("command", "bump", "tickets", "1")).contains("Ticket 1 is not in line.");
    assertThat(done("command", "drop", "tickets", "4 3", "reason", "super::seded"))
        .contains("Tickets 4, 3 are out of the line.");
    assertThat(line()).containsExactly(2L);
    HistoryEntry dropped = queue.status().endOf(4).orElseThrow();
    assertThat(dropped.who()).isEqualTo("ann");
    assertThat(dropped.note()).isEqualTo("super::seded");
    assertThat(refused("command", "drop", "tickets", "2 1"))
        .contains("a ticket that has the lock is not dropped but unlocked")
        .contains("give `command: unlock` `ticket: 1`, `fencing-token: ");
    assertThat(line()).containsExactly(2L);
    assertThat(refused("command", "drop")).contains("tickets must have the numbers");
    assertThat(refused("command", "drop", "tickets", "2 x")).contains("tickets must be numbers");
    assertThat(refused("command", "drop", "tickets", "2", "reason", "x".repeat(121)))
        .contains("reason is longer than 120 characters");
    assertThat(line()).containsExactly(2L);
  }

  @Test
  void theLockIsTakenAwayFromItsHolderAndNobodyElse() throws Exception {
    String token = "" + queue.status().slots().get(0).token();
    assertThat(refused("command", "unlock"))
        .contains("unlock needs ticket, fencing-token and reason.")
        .contains("`ticket: 1`, `fencing-token: " + token + "`");
    assertThat(refused("command", "unlock", "ticket", "2", "fencing-token", token, "reason", "x"))
        .contains("Nothing was changed")
        .contains("`ticket: 1`");
    assertThat(refused("command", "unlock", "now", "maybe")).contains("now must be true or false");
    assertThat(done("command", "unlock", "ticket", "1", "fencing-token", token, "reason", "hangs"))
        .contains("The lock is taken away: ticket 1 (app, bob@laptop) will be stopped");
    HistoryEntry end = queue.status().endOf(1).orElseThrow();
    assertThat(end.event()).isEqualTo(HistoryEntry.Event.REVOKED);
    assertThat(end.who()).isEqualTo("ann");
    assertThat(end.note()).isEqualTo("hangs");
  }

  @Test
  void theQueueIsPausedResumedCleanedAndExamined() throws Exception {
    done("command", "pause", "reason", "deploying");
    assertThat(queue.status().paused().orElseThrow().by()).isEqualTo("ann");
    assertThat(queue.status().paused().orElseThrow().reason()).isEqualTo("deploying");
    done("command", "resume");
    assertThat(queue.status().paused()).isEmpty();
    assertThat(done("command", "clean")).contains("Nothing to clean");
    assertThat(done("command", "doctor")).contains("ok       the document is in order");
  }
}
