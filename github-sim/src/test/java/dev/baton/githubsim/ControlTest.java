package dev.baton.githubsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ControlTest extends SimTest {
  private static final String OURS = "/_sim/repos/octo/app";
  private static final String MAIN = REFS + "/heads/main";

  private Client outside;

  @Override
  SimSettings settings() {
    return super.settings().withControl(true);
  }

  @BeforeEach
  void connect() {
    outside = new Client(sim.serverUrl(), null);
  }

  private Client.Got tell(String path, Map<String, ?> body) {
    Client.Got got = outside.post(path, body);
    assertThat(got.status()).as(got.http().body()).isEqualTo(200);
    return got;
  }

  @Test
  void isOffUnlessAskedFor() {
    try (GitHubSim plain = GitHubSim.start(super.settings())) {
      Client.Got got = new Client(plain.serverUrl(), null).get("/_sim/log");
      assertThat(got.status()).isEqualTo(501);
      assertThat(got.message()).isEqualTo("github-sim does not implement GET /_sim/log.");
    }
  }

  @Test
  void saysWhatThereIs() {
    assertThat(outside.get("/_sim").body().toString())
        .contains("POST /_sim/fail")
        .contains("GET  /_sim/log");
    assertThat(outside.get("/_sim/none").text("/error")).contains("see GET /_sim");
    assertThat(outside.delete("/_sim/log").status()).isEqualTo(404);
  }

  @Test
  void runIsStartedFinishedCancelledAndRunAgain() {
    Client.Got run =
        tell(OURS + "/runs", Map.of("workflow", "ci", "actor", "bob", "jobs", List.of("a", "b")));
    String id = run.text("/id");
    assertThat(ann.get(RUNS + "/" + id).text("/name")).isEqualTo("ci");
    assertThat(ann.get(RUNS + "/" + id + "/jobs").text("/jobs/0/runner_name"))
        .isEqualTo(run.text("/jobs/0/runner_name"));
    String job = OURS + "/runs/" + id + "/jobs/" + run.text("/jobs/0/id") + "/finish";
    tell(job, Map.of("conclusion", "failure"));
    Client.Got between = outside.get(OURS + "/runs/" + id);
    assertThat(between.text("/jobs/0/conclusion")).isEqualTo("failure");
    assertThat(between.body().get("conclusion").isNull()).isTrue();
    assertThat(outside.post(OURS + "/runs/" + id + "/rerun", Map.of()).status()).isEqualTo(409);
    tell(OURS + "/runs/" + id + "/cancel", Map.of());
    assertThat(ann.get(RUNS + "/" + id).text("/conclusion")).isEqualTo("cancelled");
    assertThat(tell(OURS + "/runs/" + id + "/rerun", Map.of()).text("/attempt")).isEqualTo("2");
    tell(OURS + "/runs/" + id + "/finish", Map.of("conclusion", "success"));
    assertThat(ann.get(RUNS + "/" + id).text("/conclusion")).isEqualTo("success");
    assertThat(outside.get(OURS + "/runs/1").status()).isEqualTo(404);
  }

  @Test
  void repositoryAndTokenAreAdded() {
    tell("/_sim/repositories", Map.of("name", "octo/new"));
    tell(
        "/_sim/tokens",
        Map.of(
            "client",
            "job",
            "value",
            "s",
            "kind",
            "workflow",
            "repositories",
            List.of("octo/new"),
            "grants",
            List.of("contents=read"),
            "limit",
            7));
    Client job = new Client(sim.baseUrl(), "s");
    Client.Got got = job.get("/repos/octo/new/git/ref/heads/main");
    assertThat(got.status()).isEqualTo(200);
    assertThat(got.header("x-ratelimit-limit")).isEqualTo("7");
    assertThat(job.post("/repos/octo/new/issues", Map.of("title", "t")).message())
        .isEqualTo("Resource not accessible by integration");
    tell("/_sim/tokens/revoke", Map.of("value", "s"));
    assertThat(job.get("/repos/octo/new").status()).isEqualTo(401);
  }

  @Test
  void stalenessAndFaultsAreSet() throws IOException {
    tell("/_sim/staleness", Map.of("least", 5, "most", 5));
    create("x");
    assertThat(ann.get(FILE).status()).isEqualTo(404);
    tell("/_sim/staleness", Map.of("least", 0, "most", 0));
    assertThat(ann.get(FILE).status()).isEqualTo(200);
    tell("/_sim/faults", Map.of("rates", List.of(Map.of("kind", "unavailable", "rate", 1))));
    assertThat(ann.get(FILE).status()).isEqualTo(502);
    tell("/_sim/faults", Map.of("rates", List.of()));
    assertThat(ann.get(FILE).status()).isEqualTo(200);
  }

  @Test
  void oddAnswersAndOtherWordsAreSet() {
    assertThat(create("x").status()).isEqualTo(201);
    Map<String, Object> odd = Map.of("kind", "odd", "status", 401, "message", "Bad credentials");
    tell("/_sim/fail", Map.of("skip", 2, "fault", odd));
    assertThat(ann.get(FILE).status()).isEqualTo(200);
    assertThat(ann.get(FILE).status()).isEqualTo(200);
    assertThat(ann.get(FILE).message()).isEqualTo("Bad credentials");
    assertThat(ann.get(FILE).status()).isEqualTo(200);
    tell("/_sim/fail", Map.of("fault", Map.of("kind", "odd", "status", 409, "body", "{}")));
    assertThat(ann.get(FILE).status()).isEqualTo(409);
    tell("/_sim/reword", Map.of("status", 422, "message", "Ya existe"));
    assertThat(create("x").message()).isEqualTo("Ya existe");
    tell("/_sim/reword", Map.of("status", 422));
    assertThat(create("x").message()).contains("wasn't supplied");
  }

  @Test
  void nextRequestsThatMatchFail() {
    tell(
        "/_sim/fail",
        Map.of(
            "count",
            2,
            "method",
            "PUT",
            "path",
            "/contents/.*json$",
            "client",
            "ann",
            "fault",
            Map.of("kind", "limited", "status", 429, "retry_after", 30)));
    assertThat(ann.get(FILE).status()).isEqualTo(404);
    Map<String, String> body = Map.of("message", "m", "content", Client.base64("x"));
    assertThat(ann.put("/repos/octo/app/contents/a.txt", body).status()).isEqualTo(201);
    Client bob = client(Token.classic("bob", "bob-secret", REPO));
    assertThat(bob.put("/repos/octo/app/contents/b.json", body).status()).isEqualTo(201);
    assertThat(create("x").header("retry-after")).isEqualTo("30");
    assertThat(create("x").status()).isEqualTo(429);
    assertThat(create("x").status()).isEqualTo(201);
  }

  @Test
  void issuesAreOpenedEditedLockedMovedAndDeleted() {
    Client.Got made = tell(OURS + "/issues", Map.of("title", "t", "labels", List.of("baton")));
    assertThat(made.text("/number")).isEqualTo("1");
    clock.pass(Duration.ofSeconds(5));
    tell(OURS + "/issues/1/edit", Map.of("body", "by hand", "by", "mona"));
    Client.Got read = ann.get(ISSUES + "/1");
    assertThat(read.text("/body")).isEqualTo("by hand");
    assertThat(read.text("/updated_at")).isEqualTo("2026-03-05T10:00:05Z");
    tell(OURS + "/issues/1/lock", Map.of());
    assertThat(ann.get(ISSUES + "/1").body().path("locked").asBoolean()).isTrue();
    tell(OURS + "/issues/1/unlock", Map.of());
    tell(OURS + "/issues/1/close", Map.of("by", "mona"));
    assertThat(ann.get(ISSUES + "/1").text("/closed_by/login")).isEqualTo("mona");
    tell(OURS + "/issues/1/reopen", Map.of());
    tell(OURS + "/issues/1/move", Map.of("url", sim.baseUrl() + "/repos/octo/b/issues/2"));
    assertThat(ann.get(ISSUES + "/1").status()).isEqualTo(301);
    tell(OURS + "/issues/1/delete", Map.of());
    assertThat(ann.get(ISSUES + "/1").status()).isEqualTo(410);
  }

  @Test
  void repositoryIsArchivedProtectedAndLosesItsIssues() {
    tell(OURS + "/protect", Map.of("branch", "main", "how", "branch-rule"));
    assertThat(create("x").message()).startsWith("Could not update file");
    tell(OURS + "/unprotect", Map.of("branch", "main"));
    tell(OURS + "/archive", Map.of());
    assertThat(create("x").status()).isEqualTo(403);
    tell(OURS + "/archive", Map.of("on", false));
    assertThat(create("x").status()).isEqualTo(201);
    tell(OURS + "/issues-enabled", Map.of("on", false));
    assertThat(ann.get(ISSUES).status()).isEqualTo(410);
  }

  @Test
  void logIsReadAndCleared() {
    ann.get(MAIN);
    create("x");
    Client.Got got = outside.get("/_sim/log");
    assertThat(got.body().at("/clients/ann").toString())
        .isEqualTo("{\"charged\":2,\"free\":0,\"failed\":0,\"writes\":1}");
    assertThat(got.body().at("/clients")).hasSize(1);
    tell("/_sim/log/clear", Map.of());
    assertThat(outside.get("/_sim/log").text("/total/charged")).isEqualTo("0");
  }

  @Test
  void pagesInABrowserMayNotSteer() {
    Map<String, Object> none = Map.of();
    assertThat(outside.send("POST", "/_sim/log/clear", none, "Origin", "http://x.example").status())
        .isEqualTo(403);
    assertThat(outside.send("POST", "/_sim/log/clear", none, "Origin", sim.serverUrl()).status())
        .isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/_sim/fail | {'fault':{'kind':'x'}} | not a kind of fault: 'x'",
        "/_sim/fail | {'path':'(','fault':{'kind':'slow'}} | no regular expression",
        "/_sim/fail | {'count':0,'fault':{'kind':'dropped-after'}} | no request to fail: 0",
        "/_sim/fail | {} | \"fault\" is missing",
        "/_sim/staleness | {'least':3,'most':99} | reads may lag",
        "/_sim/faults | {'rates':[{'kind':'dropped-after','rate':2}]} | share between 0 and 1",
        "/_sim/tokens | {'client':'a','value':'b','kind':'x'} | kind cannot be 'x'",
        "/_sim/tokens | {'client':'a','value':'b','kind':'workflow'} | for one repository",
        "/_sim/tokens | {'client':'a','value':'b','grants':['x']} | not a permission: 'x'",
        "/_sim/tokens/revoke | {'value':'secret'} | no such token",
        "/_sim/repositories | {'name':'x'} | not owner/repo: 'x'",
        "/_sim/repositories | {'name':'octo/app'} | already",
        "/_sim/repos/a/b/archive | {} | no repository a/b",
        "/_sim/repos/octo/app/protect | {'branch':'x','how':'y'} | how cannot be 'y'",
        "/_sim/repos/octo/app/issues/5/lock | {} | no issue 5",
        "/_sim/repos/octo/app/issues/5/edit | {'body':''} | Not Found",
        "/_sim/repos/octo/app/runs/5/cancel | {} | no run 5",
      })
  void mistakeIsNamed(String path, String body, String expected) throws IOException {
    Map<String, ?> json =
        Client.JSON.readValue(
            body.replace('\'', '"'),
            new com.fasterxml.jackson.core.type.TypeReference<Map<String, Object>>() {});
    Client.Got got = outside.post(path, json);
    assertThat(got.status()).isEqualTo(422);
    assertThat(got.text("/error")).contains(expected).doesNotContain("secret");
  }
}
