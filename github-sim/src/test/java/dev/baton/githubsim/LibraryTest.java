package dev.baton.githubsim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.kohsuke.github.GHCommit;
import org.kohsuke.github.GHContent;
import org.kohsuke.github.GHContentUpdateResponse;
import org.kohsuke.github.GHException;
import org.kohsuke.github.GHFileNotFoundException;
import org.kohsuke.github.GHIssue;
import org.kohsuke.github.GHIssueState;
import org.kohsuke.github.GHRef;
import org.kohsuke.github.GHRepository;
import org.kohsuke.github.GHTree;
import org.kohsuke.github.GHWorkflowJob;
import org.kohsuke.github.GHWorkflowRun;
import org.kohsuke.github.GitHub;
import org.kohsuke.github.GitHubAbuseLimitHandler;
import org.kohsuke.github.GitHubBuilder;
import org.kohsuke.github.GitHubRateLimitHandler;
import org.kohsuke.github.HttpException;
import org.kohsuke.github.extras.okhttp3.OkHttpGitHubConnector;

/** The client library that people use on the real service, against the sim. */
@ParameterizedClass(name = "ghes: {0}")
@ValueSource(booleans = {false, true})
class LibraryTest {
  private static final String REPO = "octo/app";

  @Parameter boolean ghes;
  private final FakeClock clock = new FakeClock();
  private final OkHttpClient http = new OkHttpClient();
  private GitHubSim sim;
  private SimRepository outside;
  private GHRepository repository;

  @BeforeEach
  void start() throws IOException {
    sim = GitHubSim.start(SimSettings.defaults().withClock(clock).withGhes(ghes));
    outside = sim.addRepository(REPO, true);
    sim.addToken(Token.classic("ann", "ann-secret", REPO));
    repository = client("ann-secret").getRepository(REPO);
  }

  @AfterEach
  void stop() {
    sim.close();
    http.connectionPool().evictAll();
    http.dispatcher().executorService().shutdown();
  }

  private GitHub client(String token) throws IOException {
    return new GitHubBuilder()
        .withEndpoint(sim.baseUrl())
        .withAppInstallationToken(token)
        .withConnector(new OkHttpGitHubConnector(http, 0))
        .withRateLimitHandler(GitHubRateLimitHandler.FAIL)
        .withAbuseLimitHandler(GitHubAbuseLimitHandler.FAIL)
        .build();
  }

  private GHContentUpdateResponse write(String content, String sha) throws IOException {
    return repository
        .createContent()
        .path("d/queue.json")
        .branch("main")
        .message("write " + content)
        .content(content)
        .sha(sha)
        .commit();
  }

