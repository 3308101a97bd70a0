package dev.baton.githubsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class IssuesTest extends SimTest {
  private void open(String title) {
    assertThat(ann.post(ISSUES, Map.of("title", title, "body", "b")).status()).isEqualTo(201);
  }

  @Test
  void theAuthorOfAnIssueIsAnOwnerACollaboratorOrNobody() {
    repository.openIssue("t", "b", "octo");
    repository.openIssue("t", "b", "ann");
    repository.openIssue("t", "b", "eve");
    repository.openIssue("t", "b", "github-actions[bot]");
    List<String> found = new ArrayList<>();
    for (int number = 1; number <= 4; number++) {
      found.add(ann.get("/repos/octo/app/issues/" + number).text("/author_association"));
    }
    assertThat(found).containsExactly("OWNER", "COLLABORATOR", "NONE", "NONE");
  }

  @Test
  void lastWriterWinsWhateverIfMatchSays() {
    open("board");
    String tag = ann.get(ISSUES + "/1").header("etag");
    assertThat(ann.patch(ISSUES + "/1", Map.of("body", "one")).status()).isEqualTo(200);
    assertThat(ann.patch(ISSUES + "/1", Map.of("body", "two"), "If-Match", tag).status())
        .isEqualTo(200);
    assertThat(repository.issueBody(1)).contains("two");
    assertThat(ann.get(ISSUES + "/1").text("/title")).isEqualTo("board");
  }

  @Test
  void bodyOverTheLimitIsRefusedAndChangesNothing() {
    open("board");
    assertThat(ann.patch(ISSUES + "/1", Map.of("body", "ä".repeat(65_536))).status())
        .isEqualTo(200);
    Client.Got got = ann.patch(ISSUES + "/1", Map.of("body", "x".repeat(65_537)));
    assertThat(got.status()).isEqualTo(422);
    assertThat(got.message()).isEqualTo("Validation Failed");
    assertThat(got.body().get("errors").toString())
        .isEqualTo(
            "[{\"resource\":\"Issue\",\"code\":\"custom\",\"field\":\"body\","
                + "\"message\":\"body is too long (maximum is 65536 characters)\"}]");
    assertThat(repository.issueBody(1)).contains("ä".repeat(65_536));
  }

  @Test
  void closedIssueSaysWhenAndByWhom() {
    open("board");
    Client.Got got = ann.patch(ISSUES + "/1", Map.of("state", "closed"));
    assertThat(got.text("/closed_at")).isEqualTo("2026-03-05T10:00:00Z");
    assertThat(got.text("/closed_by/login")).isEqualTo("ann");
    assertThat(ann.get(ISSUES).body()).isEmpty();
    assertThat(ann.get(ISSUES + "?state=all").body()).hasSize(1);
    assertThat(ann.patch(ISSUES + "/1", Map.of("state", "open")).text("/state_reason"))
        .isEqualTo("null");
  }

  @Test
  void deletedIssueIsGone() {
    open("board");
    repository.deleteIssue(1);
    assertThat(ann.get(ISSUES + "/1").status()).isEqualTo(410);
    assertThat(ann.patch(ISSUES + "/1", Map.of("body", "x")).status()).isEqualTo(410);
    assertThat(ann.get(ISSUES + "/2").status()).isEqualTo(404);
  }

  @Test
  void movedIssueSaysWhere() {
    open("board");
    repository.moveIssue(1, sim.baseUrl() + "/repos/octo/other/issues/7");
    Client.Got got = ann.patch(ISSUES + "/1", Map.of("body", "x"));
    assertThat(got.status()).isEqualTo(301);
    assertThat(got.header("location")).endsWith("/repos/octo/other/issues/7");
  }

  @Test
  void lockedIssueSaysSoAndItsWritersMayStillEdit() {
    open("board");
    repository.lockIssue(1);
    Client.Got got = ann.patch(ISSUES + "/1", Map.of("body", "x"));
    assertThat(got.status()).isEqualTo(200);
    assertThat(got.body().path("locked").asBoolean()).isTrue();
  }

  @Test
  void repositoryWithoutIssuesSaysSo() {
    open("board");
    repository.issuesEnabled(false);
    Client.Got got = ann.patch(ISSUES + "/1", Map.of("body", "x"));
    assertThat(got.status()).isEqualTo(410);
    assertThat(got.message()).isEqualTo("Issues are disabled for this repo");
    assertThat(ann.get(ISSUES).status()).isEqualTo(410);
    assertThat(ann.post(ISSUES, Map.of("title", "t")).status()).isEqualTo(410);
    assertThat(ann.get("/repos/octo/app").body().path("has_issues").asBoolean(true)).isFalse();
    assertThat(ann.get("/repos/octo/app/labels").status()).isEqualTo(200);
    repository.issuesEnabled(true);
    assertThat(repository.issueBody(1)).contains("b");
    assertThat(ann.get(ISSUES + "/1").status()).isEqualTo(200);
  }

  @Test
  void editByHandIsSeenAndCostsNothing() {
    open("board");
    RequestLog.Counts before = sim.log().total();
    clock.pass(java.time.Duration.ofSeconds(3));
    repository.editIssue(1, "by hand", "mona");
    assertThat(sim.log().total()).isEqualTo(before);
    Client.Got got = ann.get(ISSUES + "/1");
    assertThat(got.text("/body")).isEqualTo("by hand");
    assertThat(got.text("/updated_at")).isEqualTo("2026-03-05T10:00:03Z");
  }

  @Test
  void issuesAreFoundByLabel() {
    ann.post(ISSUES, Map.of("title", "one", "labels", List.of("baton")));
    open("two");
    Client.Got got = ann.get(ISSUES + "?labels=baton");
    assertThat(got.body().findValuesAsText("title")).containsExactly("one");
  }

  @Test
  void labelCanBeMadeTwiceByTwoAtOnce() {
    String labels = "/repos/octo/app/labels";
    Map<String, String> body = Map.of("name", "lock");
    int[] calls = {0};
    repository.beforeUpdate(
        () -> {
          if (calls[0]++ == 0) {
            assertThat(ann.post(labels, body).status()).isEqualTo(201);
          }
        });
    assertThat(ann.post(labels, body).status()).isEqualTo(201);
    assertThat(ann.get(labels).body().findValuesAsText("name")).containsExactly("lock", "lock");
    Client.Got third = ann.post(labels, body);
    assertThat(third.status()).isEqualTo(422);
    assertThat(third.text("/errors/0/code")).isEqualTo("already_exists");
  }
}
