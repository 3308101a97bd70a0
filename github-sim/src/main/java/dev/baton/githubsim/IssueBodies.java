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
        "reactions", reactions(url, List.of()),
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

  /**
   * @param asOf the moment of the copy that its reactions are read from
   */
  Map<String, Object> comment(Repository repository, Comment comment, Instant asOf) {
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
        "reactions", reactions(url, repository.issues().reactions().of(comment.id(), asOf)),
        "performed_via_github_app", null);
  }

  Map<String, Object> reaction(Reaction reaction) {
    return object(
        "id", reaction.id(),
        "node_id", nodeId("REA", reaction.id()),
        "user", bodies.user(reaction.author()),
        "content", reaction.content(),
        "created_at", time(reaction.at()));
  }

  private static Map<String, Object> reactions(String url, List<Reaction> all) {
    Map<String, Object> body = object("url", url + "/reactions", "total_count", all.size());
    for (String kind : Reaction.CONTENTS) {
      body.put(kind, (int) all.stream().filter(r -> r.content().equals(kind)).count());
    }
    return body;
  }
}
