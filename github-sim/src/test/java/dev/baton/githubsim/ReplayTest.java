package dev.baton.githubsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The requests of answers recorded from GitHub, sent to the sim: is the answer of the same kind?
 */
class ReplayTest extends SimTest {
  private static final String REPOSITORY = "/repos/octo/app";
  private static final String ODD_FILE =
      "/repos/octo/app/contents/a+folder%20%2350/a%20file+%231.txt";
  private static final String WORKFLOW = "on: [push, workflow_dispatch]\njobs:\n  build:\n";

  /** Headers that say nothing about what GitHub is like. */
  private static final Set<String> HEADERS =
      Set.of(
          // Taken out of the recordings, or of HTTP itself.
          "x-github-request-id",
          "transfer-encoding",
          "content-length",
          "connection",
          "server",
          "vary",
          "x-oauth-scopes",
          "x-accepted-oauth-scopes",
          // GitHub no longer sends it, and sends these today.
          "status",
          "x-ratelimit-used",
          "x-ratelimit-resource",
          "x-github-api-version-selected");

  /** Of recordings 20 and 21 most headers were cut away, and most of a repository. */
  private static final Set<String> CUT =
      Set.of(
          "x-github-media-type",
          "x-ratelimit-reset",
          "x-github-request-id",
          "server",
          "vary",
          "x-oauth-scopes",
          "x-accepted-oauth-scopes",
          "x-ratelimit-used",
          "x-ratelimit-resource",
          "x-github-api-version-selected",
          "transfer-encoding",
          "content-length");

  /** Fields that may be on one side only, and why. */
  private static final Map<String, Set<String>> EXCUSED =
      Map.ofEntries(
          // Came a month after the recording.
          Map.entry("01-get-issue-200", Set.of("state_reason")),
          // It is a pull request, which the sim has none of.
          Map.entry("05-patch-issue-200", Set.of("draft", "pull_request")),
          // Errors have it today; the recordings are older.
          Map.entry("10-get-contents-404", Set.of("status")),
          Map.entry("17-get-refs-404", Set.of("status")),
          Map.entry("18-get-refs-404", Set.of("status")),
          Map.entry("20-get-run-200", Set.of("repository", "head_repository")),
          // Runs of 2021 had fewer fields.
          Map.entry(
              "21-get-run-200",
              Set.of(
                  "repository",
                  "head_repository",
                  "path",
                  "actor",
                  "run_attempt",
                  "referenced_workflows",
                  "run_started_at",
                  "triggering_actor",
                  "previous_attempt_url")),
          // Documented today, and younger than the recording.
          Map.entry("28-get-branch-200", Set.of("protection.required_status_checks.checks")),
          // The sim's repositories belong to persons.
          Map.entry("38-get-repository-200", Set.of("organization")),
          // Issues and labels of 2020 and before had fewer fields.
          Map.entry(
              "40-get-issues-200",
              Set.of("[].closed_by", "[].reactions", "[].timeline_url", "[].state_reason")),
          Map.entry("41-post-label-201", Set.of("description")));

  private final Map<String, Supplier<Client.Got>> requests = new LinkedHashMap<>();
  private String head;

  static List<String> recordings() {
    return Recording.names();
  }

  @BeforeEach
  void requests() {
    head = repository.head("main").orElseThrow();
    issues();
    files();
    refs();
    runs();
    rest();
  }

  private void issues() {
    requests.put("01-get-issue-200", () -> closed());
    requests.put("05-patch-issue-200", () -> edited(Map.of("labels", List.of("test"))));
    requests.put("12-post-issues-201", () -> opened());
    requests.put("13-post-issues-201", () -> opened());
    requests.put(
        "14-get-issue-200",
        () -> {
          opened();
          return ann.get(ISSUES + "/1");
        });
    requests.put("15-patch-issue-200", () -> edited(Map.of("state", "closed")));
    requests.put(
        "22-post-comment-201",
        () -> {
          opened();
          return ann.post(ISSUES + "/1/comments", Map.of("body", "c"));
        });
    requests.put(
        "23-post-issue-labels-200",
        () -> {
          opened();
          return ann.post(ISSUES + "/1/labels", Map.of("labels", List.of("test")));
        });
    requests.put(
        "35-put-lock-204",
        () -> {
          opened();
          return ann.send("PUT", ISSUES + "/1/lock", null);
        });
    requests.put(
        "36-delete-lock-204",
        () -> {
          opened();
          repository.lockIssue(1);
          return ann.delete(ISSUES + "/1/lock");
        });
    requests.put(
        "40-get-issues-200",
        () -> {
          opened();
          opened();
          return ann.get(ISSUES + "?per_page=1");
        });
    requests.put(
        "41-post-label-201",
        () -> ann.post(REPOSITORY + "/labels", Map.of("name", "test", "color", "663399")));
  }

  private Client.Got opened() {
    Map<String, ?> body =
        Map.of("assignees", List.of(), "title", "t", "body", "## b", "labels", List.of());
    return ann.post(ISSUES, body);
  }

  private Client.Got edited(Map<String, ?> change) {
    opened();
    return ann.patch(ISSUES + "/1", change);
  }

  private Client.Got closed() {
    edited(Map.of("state", "closed"));
    return ann.get(ISSUES + "/1");
  }

