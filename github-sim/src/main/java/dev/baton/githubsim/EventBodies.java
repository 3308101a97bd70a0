package dev.baton.githubsim;

import java.time.Instant;
import java.util.Map;

/** What GitHub tells a workflow about the event that has started it. */
final class EventBodies {
  private final Bodies bodies;
  private final IssueBodies issues;
  private final RepositoryBodies repositories;

  EventBodies(Bodies bodies) {
    this.bodies = bodies;
    this.issues = new IssueBodies(bodies);
    this.repositories = new RepositoryBodies(bodies);
  }

  String comment(Repository repository, long id, String action) {
    Comment comment =
        repository
            .issues()
            .comments()
            .get(id, Instant.MAX)
            .orElseThrow(() -> new IllegalArgumentException("no comment " + id));
    Map<String, Object> event = event(repository, action, comment.issue());
    event.put("comment", issues.comment(repository, comment, Instant.MAX));
    return ended(event, repository, comment.author());
  }

  String edit(Repository repository, int number, String before, String by) {
    Map<String, Object> event = event(repository, "edited", number);
    event.put("changes", Map.of("body", Map.of("from", before)));
    return ended(event, repository, by);
  }

  private Map<String, Object> event(Repository repository, String action, int number) {
    Issue issue =
        repository
            .issues()
            .get(number, Instant.MAX)
            .orElseThrow(() -> new IllegalArgumentException("no issue " + number));
    return Bodies.object("action", action, "issue", issues.issue(repository, issue, Instant.MAX));
  }

  private String ended(Map<String, Object> event, Repository repository, String by) {
    event.put("repository", repositories.brief(repository));
    event.put("sender", bodies.user(by));
    return Json.write(event);
  }
}
