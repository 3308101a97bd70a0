package dev.baton.githubsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class AccessTest extends SimTest {
  private static final String MAIN = REFS + "/heads/main";
  private static final Map<String, String> BODY =
      Map.of("message", "m", "content", Client.base64("x"));

  @Test
  void unknownOrRevokedTokenIsA401() {
    assertThat(new Client(sim.baseUrl(), "nobody").get(MAIN).message())
        .isEqualTo("Bad credentials");
    Token token = Token.classic("bob", "bob-secret", REPO);
    Client bob = client(token);
    assertThat(bob.get(MAIN).status()).isEqualTo(200);
    sim.revoke(token);
    Client.Got got = bob.get(MAIN);
    assertThat(got.status()).isEqualTo(401);
    assertThat(got.header("x-ratelimit-limit")).isNotEmpty();
  }

  @Test
  void anotherPrivateRepositoryIsNotThere() {
    sim.addRepository("octo/other", true);
    Client job = client(Token.workflow("job", "w", REPO, Grant.CONTENTS_WRITE));
    assertThat(job.get("/repos/octo/other/git/refs/heads/main").status()).isEqualTo(404);
    assertThat(job.get("/repos/octo/none/git/refs/heads/main").status()).isEqualTo(404);
    assertThat(job.put("/repos/octo/other/contents/a", BODY).status()).isEqualTo(404);
    assertThat(new Client(sim.baseUrl(), null).get(MAIN).status()).isEqualTo(404);
  }

  @Test
  void missingPermissionIsNamed() {
    Client job = client(Token.workflow("job", "w", REPO, Grant.CONTENTS_READ, Grant.ISSUES_WRITE));
    assertThat(job.get(MAIN).status()).isEqualTo(200);
    assertThat(job.get(ISSUES).status()).isEqualTo(200);
    Client.Got write = job.put(FILE, BODY);
    assertThat(write.status()).isEqualTo(403);
    assertThat(write.message()).isEqualTo("Resource not accessible by integration");
    assertThat(write.header("x-accepted-github-permissions")).isEqualTo("contents=write");
    assertThat(job.get(RUNS).header("x-accepted-github-permissions")).isEqualTo("actions=read");
    assertThat(repository.fileText("queue.json", "main")).isEmpty();
  }

  @Test
  void wordingFollowsTheKindOfToken() {
    Client fine = client(Token.fineGrained("fine", "f", REPO, Grant.CONTENTS_READ));
    assertThat(fine.put(FILE, BODY).message())
        .isEqualTo("Resource not accessible by personal access token");
    Client classic = client(Token.classic("old", "o"));
    assertThat(classic.get(MAIN).status()).isEqualTo(404);
  }

  @Test
  void publicRepositoryIsReadableByAllAndWritableByNone() {
    sim.addRepository("octo/open", false);
    Client nobody = new Client(sim.baseUrl(), null);
    Client fork = client(Token.workflow("fork", "w", "octo/open", Grant.CONTENTS_READ));
    assertThat(nobody.get("/repos/octo/open").text("/default_branch")).isEqualTo("main");
    assertThat(nobody.put("/repos/octo/open/contents/a", BODY).status()).isEqualTo(401);
    assertThat(fork.get("/repos/octo/open/actions/runs").status()).isEqualTo(200);
    assertThat(fork.put("/repos/octo/open/contents/a", BODY).status()).isEqualTo(403);
  }

  @Test
  void archivedRepositoryIsReadOnly() {
    repository.archive();
    Client.Got got = ann.put(FILE, BODY);
    assertThat(got.status()).isEqualTo(403);
    assertThat(got.message()).isEqualTo("Repository was archived so is read-only.");
    assertThat(ann.get(MAIN).status()).isEqualTo(200);
  }

  @Test
  void protectedBranchRefusesWithAConflictThatNoRetryCures() {
    repository.protect("main");
    Client.Got got = ann.put(FILE, BODY);
    assertThat(got.status()).isEqualTo(409);
    assertThat(got.message()).startsWith("Repository rule violations found");
    String head = repository.head("main").orElseThrow();
    assertThat(ann.patch(MAIN, Map.of("sha", head)).status()).isEqualTo(422);
    assertThat(repository.messages("main")).hasSize(1);
  }

  @Test
  void protectionHasThreeWordings() {
    String head = repository.head("main").orElseThrow();
    repository.protect("main", Protection.BRANCH_RULE);
    Client.Got older = ann.put(FILE, BODY);
    assertThat(older.status()).isEqualTo(409);
    assertThat(older.message())
        .isEqualTo("Could not update file: Changes must be made through a pull request.");
    assertThat(ann.patch(MAIN, Map.of("sha", head)).message())
        .isEqualTo("Changes must be made through a pull request.");
    repository.protect("main", Protection.RULESET_UNPROCESSABLE);
    Client.Got rules = ann.put(FILE, BODY);
    assertThat(rules.status()).isEqualTo(422);
    assertThat(rules.message())
        .isEqualTo(
            "Repository rule violations found\n\nChanges must be made through a pull request.\n\n");
    assertThat(ann.delete(MAIN).status()).isEqualTo(422);
    repository.unprotect("main");
    assertThat(ann.put(FILE, BODY).status()).isEqualTo(201);
  }

  @Test
  void nothingOfTheServerUnderneathAnswers() {
    for (String path :
        java.util.List.of(
            "/__admin",
            "/__admin/",
            "/__admin/mappings",
            "/__admin/docs",
            "/__admin/health",
            "/__admin/recorder/",
            "/__admin/swagger-ui/",
            "/__admin/webapp",
            "/%5f_admin/mappings",
            "/x/../__admin/mappings",
            "//__admin/mappings",
            "/__files/x")) {
      assertThat(ann.get(path).status()).as(path).isIn(400, 404);
    }
    assertThat(ann.post("/__admin/reset", Map.of()).status()).isEqualTo(404);
    assertThat(ann.post("/__admin/shutdown", Map.of()).status()).isEqualTo(404);
    assertThat(ann.get(MAIN).status()).isEqualTo(200);
  }

  @Test
  void enterpriseServerServesBelowItsPrefix() {
    try (GitHubSim ghes = GitHubSim.start(settings().withGhes(true))) {
      ghes.addRepository(REPO, true);
      ghes.addToken(Token.classic("ann", "ann-secret", REPO));
      assertThat(ghes.baseUrl()).endsWith("/api/v3");
      Client.Got got = new Client(ghes.baseUrl(), "ann-secret").get(MAIN);
      assertThat(got.text("/url")).isEqualTo(ghes.baseUrl() + MAIN);
      String origin = ghes.baseUrl().replace("/api/v3", "");
      assertThat(new Client(origin, "ann-secret").get(MAIN).status()).isEqualTo(404);
    }
  }
}
