package dev.baton.githubsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Comments, labels, locks and states of issues. */
class DiscussionTest extends SimTest {
  private static final String ONE = ISSUES + "/1";
  private static final String COMMENTS = ONE + "/comments";

  @BeforeEach
  void open() {
    ann.post(ISSUES, Map.of("title", "board"));
    clock.pass(Duration.ofSeconds(5));
  }

  @Test
  void commentsAreMadeEditedAndDeleted() {
    Client.Got made = ann.post(COMMENTS, Map.of("body", "one"));
    assertThat(made.status()).isEqualTo(201);
    assertThat(made.header("location")).isEqualTo(made.text("/url"));
    assertThat(ann.get(ONE).text("/updated_at")).isEqualTo("2026-03-05T10:00:05Z");
    assertThat(ann.get(ONE).text("/comments")).isEqualTo("1");
    String path = ISSUES + "/comments/" + made.text("/id");
    assertThat(ann.patch(path, Map.of("body", "two")).text("/body")).isEqualTo("two");
    assertThat(ann.get(path).header("last-modified")).isNotEmpty();
    assertThat(ann.get(COMMENTS).body().findValuesAsText("body")).containsExactly("two");
    assertThat(ann.delete(path).status()).isEqualTo(204);
    assertThat(ann.get(path).status()).isEqualTo(404);
    assertThat(ann.patch(path, Map.of("body", "x")).status()).isEqualTo(404);
    assertThat(ann.delete(path).status()).isEqualTo(404);
    assertThat(ann.get(COMMENTS).body()).isEmpty();
    assertThat(ann.get(ONE).text("/comments")).isEqualTo("0");
    assertThat(ann.get(ISSUES + "/2/comments").status()).isEqualTo(404);
  }

  @Test
  void commentWithoutATextOrWithTooMuchIsRefused() {
    assertThat(ann.post(COMMENTS, Map.of()).text("/errors/0/code")).isEqualTo("missing_field");
    Client.Got got = ann.post(COMMENTS, Map.of("body", "x".repeat(65_537)));
    assertThat(got.status()).isEqualTo(422);
    assertThat(got.text("/errors/0/message"))
        .isEqualTo("Body is too long (maximum is 65536 characters)");
    assertThat(ann.get(COMMENTS).body()).isEmpty();
  }

  @Test
  void commentsLagAsOtherReadsDo() {
    sim.staleness(Staleness.of(Duration.ofSeconds(3)));
    ann.post(COMMENTS, Map.of("body", "one"));
    assertThat(ann.get(COMMENTS).body()).isEmpty();
    assertThat(ann.get(ONE).text("/comments")).isEqualTo("0");
    clock.pass(Duration.ofSeconds(3));
    assertThat(ann.get(COMMENTS).body()).hasSize(1);
  }

  @Test
  void labelsAreAddedSetAndRemoved() {
    String labels = ONE + "/labels";
    ann.post(labels, Map.of("labels", List.of("a")));
    assertThat(
            ann.post(labels, Map.of("labels", List.of("b", "a"))).body().findValuesAsText("name"))
        .containsExactly("a", "b");
    assertThat(ann.delete(labels + "/a").body().findValuesAsText("name")).containsExactly("b");
    Client.Got none = ann.delete(labels + "/a");
    assertThat(none.status()).isEqualTo(404);
    assertThat(none.message()).isEqualTo("Label does not exist");
    ann.put(labels, Map.of("labels", List.of("c d")));
    assertThat(ann.get(labels).body().findValuesAsText("name")).containsExactly("c d");
    assertThat(ann.delete(labels).status()).isEqualTo(204);
    assertThat(ann.get(ONE).body().path("labels")).isEmpty();
    assertThat(ann.get("/repos/octo/app/labels/c%20d").text("/name")).isEqualTo("c d");
  }

  @Test
  void lockHasAReasonOrNone() {
    String lock = ONE + "/lock";
    assertThat(ann.put(lock, Map.of("lock_reason", "too heated")).status()).isEqualTo(204);
    assertThat(ann.get(ONE).text("/active_lock_reason")).isEqualTo("too heated");
    assertThat(ann.delete(lock).status()).isEqualTo(204);
    assertThat(ann.get(ONE).text("/locked")).isEqualTo("false");
    assertThat(ann.send("PUT", lock, null).status()).isEqualTo(204);
    assertThat(ann.get(ONE).text("/locked")).isEqualTo("true");
    assertThat(ann.get(ONE).body().path("active_lock_reason").isNull()).isTrue();
    assertThat(ann.put(lock, Map.of("lock_reason", "because")).status()).isEqualTo(422);
  }

  @Test
  void wrongStateIsRefused() {
    Client.Got edit = ann.patch(ONE, Map.of("state", "done", "body", "x"));
    assertThat(edit.status()).isEqualTo(422);
    assertThat(edit.message()).isEqualTo("Validation Failed");
    assertThat(edit.text("/errors/0/field")).isEqualTo("state");
    assertThat(repository.issueBody(1)).isEmpty();
    assertThat(ann.get(ISSUES + "?state=done").status()).isEqualTo(422);
  }

