package dev.baton.githubsim;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The endpoints: from a request to a reply, with no HTTP server in sight. */
final class Api {
  private static final int MAX_PAGE = 100;
  private static final String ISSUES = "/issues/issues#";

  /** One request on its way. */
  private record Call(
      SimRequest request, Matcher path, Repository repository, String login, Instant asOf) {
    String part(int group) {
      return SimRequest.decodePath(path.group(group));
    }
  }

  private interface Handler {
    Reply handle(Call call);
  }

  private record Route(
      String method, Pattern path, Grant needed, String documentation, Handler handler) {}

  private final Function<RepositoryName, Optional<Repository>> repositories;
  private final Bodies bodies;
  private final List<Route> routes = new ArrayList<>();

  Api(Function<RepositoryName, Optional<Repository>> repositories, Bodies bodies) {
    this.repositories = repositories;
    this.bodies = bodies;
    route("GET", "", Grant.METADATA_READ, "/repos/repos#get-a-repository", this::getRepository);

    String contents = "/repos/contents#";
    String file = "/contents/(.+)";
    route("GET", file, Grant.CONTENTS_READ, contents + "get-repository-content", this::getContents);
    String put = contents + "create-or-update-file-contents";
    route("PUT", file, Grant.CONTENTS_WRITE, put, call -> putContents(call, put));
    String delete = contents + "delete-a-file";
    route("DELETE", file, Grant.CONTENTS_WRITE, delete, call -> deleteContents(call, delete));
    route("GET", "/commits", Grant.CONTENTS_READ, "/commits/commits#list-commits", this::history);

    String refs = "/git/refs#";
    route("GET", "/git/refs?/(.+)", Grant.CONTENTS_READ, refs + "get-a-reference", this::getRef);
    route(
        "GET",
        "/git/matching-refs/(.+)",
        Grant.CONTENTS_READ,
        refs + "list-matching-references",
        this::matchingRefs);
    String create = refs + "create-a-reference";
    route("POST", "/git/refs", Grant.CONTENTS_WRITE, create, call -> createRef(call, create));
    String update = refs + "update-a-reference";
    route("PATCH", "/git/refs/(.+)", Grant.CONTENTS_WRITE, update, call -> moveRef(call, update));
    String remove = refs + "delete-a-reference";
    route(
        "DELETE", "/git/refs/(.+)", Grant.CONTENTS_WRITE, remove, call -> deleteRef(call, remove));

    String sha = "/([^/]+)";
    String blob = "/git/blobs#";
    String makeBlob = blob + "create-a-blob";
    route("POST", "/git/blobs", Grant.CONTENTS_WRITE, makeBlob, call -> createBlob(call, makeBlob));
    String getBlob = blob + "get-a-blob";
    route("GET", "/git/blobs" + sha, Grant.CONTENTS_READ, getBlob, call -> getBlob(call, getBlob));
    String tree = "/git/trees#";
    String makeTree = tree + "create-a-tree";
    route("POST", "/git/trees", Grant.CONTENTS_WRITE, makeTree, call -> createTree(call, makeTree));
    String getTree = tree + "get-a-tree";
    route("GET", "/git/trees" + sha, Grant.CONTENTS_READ, getTree, call -> getTree(call, getTree));
    String commit = "/git/commits#";
    String makeCommit = commit + "create-a-commit";
    route(
        "POST",
        "/git/commits",
        Grant.CONTENTS_WRITE,
        makeCommit,
        call -> createCommit(call, makeCommit));
    String getCommit = commit + "get-a-commit-object";
    route(
        "GET",
        "/git/commits" + sha,
        Grant.CONTENTS_READ,
        getCommit,
        call -> getCommit(call, getCommit));

    String one = "/issues/([0-9]{1,9})";
    route("GET", "/issues", Grant.ISSUES_READ, ISSUES + "list-repository-issues", this::listIssues);
    String get = ISSUES + "get-an-issue";
    route("GET", one, Grant.ISSUES_READ, get, call -> getIssue(call, get));
    String open = ISSUES + "create-an-issue";
    route("POST", "/issues", Grant.ISSUES_WRITE, open, call -> createIssue(call, open));
    String edit = ISSUES + "update-an-issue";
    route("PATCH", one, Grant.ISSUES_WRITE, edit, call -> editIssue(call, edit));

    String labels = "/issues/labels#";
    route("GET", "/labels", Grant.ISSUES_READ, labels + "list-labels", this::listLabels);
    String label = labels + "create-a-label";
    route("POST", "/labels", Grant.ISSUES_WRITE, label, call -> createLabel(call, label));

    String runs = "/actions/workflow-runs#";
    String run = "/actions/runs/([0-9]{1,18})";
    route("GET", "/actions/runs", Grant.ACTIONS_READ, runs + "list-runs", this::listRuns);
    route("GET", run, Grant.ACTIONS_READ, runs + "get-a-workflow-run", this::getRun);
    route(
        "GET",
        run + "/attempts/([0-9]{1,9})",
        Grant.ACTIONS_READ,
        runs + "get-a-workflow-run-attempt",
        this::getRun);
    String jobs = "/actions/workflow-jobs#list-jobs";
    route("GET", run + "/jobs", Grant.ACTIONS_READ, jobs, this::jobs);
    route("GET", run + "/attempts/([0-9]{1,9})/jobs", Grant.ACTIONS_READ, jobs, this::jobs);
  }

