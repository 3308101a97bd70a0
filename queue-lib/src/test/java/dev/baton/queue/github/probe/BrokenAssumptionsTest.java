package dev.baton.queue.github.probe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.probe.Assumption;
import dev.baton.core.probe.ProbeOutcome;
import dev.baton.core.probe.ProbeReport;
import dev.baton.core.probe.Transport;
import dev.baton.core.probe.Verdict;
import dev.baton.githubsim.Grant;
import dev.baton.githubsim.Staleness;
import dev.baton.githubsim.Token;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * For every assumption a GitHub that does something else: no check is one that cannot fail. Where
 * github-sim can be told to, it does; otherwise something on the way changes what it says.
 */
class BrokenAssumptionsTest {

  /** A GitHub that is different, and what the probe has to say about it. */
  private interface Difference {
    Transport on(ProbeDesk desk);
  }

  private static final Map<String, Difference> DIFFERENCES = new LinkedHashMap<>();

  /** The verdict where it is not BROKEN: what a token may not do says nothing about GitHub. */
  private static final Map<String, Verdict> OTHER_VERDICTS =
      Map.of(
          "contents-write", Verdict.NOT_ALLOWED,
          "issues-write", Verdict.NOT_ALLOWED,
          "actions-read", Verdict.NOT_ALLOWED,
          "job-rerun", Verdict.NOT_ALLOWED);

  private static final Predicate<Transport.Request> ANY = r -> true;

  static {
    put("limit-headers", answers(ANY, a -> without(a, "X-RateLimit-Remaining")));
    put("server-clock", answers(ANY, a -> with(a, "Date", "yesterday")));
    put("json-answers", answers(to("GET", "/commits?"), a -> with(a, "Content-Type", "text/html")));
    put("quick-answers", slow());
    put(
        "absent-read",
        answers(to("GET", "/contents/queue.json"), a -> status(a, 404, 410, "Gone")));
    put("absent-branch", absentBranchIsMade());
    put("contents-write", token(Grant.CONTENTS_READ, Grant.ISSUES_WRITE, Grant.ACTIONS_READ));
    put(
        "orphan-branch",
        answers(to("POST", "/git/commits"), a -> status(a, 201, 422, "No parents")));
    put("branch-exists", reworded(422));
    put("create", answers(to("PUT", "/contents/queue.json"), a -> renamed(a, 201, "content")));
    put("read-after-write", stale());
    put("etag", answers(to("GET", "/contents/queue.json?"), a -> with(a, "ETag", "W/\"e1e1\"")));
    put("conditional-read", unconditional("/contents/queue.json"));
    put("free-304", charging());
    put("tag-list", firstTagOnly());
    put("tag-named", answers(ANY, a -> a.status() == 304 ? without(a, "ETag") : a));
    put("update", answers(to("PUT", "/contents/queue.json"), a -> renamed(a, 200, "content")));
    put("changed-read", neverChanged());
    put("update-conflict", reworded(409));
    put("create-conflict", reworded(422));
    put("recreated", answers(to("PUT", "/contents/other.json"), a -> status(a, 201, 409, "Gone")));
    put("one-winner", answers(to("PUT", "/contents/queue.json"), a -> accepted(a)));
    put("conflict-words", reworded(409));
    put("large-document", answers(to("GET", "/contents/queue.json"), a -> cut(a)));
    put("history", answers(to("GET", "/commits?"), a -> body(a, "[]")));
    put(
        "no-workflows",
        answers(to("GET", "/actions/runs?branch="), a -> body(a, "{\"total_count\":2}")));
    put("refs-conditional", graphql(4));
    put("refs-force", graphql(1));
    put("refs-absent", graphql(2));
    put("branch-deleted", answers(to("DELETE", "/git/refs/"), a -> status(a, 204, 409, "Kept")));
    put("issues-write", token(Grant.CONTENTS_WRITE, Grant.ISSUES_READ, Grant.ACTIONS_READ));
    put(
        "issue-listed",
        answers(
            to("GET", "/issues?"), a -> body(a, a.body().replace("COLLABORATOR", "CONTRIBUTOR"))));
    put(
        "issue-body",
        answers(to("PATCH", "/issues/"), a -> status(a, 200, 422, "body is too long")));
    put("issue-read-after-write", stale());
    put("issue-conditional", unconditional("/issues/"));
    put("issue-since", without("If-Modified-Since"));
    put("issue-closed", answers(to("PATCH", "/issues/"), BrokenAssumptionsTest::open));
    put("actions-read", token(Grant.CONTENTS_WRITE, Grant.ISSUES_WRITE));
    put("missing-run", answers(to("GET", "/actions/runs/1"), a -> status(a, 404, 200, "")));
    put("job-rerun", token(Grant.CONTENTS_WRITE, Grant.ISSUES_WRITE, Grant.ACTIONS_READ));
    put(
        "own-run",
        desk -> {
          desk.repository.finishRun(desk.run.id(), "success");
          return desk.transport();
        });
    put(
        "own-job",
        desk -> {
          desk.repository.finishJob(desk.run.id(), desk.run.jobs().get(0).id(), "success");
          return desk.transport();
        });
  }

