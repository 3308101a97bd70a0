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

  @ParameterizedTest
  @CsvSource({
    "--port x, number",
    "--stale 5, MIN-MAX",
    "--stale 9-2, lag",
    "--drop 2, share",
    "--token, wants a value",
    "--token secret, CLIENT=VALUE",
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
