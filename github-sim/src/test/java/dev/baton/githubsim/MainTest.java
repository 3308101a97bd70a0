package dev.baton.githubsim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MainTest {
  @Test
  void optionsMakeTheSim() {
    try (GitHubSim sim =
        Main.start("--repository", "a/b", "--public", "--ghes", "--token", "me=secret")) {
      Client me = new Client(sim.baseUrl(), "secret");
      assertThat(me.get("/repos/a/b").body().path("private").asBoolean(true)).isFalse();
      assertThat(sim.log().of("me").charged()).isEqualTo(1);
    }
  }

  @Test
  void tokensHaveKindsPermissionsAndALimit() {
    try (GitHubSim sim =
        Main.start(
            "--repository",
            "a/b",
            "--repository",
            "a/c",
            "--token",
            "all=x:y",
            "--fine-grained-token",
            "fine@a/c=f:contents=read,issues=write",
            "--workflow-token",
            "job=w:contents=write",
            "--limit-per-hour",
            "9")) {
      Client all = new Client(sim.baseUrl(), "x:y");
      assertThat(all.get("/repos/a/c/actions/runs").header("x-ratelimit-limit")).isEqualTo("9");
      Client fine = new Client(sim.baseUrl(), "f");
      assertThat(fine.get("/repos/a/b").status()).isEqualTo(404);
      assertThat(fine.get("/repos/a/c/issues").status()).isEqualTo(200);
      assertThat(fine.get("/repos/a/c/actions/runs").message())
          .isEqualTo("Resource not accessible by personal access token");
      Client job = new Client(sim.baseUrl(), "w");
      assertThat(job.get("/repos/a/c").status()).isEqualTo(404);
      assertThat(job.get("/repos/a/b/git/ref/heads/main").status()).isEqualTo(200);
      assertThat(job.get("/repos/a/b/issues").message())
          .isEqualTo("Resource not accessible by integration");
    }
  }

  @Test
  void greetingNamesThePages() {
    try (GitHubSim sim = Main.start("--repository", "a/b", "--ghes", "--control")) {
      String origin = sim.serverUrl();
      assertThat(Main.greeting(sim, true).lines())
          .containsExactly(
              "GITHUB_API_URL=" + origin + "/api/v3",
              "GITHUB_SERVER_URL=" + origin,
              "Page of a/b: " + origin + "/a/b",
              "Control: " + origin + "/_sim");
      assertThat(new Client(origin, null).get("/a/b").status()).isEqualTo(200);
      assertThat(new Client(origin, null).get("/_sim/log").status()).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "--port x, number",
    "--stale 5, MIN-MAX",
    "--stale 9-2, lag",
    "--drop 2, share",
    "--token, wants a value",
    "--token secret, CLIENT=VALUE",
    "--workflow-token me=secret:contents=all, not a permission: 'contents=all'",
    "--token me@nowhere=secret, owner/repo",
    "--limit-per-hour many, number",
    "--repository nothing, owner/repo",
    "--what, Unknown option"
  })
  void badOptionIsNamed(String line, String expected) {
    assertThatThrownBy(() -> Main.start(line.split(" ")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(expected)
        .hasMessageNotContaining("secret");
  }
}
