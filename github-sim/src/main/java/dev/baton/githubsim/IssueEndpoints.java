package dev.baton.githubsim;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Issues, their comments, labels and locks. */
final class IssueEndpoints {
  private static final String ISSUES = "/issues/issues#";
  private static final String COMMENTS = "/issues/comments#";
  private static final String LABELS = "/issues/labels#";
  private static final Set<String> LOCK_REASONS =
      Set.of("off-topic", "too heated", "resolved", "spam");

  private final IssueBodies bodies;
  private final Replies replies;

  IssueEndpoints(Bodies bodies, Replies replies) {
    this.bodies = new IssueBodies(bodies);
    this.replies = replies;
  }

  List<Route> routes() {
    String one = "/issues/([0-9]+)";
    String comment = "/issues/comments/([0-9]+)";
    Grant read = Grant.ISSUES_READ;
    Grant write = Grant.ISSUES_WRITE;
    return List.of(
        Route.of("GET", "/issues", read, ISSUES + "list-repository-issues", this::list),
        Route.of("GET", one, read, ISSUES + "get-an-issue", this::get),
        Route.of("POST", "/issues", write, ISSUES + "create-an-issue", this::create),
        Route.of("PATCH", one, write, ISSUES + "update-an-issue", this::edit),
        Route.of("PUT", one + "/lock", write, ISSUES + "lock-an-issue", this::lock),
        Route.of("DELETE", one + "/lock", write, ISSUES + "unlock-an-issue", this::unlock),
        Route.of(
            "GET", one + "/comments", read, COMMENTS + "list-issue-comments", this::listComments),
        Route.of(
            "POST",
            one + "/comments",
            write,
            COMMENTS + "create-an-issue-comment",
            this::createComment),
        Route.of("GET", comment, read, COMMENTS + "get-an-issue-comment", this::getComment),
        Route.of("PATCH", comment, write, COMMENTS + "update-an-issue-comment", this::editComment),
        Route.of(
            "DELETE", comment, write, COMMENTS + "delete-an-issue-comment", this::deleteComment),
        Route.of("GET", one + "/labels", read, LABELS + "list-labels-for-an-issue", this::labelsOf),
        Route.of(
            "POST", one + "/labels", write, LABELS + "add-labels-to-an-issue", this::addLabels),
        Route.of(
            "PUT", one + "/labels", write, LABELS + "set-labels-for-an-issue", this::setLabels),
        Route.of(
            "DELETE",
            one + "/labels",
            write,
            LABELS + "remove-all-labels-from-an-issue",
            this::removeLabels),
        Route.of(
            "DELETE",
            one + "/labels/([^/]+)",
            write,
            LABELS + "remove-a-label-from-an-issue",
            this::removeLabel),
        Route.of("GET", "/labels", read, LABELS + "list-labels-for-a-repository", this::listLabels),
        Route.of("POST", "/labels", write, LABELS + "create-a-label", this::createLabel),
        Route.of("GET", "/labels/([^/]+)", read, LABELS + "get-a-label", this::getLabel));
  }

  // ---- issues

  private Reply get(Call call) {
    return withIssue(
        call,
        call.asOf(),
        issue ->
            Reply.of(200, bodies.issue(call.repository(), issue, call.asOf()))
                .changedAt(issue.updatedAt()));
  }

  /** The issue that the path names, unless it is gone or moved away. */
  private Reply withIssue(Call call, Instant asOf, Function<Issue, Reply> action) {
    Optional<Issue> issue = call.repository().issues().get(call.smallNumber(1), asOf);
    if (issue.isEmpty()) {
      return Reply.empty(404);
    }
    if (issue.get().deleted()) {
      return replies.refusal(call, 410, "This issue was deleted");
    }
    return issue
        .get()
        .movedTo()
        .map(url -> Reply.moved(301, url, call.documentation()))
        .orElseGet(() -> action.apply(issue.get()));
  }

  private Reply list(Call call) {
    String state = call.parameter("state").orElse("open");
    if (!state.matches("open|closed|all")) {
      return replies.invalid(call, Issues.wrongState(state));
    }
    List<String> labels =
        call.parameter("labels").map(text -> List.of(text.split(","))).orElse(List.of());
    List<Issue> found =
        call.repository().issues().list(call.asOf()).stream()
            .filter(issue -> state.equals("all") || issue.open() == state.equals("open"))
            .filter(issue -> issue.labels().stream().map(Label::name).toList().containsAll(labels))
            .toList();
    return replies.page(call, found, issue -> bodies.issue(call.repository(), issue, call.asOf()));
  }

  private Reply create(Call call) {
    return replies.withBody(
        call,
        List.of(),
        body ->
            replies.made(
                call,
                call.repository().issues().create(change(body), call.login()),
                issue -> bodies.issue(call.repository(), issue, Instant.MAX),
                issue -> bodies.issueUrl(call.repository(), issue.number())));
  }

  private Reply edit(Call call) {
    return replies.withBody(
        call,
        List.of(),
        body ->
            withIssue(
                call,
                Instant.MAX,
                issue ->
                    replies.of(
                        call,
                        call.repository().issues().edit(issue.number(), change(body), call.login()),
                        edited -> bodies.issue(call.repository(), edited, Instant.MAX))));
  }

  private static IssueChange change(Json body) {
    return new IssueChange(
        body.text("title"), body.text("body"), body.text("state"), body.names("labels"));
  }

