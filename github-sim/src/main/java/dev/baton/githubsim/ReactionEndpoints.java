package dev.baton.githubsim;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Reactions to comments on issues. */
final class ReactionEndpoints {
  private static final String REACTIONS = "/reactions/reactions#";

  private final IssueBodies bodies;
  private final Replies replies;

  ReactionEndpoints(Bodies bodies, Replies replies) {
    this.bodies = new IssueBodies(bodies);
    this.replies = replies;
  }

  List<Route> routes() {
    String all = "/issues/comments/([0-9]+)/reactions";
    return List.of(
        Route.of(
            "GET",
            all,
            Grant.ISSUES_READ,
            REACTIONS + "list-reactions-for-an-issue-comment",
            this::list),
        Route.of(
            "POST",
            all,
            Grant.ISSUES_WRITE,
            REACTIONS + "create-reaction-for-an-issue-comment",
            this::create),
        Route.of(
            "DELETE",
            all + "/([0-9]+)",
            Grant.ISSUES_WRITE,
            REACTIONS + "delete-an-issue-comment-reaction",
            this::delete));
  }

  private Reply list(Call call) {
    Optional<String> content = call.parameter("content");
    return withComment(
        call,
        call.asOf(),
        comment ->
            replies.page(
                call,
                reactions(call).of(comment.id(), call.asOf()).stream()
                    .filter(r -> content.isEmpty() || content.get().equals(r.content()))
                    .toList(),
                bodies::reaction));
  }

  private Reply create(Call call) {
    return replies.withBody(
        call,
        List.of("content"),
        body -> {
          String content = body.text("content").orElseThrow();
          if (!Reaction.CONTENTS.contains(content)) {
            // That it is a 422 is documented; the words are inferred.
            return replies.invalid(
                call,
                Bodies.object(
                    "value", content,
                    "resource", "Reaction",
                    "field", "content",
                    "code", "invalid"));
          }
          return withComment(
              call,
              Instant.MAX,
              comment ->
                  replies.of(
                      call,
                      call.repository().issues().react(comment.id(), content, call.login()),
                      bodies::reaction));
        });
  }

  private Reply delete(Call call) {
    return replies.silent(call, call.repository().issues().unreact(call.number(1), call.number(2)));
  }

  private static Reactions reactions(Call call) {
    return call.repository().issues().reactions();
  }

  private static Reply withComment(Call call, Instant asOf, Function<Comment, Reply> action) {
    return call.repository()
        .issues()
        .comments()
        .get(call.number(1), asOf)
        .map(action)
        .orElse(Reply.empty(404));
  }
}
