package dev.baton.githubsim;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The repository itself, its files, commits and branches. */
final class ContentsEndpoints {
  private static final String CONTENTS = "/repos/contents#";
  private static final String COMMITS = "/commits/commits#";
  private static final String BRANCHES = "/branches/branches#";

  /** What stands below a commit and is not part of the name of a branch. */
  private static final String BELOW_A_COMMIT =
      "(?:comments|statuses|status|check-runs|check-suites|pulls|branches-where-head)";

  private final RepositoryBodies repositories;
  private final GitBodies git;
  private final Replies replies;

  ContentsEndpoints(Bodies bodies, Replies replies) {
    this.repositories = new RepositoryBodies(bodies);
    this.git = new GitBodies(bodies);
    this.replies = replies;
  }

  List<Route> routes() {
    String file = "/contents/(.+?)";
    return List.of(
        Route.of(
            "GET", "", Grant.METADATA_READ, "/repos/repos#get-a-repository", this::getRepository),
        Route.of(
                "GET",
                "/contents(?:/(.*?))?",
                Grant.CONTENTS_READ,
                CONTENTS + "get-repository-content",
                this::getContents)
            .orRaw(),
        Route.of(
            "PUT",
            file,
            Grant.CONTENTS_WRITE,
            CONTENTS + "create-or-update-file-contents",
            this::putContents),
        Route.of(
            "DELETE", file, Grant.CONTENTS_WRITE, CONTENTS + "delete-a-file", this::deleteContents),
        Route.of(
            "GET", "/commits", Grant.CONTENTS_READ, COMMITS + "list-commits", this::listCommits),
        Route.of(
            "GET",
            "/commits/(?!.+/" + BELOW_A_COMMIT + "/?$)(.+?)",
            Grant.CONTENTS_READ,
            COMMITS + "get-a-commit",
            this::getCommit),
        Route.of(
            "GET",
            "/branches",
            Grant.CONTENTS_READ,
            BRANCHES + "list-branches",
            this::listBranches),
        Route.of(
            "GET",
            "/branches/(?!.+/(?:protection(?:/.*)?|rename)/?$)(.+?)",
            Grant.CONTENTS_READ,
            BRANCHES + "get-a-branch",
            this::getBranch));
  }

  private Reply getRepository(Call call) {
    return Reply.of(200, repositories.whole(call.repository(), call.token()))
        .changedAt(call.repository().createdAt());
  }

  // ---- files

  private Reply getContents(Call call) {
    String path = call.path().group(1) == null ? "" : call.part(1);
    Optional<String> ref = call.parameter("ref");
    Optional<Repository.Found> file = call.repository().file(path, ref, call.asOf());
    if (file.isPresent()) {
      return file(call, file.get());
    }
    return call.repository()
        .folder(path, ref, call.asOf())
        .map(
            folder ->
                // That the tree's name is the tag is inferred from what files have.
                Reply.of(200, git.folder(call.repository(), folder))
                    .validatedBy(folder.tree().sha())
                    .changedAt(folder.changed()))
        .orElse(Reply.empty(404));
  }

  private Reply file(Call call, Repository.Found found) {
    if (FileSize.of(found.blob().size()) == FileSize.REFUSED) {
      return tooLarge(replies, call);
    }
    Reply reply =
        RawBody.wanted(call.request())
            .map(type -> Reply.of(200, new RawBody(found.blob().content(), type)))
            .orElseGet(() -> Reply.of(200, git.file(call.repository(), found)));
    return reply.validatedBy(found.blob().sha()).changedAt(found.changed());
  }

  /** As it was worded for blobs when those of more than 1 MB were refused here. */
  static Reply tooLarge(Replies replies, Call call) {
    Reply reply =
        replies.of(
            call,
            new Outcome.Refused<>(
                403,
                "This API returns blobs up to 100 MB in size. The requested blob is too large to"
                    + " fetch via the API, but you can always clone the repository via Git in order"
                    + " to obtain it.",
                List.of(Map.of("resource", "Blob", "field", "data", "code", "too_large"))),
            nothing -> Map.of());
    return reply;
  }

  private Reply putContents(Call call) {
    return replies.withBody(
        call,
        List.of("message", "content"),
        body ->
            written(
                call,
                body,
                new Repository.FileWrite(
                    call.part(1),
                    body.text("content"),
                    body.text("sha"),
                    body.text("branch"),
                    body.text("message").orElseThrow(),
                    Optional.empty(),
                    Optional.empty())));
  }

