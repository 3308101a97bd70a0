package dev.baton.githubsim;

import static dev.baton.githubsim.Bodies.encode;
import static dev.baton.githubsim.Bodies.nodeId;
import static dev.baton.githubsim.Bodies.object;
import static dev.baton.githubsim.Bodies.time;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/** What GitHub writes about issues, comments and labels. */
final class IssueBodies {
  private final Bodies bodies;

  IssueBodies(Bodies bodies) {
    this.bodies = bodies;
  }

  String issueUrl(Repository repository, int number) {
    return bodies.api(repository) + "/issues/" + number;
  }

  /**
   * @param asOf the moment of the copy that it is read from
   */
  Map<String, Object> issue(Repository repository, Issue issue, Instant asOf) {
    String url = issueUrl(repository, issue.number());
    return object(
        "url", url,
        "repository_url", bodies.api(repository),
        "labels_url", url + "/labels{/name}",
        "comments_url", url + "/comments",
        "events_url", url + "/events",
        "html_url", bodies.html(repository) + "/issues/" + issue.number(),
        "id", issue.id(),
        "node_id", nodeId("I", issue.id()),
        "number", issue.number(),
        "title", issue.title(),
        "user", bodies.user(issue.author()),
        "labels", issue.labels().stream().map(label -> label(repository, label)).toList(),
        "state", issue.open() ? "open" : "closed",
        "locked", issue.locked(),
        "assignee", null,
        "assignees", List.of(),
        "milestone", null,
        "comments", repository.issues().comments().of(issue.number(), asOf).size(),
        "created_at", time(issue.createdAt()),
        "updated_at", time(issue.updatedAt()),
        "closed_at", issue.closedAt().map(Bodies::time).orElse(null),
        "author_association", repository.association(issue.author()),
        "active_lock_reason", issue.status().lockReason().orElse(null),
        "body", issue.body().orElse(null),
        "closed_by", issue.closedBy().map(bodies::user).orElse(null),
        "reactions", reactions(url),
        "timeline_url", url + "/timeline",
        "performed_via_github_app", null,
        "state_reason", issue.open() ? null : "completed");
  }

  Map<String, Object> label(Repository repository, Label label) {
    return object(
        "id", label.id(),
        "node_id", nodeId("LA", label.id()),
        "url", labelUrl(repository, label),
        "name", label.name(),
        "color", label.color(),
        "default", false,
        "description", label.description().orElse(null));
  }

  String labelUrl(Repository repository, Label label) {
    return bodies.api(repository) + "/labels/" + encode(label.name());
  }

  String commentUrl(Repository repository, Comment comment) {
    return bodies.api(repository) + "/issues/comments/" + comment.id();
  }

  Map<String, Object> comment(Repository repository, Comment comment) {
    String url = commentUrl(repository, comment);
    String page = bodies.html(repository) + "/issues/" + comment.issue();
    return object(
        "url", url,
        "html_url", page + "#issuecomment-" + comment.id(),
        "issue_url", issueUrl(repository, comment.issue()),
        "id", comment.id(),
        "node_id", nodeId("IC", comment.id()),
        "user", bodies.user(comment.author()),
        "created_at", time(comment.createdAt()),
        "updated_at", time(comment.updatedAt()),
        "author_association", repository.association(comment.author()),
        "body", comment.body(),
        "reactions", reactions(url),
        "performed_via_github_app", null);
  }

  private static Map<String, Object> reactions(String url) {
    Map<String, Object> body = object("url", url + "/reactions", "total_count", 0);
    for (String kind :
        List.of("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")) {
      body.put(kind, 0);
    }
    return body;
  }
}