  private void route(String method, String path, Grant needed, String doc, Handler handler) {
    Pattern whole = Pattern.compile("/repos/([^/]+)/([^/]+)" + path + "/?");
    routes.add(new Route(method, whole, needed, doc, handler));
  }

  /**
   * @param asOf the moment of the copy that a read is answered from; writes see the present
   */
  Reply handle(SimRequest request, Optional<Token> token, Instant asOf) {
    for (Route route : routes) {
      Matcher matcher = route.path().matcher(request.path());
      if (route.method().equals(request.method()) && matcher.matches()) {
        return handle(route, matcher, request, token, asOf);
      }
    }
    return refusal(404, "Not Found", "");
  }

  private Reply handle(
      Route route, Matcher matcher, SimRequest request, Optional<Token> token, Instant asOf) {
    Optional<Repository> repository = repository(matcher);
    if (repository.isEmpty()) {
      return refusal(404, "Not Found", route.documentation());
    }
    Optional<Access.Denial> denial = Access.check(token, repository.get(), route.needed());
    if (denial.isPresent()) {
      Reply reply = refusal(denial.get().status(), denial.get().message(), route.documentation());
      for (Map.Entry<String, String> header : denial.get().headers().entrySet()) {
        reply = reply.with(header.getKey(), header.getValue());
      }
      return reply;
    }
    if (route.documentation().startsWith(ISSUES) && !repository.get().hasIssues()) {
      return refusal(410, "Issues are disabled for this repo", route.documentation());
    }
    String login = token.map(Token::login).orElse("anonymous");
    Reply reply = route.handler().handle(new Call(request, matcher, repository.get(), login, asOf));
    // A handler's bare 404 learns here which page explains it.
    return reply.status() == 404 && reply.body().isEmpty()
        ? refusal(404, "Not Found", route.documentation())
        : reply;
  }

  private Optional<Repository> repository(Matcher matcher) {
    try {
      return repositories.apply(new RepositoryName(matcher.group(1), matcher.group(2)));
    } catch (IllegalArgumentException e) {
      // A name that GitHub cannot have is one more repository that is not there.
      return Optional.empty();
    }
  }

  private Reply getRepository(Call call) {
    return Reply.of(200, bodies.repository(call.repository()));
  }

  // ---- contents

  private Reply getContents(Call call) {
    return call.repository()
        .file(call.part(3), call.request().parameter("ref"), call.asOf())
        .map(
            found ->
                Reply.of(200, bodies.file(call.repository(), found))
                    .validatedBy(found.blob().sha())
                    .changedAt(found.changed()))
        .orElse(Reply.empty(404));
  }

  private Reply putContents(Call call, String doc) {
    Optional<Json> body = Json.parse(call.request().body());
    if (body.isEmpty()) {
      return refusal(400, "Problems parsing JSON", doc);
    }
    for (String needed : List.of("message", "content")) {
      if (body.get().text(needed).isEmpty()) {
        return refusal(422, "Invalid request.\n\n\"" + needed + "\" wasn't supplied.", doc);
      }
    }
    return written(
        call,
        body.get().text("content"),
        body.get().text("sha"),
        body.get().text("branch"),
        body.get().text("message").get(),
        doc);
  }

