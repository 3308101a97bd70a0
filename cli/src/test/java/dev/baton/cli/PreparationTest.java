package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is got ready ahead is for those who will need it, and fails for nobody. */
class PreparationTest {

  private static boolean isForGitHub(String... args) {
    return Preparation.isForGitHub(Map.of(), args);
  }

  @Test
  void isForThoseWhoNameAQueueOnGitHub() {
    assertThat(isForGitHub("status", "--store", "github:octo/app")).isTrue();
    assertThat(isForGitHub("--store=github:octo/app", "status")).isTrue();
    assertThat(Preparation.isForGitHub(Map.of("BATON_STORE", "github:octo/app"))).isTrue();
    assertThat(isForGitHub("status")).isFalse();
    assertThat(isForGitHub("status", "--store", "file:/var/github:")).isFalse();
    assertThat(Preparation.isForGitHub(Map.of("BATON_STORE", "oss://b/p"), "run")).isFalse();
  }

  @Test
  void failsForNobody() {
    assertThat(Preparation.run(Map.of())).isTrue();
    assertThat(Preparation.run(Map.of("GITHUB_API_URL", "http://127.0.0.1:1"))).isTrue();
    assertThat(Preparation.run(Map.of("BATON_API", "what is this"))).isTrue();
  }
}
