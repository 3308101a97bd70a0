package dev.baton.githubsim;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The comments on all issues of a repository.
 *
 * <p>Thread-safe.
 */
final class Comments {
  private final AtomicLong lastId = new AtomicLong(1_254_818_000L);
  private final Map<Long, Timeline<Comment>> byId = new ConcurrentSkipListMap<>();

  Optional<Comment> get(long id, Instant asOf) {
    return Optional.ofNullable(byId.get(id)).flatMap(timeline -> timeline.asOf(asOf));
  }

  /** Oldest first. */
  List<Comment> of(int issue, Instant asOf) {
    List<Comment> found = new ArrayList<>();
    for (Timeline<Comment> timeline : byId.values()) {
      timeline.asOf(asOf).filter(comment -> comment.issue() == issue).ifPresent(found::add);
    }
    return found;
  }

  Outcome<Comment> create(int issue, String body, String author, Instant now) {
    Optional<Outcome<Comment>> refusal = refusal(body);
    if (refusal.isPresent()) {
      return refusal.get();
    }
    Comment comment = new Comment(lastId.incrementAndGet(), issue, body, author, now, now);
    Timeline<Comment> timeline = new Timeline<>();
    timeline.set(now, comment);
    byId.put(comment.id(), timeline);
    return Outcome.done(201, comment);
  }

  Outcome<Comment> edit(long id, String body, Instant now) {
    Timeline<Comment> timeline = byId.get(id);
    if (timeline == null) {
      return Outcome.notFound();
    }
    return refusal(body)
        .orElseGet(
            () ->
                timeline
                    .update(now, comment -> comment.edited(body, now))
                    .map(comment -> Outcome.done(200, comment))
                    .orElseGet(Outcome::notFound));
  }

  Outcome<Comment> delete(long id, Instant now) {
    Optional<Comment> present = get(id, Instant.MAX);
    present.ifPresent(comment -> byId.get(id).clear(now));
    return present.map(comment -> Outcome.done(204, comment)).orElseGet(Outcome::notFound);
  }

  private static Optional<Outcome<Comment>> refusal(String body) {
    if (body.isBlank()) {
      return Optional.of(
          new Outcome.Refused<>(
              422,
              "Validation Failed",
              List.of(
                  Bodies.object(
                      "resource", "IssueComment", "code", "missing_field", "field", "body"))));
    }
    if (body.codePointCount(0, body.length()) > Issue.MAX_BODY) {
      return Optional.of(
          new Outcome.Refused<>(
              422,
              "Validation Failed",
              List.of(
                  Bodies.object(
                      "resource", "IssueComment",
                      "code", "unprocessable",
                      "field", "data",
                      "message", "Body is too long (maximum is 65536 characters)"))));
    }
    return Optional.empty();
  }
}