  private static void refused(
      int status, String text, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            HttpException.class, e -> assertThat(e.getResponseCode()).isEqualTo(status))
        .hasMessageContaining(text);
  }

  @Test
  void contentsAreCreatedReadUpdatedAndRefused() throws IOException {
    String first = write("one", null).getContent().getSha();
    GHContent read = repository.getFileContent("d/queue.json", "main");
    assertThat(read.getSha()).isEqualTo(first);
    assertThat(new String(read.read().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8))
        .isEqualTo("one");
    GHContentUpdateResponse second = write("two", first);
    assertThat(second.getContent().getSha()).isNotEqualTo(first);
    assertThat(second.getCommit().getSHA1()).isEqualTo(outside.head("main").orElseThrow());
    refused(409, "d/queue.json does not match " + first, () -> write("three", first));
    refused(422, "sha", () -> write("three", null));
    assertThatThrownBy(() -> repository.getFileContent("none", "main"))
        .isInstanceOf(GHFileNotFoundException.class);
  }

  @Test
  void orphanBranchIsMade() throws IOException {
    GHTree tree = repository.createTree().add("queue.json", "{}", false).create();
    GHCommit commit = repository.createCommit().message("start").tree(tree.getSha()).create();
    GHRef ref = repository.createRef("refs/heads/baton/main", commit.getSHA1());
    assertThat(ref.getObject().getSha()).isEqualTo(commit.getSHA1());
    assertThat(repository.getRef("heads/baton/main").getObject().getSha())
        .isEqualTo(commit.getSHA1());
    assertThat(outside.messages("baton/main")).containsExactly("start");
    refused(
        422,
        "Reference already exists",
        () -> repository.createRef("refs/heads/baton/main", commit.getSHA1()));
    refused(
        422,
        "Object does not exist",
        () -> repository.createRef("refs/heads/other", "f".repeat(40)));
    assertThat(repository.getTreeRecursive(tree.getSha(), 1).getEntry("queue.json")).isNotNull();
    assertThat(repository.getBlob(tree.getEntry("queue.json").getSha()).getSize()).isEqualTo(2);
  }

  @Test
  void issuesAreCreatedEditedAndListedByLabel() throws IOException {
    GHIssue made = repository.createIssue("board").body("one").label("baton").create();
    repository.createIssue("other").create();
    made.setBody("two");
    assertThat(outside.issueBody(1)).contains("two");
    List<GHIssue> found =
        repository.queryIssues().state(GHIssueState.OPEN).label("baton").list().toList();
    assertThat(found).extracting(GHIssue::getTitle).containsExactly("board");
    assertThat(found.get(0).getBody()).isEqualTo("two");
    made.close();
    assertThat(repository.getIssue(1).getState()).isEqualTo(GHIssueState.CLOSED);
    assertThat(repository.queryIssues().state(GHIssueState.OPEN).list().toList()).hasSize(1);
    outside.deleteIssue(2);
    refused(410, "deleted", () -> repository.getIssue(2));
  }

  @Test
  void runAndItsJobsAreRead() throws IOException {
    SimRepository.RunView started = outside.startRun("build", "ann", "linux", "mac");
    outside.finishRun(started.id(), "failure");
    SimRepository.RunView again = outside.rerun(started.id());
    outside.finishJob(again.id(), again.jobs().get(0).id(), "success");
    GHWorkflowRun run = repository.getWorkflowRun(again.id());
    assertThat(run.getRunAttempt()).isEqualTo(2);
    assertThat(run.getStatus()).isEqualTo(GHWorkflowRun.Status.IN_PROGRESS);
    List<GHWorkflowJob> jobs = run.listJobs().toList();
    assertThat(jobs)
        .extracting(GHWorkflowJob::getRunnerName)
        .containsExactlyElementsOf(
            again.jobs().stream().map(SimRepository.JobView::runnerName).toList());
    assertThat(jobs.get(0).getConclusion()).isEqualTo(GHWorkflowRun.Conclusion.SUCCESS);
    assertThat(jobs.get(0).getSteps()).hasSize(3);
    assertThat(jobs.get(1).getSteps().get(1).getStatus())
        .isEqualTo(GHWorkflowRun.Status.IN_PROGRESS);
    assertThat(run.listAllJobs().toList())
        .extracting(GHWorkflowJob::getRunAttempt)
        .containsExactly(1, 1, 2, 2);
  }

  @Test
  void commitsAreListedByPathOverPages() throws IOException {
    String sha = write("0", null).getContent().getSha();
    for (int i = 1; i < 5; i++) {
      sha = write("" + i, sha).getContent().getSha();
    }
    List<String> messages = new ArrayList<>();
    for (GHCommit commit :
        repository.queryCommits().path("d/queue.json").from("main").pageSize(2).list()) {
      messages.add(commit.getCommitShortInfo().getMessage());
    }
    assertThat(messages).containsExactly("write 4", "write 3", "write 2", "write 1", "write 0");
  }

  @Test
  void refusalsAreMapped() throws IOException {
    refused(401, "Bad credentials", () -> client("nobody").getRepository(REPO));
    sim.addToken(Token.workflow("job", "job-secret", REPO, Grant.CONTENTS_READ));
    GHRepository readOnly = client("job-secret").getRepository(REPO);
    refused(
        403,
        "Resource not accessible by integration",
        () -> readOnly.createContent().path("a").message("m").content("x").commit());
    assertThatThrownBy(() -> client("ann-secret").getRepository("octo/none"))
        .isInstanceOf(GHFileNotFoundException.class);
    sim.addToken(Token.classic("few", "few-secret", REPO).withHourlyLimit(1));
    GHRepository few = client("few-secret").getRepository(REPO);
    refused(403, "rate limit", () -> few.getRef("heads/main"));
    sim.failNext(
        1, SimRequest::read, new Fault.Limited(403, Optional.of(java.time.Duration.ofSeconds(60))));
    refused(403, "buse limit", () -> repository.getRef("heads/main"));
    outside.protect("main");
    refused(409, "pull request", () -> write("x", null));
  }

  @Test
  void nobodyAsksWhoTheTokenIs() throws IOException {
    write("one", null);
    repository.createIssue("t").create().setBody("b");
    assertThat(sim.log().entries())
        .extracting(RequestLog.Entry::path)
        .hasSize(4)
        .allMatch(path -> path.startsWith("/repos/octo/app"));
  }

  /** A getter may ask for more and be told 501; it must not stumble over a field we left out. */
  @Test
  void noGetterStumbles() throws IOException {
    GHContentUpdateResponse written = write("one", null);
    repository.createIssue("t").body("b").label("l").create();
    long run = outside.startRun("build", "ann", "linux").id();
    GHWorkflowRun running = repository.getWorkflowRun(run);
    outside.finishRun(run, "success");
    List<Object> all = new ArrayList<>();
    all.add(repository);
    all.add(written.getContent());
    all.add(written.getCommit());
    all.add(repository.getFileContent("d/queue.json"));
    all.add(repository.getRef("heads/main"));
    all.add(repository.getIssue(1));
    all.add(running);
    all.add(repository.getWorkflowRun(run));
    all.addAll(running.listJobs().toList());
    all.add(repository.queryCommits().list().toList().get(0));
    List<String> stumbled = new ArrayList<>();
    int called = 0;
    for (Object one : all) {
      for (Method method : one.getClass().getMethods()) {
        if (method.getParameterCount() == 0
            && method.getName().matches("(get|is|has)[A-Z].*")
            && !method.isBridge()) {
          called++;
          try {
            method.invoke(one);
          } catch (InvocationTargetException e) {
            // Lists wrap what the server said.
            Throwable cause =
                e.getCause() instanceof GHException ? e.getCause().getCause() : e.getCause();
            if (!(cause instanceof IOException)) {
              stumbled.add(method + ": " + e.getCause());
            }
          } catch (IllegalAccessException e) {
            throw new AssertionError(e);
          }
        }
      }
    }
    assertThat(stumbled).isEmpty();
    assertThat(called).isGreaterThan(150);
  }
}
