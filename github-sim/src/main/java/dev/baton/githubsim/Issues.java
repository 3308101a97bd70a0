package dev.baton.githubsim;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Issues and labels. The last writer of an issue wins: there is no precondition to give.
 *
 * <p>Thread-safe.
 */
final class Issues {
  private record Dated(Label label, Instant at) {}

  private final InstantSource clock;
  private final Runnable beforeUpdate;
  private final AtomicInteger lastNumber = new AtomicInteger();
  private final AtomicLong lastId = new AtomicLong(1_382_170_000L);
  private final Map<Integer, Timeline<Issue>> byNumber = new ConcurrentSkipListMap<>();
  private final List<Dated> labels = new CopyOnWriteArrayList<>();
  private final Comments comments = new Comments();
  private final Reactions reactions = new Reactions();

  Issues(InstantSource clock, Runnable beforeUpdate) {
    this.clock = clock;
    this.beforeUpdate = beforeUpdate;
  }

  Optional<Issue> get(int number, Instant asOf) {
    return Optional.ofNullable(byNumber.get(number)).flatMap(timeline -> timeline.asOf(asOf));
  }

  /** Newest first, as GitHub lists them; deleted and moved ones are not there. */
  List<Issue> list(Instant asOf) {
    List<Issue> found = new ArrayList<>();
    for (Timeline<Issue> timeline : byNumber.values()) {
      timeline
          .asOf(asOf)
          .filter(issue -> !issue.deleted() && issue.movedTo().isEmpty())
          .ifPresent(issue -> found.add(0, issue));
    }
    return found;
  }

  Outcome<Issue> create(IssueChange change, String author) {
    if (change.title().filter(title -> !title.isBlank()).isEmpty()) {
      return new Outcome.Refused<>(
          422,
          "Validation Failed",
          List.of(Map.of("resource", "Issue", "code", "missing_field", "field", "title")));
    }
    Optional<Outcome.Refused<Issue>> tooLong = tooLong(change);
    if (tooLong.isPresent()) {
      return tooLong.get();
    }
    Instant now = clock.instant();
    Issue issue =
        new Issue(
            lastId.incrementAndGet(),
            lastNumber.incrementAndGet(),
            change.title().get(),
            change.body(),
            author,
            labels(change.labels().orElse(List.of())),
            Issue.Status.OPEN,
            now,
            now);
    Timeline<Issue> timeline = new Timeline<>();
    timeline.set(now, issue);
    byNumber.put(issue.number(), timeline);
    return Outcome.done(201, issue);
  }

  Outcome<Issue> edit(int number, IssueChange change, String by) {
    Timeline<Issue> timeline = byNumber.get(number);
    if (timeline == null) {
      return Outcome.notFound();
    }
    Optional<Issue> present = timeline.latest();
    if (present.isPresent() && present.get().deleted()) {
      return Outcome.refused(410, "This issue was deleted");
    }
    if (change.state().filter(state -> !state.matches("open|closed")).isPresent()) {
      return new Outcome.Refused<>(
          422, "Validation Failed", List.of(wrongState(change.state().get())));
    }
    Optional<Outcome.Refused<Issue>> tooLong = tooLong(change);
    if (tooLong.isPresent()) {
      return tooLong.get();
    }
    beforeUpdate.run();
    Instant now = clock.instant();
    return timeline
        .update(
            now,
            issue ->
                issue.edited(
                    change, change.labels().map(this::labels).orElse(issue.labels()), by, now))
        .map(issue -> Outcome.done(200, issue))
        .orElseGet(Outcome::notFound);
  }

  /** That a wrong state is refused is documented; the words are inferred. */
  static Map<String, Object> wrongState(String given) {
    return Bodies.object("value", given, "resource", "Issue", "field", "state", "code", "invalid");
  }

  void lock(int number, boolean on, Optional<String> reason) {
    change(number, clock.instant(), (issue, at) -> issue.locked(on, reason, at));
  }

  // ---- comments

  Comments comments() {
    return comments;
  }

