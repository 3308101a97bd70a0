package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.queue.github.GitHubPlace.Mode;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GitHubPlaceTest {
  private static final URI API = URI.create("https://api.github.com");

  @Test
  void aTextNamesARepositoryAndAQueue() {
    assertThat(GitHubPlace.parse("github:octo/app", API))
        .isEqualTo(new GitHubPlace(API, "octo/app", "build", Mode.GIT, 0));
    assertThat(GitHubPlace.parse("github:octo/app.x#release-2", API))
        .isEqualTo(new GitHubPlace(API, "octo/app.x", "release-2", Mode.GIT, 0));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "octo/app",
        "github:",
        "github:octo",
        "github:octo/",
        "github:/app",
        "github:a/b/c",
        "github:octo/app#",
        "github:octo/app#UP",
        "github:octo/app#-x",
        "github:octo/app#a#b",
        "github:../x",
        "github:x/..",
        "github:o cto/app",
        "github:octo/app\n",
        "github:octo/app#a\n"
      })
  void otherTextsAreRefusedWithAnExample(String text) {
    assertThatThrownBy(() -> GitHubPlace.parse(text, API))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching("(?s).*(must|shorter|control character).*");
  }

  @Test
  void aQueueNameHasALimit() {
    assertThat(GitHubPlace.parse("github:a/b#" + "x".repeat(39), API).queue()).hasSize(39);
    assertThatThrownBy(() -> GitHubPlace.parse("github:a/b#" + "x".repeat(40), API))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ftp://host",
        "host",
        "//host/api",
        "https:///x",
        "https://host?x=1",
        "https://host#x",
        "mailto:x@y",
        "https://u@host",
        "http://git.example.org/api/v3"
      })
  void anAddressThatIsNoApiIsRefused(String api) {
    assertThatThrownBy(() -> GitHubPlace.parse("github:a/b", URI.create(api)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("api must");
  }

  @ParameterizedTest
  @CsvSource({
    "https://api.github.com, https://github.com",
    "https://api.github.com/, https://github.com",
    "HTTPS://API.GitHub.com/, https://github.com",
    "https://git.example.org/api/v3, https://git.example.org",
    "https://git.example.org:8443/api/v3/, https://git.example.org:8443",
    "https://api.octo.ghe.com, https://octo.ghe.com",
    "http://127.0.0.1:8080, http://127.0.0.1:8080",
    "http://127.0.0.1:8080/api/v3, http://127.0.0.1:8080"
  })
  void peopleLookWhereTheServerIs(String api, String web) {
    GitHubPlace place = GitHubPlace.parse("github:octo/app#rel", URI.create(api));

    assertThat(place.webUrl()).isEqualTo(web);
    assertThat(place.documentUrl()).isEqualTo(web + "/octo/app/blob/baton/rel/queue.json");
    assertThat(place.api().toString()).doesNotEndWith("/");
    assertThat(new GitHubPlace(URI.create(api), "octo/app", "rel", Mode.ISSUE, 7).documentUrl())
        .isEqualTo(web + "/octo/app/issues/7");
  }

  @Test
  void issueModeNeedsAnIssue() {
    assertThatThrownBy(() -> new GitHubPlace(API, "octo/app", "build", Mode.ISSUE, 0))
        .hasMessageContaining("needs the number of the issue");
    assertThatThrownBy(() -> new GitHubPlace(API, "octo/app", "build", Mode.GIT, -1))
        .hasMessageContaining("-1");
    assertThatThrownBy(() -> new GitHubPlace(API, "octo/app", "build", Mode.ISSUE, 1L << 40))
        .hasMessageContaining("not the number of an issue");
  }
}
