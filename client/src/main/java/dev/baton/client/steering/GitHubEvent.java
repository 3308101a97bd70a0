package dev.baton.client.steering;

import dev.baton.core.BrokenDocumentException;
import dev.baton.core.json.PlainJson;
import java.util.Map;
import java.util.Objects;

/**
 * Why GitHub has started a workflow, as far as it is about an issue. Pure; what is in it was
 * written by anybody.
 */
public sealed interface GitHubEvent {

  /** Longer than any event about an issue: two bodies with all characters escaped. */
  int MAX_LENGTH = 4 * 1024 * 1024;

  /**
   * Somebody.
   *
   * @param person whether it is a person's account, and no app's
   */
  record Actor(String login, boolean person) {
    public Actor {
      Objects.requireNonNull(login, "login");
    }
  }

  /**
   * A new comment on an issue.
   *
   * @param repository {@code OWNER/NAME}
   * @param by its author
   */
  record Comment(String repository, long issue, long id, String body, Actor by)
      implements GitHubEvent {}

  /**
   * The body of an issue was edited.
   *
   * @param by who edited it, who need not be the issue's author
   */
  record Edit(String repository, long issue, String before, String after, Actor by)
      implements GitHubEvent {}

  /** Nothing that anybody asks for by it. */
  record Other(String why) implements GitHubEvent {}

  /**
   * Reads an event.
   *
   * @param name such as {@code issue_comment}
   * @param payload JSON
   */
  static GitHubEvent read(String name, String payload) {
    Map<String, String> said;
    try {
      said = PlainJson.leaves(PlainJson.object(payload, MAX_LENGTH));
    } catch (BrokenDocumentException e) {
      return new Other("the event cannot be read");
    }
    String kind = name + " " + said.getOrDefault("action", "");
    return switch (kind) {
      case "issue_comment created" -> comment(said);
      case "issue_comment edited" -> new Other("a comment that was edited is not carried out");
      case "issues edited" -> edit(said);
      default -> new Other("it is neither a new comment nor an edit of an issue");
    };
  }

  private static GitHubEvent comment(Map<String, String> said) {
    Actor by = actor(said, "comment.user");
    long issue = number(said, "issue.number");
    long id = number(said, "comment.id");
    if (!by.login().equals(said.get("sender.login")) || issue == 0 || id == 0) {
      return new Other("the event does not say who has written which comment");
    }
    if (said.containsKey("issue.pull_request.url")) {
      return new Other("it is a comment on a pull request");
    }
    return new Comment(
        said.getOrDefault("repository.full_name", ""),
        issue,
        id,
        said.getOrDefault("comment.body", ""),
        by);
  }

  private static GitHubEvent edit(Map<String, String> said) {
    long issue = number(said, "issue.number");
    if (!said.containsKey("changes.body.from") || !said.containsKey("issue.body") || issue == 0) {
      return new Other("the body of the issue was not edited");
    }
    return new Edit(
        said.getOrDefault("repository.full_name", ""),
        issue,
        said.get("changes.body.from"),
        said.get("issue.body"),
        actor(said, "sender"));
  }

  private static Actor actor(Map<String, String> said, String member) {
    return new Actor(
        said.getOrDefault(member + ".login", ""),
        said.getOrDefault(member + ".type", "").equals("User"));
  }

  private static long number(Map<String, String> said, String member) {
    String text = said.getOrDefault(member, "");
    return text.matches("[1-9][0-9]{0,17}") ? Long.parseLong(text) : 0;
  }
}
