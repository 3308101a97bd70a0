package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.core.SystemWorld;
import dev.baton.githubsim.Fault;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.Grant;
import dev.baton.githubsim.SimRepository;
import dev.baton.githubsim.SimRequest;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import dev.baton.queue.github.GitHubConnection;
import dev.baton.queue.github.GitHubPlace;
import dev.baton.queue.github.GitHubSpace;
import dev.baton.store.StoreException;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The main commands on a GitHub on loopback. */
class GitHubCliTest {

  private static final String SECRET = "ann-secret-token";

  @TempDir Path home;
  private GitHubSim sim;
  private SimRepository repository;
  private Cli cli;

  @BeforeEach
  void start() {
    sim = GitHubSim.start(SimSettings.defaults());
    repository = sim.addRepository("octo/app", true);
    sim.addToken(Token.classic("ann", SECRET, "octo/app"));
    cli = person().with("BATON_TOKEN", SECRET);
  }

  private Cli person() {
    return new Cli(home)
        .with("GITHUB_API_URL", sim.baseUrl())
        .with("BATON_STORE", "github:octo/app#release");
  }

  @AfterEach
  void stop() {
    sim.close();
  }

  @Test
  void aJobAcquiresAndReleasesAndTheBoardShowsIt() throws IOException {
    JsonNode made = cli.json("init");
    assertThat(made.get("created").asBoolean()).isTrue();
    assertThat(made.get("board").asText()).startsWith(sim.serverUrl() + "/octo/app/issues/");
    int board = cli.json("status").get("board").asInt();

    SimRepository.RunView run = repository.startRun("build", "ann", "build");
    Cli job = person().with("GITHUB_TOKEN", SECRET).inRun("octo/app", run.id(), 1);
    JsonNode got = job.json("acquire", "--title", "main build");
    String token = got.get("token").asText();
    assertThat(repository.issueBody(board).orElseThrow()).contains("main build");
    assertThat(cli.ok("doctor").out())
        .contains("ok       the board, issue " + board)
        .doesNotContain("problem");

    Path tokenFile = Files.writeString(home.resolve("token"), SECRET + "\n");
    Cli nested =
        person()
            .with("BATON_TOKEN_FILE", tokenFile.toString())
            .with("BATON_TICKET", "1")
            .with("BATON_FENCING_TOKEN", token);
    assertThat(nested.run("run", "--", "sh", "-c", "exit 4").code()).isEqualTo(4);
    assertThat(cli.json("status").get("building")).hasSize(1);

    job.ok("release", "--ticket", "1", "--token", token, "--note", "well");
    assertThat(cli.json("status").get("building")).isEmpty();
    assertThat(cli.ok("run", "--title", "laptop", "--", "true").code()).isZero();
    assertThat(cli.ok("history").out()).contains("well").contains("laptop").contains("succeeded");
  }

  /** As long as GitHub usually asks for. */
  private void limitOfAMinute(Predicate<SimRequest> asked) {
    sim.failNext(1, asked, new Fault.Limited(403, Optional.of(Duration.ofSeconds(60))));
  }

  @Test
  void aLimitOfAMinuteCostsAReleaseTimeAndNothingElse() {
    cli.ok("init");
    SimRepository.RunView run = repository.startRun("build", "ann", "build");
    Cli job = person().with("GITHUB_TOKEN", SECRET).inRun("octo/app", run.id(), 1);
    String token = job.json("acquire").get("token").asText();
    limitOfAMinute(asked -> asked.path().contains("/contents/queue.json"));
    job.ok("release", "--ticket", "1", "--token", token);
    assertThat(cli.json("status").get("building")).isEmpty();
  }

  /** A place that stays taken would hold up others. */
  @Test
  void aShortOutageCostsLeavingTheLineTimeAndNothingElse() {
    cli.ok("init");
    cli.ok("join");
    cli.ok("join");
    sim.failNext(
        4,
        asked -> asked.path().contains("/contents/queue.json"),
        new Fault.Unavailable(502, false));
    assertThat(cli.ok("leave", "--ticket", "2").out()).contains("Ticket 2 has left the line.");
    assertThat(cli.json("status").get("line")).isEmpty();
  }

  @Test
  void aTicketThatWasDrawnIsToldEvenIfItsPlaceCannotBeRead() {
    cli.ok("init");
    AtomicBoolean drawn = new AtomicBoolean();
    limitOfAMinute(
        asked -> {
          boolean queue = asked.path().contains("/contents/queue.json");
          boolean after = drawn.get();
          drawn.compareAndSet(false, queue && asked.method().equals("PUT"));
          return queue && after && asked.method().equals("GET");
        });
    JsonNode joined = cli.json("join");
    assertThat(joined.get("ticket").asLong()).isEqualTo(1);
    assertThat(joined.get("nonce").asText()).isNotEmpty();
    assertThat(joined.has("position")).isFalse();
  }