  /** Clients send what to delete in the body or in the query. */
  private Reply deleteContents(Call call, String doc) {
    Optional<Json> body = Json.parse(call.request().body());
    Function<String, Optional<String>> given =
        name -> body.flatMap(json -> json.text(name)).or(() -> call.request().parameter(name));
    Optional<String> message = given.apply("message");
    if (message.isEmpty()) {
      return refusal(422, "Invalid request.\n\n\"message\" wasn't supplied.", doc);
    }
    return written(
        call, Optional.empty(), given.apply("sha"), given.apply("branch"), message.get(), doc);
  }

  private Reply written(
      Call call,
      Optional<String> content,
      Optional<String> sha,
      Optional<String> branch,
      String message,
      String doc) {
    Outcome<Repository.Written> outcome =
        call.repository().write(call.part(3), content, sha, branch, message, call.login());
    return reply(outcome, doc, written -> bodies.written(call.repository(), written));
  }

  private Reply history(Call call) {
    SimRequest request = call.request();
    return call.repository()
        .history(request.parameter("sha"), request.parameter("path"), call.asOf())
        .map(
            commits ->
                page(call, commits, commit -> bodies.commit(call.repository(), commit), all -> all))
        .orElse(Reply.empty(404));
  }

  // ---- refs

  private Reply getRef(Call call) {
    return call.repository()
        .ref("refs/" + call.part(3), call.asOf())
        .map(ref -> Reply.of(200, bodies.ref(call.repository(), ref)).changedAt(ref.changed()))
        .orElse(Reply.empty(404));
  }

  private Reply matchingRefs(Call call) {
    List<Repository.Ref> found = call.repository().refs("refs/" + call.part(3), call.asOf());
    return Reply.of(200, found.stream().map(ref -> bodies.ref(call.repository(), ref)).toList());
  }

  private Reply createRef(Call call, String doc) {
    Optional<Json> body = Json.parse(call.request().body());
    if (body.isEmpty()) {
      return refusal(400, "Problems parsing JSON", doc);
    }
    for (String needed : List.of("ref", "sha")) {
      if (body.get().text(needed).isEmpty()) {
        return refusal(422, "Invalid request.\n\n\"" + needed + "\" wasn't supplied.", doc);
      }
    }
    Outcome<Repository.Ref> outcome =
        call.repository().createRef(body.get().text("ref").get(), body.get().text("sha").get());
    Reply reply = reply(outcome, doc, ref -> bodies.ref(call.repository(), ref));
    return outcome instanceof Outcome.Done<Repository.Ref> done
        ? reply.with("Location", bodies.refUrl(call.repository(), done.value()))
        : reply;
  }

  private Reply moveRef(Call call, String doc) {
    Optional<Json> body = Json.parse(call.request().body());
    if (body.isEmpty()) {
      return refusal(400, "Problems parsing JSON", doc);
    }
    Optional<String> sha = body.get().text("sha");
    if (sha.isEmpty()) {
      return refusal(422, "Invalid request.\n\n\"sha\" wasn't supplied.", doc);
    }
    return reply(
        call.repository().moveRef("refs/" + call.part(3), sha.get(), body.get().flag("force")),
        doc,
        ref -> bodies.ref(call.repository(), ref));
  }

  private Reply deleteRef(Call call, String doc) {
    Outcome<Repository.Ref> outcome = call.repository().deleteRef("refs/" + call.part(3));
    return outcome instanceof Outcome.Done<Repository.Ref>
        ? Reply.empty(204)
        : reply(outcome, doc, ref -> bodies.ref(call.repository(), ref));
  }

  // ---- git objects

  private Reply createBlob(Call call, String doc) {
    Optional<Json> body = Json.parse(call.request().body());
    if (body.isEmpty()) {
      return refusal(400, "Problems parsing JSON", doc);
    }
    Optional<String> content = body.get().text("content");
    if (content.isEmpty()) {
      return refusal(422, "Invalid request.\n\n\"content\" wasn't supplied.", doc);
    }
    Outcome<Blob> outcome =
        call.repository().createBlob(content.get(), body.get().text("encoding").orElse("utf-8"));
    return made(call, outcome, doc, "blobs", Blob::sha, bodies::madeBlob);
  }

