package dev.baton.githubsim;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The endpoints: from a request to a reply, with no HTTP server in sight. */
final class Api {
  private static final int MAX_PAGE = 100;

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

    String issues = "/issues/issues#";
    String one = "/issues/([0-9]+)";
    route("GET", "/issues", Grant.ISSUES_READ, issues + "list-repository-issues", this::listIssues);
    String get = issues + "get-an-issue";
    route("GET", one, Grant.ISSUES_READ, get, call -> getIssue(call, get));
    String open = issues + "create-an-issue";
    route("POST", "/issues", Grant.ISSUES_WRITE, open, call -> createIssue(call, open));
    String edit = issues + "update-an-issue";
    route("PATCH", one, Grant.ISSUES_WRITE, edit, call -> editIssue(call, edit));

    String labels = "/issues/labels#";
    route("GET", "/labels", Grant.ISSUES_READ, labels + "list-labels", this::listLabels);
    String label = labels + "create-a-label";
    route("POST", "/labels", Grant.ISSUES_WRITE, label, call -> createLabel(call, label));

    String runs = "/actions/workflow-runs#";
    String run = "/actions/runs/([0-9]+)";
    route("GET", "/actions/runs", Grant.ACTIONS_READ, runs + "list-runs", this::listRuns);
    route("GET", run, Grant.ACTIONS_READ, runs + "get-a-workflow-run", this::getRun);
    route(
        "GET",
        run + "/attempts/([0-9]+)",
        Grant.ACTIONS_READ,
        runs + "get-a-workflow-run-attempt",
        this::getRun);
    String jobs = "/actions/workflow-jobs#list-jobs";
    route("GET", run + "/jobs", Grant.ACTIONS_READ, jobs, this::jobs);
    route("GET", run + "/attempts/([0-9]+)/jobs", Grant.ACTIONS_READ, jobs, this::jobs);
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
        .map(ref -> Reply.of(200, bodies.ref(call.repository(), ref)))
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
    return attempt(call)
        .map(
            found ->
                page(
                    call,
                    found.attempt().jobs(),
                    job ->
                        bodies.job(
                            call.repository(),
                            found.run(),
                            found.attempt(),
                            job,
                            head(call, found.run())),
                    jobs ->
                        Bodies.object("total_count", found.attempt().jobs().size(), "jobs", jobs)))
        .orElse(Reply.empty(404));
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
        .commit(run.headSha())
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