  private static void put(String id, Difference difference) {
    DIFFERENCES.put(id, difference);
  }

  static Stream<String> ids() {
    return DIFFERENCES.keySet().stream();
  }

  @Test
  void everyAssumptionCanBeBroken() {
    assertThat(DIFFERENCES.keySet())
        .containsExactlyInAnyOrderElementsOf(
            GitHubAssumptions.all().stream().map(Assumption::id).toList());
  }

  @ParameterizedTest
  @MethodSource("ids")
  void aGitHubThatDoesSomethingElseIsFoundOut(String id) throws Exception {
    try (ProbeDesk desk = new ProbeDesk()) {
      ProbeReport report = desk.report(DIFFERENCES.get(id).on(desk));
      ProbeOutcome outcome =
          report.outcomes().stream()
              .filter(o -> o.assumption().id().equals(id))
              .findFirst()
              .orElseThrow();
      assertThat(outcome.verdict())
          .as(outcome.seen())
          .isEqualTo(OTHER_VERDICTS.getOrDefault(id, Verdict.BROKEN));
      assertThat(outcome.means()).isNotEmpty();
      assertThat(report.isDoubtful() || report.isDenied() || outcome.assumption().optional())
          .isTrue();
      assertThat(report.requests()).isLessThanOrEqualTo(GitHubProbe.MOST_REQUESTS);
      assertThat(desk.branches()).containsExactly("refs/heads/main");
      assertThat(desk.openIssues()).isEmpty();
    }
  }

  @Test
  void theWordsTellWhatIsComparedInAListOfTags() throws Exception {
    try (ProbeDesk desk = new ProbeDesk()) {
      assertThat(seen(desk.report(firstTagOnly().on(desk)), "tag-list"))
          .endsWith("304 when it is the first of two");
      assertThat(seen(desk.report(wholeHeaderOnly().on(desk)), "tag-list"))
          .endsWith("also when the right tag is the first of two");
    }
  }

  @Test
  void anOlderIssueFirstIsFoundOut() throws Exception {
    try (ProbeDesk desk = new ProbeDesk()) {
      Difference oldest =
          answers(
              to("GET", "/issues?"),
              a -> body(a, "[{\"created_at\":\"2020-01-01T00:00:00Z\"}," + a.body().substring(1)));
      assertThat(seen(desk.report(oldest.on(desk)), "issue-listed"))
          .startsWith("not the newest first");
    }
  }

  /** Then every move is refused, and no refusal says anything about its condition. */
  @Test
  void aGitHubWithoutConditionalMovesHasNoConditionsThatHold() throws Exception {
    try (ProbeDesk desk = new ProbeDesk()) {
      Difference none =
          answers(
              to("POST", "/graphql"),
              a -> body(a, "{\"errors\":[{\"message\":\"Field 'updateRefs' doesn't exist\"}]}"));
      ProbeReport report = desk.report(none.on(desk));
      assertThat(ProbeDesk.verdicts(report))
          .containsEntry("refs-conditional", Verdict.BROKEN)
          .containsEntry("refs-force", Verdict.UNKNOWN)
          .containsEntry("refs-absent", Verdict.UNKNOWN);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"limit-headers", "server-clock", "etag", "tag-list", "tag-named", "free-304"})
  void aGlanceFindsItOutToo(String id) throws Exception {
    try (ProbeDesk desk = new ProbeDesk()) {
      desk.makeQueue();
      Verdict verdict =
          desk.probe(DIFFERENCES.get(id).on(desk)).glance().stream()
              .filter(o -> o.assumption().id().equals(id))
              .findFirst()
              .orElseThrow()
              .verdict();
      // Of one charged 304 nobody can say whether it was not somebody else's request.
      assertThat(verdict).isEqualTo(id.equals("free-304") ? Verdict.UNKNOWN : Verdict.BROKEN);
    }
  }

  private static String seen(ProbeReport report, String id) {
    return report.outcomes().stream()
        .filter(o -> o.assumption().id().equals(id))
        .findFirst()
        .orElseThrow()
        .seen();
  }

  // ---- what github-sim does when it is told to

  private static Difference stale() {
    return desk -> {
      desk.sim.staleness(new Staleness(Duration.ofSeconds(30), Duration.ofSeconds(30)));
      return desk.transport();
    };
  }

  private static Difference reworded(int status) {
    return desk -> {
      desk.sim.reword(status, Optional.of("Conflict"));
      return desk.transport();
    };
  }

  private static Difference token(Grant... grants) {
    return desk -> {
      desk.sim.addToken(Token.workflow("flow", "flow-token", ProbeDesk.REPOSITORY, grants));
      return desk.transport("flow-token");
    };
  }

  // ---- what something on the way does

  private interface Change {
    Transport.Answer of(Transport.Answer answer);
  }