  private Cli leg(SimRepository.RunView run, int index) {
    return person()
        .with("GITHUB_TOKEN", SECRET)
        .with("RUNNER_NAME", run.jobs().get(index).runnerName())
        .inRun("octo/app", run.id(), 1);
  }

  @Test
  void aJobThatHasTheLockDoesNotWaitForItself() {
    cli.ok("init");
    SimRepository.RunView run = repository.startRun("build", "ann", "build (17)", "build (21)");
    leg(run, 0).ok("acquire");
    assertThat(cli.json("status").get("building").get(0).get("ticket").asLong()).isEqualTo(1);

    // Another step, which has nothing of what acquire printed.
    Cli.Result inside = leg(run, 0).run("run", "--wait-timeout", "0s", "--", "sh", "-c", "exit 4");
    assertThat(inside.code()).as(inside.err()).isEqualTo(4);
    assertThat(inside.err()).contains("has the lock already (ticket 1)");
    JsonNode again = leg(run, 0).json("acquire", "--wait-timeout", "0s");
    assertThat(again.get("ticket").asLong()).isEqualTo(1);

    Cli.Result other = leg(run, 1).run("run", "--wait-timeout", "0s", "--", "true");
    assertThat(other.code()).as(other.err()).isEqualTo(ExitCode.TIMED_OUT.code);
    assertThat(cli.json("status").get("building").get(0).get("ticket").asLong()).isEqualTo(1);
  }

  @Test
  void theQueuesOfARepositoryAreListedAndTheStatusNamesTheBoard() {
    assertThat(cli.ok("list").out()).startsWith("There is no queue in github:octo/app. Create one");
    String board = cli.json("init").get("board").asText();
    cli.ok("init", "--store", "github:octo/app", "--queue", "build");
    assertThat(cli.ok("list").out()).isEqualTo("Queues in github:octo/app\n  build\n  release\n");
    assertThat(cli.json("list").get("queues")).hasSize(2);
    assertThat(cli.ok("status").out()).contains("\nBoard      " + board + "\n");
    assertThat(cli.json("status").get("boardUrl").asText()).isEqualTo(board);
    assertThat(cli.run("list", "--store", "github:octo/none").code())
        .isEqualTo(ExitCode.UNREACHABLE.code);
    Cli.Result issue = cli.run("list", "--mode", "issue", "--issue", "1");
    assertThat(issue.code()).isEqualTo(ExitCode.USAGE.code);
    assertThat(issue.err()).contains("this store cannot list its queues");
  }

  @Test
  void cleanTakesOutEndedJobs() {
    cli.ok("init");
    SimRepository.RunView run = repository.startRun("build", "ann", "build");
    person().with("GITHUB_TOKEN", SECRET).inRun("octo/app", run.id(), 1).ok("acquire");
    repository.cancelRun(run.id());
    assertThat(cli.ok("doctor").out())
        .contains(
            "of a job that has ended -> `baton clean --store github:octo/app --queue release");
    assertThat(cli.json("clean").get("removed").get(0).asLong()).isEqualTo(1);
    assertThat(cli.json("status").get("building")).isEmpty();
  }

  @Test
  void unlockOfAJobGoesByWhetherItRuns() {
    cli.ok("init");
    SimRepository.RunView run = repository.startRun("build", "ann", "build");
    person().with("GITHUB_TOKEN", SECRET).inRun("octo/app", run.id(), 1).ok("acquire");
    String[] unlock = {
      "unlock", "--force", "--ticket", "1", "--token", cli.token(), "--reason", "hangs"
    };
    Cli.Result runs = cli.run(unlock);
    assertThat(runs.code()).isEqualTo(ExitCode.REFUSED.code);
    assertThat(runs.err())
        .contains("still runs and cannot be stopped from here; the next build starts beside it")
        .contains("Cancel run " + run.id() + " of octo/app first, or add --now");
    Cli.Result asked = cli.typing("n\n").run(unlock);
    assertThat(asked.code()).isEqualTo(ExitCode.REFUSED.code);
    assertThat(asked.err()).contains("still runs and cannot be stopped").contains("[y/N]");
    cli.piping("");
    assertThat(cli.json("status").get("building")).hasSize(1);

    repository.cancelRun(run.id());
    Cli.Result unsaid = cli.run(unlock);
    assertThat(unsaid.code()).isEqualTo(ExitCode.USAGE.code);
    assertThat(unsaid.err()).contains("nothing was changed: ").contains("Add --yes if you mean it");
    String[] meant = Stream.concat(Stream.of(unlock), Stream.of("--yes")).toArray(String[]::new);
    assertThat(cli.ok(meant).out()).contains("does not run any more");
    assertThat(cli.json("status").get("building")).isEmpty();
  }

