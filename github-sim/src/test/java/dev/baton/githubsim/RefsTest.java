package dev.baton.githubsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class RefsTest extends SimTest {
  @Test
  void branchIsCreatedReadMovedAndDeleted() {
    String first = repository.head("main").orElseThrow();
    Client.Got made = ann.post(REFS, Map.of("ref", "refs/heads/baton/q", "sha", first));
    assertThat(made.status()).isEqualTo(201);
    assertThat(made.header("location")).isEqualTo(sim.baseUrl() + REFS + "/heads/baton/q");
    assertThat(ann.get(REFS + "/heads/baton/q").text("/object/sha")).isEqualTo(first);
    assertThat(ann.get("/repos/octo/app/git/ref/heads/baton/q").status()).isEqualTo(200);

    String second = create("x").text("/commit/sha");
    Client.Got moved = ann.patch(REFS + "/heads/baton/q", Map.of("sha", second));
    assertThat(moved.status()).isEqualTo(200);
    Client.Got back = ann.patch(REFS + "/heads/baton/q", Map.of("sha", first));
    assertThat(back.status()).isEqualTo(422);
    assertThat(back.message()).isEqualTo("Update is not a fast forward");
    assertThat(ann.patch(REFS + "/heads/baton/q", Map.of("sha", first, "force", true)).status())
        .isEqualTo(200);

    assertThat(ann.delete(REFS + "/heads/baton/q").status()).isEqualTo(204);
    assertThat(ann.get(REFS + "/heads/baton/q").status()).isEqualTo(404);
    assertThat(ann.delete(REFS + "/heads/baton/q").message()).isEqualTo("Reference does not exist");
  }

  @Test
  void secondCreationIsRefused() {
    String head = repository.head("main").orElseThrow();
    Client.Got got = ann.post(REFS, Map.of("ref", "refs/heads/main", "sha", head));
    assertThat(got.status()).isEqualTo(422);
    assertThat(got.message()).isEqualTo("Reference already exists");
  }

  @Test
  void loserOfATrueRaceGetsTheBareText() {
    String head = repository.head("main").orElseThrow();
    Map<String, String> body = Map.of("ref", "refs/heads/q", "sha", head);
    int[] calls = {0};
    // The other one comes in just after the check.
    repository.beforeUpdate(
        () -> {
          if (calls[0]++ == 0) {
            assertThat(ann.post(REFS, body).status()).isEqualTo(201);
          }
        });
    Client.Got got = ann.post(REFS, body);
    assertThat(got.status()).isEqualTo(422);
    assertThat(got.message()).isEqualTo("Reference update failed");
  }

  @Test
  void refToNowhereOrWithoutAPrefixIsRefused() {
    String head = repository.head("main").orElseThrow();
    assertThat(ann.post(REFS, Map.of("ref", "refs/heads/q", "sha", "f".repeat(40))).message())
        .isEqualTo("Object does not exist");
    assertThat(ann.post(REFS, Map.of("ref", "q", "sha", head)).status()).isEqualTo(422);
  }

  @Test
  void matchingRefsAreListed() {
    String head = repository.head("main").orElseThrow();
    ann.post(REFS, Map.of("ref", "refs/heads/baton/a", "sha", head));
    ann.post(REFS, Map.of("ref", "refs/heads/baton/b", "sha", head));
    Client.Got got = ann.get("/repos/octo/app/git/matching-refs/heads/baton/");
    assertThat(got.body().findValuesAsText("ref"))
        .containsExactly("refs/heads/baton/a", "refs/heads/baton/b");
  }
}