  private static Difference answers(Predicate<Transport.Request> which, Change change) {
    return desk ->
        request -> {
          Transport.Answer answer = desk.transport().send(request);
          return which.test(request) ? change.of(answer) : answer;
        };
  }

  private static Predicate<Transport.Request> to(String method, String path) {
    return r -> r.method().equals(method) && r.path().contains(path);
  }

  private static Transport.Answer with(Transport.Answer answer, String header, String value) {
    Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    headers.putAll(answer.headers());
    headers.put(header, List.of(value));
    return new Transport.Answer(answer.status(), headers, answer.body());
  }

  private static Transport.Answer without(Transport.Answer answer, String header) {
    Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    headers.putAll(answer.headers());
    headers.remove(header);
    return new Transport.Answer(answer.status(), headers, answer.body());
  }

  private static Transport.Answer body(Transport.Answer answer, String body) {
    return new Transport.Answer(answer.status(), answer.headers(), body);
  }

  private static Transport.Answer status(
      Transport.Answer answer, int instead, int status, String message) {
    return answer.status() == instead
        ? new Transport.Answer(status, answer.headers(), "{\"message\":\"" + message + "\"}")
        : answer;
  }

  /** Says that it wrote another content than was sent. */
  private static Transport.Answer renamed(Transport.Answer answer, int when, String member) {
    return answer.status() == when
        ? body(
            answer,
            answer
                .body()
                .replaceFirst(
                    "(\"" + member + "\":.*?\"sha\":\")[0-9a-f]{40}", "$1" + "0".repeat(40)))
        : answer;
  }

  private static Transport.Answer accepted(Transport.Answer answer) {
    return answer.status() == 409
        ? new Transport.Answer(
            200,
            answer.headers(),
            "{\"content\":{\"sha\":\"" + "1".repeat(40) + "\"},\"commit\":{\"sha\":\"x\"}}")
        : answer;
  }

  private static Transport.Answer cut(Transport.Answer answer) {
    return answer.body().length() < 1_000_000
        ? answer
        : body(answer, answer.body().replaceFirst("\"content\":\"[^\"]*\"", "\"content\":\"\""));
  }

  /** Nothing that is closed stays closed for those who look. */
  private static Transport.Answer open(Transport.Answer answer) {
    return body(answer, answer.body().replace("\"state\":\"closed\"", "\"state\":\"open\""));
  }

  private static Difference slow() {
    return desk ->
        request -> {
          if (request.method().equals("PATCH")) {
            desk.pass(Duration.ofSeconds(11));
          }
          return desk.transport().send(request);
        };
  }

  private static Difference absentBranchIsMade() {
    return answers(
        to("PUT", "/contents/" + Scratch.MARK_FILE),
        a ->
            new Transport.Answer(
                201,
                a.headers(),
                "{\"content\":{\"sha\":\"x\"},\"commit\":{\"sha\":\"" + "2".repeat(40) + "\"}}"));
  }

  private static Difference without(String header) {
    return desk ->
        request -> {
          Map<String, String> headers = new HashMap<>(request.headers());
          headers.remove(header);
          return desk.transport()
              .send(
                  new Transport.Request(request.method(), request.path(), headers, request.body()));
        };
  }

  private static Difference unconditional(String path) {
    return desk ->
        request ->
            (request.path().contains(path) ? without("If-None-Match").on(desk) : desk.transport())
                .send(request);
  }

  private static Difference neverChanged() {
    return answers(
        r -> r.headers().containsKey("If-None-Match"),
        a -> new Transport.Answer(304, a.headers(), ""));
  }

  private static Difference firstTagOnly() {
    return tags(header -> header.replaceFirst(",.*", ""));
  }

  private static Difference wholeHeaderOnly() {
    return tags(header -> header.contains(",") ? "\"none\"" : header);
  }

  private static Difference tags(java.util.function.UnaryOperator<String> read) {
    return desk ->
        request -> {
          Map<String, String> headers = new HashMap<>(request.headers());
          headers.computeIfPresent("If-None-Match", (name, value) -> read.apply(value));
          return desk.transport()
              .send(
                  new Transport.Request(request.method(), request.path(), headers, request.body()));
        };
  }

  private static Difference charging() {
    AtomicInteger charged = new AtomicInteger();
    return desk ->
        request -> {
          Transport.Answer answer = desk.transport().send(request);
          int free = answer.status() == 304 ? charged.incrementAndGet() : charged.get();
          int left = Integer.parseInt(answer.header("X-RateLimit-Remaining").orElse("0")) - free;
          return with(answer, "X-RateLimit-Remaining", Integer.toString(left));
        };
  }

  /** The n-th conditional move is said to be done, whatever became of it. */
  private static Difference graphql(int which) {
    AtomicInteger moves = new AtomicInteger();
    return answers(
        to("POST", "/graphql"),
        a -> moves.incrementAndGet() == which ? body(a, "{\"data\":{\"updateRefs\":{}}}") : a);
  }
}
