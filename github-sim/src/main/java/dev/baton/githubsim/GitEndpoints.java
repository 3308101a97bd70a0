package dev.baton.githubsim;

import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Refs, blobs, trees and commits as git has them. */
final class GitEndpoints {
  private static final String REFS = "/git/refs#";
  private static final String BLOBS = "/git/blobs#";
  private static final String TREES = "/git/trees#";
  private static final String COMMITS = "/git/commits#";

  private final GitBodies git;
  private final Replies replies;

  GitEndpoints(Bodies bodies, Replies replies) {
    this.git = new GitBodies(bodies);
    this.replies = replies;
  }

  List<Route> routes() {
    String ref = "/git/refs/(.+?)";
    String sha = "/([^/]+)";
    return List.of(
        Route.of(
            "GET", "/git/ref/(.+?)", Grant.CONTENTS_READ, REFS + "get-a-reference", this::getRef),
        Route.of(
            "GET",
            "/git/refs(?:/(.+?))?",
            Grant.CONTENTS_READ,
            REFS + "get-a-reference",
            this::getRefs),
        Route.of(
            "GET",
            "/git/matching-refs(?:/(.*))?",
            Grant.CONTENTS_READ,
            REFS + "list-matching-references",
            this::matchingRefs),
        Route.of(
            "POST",
            "/git/refs",
            Grant.CONTENTS_WRITE,
            REFS + "create-a-reference",
            this::createRef),
        Route.of("PATCH", ref, Grant.CONTENTS_WRITE, REFS + "update-a-reference", this::moveRef),
        Route.of("DELETE", ref, Grant.CONTENTS_WRITE, REFS + "delete-a-reference", this::deleteRef),
        Route.of(
            "POST", "/git/blobs", Grant.CONTENTS_WRITE, BLOBS + "create-a-blob", this::createBlob),
        Route.of(
                "GET", "/git/blobs" + sha, Grant.CONTENTS_READ, BLOBS + "get-a-blob", this::getBlob)
            .orRaw(),
        Route.of(
            "POST", "/git/trees", Grant.CONTENTS_WRITE, TREES + "create-a-tree", this::createTree),
        Route.of(
            "GET", "/git/trees/(.+?)", Grant.CONTENTS_READ, TREES + "get-a-tree", this::getTree),
        Route.of(
            "POST",
            "/git/commits",
            Grant.CONTENTS_WRITE,
            COMMITS + "create-a-commit",
            this::createCommit),
        Route.of(
            "GET",
            "/git/commits" + sha,
            Grant.CONTENTS_READ,
            COMMITS + "get-a-commit-object",
            this::getCommit));
  }

  // ---- refs

  private Reply getRef(Call call) {
    return call.repository()
        .ref("refs/" + call.part(1), call.asOf())
        .map(ref -> Reply.of(200, git.ref(call.repository(), ref)).changedAt(ref.changed()))
        .orElse(Reply.empty(404));
  }

  /**
   * The older way, no longer documented: a ref, or else all that begin with this name. Recorded in
   * 2020 and 2021; that it still works is inferred from clients that use it.
   */
  private Reply getRefs(Call call) {
    String name = call.path().group(1) == null ? "" : call.part(1);
    Reply one = name.isEmpty() ? Reply.empty(404) : getRef(call);
    if (one.status() == 200) {
      return one;
    }
    List<Repository.Ref> found = call.repository().refs("refs/" + name, call.asOf());
    return found.isEmpty() ? Reply.empty(404) : list(call, found).with("X-Poll-Interval", "300");
  }

  private Reply matchingRefs(Call call) {
    String prefix = call.path().group(1) == null ? "" : call.part(1);
    return list(call, call.repository().refs("refs/" + prefix, call.asOf()));
  }

  private Reply list(Call call, List<Repository.Ref> found) {
    Reply reply =
        Reply.of(200, found.stream().map(ref -> git.ref(call.repository(), ref)).toList());
    return found.stream()
        .map(Repository.Ref::changed)
        .max(Comparator.naturalOrder())
        .map(reply::changedAt)
        .orElse(reply);
  }

  private Reply createRef(Call call) {
    return replies.withBody(
        call,
        List.of("ref", "sha"),
        body ->
            replies.made(
                call,
                call.repository()
                    .createRef(body.text("ref").orElseThrow(), body.text("sha").orElseThrow()),
                ref -> git.ref(call.repository(), ref),
                ref -> git.refUrl(call.repository(), ref)));
  }