  /** Clients send what to delete in the body or in the query. */
  private Reply deleteContents(Call call) {
    return replies.withOptionalBody(
        call,
        body -> {
          Function<String, Optional<String>> given =
              name -> body.text(name).or(() -> call.parameter(name));
          Optional<String> message = given.apply("message");
          if (message.isEmpty()) {
            return replies.missing(call, "message");
          }
          return written(
              call,
              body,
              new Repository.FileWrite(
                  call.part(1),
                  Optional.empty(),
                  given.apply("sha"),
                  given.apply("branch"),
                  message.get(),
                  Optional.empty(),
                  Optional.empty()));
        });
  }

  private Reply written(Call call, Json body, Repository.FileWrite write) {
    Optional<Person> author;
    Optional<Person> committer;
    try {
      author = person(body, "author", call.asOf());
      committer = person(body, "committer", call.asOf());
    } catch (DateTimeException e) {
      return replies.refusal(call, 422, "Invalid request.\n\n\"date\" is not a date.");
    }
    Repository.FileWrite signed =
        new Repository.FileWrite(
            write.path(),
            write.content(),
            write.sha(),
            write.branch(),
            write.message(),
            author,
            committer);
    return replies.of(
        call,
        call.repository().write(signed, call.login()),
        done -> git.written(call.repository(), done));
  }

  static Optional<Person> person(Json body, String name, Instant now) {
    return body.object(name)
        .map(
            json ->
                new Person(
                    json.text("name").orElse(""),
                    json.text("email").orElse(""),
                    json.text("date")
                        .map(text -> OffsetDateTime.parse(text).toInstant())
                        .orElse(now)));
  }

  // ---- commits

  private Reply listCommits(Call call) {
    Instant since;
    Instant until;
    try {
      since = call.parameter("since").map(Instant::parse).orElse(Instant.MIN);
      until = call.parameter("until").map(Instant::parse).orElse(Instant.MAX);
    } catch (DateTimeException e) {
      return replies.refusal(call, 422, "Invalid request.\n\nA time is not in ISO 8601 format.");
    }
    return call.repository()
        .history(call.parameter("sha"), call.parameter("path"), call.asOf())
        .map(
            all ->
                all.stream()
                    .filter(commit -> !commit.committer().at().isBefore(since))
                    .filter(commit -> !commit.committer().at().isAfter(until))
                    .filter(commit -> by(commit.author(), call.parameter("author")))
                    .filter(commit -> by(commit.committer(), call.parameter("committer")))
                    .toList())
        .map(found -> replies.page(call, found, commit -> git.commit(call.repository(), commit)))
        .orElse(Reply.empty(404));
  }

  /** Asked for by login or address. */
  private static boolean by(Person person, Optional<String> wanted) {
    return wanted.isEmpty() || person.email().equals(wanted.get()) || person.login().equals(wanted);
  }

  private Reply getCommit(Call call) {
    return call.repository()
        .commitAt(call.part(1), call.asOf())
        .map(
            commit ->
                Reply.of(
                        200,
                        git.wholeCommit(
                            call.repository(), commit, call.repository().changes(commit)))
                    .changedAt(commit.committer().at()))
        .orElseGet(() -> replies.refusal(call, 422, "No commit found for SHA: " + call.part(1)));
  }

  // ---- branches

  private Reply listBranches(Call call) {
    Optional<String> kept = call.parameter("protected");
    Repository repository = call.repository();
    List<Repository.Ref> found =
        repository.refs("refs/heads/", call.asOf()).stream()
            .filter(
                ref -> kept.isEmpty() || repository.isProtected(ref) == kept.get().equals("true"))
            .toList();
    return replies.page(call, found, ref -> git.briefBranch(repository, ref));
  }

  private Reply getBranch(Call call) {
    Repository repository = call.repository();
    return repository
        .ref("refs/heads/" + call.part(1), call.asOf())
        .map(
            ref ->
                Reply.of(
                    200,
                    git.branch(
                        repository, ref, repository.commit(ref.sha(), Instant.MAX).orElseThrow())))
        .orElseGet(() -> replies.refusal(call, 404, "Branch not found"));
  }
}