  /** What happens to its comments changes an issue too. */
  Outcome<Comment> changeComments(Function<Instant, Outcome<Comment>> change) {
    Instant now = clock.instant();
    Outcome<Comment> outcome = change.apply(now);
    if (outcome instanceof Outcome.Done<Comment> done) {
      change(done.value().issue(), now, Issue::touched);
    }
    return outcome;
  }

  Reactions reactions() {
    return reactions;
  }

  Outcome<Reaction> react(long comment, String content, String author) {
    beforeUpdate.run();
    return reactions.add(comment, content, author, clock.instant());
  }

  Outcome<Reaction> unreact(long comment, long id) {
    return reactions.delete(comment, id, clock.instant());
  }

  // ---- issues, by hand

  void delete(int number) {
    change(number, clock.instant(), (issue, at) -> issue.gone(Optional.empty(), at));
  }

  void move(int number, String to) {
    change(number, clock.instant(), (issue, at) -> issue.gone(Optional.of(to), at));
  }

  // ---- labels

  /**
   * @param next from the labels that the issue has to those that it shall have
   */
  Optional<List<Label>> relabel(int number, UnaryOperator<List<Label>> next) {
    Instant now = clock.instant();
    return Optional.ofNullable(byNumber.get(number))
        .flatMap(
            timeline ->
                timeline.update(now, issue -> issue.labelled(next.apply(issue.labels()), now)))
        .map(Issue::labels);
  }

  Optional<Label> label(String name, Instant asOf) {
    return allLabels(asOf).stream()
        .filter(label -> label.name().equalsIgnoreCase(name))
        .findFirst();
  }

  List<Label> allLabels(Instant asOf) {
    return labels.stream().filter(one -> !one.at().isAfter(asOf)).map(Dated::label).toList();
  }

  /**
   * Check, then act, with nothing in between that holds others off: duplicates have been made this
   * way on GitHub.
   */
  Outcome<Label> createLabel(String name, String color, Optional<String> description) {
    if (labels.stream().anyMatch(one -> one.label().name().equalsIgnoreCase(name))) {
      return new Outcome.Refused<>(
          422,
          "Validation Failed",
          List.of(Map.of("resource", "Label", "code", "already_exists", "field", "name")));
    }
    beforeUpdate.run();
    Label label = new Label(lastId.incrementAndGet(), name, color, description);
    labels.add(new Dated(label, clock.instant()));
    return Outcome.done(201, label);
  }

  /** Naming a label that does not exist creates it. */
  List<Label> labels(List<String> names) {
    Map<String, Label> found = new LinkedHashMap<>();
    for (String name : names) {
      Label label =
          allLabels(Instant.MAX).stream()
              .filter(one -> one.name().equalsIgnoreCase(name))
              .findFirst()
              .orElseGet(
                  () -> {
                    Label made =
                        new Label(lastId.incrementAndGet(), name, "ededed", Optional.empty());
                    labels.add(new Dated(made, clock.instant()));
                    return made;
                  });
      found.putIfAbsent(label.name(), label);
    }
    return List.copyOf(found.values());
  }

  private interface Change {
    Issue apply(Issue issue, Instant at);
  }

  private void change(int number, Instant at, Change change) {
    Timeline<Issue> timeline = byNumber.get(number);
    if (timeline == null) {
      throw new IllegalArgumentException("no issue " + number);
    }
    timeline.update(at, issue -> change.apply(issue, at));
  }

  private static Optional<Outcome.Refused<Issue>> tooLong(IssueChange change) {
    return change
        .body()
        .filter(body -> body.codePointCount(0, body.length()) > Issue.MAX_BODY)
        .map(
            body -> {
              Map<String, Object> error = new LinkedHashMap<>();
              error.put("resource", "Issue");
              error.put("code", "custom");
              error.put("field", "body");
              error.put("message", "body is too long (maximum is 65536 characters)");
              return new Outcome.Refused<>(422, "Validation Failed", List.of(error));
            });
  }
}