  private Reply moveRef(Call call) {
    return replies.withBody(
        call,
        List.of("sha"),
        body ->
            replies.of(
                call,
                call.repository()
                    .moveRef(
                        "refs/" + call.part(1), body.text("sha").orElseThrow(), body.flag("force")),
                ref -> git.ref(call.repository(), ref)));
  }

  private Reply deleteRef(Call call) {
    return replies.silent(call, call.repository().deleteRef("refs/" + call.part(1)));
  }

  // ---- objects

  private Reply createBlob(Call call) {
    return replies.withBody(
        call,
        List.of("content"),
        body -> {
          Outcome<Blob> outcome =
              call.repository()
                  .createBlob(
                      body.text("content").orElseThrow(), body.text("encoding").orElse("utf-8"));
          return made(call, outcome, "blobs", Blob::sha, git::madeBlob);
        });
  }

  private Reply getBlob(Call call) {
    Optional<Blob> blob = call.repository().blob(call.part(1), call.asOf());
    if (blob.isPresent() && FileSize.of(blob.get().size()) == FileSize.REFUSED) {
      return ContentsEndpoints.tooLarge(replies, call);
    }
    Optional<String> raw = RawBody.wanted(call.request());
    if (blob.isPresent() && raw.isPresent()) {
      return Reply.of(200, new RawBody(blob.get().content(), raw.get()))
          .validatedBy(blob.get().sha());
    }
    return object(call, blob.map(found -> Reply.of(200, git.blob(call.repository(), found))));
  }

  private Reply createTree(Call call) {
    return replies.withBody(
        call,
        List.of(),
        body -> {
          Optional<List<Json>> entries = body.objects("tree");
          if (entries.filter(all -> !all.isEmpty()).isEmpty()) {
            return replies.refusal(call, 422, "Invalid tree info");
          }
          List<Repository.TreeChange> changes = new ArrayList<>();
          for (Json entry : entries.get()) {
            if (!entry.has("content") && !entry.has("sha")) {
              return replies.refusal(call, 422, "Must supply either tree.sha or tree.content");
            }
            changes.add(
                new Repository.TreeChange(
                    entry.text("path").orElse(""),
                    entry.text("mode").orElse(""),
                    entry.text("type").orElse("blob"),
                    entry.text("content"),
                    entry.text("sha")));
          }
          Outcome<Tree> outcome = call.repository().createTree(body.text("base_tree"), changes);
          return made(
              call,
              outcome,
              "trees",
              Tree::sha,
              (repository, tree) -> git.tree(repository, tree, false));
        });
  }

  /** By its own name or that of anything that has one: a commit, a branch, a tag. */
  private Reply getTree(Call call) {
    // Any value counts, also 0 and false, as documented.
    boolean recursive = call.request().query().containsKey("recursive");
    return call.repository()
        .tree(call.part(1), call.asOf())
        .map(tree -> Reply.of(200, git.tree(call.repository(), tree, recursive)))
        .orElse(Reply.empty(404));
  }

  private Reply createCommit(Call call) {
    return replies.withBody(
        call,
        List.of("message", "tree"),
        body -> {
          Optional<Person> author;
          Optional<Person> committer;
          try {
            author = ContentsEndpoints.person(body, "author", call.asOf());
            committer = ContentsEndpoints.person(body, "committer", call.asOf());
          } catch (DateTimeException e) {
            return replies.refusal(call, 422, "Invalid request.\n\n\"date\" is not a date.");
          }
          Outcome<Commit> outcome =
              call.repository()
                  .createCommit(
                      body.text("tree").orElseThrow(),
                      body.names("parents").orElse(List.of()),
                      body.text("message").orElseThrow(),
                      call.login(),
                      author,
                      committer);
          return made(call, outcome, "commits", Commit::sha, git::gitCommit);
        });
  }

  private Reply getCommit(Call call) {
    return object(
        call,
        call.repository()
            .commit(call.part(1), call.asOf())
            .map(
                commit ->
                    Reply.of(200, git.gitCommit(call.repository(), commit))
                        .changedAt(commit.committer().at())));
  }

  private Reply object(Call call, Optional<Reply> found) {
    if (!call.part(1).matches("[0-9a-f]{40}")) {
      return replies.refusal(
          call, 422, "The sha parameter must be exactly 40 characters and contain only [0-9a-f].");
    }
    return found.orElse(Reply.empty(404));
  }

  private <T> Reply made(
      Call call,
      Outcome<T> outcome,
      String kind,
      Function<T, String> sha,
      BiFunction<Repository, T, Map<String, Object>> body) {
    return replies.made(
        call,
        outcome,
        value -> body.apply(call.repository(), value),
        value -> git.gitUrl(call.repository(), kind, sha.apply(value)));
  }
}
