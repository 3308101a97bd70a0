package dev.baton.githubsim;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * An issue as it is.
 *
 * @param body nothing where GitHub says {@code null}
 * @param closedAt nothing while it is open
 * @param lockReason nothing where none was given; locked is told by {@code locked}
 * @param movedTo where a transferred issue went
 */
record Issue(
    long id,
    int number,
    String title,
    Optional<String> body,
    String author,
    List<Label> labels,
    Optional<Instant> closedAt,
    Optional<String> closedBy,
    boolean locked,
    Optional<String> lockReason,
    boolean deleted,
    Optional<String> movedTo,
    Instant createdAt,
    Instant updatedAt) {

  /** GitHub counts characters, and refuses one more. */
  static final int MAX_BODY = 65_536;

  Issue {
    Objects.requireNonNull(title, "title");
    labels = List.copyOf(labels);
  }

  boolean open() {
    return closedAt.isEmpty();
  }

  Issue edited(IssueChange change, List<Label> newLabels, String by, Instant at) {
    boolean closed = change.state().map("closed"::equals).orElse(!open());
    return new Issue(
        id,
        number,
        change.title().orElse(title),
        change.body().isPresent() ? change.body() : body,
        author,
        newLabels,
        closed ? closedAt.or(() -> Optional.of(at)) : Optional.empty(),
        closed ? closedBy.or(() -> Optional.of(by)) : Optional.empty(),
        locked,
        lockReason,
        deleted,
        movedTo,
        createdAt,
        at);
  }

  Issue locked(boolean on, Instant at) {
    return new Issue(
        id,
        number,
        title,
        body,
        author,
        labels,
        closedAt,
        closedBy,
        on,
        on ? Optional.of("resolved") : Optional.empty(),
        deleted,
        movedTo,
        createdAt,
        at);
  }

  Issue gone(Optional<String> to, Instant at) {
    return new Issue(
        id,
        number,
        title,
        body,
        author,
        labels,
        closedAt,
        closedBy,
        locked,
        lockReason,
        to.isEmpty(),
        to,
        createdAt,
        at);
  }
}