  private Reply getBlob(Call call, String doc) {
    return object(
        call,
        doc,
        call.repository()
            .blob(call.part(3), call.asOf())
            .map(blob -> bodies.blob(call.repository(), blob)));
  }

  private Reply createTree(Call call, String doc) {
    Optional<Json> body = Json.parse(call.request().body());
    if (body.isEmpty()) {
      return refusal(400, "Problems parsing JSON", doc);
    }
    Optional<List<Json>> entries = body.get().objects("tree");
    if (entries.filter(all -> !all.isEmpty()).isEmpty()) {
      return refusal(422, "Invalid tree info", doc);
    }
    List<Repository.TreeChange> changes = new ArrayList<>();
    for (Json entry : entries.get()) {
      if (!entry.has("content") && !entry.has("sha")) {
        return refusal(422, "Must supply either tree.sha or tree.content", doc);
      }
      changes.add(
          new Repository.TreeChange(
              entry.text("path").orElse(""),
              entry.text("mode").orElse(""),
              entry.text("type").orElse("blob"),
              entry.text("content"),
              entry.text("sha")));
    }
    Outcome<Tree> outcome = call.repository().createTree(body.get().text("base_tree"), changes);
    return made(
        call,
        outcome,
        doc,
        "trees",
        Tree::sha,
        (repository, tree) -> bodies.tree(repository, tree, false));
  }

  private Reply getTree(Call call, String doc) {
    boolean recursive = call.request().parameter("recursive").isPresent();
    return object(
        call,
        doc,
        call.repository()
            .tree(call.part(3), call.asOf())
            .map(tree -> bodies.tree(call.repository(), tree, recursive)));
  }

  private Reply createCommit(Call call, String doc) {
    Optional<Json> body = Json.parse(call.request().body());
    if (body.isEmpty()) {
      return refusal(400, "Problems parsing JSON", doc);
    }
    for (String needed : List.of("message", "tree")) {
      if (body.get().text(needed).isEmpty()) {
        return refusal(422, "Invalid request.\n\n\"" + needed + "\" wasn't supplied.", doc);
      }
    }
    Optional<Person> author;
    Optional<Person> committer;
    try {
      author = body.get().object("author").map(json -> person(json, call.asOf()));
      committer = body.get().object("committer").map(json -> person(json, call.asOf()));
    } catch (DateTimeParseException e) {
      return refusal(
          422, "Invalid request.\n\n\"date\" is not a date: " + e.getParsedString(), doc);
    }
    Outcome<Commit> outcome =
        call.repository()
            .createCommit(
                body.get().text("tree").get(),
                body.get().names("parents").orElse(List.of()),
                body.get().text("message").get(),
                call.login(),
                author,
                committer);
    return made(call, outcome, doc, "commits", Commit::sha, bodies::gitCommit);
  }

  private static Person person(Json json, Instant now) {
    Instant at = json.text("date").map(text -> OffsetDateTime.parse(text).toInstant()).orElse(now);
    return new Person(json.text("name").orElse(""), json.text("email").orElse(""), at);
  }

  private Reply getCommit(Call call, String doc) {
    return object(
        call,
        doc,
        call.repository()
            .commit(call.part(3), call.asOf())
            .map(commit -> bodies.gitCommit(call.repository(), commit)));
  }

  private Reply object(Call call, String doc, Optional<Map<String, Object>> body) {
    if (!call.part(3).matches("[0-9a-f]{40}")) {
      return refusal(
          422, "The sha parameter must be exactly 40 characters and contain only [0-9a-f].", doc);
    }
    return body.map(found -> Reply.of(200, found)).orElse(Reply.empty(404));
  }

  private <T> Reply made(
      Call call,
      Outcome<T> outcome,
      String doc,
      String kind,
      Function<T, String> sha,
      BiFunction<Repository, T, Object> body) {
    Reply reply = reply(outcome, doc, value -> body.apply(call.repository(), value));
    return outcome instanceof Outcome.Done<T> done
        ? reply.with("Location", bodies.gitUrl(call.repository(), kind, sha.apply(done.value())))
        : reply;
  }

