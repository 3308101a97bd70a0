package dev.baton.client.steering;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GitHubEventTest {

  private static final String COMMENT =
      """
      {"action":"created","issue":{"number":12,"body":"board"},
       "comment":{"id":77,"body":"/baton status","user":{"login":"ann","type":"User"}},
       "repository":{"full_name":"octo/app"},"sender":{"login":"ann","type":"User"}}
      """;

  private static final String EDIT =
      """
      {"action":"edited","issue":{"number":12,"body":"new"},"changes":{"body":{"from":"old"}},
       "repository":{"full_name":"octo/app"},"sender":{"login":"ann","type":"User"}}
      """;

  @Test
  void aCommentSaysWhoHasWrittenWhatWhere() {
    assertThat(GitHubEvent.read("issue_comment", COMMENT))
        .isEqualTo(
            new GitHubEvent.Comment(
                "octo/app", 12, 77, "/baton status", new GitHubEvent.Actor("ann", true)));
  }

  @Test
  void anEditSaysWhatThereWasBefore() {
    assertThat(GitHubEvent.read("issues", EDIT))
        .isEqualTo(
            new GitHubEvent.Edit("octo/app", 12, "old", "new", new GitHubEvent.Actor("ann", true)));
  }

  @Test
  void anAppIsNoPerson() {
    GitHubEvent event =
        GitHubEvent.read("issues", EDIT.replace("\"type\":\"User\"", "\"type\":\"Bot\""));
    assertThat(((GitHubEvent.Edit) event).by().person()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "created | edited",
        "created | deleted",
        "\"number\":12 | \"number\":\"../12\"",
        "\"number\":12 | \"number\":-12",
        "\"number\":12 | \"pull_request\":{\"url\":\"u\"},\"number\":12",
        "\"id\":77 | \"id\":77.5",
        "\"sender\":{\"login\":\"ann\" | \"sender\":{\"login\":\"bob\"",
        "\"full_name\" | ]"
      })
  void otherEventsAskForNothing(String part, String other) {
    String changed = COMMENT.replace(part.strip(), other.strip());
    assertThat(changed).isNotEqualTo(COMMENT);
    assertThat(GitHubEvent.read("issue_comment", changed)).isInstanceOf(GitHubEvent.Other.class);
  }

  @Test
  void whatIsNoEventAsksForNothing() {
    assertThat(GitHubEvent.read("push", COMMENT)).isInstanceOf(GitHubEvent.Other.class);
    assertThat(GitHubEvent.read("issues", COMMENT)).isInstanceOf(GitHubEvent.Other.class);
    assertThat(GitHubEvent.read("issues", "")).isInstanceOf(GitHubEvent.Other.class);
    assertThat(GitHubEvent.read("issues", "[1]")).isInstanceOf(GitHubEvent.Other.class);
    assertThat(GitHubEvent.read("issues", EDIT.replace("body\":{\"from", "title\":{\"from")))
        .isInstanceOf(GitHubEvent.Other.class);
    String huge = " ".repeat(GitHubEvent.MAX_LENGTH) + COMMENT;
    assertThat(GitHubEvent.read("issue_comment", huge)).isInstanceOf(GitHubEvent.Other.class);
    String deep = "{\"a\":".repeat(20_000) + "1" + "}".repeat(20_000);
    assertThat(GitHubEvent.read("issue_comment", deep)).isInstanceOf(GitHubEvent.Other.class);
  }
}