  @Test
  void readersOfIssuesMayNotWriteThem() {
    Client job = client(Token.workflow("job", "w", REPO, Grant.ISSUES_READ));
    assertThat(job.get(COMMENTS).status()).isEqualTo(200);
    for (String path : List.of(COMMENTS, ONE + "/labels")) {
      Client.Got got = job.post(path, Map.of("body", "x", "labels", List.of("a")));
      assertThat(got.status()).isEqualTo(403);
      assertThat(got.header("x-accepted-github-permissions")).isEqualTo("issues=write");
    }
    assertThat(job.send("PUT", ONE + "/lock", null).status()).isEqualTo(403);
  }

  @Test
  void aPersonHasEachReactionOnce() {
    String comment = ISSUES + "/comments/" + repository.comment(1, "hello", "eve");
    String reactions = comment + "/reactions";
    Client bob = client(Token.classic("bob", "bob-secret", REPO));
    Client.Got made = ann.post(reactions, Map.of("content", "eyes"));
    assertThat(made.status()).isEqualTo(201);
    assertThat(made.text("/user/login")).isEqualTo("ann");
    assertThat(ann.post(reactions, Map.of("content", "eyes")).status()).isEqualTo(200);
    assertThat(bob.post(reactions, Map.of("content", "eyes")).status()).isEqualTo(201);
    assertThat(bob.post(reactions, Map.of("content", "+1")).status()).isEqualTo(201);
    assertThat(ann.get(reactions).body().findValuesAsText("content"))
        .containsExactly("eyes", "eyes", "+1");
    assertThat(ann.get(reactions + "?content=%2B1").body()).hasSize(1);
    assertThat(ann.get(comment).text("/reactions/eyes")).isEqualTo("2");
    assertThat(ann.get(comment).text("/reactions/total_count")).isEqualTo("3");
    assertThat(ann.delete(reactions + "/" + made.text("/id")).status()).isEqualTo(204);
    assertThat(ann.delete(reactions + "/" + made.text("/id")).status()).isEqualTo(404);
    assertThat(repository.comments(1).get(0).reactions())
        .containsExactly("eyes by bob", "+1 by bob");
  }

  @Test
  void reactionsThatDoNotExistAndCommentsThatAreGoneAreRefused() {
    String reactions = ISSUES + "/comments/" + repository.comment(1, "x", "eve") + "/reactions";
    assertThat(ann.post(reactions, Map.of("content", "ok")).status()).isEqualTo(422);
    assertThat(ann.post(reactions, Map.of()).status()).isEqualTo(422);
    assertThat(ann.post(ISSUES + "/comments/7/reactions", Map.of("content", "eyes")).status())
        .isEqualTo(404);
    Client job = client(Token.workflow("job", "w", REPO, Grant.ISSUES_READ));
    assertThat(job.post(reactions, Map.of("content", "eyes")).status()).isEqualTo(403);
    assertThat(ann.get(reactions).body()).isEmpty();
  }

  @Test
  void whatAPersonMayDoIsAskedByName() {
    client(Token.classic("bob", "bob-secret", REPO));
    repository.role("tess", "triage");
    repository.role("mia", "maintain");
    repository.role("rob", "release-team");
    assertThat(permission("octo")).isEqualTo("admin as admin");
    assertThat(permission("bob")).isEqualTo("write as write");
    assertThat(permission("eve")).isEqualTo("none as none");
    assertThat(permission("tess")).isEqualTo("read as triage");
    assertThat(permission("mia")).isEqualTo("write as maintain");
    assertThat(permission("rob")).isEqualTo("write as release-team");
    assertThat(permission("github-actions%5Bbot%5D")).isEqualTo("none as none");
  }

  private String permission(String login) {
    Client.Got got = ann.get("/repos/octo/app/collaborators/" + login + "/permission");
    assertThat(got.status()).isEqualTo(200);
    return got.text("/permission") + " as " + got.text("/role_name");
  }

  @Test
  void workflowsAreToldOfCommentsAndEdits() {
    long comment = repository.comment(1, "/baton status", "eve");
    Json event = Json.parse(repository.commentEvent(comment, "created")).orElseThrow();
    assertThat(event.text("action")).contains("created");
    assertThat(event.object("comment").flatMap(c -> c.text("body"))).contains("/baton status");
    assertThat(event.object("sender").flatMap(c -> c.text("login"))).contains("eve");
    assertThat(event.object("repository").flatMap(c -> c.text("full_name"))).contains(REPO);
    repository.editIssue(1, "after", "ann");
    Json edit = Json.parse(repository.editEvent(1, "before", "ann")).orElseThrow();
    assertThat(edit.object("changes").flatMap(c -> c.object("body")).flatMap(b -> b.text("from")))
        .contains("before");
    assertThat(edit.object("issue").flatMap(i -> i.text("body"))).contains("after");
  }
}