  // ---- issues and labels

  private Reply getIssue(Call call, String doc) {
    Optional<Issue> issue =
        call.repository().issues().get(Integer.parseInt(call.part(3)), call.asOf());
    if (issue.isEmpty()) {
      return Reply.empty(404);
    }
    if (issue.get().deleted()) {
      return refusal(410, "This issue was deleted", doc);
    }
    return moved(issue.get(), doc)
        .orElseGet(
            () ->
                Reply.of(200, bodies.issue(call.repository(), issue.get()))
                    .changedAt(issue.get().updatedAt()));
  }

  private Optional<Reply> moved(Issue issue, String doc) {
    return issue
        .movedTo()
        .map(
            url -> {
              Map<String, Object> body =
                  Bodies.object(
                      "message",
                      "Moved Permanently",
                      "url",
                      url,
                      "documentation_url",
                      "https://docs.github.com/rest" + doc);
              return Reply.of(301, body).with("Location", url);
            });
  }

  private Reply listIssues(Call call) {
    SimRequest request = call.request();
    String state = request.parameter("state").orElse("open");
    List<String> labels =
        request.parameter("labels").map(text -> List.of(text.split(","))).orElse(List.of());
    List<Issue> found =
        call.repository().issues().list(call.asOf()).stream()
            .filter(issue -> state.equals("all") || issue.open() == state.equals("open"))
            .filter(issue -> issue.labels().stream().map(Label::name).toList().containsAll(labels))
            .toList();
    return page(call, found, issue -> bodies.issue(call.repository(), issue), all -> all);
  }

  private Reply createIssue(Call call, String doc) {
    Optional<Json> body = Json.parse(call.request().body());
    if (body.isEmpty()) {
      return refusal(400, "Problems parsing JSON", doc);
    }
    Outcome<Issue> outcome = call.repository().issues().create(change(body.get()), call.login());
    Reply reply = reply(outcome, doc, issue -> bodies.issue(call.repository(), issue));
    return outcome instanceof Outcome.Done<Issue> done
        ? reply.with("Location", bodies.issueUrl(call.repository(), done.value().number()))
        : reply;
  }

  private Reply editIssue(Call call, String doc) {
    Optional<Json> body = Json.parse(call.request().body());
    if (body.isEmpty()) {
      return refusal(400, "Problems parsing JSON", doc);
    }
    int number = Integer.parseInt(call.part(3));
    Issues issues = call.repository().issues();
    return issues
        .get(number, Instant.MAX)
        .flatMap(issue -> moved(issue, doc))
        .orElseGet(
            () ->
                reply(
                    issues.edit(number, change(body.get()), call.login()),
                    doc,
                    issue -> bodies.issue(call.repository(), issue)));
  }

  private static IssueChange change(Json body) {
    return new IssueChange(
        body.text("title"), body.text("body"), body.text("state"), body.names("labels"));
  }

  private Reply listLabels(Call call) {
    return page(
        call,
        call.repository().issues().allLabels(call.asOf()),
        label -> bodies.label(call.repository(), label),
        all -> all);
  }

  private Reply createLabel(Call call, String doc) {
    Optional<Json> body = Json.parse(call.request().body());
    Optional<String> name = body.flatMap(json -> json.text("name"));
    if (name.isEmpty()) {
      return refusal(422, "Invalid request.\n\n\"name\" wasn't supplied.", doc);
    }
    return reply(
        call.repository()
            .issues()
            .createLabel(
                name.get(),
                body.get().text("color").orElse("ededed"),
                body.get().text("description")),
        doc,
        label -> bodies.label(call.repository(), label));
  }

  // ---- runs

  private Reply getRun(Call call) {
    return attempt(call)
        .map(found -> Reply.of(200, runBody(call, found.run(), found.attempt())))
        .orElse(Reply.empty(404));
  }