  private void files() {
    requests.put("04-put-contents-201", () -> written("main"));
    requests.put("06-get-contents-200", () -> read(""));
    requests.put("07-get-contents-200", () -> read("?ref=main"));
    requests.put(
        "08-put-contents-200",
        () -> {
          String sha = written("main").text("/content/sha");
          return ann.put(
              ODD_FILE, Map.of("message", "m", "content", Client.base64("y"), "sha", sha));
        });
    requests.put(
        "09-delete-contents-200",
        () -> {
          String sha = written("main").text("/content/sha");
          return ann.delete(ODD_FILE + "?path=x&message=Enough%21&sha=" + sha);
        });
    requests.put("10-get-contents-404", () -> ann.get(ODD_FILE));
    requests.put("11-put-contents-201", () -> written("refs/heads/main"));
    requests.put("30-get-folder-200", () -> ann.get(REPOSITORY + "/contents/"));
    requests.put(
        "31-get-raw-200",
        () ->
            ann.get(REPOSITORY + "/contents/README.md", "Accept", "application/vnd.github.v3.raw"));
  }

  private Client.Got written(String branch) {
    return ann.put(
        ODD_FILE,
        Map.of("path", "x", "message", "m", "branch", branch, "content", Client.base64("x")));
  }

  private Client.Got read(String query) {
    written("main");
    return ann.get(ODD_FILE + query);
  }

  private void refs() {
    requests.put("02-get-refs-200", () -> ann.get(REFS + "/heads/main"));
    requests.put("03-post-refs-201", () -> branched());
    requests.put("16-get-refs-200", () -> ann.get(REFS + "/heads/main"));
    requests.put("17-get-refs-404", () -> ann.get(REFS + "/headz"));
    requests.put("18-get-refs-404", () -> ann.get(REFS + "/tags"));
    requests.put("19-post-refs-201", () -> branched());
    requests.put("32-get-all-refs-200", () -> ann.get(REFS + "/"));
    requests.put(
        "33-patch-ref-200",
        () -> {
          branched();
          return ann.patch(REFS + "/heads/draft", Map.of("sha", head));
        });
    requests.put(
        "34-delete-ref-204",
        () -> {
          branched();
          return ann.delete(REFS + "/heads/draft");
        });
  }

  private Client.Got branched() {
    return ann.post(REFS, Map.of("ref", "refs/heads/draft", "sha", head));
  }

  private void runs() {
    requests.put("20-get-run-200", () -> ann.get(RUNS + "/" + ranTwice()));
    requests.put("21-get-run-200", () -> ann.get(RUNS + "/" + ranTwice()));
    requests.put(
        "24-post-cancel-202",
        () -> {
          long id = repository.startRun("build", "ann", "linux").id();
          return ann.post(RUNS + "/" + id + "/cancel", Map.of());
        });
    requests.put("25-post-rerun-201", () -> ann.post(RUNS + "/" + ranTwice() + "/rerun", Map.of()));
    requests.put(
        "26-get-workflows-200",
        () -> {
          ranTwice();
          return ann.get(REPOSITORY + "/actions/workflows");
        });
    requests.put(
        "27-post-dispatches-204",
        () -> {
          ann.put(
              REPOSITORY + "/contents/.github/workflows/build.yml",
              Map.of("message", "m", "content", Client.base64(WORKFLOW)));
          return ann.post(
              REPOSITORY + "/actions/workflows/build.yml/dispatches", Map.of("ref", "main"));
        });
    requests.put(
        "39-get-runs-200",
        () -> {
          ranTwice();
          return ann.get(RUNS);
        });
  }

  private long ranTwice() {
    long id = repository.startRun("build", "ann", "linux").id();
    repository.finishRun(id, "success");
    repository.rerun(id);
    repository.finishRun(id, "success");
    return id;
  }

  private void rest() {
    requests.put("28-get-branch-200", () -> ann.get(REPOSITORY + "/branches/main"));
    requests.put(
        "29-get-commit-200",
        () -> ann.get(REPOSITORY + "/commits/" + written("main").text("/commit/sha")));
    requests.put(
        "37-get-renamed-301",
        () -> {
          sim.renameRepository(REPO, "octo/other");
          return ann.get(REPOSITORY);
        });
    requests.put("38-get-repository-200", () -> ann.get(REPOSITORY));
    requests.put(
        "42-post-git-commit-201",
        () -> {
          String tree = ann.get(REPOSITORY + "/git/commits/" + head).text("/tree/sha");
          return ann.post(
              REPOSITORY + "/git/commits",
              Map.of("message", "m", "tree", tree, "parents", List.of(head)));
        });
  }

  @ParameterizedTest
  @MethodSource("recordings")
  void answerIsOfTheRecordedKind(String name) {
    assertThat(requests).containsKey(name);
    Recording recording = Recording.of(name);
    Client.Got got = requests.get(name).get();
    assertThat(
            recording.differences(
                got,
                EXCUSED.getOrDefault(name, Set.of()),
                name.matches("2[01]-.*") ? CUT : HEADERS))
        .isEmpty();
    // What a recording has none of, or is cut out of it, every answer has all the same.
    assertThat(got.http().headers().map().keySet())
        .contains("server", "date", "vary", "x-oauth-scopes", "x-ratelimit-used");
  }
}