  @Test
  void aReaderSeesABrokenDocumentAndLeavesItAlone() throws StoreException {
    cli.ok("init");
    breakTheDocument();
    String before = repository.head("baton/release").orElseThrow();
    sim.addToken(Token.fineGrained("reader", "reader-token", "octo/app", Grant.CONTENTS_READ));
    Cli reader = person().with("BATON_TOKEN", "reader-token");
    for (Cli looking : List.of(reader, cli)) {
      Cli.Result status = looking.run("status");
      assertThat(status.code()).isEqualTo(ExitCode.BROKEN.code);
      assertThat(status.err())
          .contains("cannot be read")
          .contains("`baton doctor --repair --store github:octo/app --queue release --api ");
      Cli.Result doctor = looking.run("doctor");
      assertThat(doctor.code()).isEqualTo(1);
      assertThat(doctor.out()).contains("problem").contains("cannot be read");
      assertThat(repository.head("baton/release")).contains(before);
    }
    assertThat(reader.run("doctor", "--repair").code()).isEqualTo(ExitCode.NO_PERMISSION.code);
    assertThat(repository.head("baton/release")).contains(before);
    assertThat(cli.ok("doctor", "--repair").out()).contains("could not be read");
    assertThat(repository.head("baton/release")).isPresent().isNotEqualTo(before);
  }

  private void breakTheDocument() throws StoreException {
    try (GitHubSpace space =
        GitHubSpace.open(
            GitHubPlace.parse("github:octo/app#release", URI.create(sim.baseUrl())),
            GitHubConnection.builder().token(() -> SECRET).build(),
            new SystemWorld())) {
      VersionedStore queue = space.document("queue");
      assertThat(queue.write(queue.read().version(), "{", "by hand"))
          .isInstanceOf(WriteResult.Written.class);
    }
  }

  @Test
  void doctorRepairsTheBoard() {
    cli.ok("init");
    int board = cli.json("status").get("board").asInt();
    repository.deleteIssue(board);
    assertThat(cli.ok("doctor").out()).contains("warn     the board, issue " + board);
    assertThat(cli.ok("doctor", "--repair").out()).doesNotContain("warn");
    assertThat(cli.json("status").get("board").asInt()).isNotEqualTo(board);
  }

  @Test
  void doctorTellsWhenBranchesAreNotCompacted() {
    cli.ok("init");
    assertThat(cli.ok("doctor").out())
        .contains("ok       the longest branch of the queue has ")
        .containsPattern(" commits?\n")
        .doesNotContain("warn");

    String target = "{\"oid\":\"" + "a".repeat(40) + "\",\"tree\":{\"oid\":\"" + "b".repeat(40);
    String answer =
        "{\"data\":{\"repository\":{\"id\":\"R_1\",\"tip\":{\"target\":"
            + target
            + "\"},\"history\":{\"totalCount\":9213}}},\"earlier\":null}}}";
    sim.failNext(1, asked -> asked.path().equals("/graphql"), new Fault.Odd(200, answer, false));
    assertThat(cli.ok("doctor").out())
        .contains("warn     a branch of the queue has 9213 commits: GitHub refuses to compact it")
        .contains(" -> allow force pushes to baton/** and baton-side/**");

    sim.failNext(
        1, asked -> asked.path().equals("/graphql"), Fault.Odd.saying(404, "Not Found", false));
    assertThat(cli.ok("doctor").out())
        .contains("warn     GitHub does not tell how many commits the branch baton/release has:")
        .contains(" -> builds are not affected");
  }

  @Test
  void whatIsWrongHasACodeOfItsOwnAndNeverShowsTheToken() {
    Cli.Result notThere = cli.run("status");
    assertThat(notThere.code()).isEqualTo(ExitCode.NOT_INITIALISED.code);
    Cli.Result badToken = person().with("BATON_TOKEN", "wrong-secret").run("init", "-v");
    assertThat(badToken.code()).isEqualTo(ExitCode.NO_PERMISSION.code);
    assertThat(badToken.err()).doesNotContain("wrong-secret");
    Cli.Result noRepository = cli.run("init", "--store", "github:octo/none");
    assertThat(noRepository.code()).isEqualTo(ExitCode.UNREACHABLE.code);
    assertThat(noRepository.err().lines()).hasSize(2);
    assertThat(noRepository.err()).contains("there is no repository octo/none").contains("Check");
    sim.addToken(Token.fineGrained("reader", "reader-token", "octo/app", Grant.CONTENTS_READ));
    Cli.Result reader = person().with("BATON_TOKEN", "reader-token").run("init");
    assertThat(reader.code()).isEqualTo(ExitCode.NO_PERMISSION.code);
    assertThat(reader.err()).contains("`contents: write` and `issues: write`");
    assertThat(notThere.err() + reader.err() + noRepository.err()).doesNotContain(SECRET);
  }
}
