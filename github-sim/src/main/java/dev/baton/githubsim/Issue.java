package dev.baton.githubsim;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * An issue as it is.
 *
 * @param body nothing where GitHub says {@code null}
 */
record Issue(
    long id,
    int number,
    String title,
    Optional<String> body,
    String author,
    List<Label> labels,
    Status status,
    Instant createdAt,
    Instant updatedAt) {

  /** GitHub counts characters, and refuses one more. */
  static final int MAX_BODY = 65_536;

  /**
   * @param closedAt nothing while it is open
   * @param lockReason nothing where none was given
   * @param movedTo where a transferred issue went
   */
  record Status(
      Optional<Instant> closedAt,
      Optional<String> closedBy,
      boolean locked,
      Optional<String> lockReason,
      boolean deleted,
      Optional<String> movedTo) {
    static final Status OPEN =
        new Status(
            Optional.empty(), Optional.empty(), false, Optional.empty(), false, Optional.empty());
  }

  Issue {
    Objects.requireNonNull(title, "title");
    labels = List.copyOf(labels);
  }

  boolean open() {
    return closedAt().isEmpty();
  }

  Optional<Instant> closedAt() {
    return status.closedAt();
  }

  Optional<String> closedBy() {
    return status.closedBy();
  }

  boolean locked() {
    return status.locked();
  }

  boolean deleted() {
    return status.deleted();
  }

  Optional<String> movedTo() {
    return status.movedTo();
  }

  Issue edited(IssueChange change, List<Label> newLabels, String by, Instant at) {
    boolean closed = change.state().map("closed"::equals).orElse(!open());
    Status next =
        new Status(
            closed ? closedAt().or(() -> Optional.of(at)) : Optional.empty(),
            closed ? closedBy().or(() -> Optional.of(by)) : Optional.empty(),
            locked(),
            status.lockReason(),
            deleted(),
            movedTo());
    return new Issue(
        id,
        number,
        change.title().orElse(title),
        change.body().isPresent() ? change.body() : body,
        author,
        newLabels,
        next,
        createdAt,
        at);
  }

  Issue locked(boolean on, Optional<String> reason, Instant at) {
    return with(new Status(closedAt(), closedBy(), on, reason, deleted(), movedTo()), at);
  }

  /** Something else about it changed, such as its comments. */
  Issue touched(Instant at) {
    return with(status, at);
  }

  Issue labelled(List<Label> newLabels, Instant at) {
    return new Issue(id, number, title, body, author, newLabels, status, createdAt, at);
  }

  Issue gone(Optional<String> to, Instant at) {
    return with(
        new Status(closedAt(), closedBy(), locked(), status.lockReason(), to.isEmpty(), to), at);
  }

  private Issue with(Status next, Instant at) {
    return new Issue(id, number, title, body, author, labels, next, createdAt, at);
  }
}
