package dev.baton.githubsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the sim has not is never mistaken for what is not there. */
class NotImplementedTest extends SimTest {
  @ParameterizedTest
  @CsvSource({
    "GET, /user",
    "GET, /search/issues",
    "GET, /repos/octo/app/pulls",
    "GET, /repos/octo/none/pulls",
    "GET, /repos/octo/app/issues/1/timeline",
    "GET, /repos/octo/app/issues/comments",
    "POST, /repos/octo/app/issues/1/reactions",
    "GET, /repos/octo/app/collaborators/ann",
    "GET, /repos/octo/app/collaborators",
    "GET, /repos/octo/app/commits/main/status",
    "GET, /repos/octo/app/commits/main/check-runs",
    "GET, /repos/octo/app/branches/main/protection",
    "GET, /repos/octo/app/actions/runs/1/logs",
    "POST, /repos/octo/app/actions/runs/1/approve",
    "PATCH, /repos/octo/app",
    "DELETE, /repos/octo/app/actions/runs/1",
    "GET, /graphql"
  })
  void saysWhichMethodAndPath(String method, String path) {
    Client.Got got = ann.send(method, path, method.equals("GET") ? null : Map.of());
    assertThat(got.status()).isEqualTo(501);
    assertThat(got.message())
        .isEqualTo("github-sim does not implement " + method + " " + path + ".");
  }

  @Test
  void saysSoOfMediaTypesToo() {
    Client.Got got =
        ann.get("/repos/octo/app/commits/main", "Accept", "application/vnd.github.diff");
    assertThat(got.status()).isEqualTo(501);
    assertThat(got.message()).endsWith("/repos/octo/app/commits/main as diff.");
    assertThat(ann.get(REFS + "/heads/main", "Accept", "application/vnd.github.raw+json").status())
        .isEqualTo(501);
    assertThat(ann.get(REFS + "/heads/main", "Accept", "application/vnd.github+json").status())
        .isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource({
    "/repos/octo/none, get-a-repository",
    "/repos/octo/app/issues/99999999999999999999, get-an-issue",
    "/repos/octo/app/issues/comments/1, get-an-issue-comment",
    "/repos/octo/app/actions/runs/1, get-a-workflow-run",
    "/repos/octo/app/actions/jobs/1, get-a-job-for-a-workflow-run",
    "/repos/octo/app/actions/workflows/none.yml, get-a-workflow",
    "/repos/octo/app/labels/none, get-a-label",
    "/repositories/1/issues, list-repository-issues"
  })
  void whatIsNotThereIsA404ThatNamesItsDocumentation(String path, String page) {
    Client.Got got = ann.get(path);
    assertThat(got.status()).isEqualTo(404);
    assertThat(got.message()).isEqualTo("Not Found");
    assertThat(got.text("/status")).isEqualTo("404");
    assertThat(got.text("/documentation_url"))
        .startsWith("https://docs.github.com/rest/")
        .endsWith("#" + page);
  }

  @Test
  void headIsAGetWithoutABody() {
    Client.Got got = ann.send("HEAD", "/repos/octo/app", null);
    assertThat(got.status()).isEqualTo(200);
    assertThat(got.http().body()).isEmpty();
    assertThat(got.header("etag")).isEqualTo(ann.get("/repos/octo/app").header("etag"));
  }
}