  private Reply lock(Call call) {
    return replies.withOptionalBody(
        call,
        body ->
            withIssue(
                call,
                Instant.MAX,
                issue -> {
                  Optional<String> reason = body.text("lock_reason");
                  if (reason.filter(text -> !LOCK_REASONS.contains(text)).isPresent()) {
                    // That it is a 422 is documented; the words are inferred.
                    return replies.invalid(
                        call,
                        Bodies.object(
                            "value", reason.get(),
                            "resource", "Issue",
                            "field", "lock_reason",
                            "code", "invalid"));
                  }
                  call.repository().issues().lock(issue.number(), true, reason);
                  return Reply.empty(204);
                }));
  }

  private Reply unlock(Call call) {
    return withIssue(
        call,
        Instant.MAX,
        issue -> {
          call.repository().issues().lock(issue.number(), false, Optional.empty());
          return Reply.empty(204);
        });
  }

  // ---- comments

  private Reply listComments(Call call) {
    return withIssue(
        call,
        call.asOf(),
        issue ->
            replies.page(
                call,
                call.repository().issues().comments().of(issue.number(), call.asOf()),
                comment -> bodies.comment(call.repository(), comment, call.asOf())));
  }

  private Reply createComment(Call call) {
    return replies.withBody(
        call,
        List.of(),
        body ->
            withIssue(
                call,
                Instant.MAX,
                issue ->
                    replies.made(
                        call,
                        call.repository()
                            .issues()
                            .changeComments(
                                now ->
                                    call.repository()
                                        .issues()
                                        .comments()
                                        .create(
                                            issue.number(),
                                            body.text("body").orElse(""),
                                            call.login(),
                                            now)),
                        comment -> bodies.comment(call.repository(), comment, call.asOf()),
                        comment -> bodies.commentUrl(call.repository(), comment))));
  }

  private Reply getComment(Call call) {
    return call.repository()
        .issues()
        .comments()
        .get(call.number(1), call.asOf())
        .map(
            comment ->
                Reply.of(200, bodies.comment(call.repository(), comment, call.asOf()))
                    .changedAt(comment.updatedAt()))
        .orElse(Reply.empty(404));
  }

  private Reply editComment(Call call) {
    Issues issues = call.repository().issues();
    return replies.withBody(
        call,
        List.of(),
        body ->
            replies.of(
                call,
                issues.changeComments(
                    now ->
                        issues.comments().edit(call.number(1), body.text("body").orElse(""), now)),
                comment -> bodies.comment(call.repository(), comment, call.asOf())));
  }

  private Reply deleteComment(Call call) {
    Issues issues = call.repository().issues();
    return replies.silent(
        call, issues.changeComments(now -> issues.comments().delete(call.number(1), now)));
  }

  // ---- labels

  private Reply labelsOf(Call call) {
    return withIssue(
        call, call.asOf(), issue -> replies.page(call, issue.labels(), label -> body(call, label)));
  }

  private Reply addLabels(Call call) {
    return withLabels(
        call,
        more ->
            present -> {
              Set<Label> all = new LinkedHashSet<>(present);
              all.addAll(more);
              return List.copyOf(all);
            });
  }

  private Reply setLabels(Call call) {
    return withLabels(call, next -> present -> next);
  }

  private Reply withLabels(Call call, Function<List<Label>, UnaryOperator<List<Label>>> change) {
    return replies.withBody(
        call,
        List.of(),
        body -> {
          Optional<List<String>> names = body.names("labels");
          return names.isEmpty()
              ? replies.missing(call, "labels")
              : relabel(call, change.apply(call.repository().issues().labels(names.get())));
        });
  }

  private Reply removeLabels(Call call) {
    Reply reply = relabel(call, present -> List.of());
    return reply.status() == 200 ? Reply.empty(204) : reply;
  }

  private Reply removeLabel(Call call) {
    return withIssue(
        call,
        Instant.MAX,
        issue -> {
          List<Label> rest = new ArrayList<>(issue.labels());
          return rest.removeIf(label -> label.name().equalsIgnoreCase(call.part(2)))
              ? relabel(call, present -> rest)
              : replies.refusal(call, 404, "Label does not exist");
        });
  }

  private Reply relabel(Call call, UnaryOperator<List<Label>> change) {
    return withIssue(
        call,
        Instant.MAX,
        issue ->
            call.repository()
                .issues()
                .relabel(issue.number(), change)
                .map(all -> Reply.of(200, all.stream().map(label -> body(call, label)).toList()))
                .orElse(Reply.empty(404)));
  }

  private Reply listLabels(Call call) {
    return replies.page(
        call, call.repository().issues().allLabels(call.asOf()), label -> body(call, label));
  }

  private Reply getLabel(Call call) {
    return call.repository()
        .issues()
        .label(call.part(1), call.asOf())
        .map(label -> Reply.of(200, body(call, label)))
        .orElse(Reply.empty(404));
  }

  private Reply createLabel(Call call) {
    return replies.withBody(
        call,
        List.of("name"),
        body ->
            replies.made(
                call,
                call.repository()
                    .issues()
                    .createLabel(
                        body.text("name").orElseThrow(),
                        body.text("color").orElse("ededed"),
                        body.text("description")),
                label -> body(call, label),
                label -> bodies.labelUrl(call.repository(), label)));
  }

  private Map<String, Object> body(Call call, Label label) {
    return bodies.label(call.repository(), label);
  }
}