  private Reply jobs(Call call) {
    Optional<FoundAttempt> found = attempt(call);
    if (found.isEmpty()) {
      return Reply.empty(404);
    }
    Runs.Run run = found.get().run();
    boolean ofAllAttempts =
        call.path().groupCount() < 4
            && call.request().parameter("filter").filter("all"::equals).isPresent();
    List<Runs.Attempt> attempts = ofAllAttempts ? run.attempts() : List.of(found.get().attempt());
    List<Object> jobs = new ArrayList<>();
    for (Runs.Attempt attempt : attempts) {
      for (Runs.Job job : attempt.jobs()) {
        jobs.add(bodies.job(call.repository(), run, attempt, job, head(call, run)));
      }
    }
    return page(
        call, jobs, job -> job, shown -> Bodies.object("total_count", jobs.size(), "jobs", shown));
  }

  private Reply listRuns(Call call) {
    SimRequest request = call.request();
    Optional<String> status = request.parameter("status");
    Optional<String> branch = request.parameter("branch");
    List<Runs.Run> found =
        call.repository().runs().list(call.asOf()).stream()
            .filter(run -> branch.isEmpty() || run.branch().equals(branch.get()))
            .filter(run -> status.isEmpty() || hasStatus(run.last(), status.get()))
            .toList();
    return page(
        call,
        found,
        run -> runBody(call, run, run.last()),
        runs -> Bodies.object("total_count", found.size(), "workflow_runs", runs));
  }

  /** The filter takes a status or a conclusion. */
  private static boolean hasStatus(Runs.Attempt attempt, String wanted) {
    return attempt
        .conclusion()
        .map(conclusion -> wanted.equals("completed") || wanted.equals(conclusion))
        .orElse(wanted.equals("in_progress"));
  }

  private record FoundAttempt(Runs.Run run, Runs.Attempt attempt) {}

  private Optional<FoundAttempt> attempt(Call call) {
    Optional<Runs.Run> run =
        call.repository().runs().get(Long.parseLong(call.part(3)), call.asOf());
    if (call.path().groupCount() < 4) {
      return run.map(found -> new FoundAttempt(found, found.last()));
    }
    int number = Integer.parseInt(call.part(4));
    return run.flatMap(
        found -> found.attempt(number).map(attempt -> new FoundAttempt(found, attempt)));
  }

  private Map<String, Object> runBody(Call call, Runs.Run run, Runs.Attempt attempt) {
    return bodies.run(call.repository(), run, attempt, head(call, run));
  }

  private static Commit head(Call call, Runs.Run run) {
    return call.repository()
        .commit(run.headSha(), Instant.MAX)
        .orElseThrow(() -> new IllegalStateException("no commit " + run.headSha()));
  }

  // ---- shapes of replies

  private Reply refusal(int status, String message, String doc) {
    return Reply.of(status, bodies.error(status, message, List.of(), doc));
  }

  private <T> Reply reply(Outcome<T> outcome, String doc, Function<T, Object> body) {
    if (outcome instanceof Outcome.Refused<T> refused) {
      return Reply.of(
          refused.status(),
          bodies.error(refused.status(), refused.message(), refused.errors(), doc));
    }
    Outcome.Done<T> done = (Outcome.Done<T>) outcome;
    return Reply.of(done.status(), body.apply(done.value()));
  }

  private <T> Reply page(
      Call call, List<T> all, Function<T, Object> body, Function<List<Object>, Object> around) {
    int size = Math.min(MAX_PAGE, number(call, "per_page", 30));
    int page = number(call, "page", 1);
    List<Object> shown = all.stream().skip((long) (page - 1) * size).limit(size).map(body).toList();
    Reply reply = Reply.of(200, around.apply(shown));
    if ((long) page * size >= all.size()) {
      return reply;
    }
    String url =
        bodies.api(call.repository())
            + call.request().path().replaceFirst("/repos/[^/]+/[^/]+", "");
    StringBuilder query = new StringBuilder("?per_page=" + size + "&page=" + (page + 1));
    call.request()
        .query()
        .forEach(
            (name, value) -> {
              if (!name.equals("per_page") && !name.equals("page")) {
                query.append('&').append(name).append('=').append(Bodies.encode(value));
              }
            });
    return reply.with("Link", "<" + url + query + ">; rel=\"next\"");
  }

  private static int number(Call call, String name, int otherwise) {
    return call.request()
        .parameter(name)
        .filter(text -> text.matches("[1-9][0-9]{0,5}"))
        .map(Integer::parseInt)
        .orElse(otherwise);
  }
}
