package dev.baton.githubsim;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The reactions to all comments of a repository. A person has each of them once.
 *
 * <p>Thread-safe.
 */
final class Reactions {
  private final AtomicLong lastId = new AtomicLong(210_000_000L);
  private final Map<Long, Timeline<List<Reaction>>> byComment = new ConcurrentHashMap<>();

  /** Oldest first. */
  List<Reaction> of(long comment, Instant asOf) {
    return Optional.ofNullable(byComment.get(comment))
        .flatMap(timeline -> timeline.asOf(asOf))
        .orElse(List.of());
  }

  /** 201, or 200 where the person has this reaction already, in one step. */
  synchronized Outcome<Reaction> add(long comment, String content, String author, Instant now) {
    List<Reaction> present = of(comment, Instant.MAX);
    Optional<Reaction> same =
        present.stream()
            .filter(r -> r.content().equals(content) && r.author().equals(author))
            .findFirst();
    if (same.isPresent()) {
      return Outcome.done(200, same.get());
    }
    Reaction made = new Reaction(lastId.incrementAndGet(), content, author, now);
    List<Reaction> next = new ArrayList<>(present);
    next.add(made);
    byComment.computeIfAbsent(comment, c -> new Timeline<>()).set(now, List.copyOf(next));
    return Outcome.done(201, made);
  }

  synchronized Outcome<Reaction> delete(long comment, long id, Instant now) {
    List<Reaction> present = of(comment, Instant.MAX);
    Optional<Reaction> gone = present.stream().filter(r -> r.id() == id).findFirst();
    gone.ifPresent(
        one ->
            byComment
                .get(comment)
                .set(now, present.stream().filter(r -> r.id() != one.id()).toList()));
    return gone.map(one -> Outcome.done(204, one)).orElseGet(Outcome::notFound);
  }
}
