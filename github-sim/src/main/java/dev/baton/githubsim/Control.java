package dev.baton.githubsim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * The sim's own door, {@code /_sim}, for another process that does what a test does with {@link
 * GitHubSim} and {@link SimRepository}. Not part of GitHub, not in the log, free.
 */
final class Control {
  static final String HELP =
      """
      GET  /_sim                                 this list
      GET  /_sim/log                             requests per client: charged, free, failed, writes
      POST /_sim/log/clear
      POST /_sim/repositories                    {"name":"octo/app","private":true}
      POST /_sim/repositories/rename             {"from":"octo/app","to":"octo/new"}
      POST /_sim/tokens                          {"client":"ann","value":"…","kind":"classic",
                                                  "repositories":["octo/app"],
                                                  "grants":["contents=write"],"limit":5000}
      POST /_sim/tokens/revoke                   {"value":"…"}
      POST /_sim/staleness                       {"least":0,"most":10}  seconds
      POST /_sim/faults                          {"rates":[{"kind":"dropped-after","rate":0.1}]}
      POST /_sim/fail                            {"count":2,"method":"PUT","path":"/contents/",
                                                  "client":"ann","skip":5,
                                                  "fault":{"kind":"unavailable"}}
      POST /_sim/reword                          {"status":409,"message":"Conflict"}; without a
                                                  message GitHub's own words again
      POST /_sim/repos/O/R/archive               {"on":true}
      POST /_sim/repos/O/R/protect               {"branch":"main","how":"ruleset"}
      POST /_sim/repos/O/R/unprotect             {"branch":"main"}
      POST /_sim/repos/O/R/issues-enabled        {"on":false}
      POST /_sim/repos/O/R/issues                {"title":"…","body":"…","by":"ann","labels":[]}
      POST /_sim/repos/O/R/issues/N/edit         {"body":"…","by":"ann"}
      POST /_sim/repos/O/R/issues/N/close        {"by":"ann"}; reopen takes the same
      POST /_sim/repos/O/R/issues/N/delete       lock and unlock take nothing either
      POST /_sim/repos/O/R/issues/N/move         {"url":"…/repos/O/R/issues/7"}
      POST /_sim/repos/O/R/runs                  {"workflow":"build","actor":"ann","jobs":["a"]}
      GET  /_sim/repos/O/R/runs/ID
      POST /_sim/repos/O/R/runs/ID/finish        {"conclusion":"success"}
      POST /_sim/repos/O/R/runs/ID/cancel        rerun takes nothing either
      POST /_sim/repos/O/R/runs/ID/jobs/J/finish {"conclusion":"failure"}

      Kinds of tokens: classic, fine-grained, app, workflow. Without grants a token has all.
      Kinds of faults: dropped-before, dropped-after, unavailable {"status":502,"applied":false},
      slow {"seconds":3}, limited {"status":403,"retry_after":60}, and an answer that is not true: odd
      {"status":404,"message":"Not Found","applied":false} (or a whole "body" instead). A path is a
      regular expression that is searched for; "skip" lets so many matching requests pass. How a branch is protected: branch-rule, ruleset, ruleset-unprocessable, no-force-push.
      """;

  private static final Pattern REPOSITORY = Pattern.compile("/_sim/repos/([^/]+/[^/]+)/(.+)");
  private static final Pattern ISSUE = Pattern.compile("issues/([0-9]{1,9})/([a-z]+)");
  private static final Pattern RUN = Pattern.compile("runs/([0-9]{1,18})(?:/(.+))?");
  private static final Pattern JOB = Pattern.compile("jobs/([0-9]{1,18})/finish");

  private final GitHubSim sim;

  Control(GitHubSim sim) {
    this.sim = sim;
  }

  static boolean owns(String path) {
    return path.equals("/_sim") || path.startsWith("/_sim/");
  }

  Service.Sent answer(String method, String path, Map<String, String> headers, String body) {
    if (fromAPage(headers)) {
      return error(403, "a page in a browser may not steer the sim");
    }
    Optional<Json> json = body.isBlank() ? Json.parse("{}") : Json.parse(body);
    if (json.isEmpty()) {
      return error(400, "the body is no JSON object");
    }
    try {
      Optional<Object> done = route(method + " " + path, path, json.get());
      return done.map(value -> sent(200, value))
          .orElseGet(() -> error(404, "nothing at " + method + " " + path + "; see GET /_sim"));
    } catch (IllegalArgumentException e) {
      return error(422, e.getMessage());
    } catch (IllegalStateException e) {
      return error(409, e.getMessage());
    }
  }

  /**
   * Any page that a person has open can send requests to loopback; it names itself when it does.
   */
  private boolean fromAPage(Map<String, String> headers) {
    String host = headers.getOrDefault("host", "");
    boolean loopback = host.matches("(127\\.0\\.0\\.1|localhost|\\[::1])(:[0-9]+)?");
    String origin = headers.getOrDefault("origin", sim.serverUrl());
    return !loopback || !origin.equals(sim.serverUrl());
  }

  private Optional<Object> route(String request, String path, Json body) {
    return switch (request) {
      case "GET /_sim" -> Optional.of(Map.of("endpoints", HELP.lines().toList()));
      case "GET /_sim/log" -> Optional.of(log());
      case "POST /_sim/log/clear" -> done(() -> sim.log().clear());
      case "POST /_sim/repositories" ->
          done(
              () ->
                  sim.addRepository(
                      text(body, "name"), !body.has("private") || body.flag("private")));
      case "POST /_sim/repositories/rename" ->
          done(() -> sim.renameRepository(text(body, "from"), text(body, "to")));
      case "POST /_sim/tokens" -> done(() -> sim.addToken(token(body)));
      case "POST /_sim/tokens/revoke" -> done(() -> sim.revoke(text(body, "value")));
      case "POST /_sim/staleness" ->
          done(() -> sim.staleness(new Staleness(seconds(body, "least"), seconds(body, "most"))));
      case "POST /_sim/faults" -> done(() -> sim.faultRates(rates(body)));
      case "POST /_sim/fail" -> done(() -> fail(body));
      case "POST /_sim/reword" -> done(() -> sim.reword(status(body, 409), body.text("message")));
      default -> {
        Matcher matcher = REPOSITORY.matcher(path);
        yield matcher.matches()
            ? inRepository(
                request.substring(0, request.indexOf(' ')),
                sim.repository(matcher.group(1)),
                matcher.group(2),
                body)
            : Optional.empty();
      }
    };
  }

  private Optional<Object> inRepository(
      String method, SimRepository repository, String rest, Json body) {
    Matcher run = RUN.matcher(rest);
    if (method.equals("GET")) {
      return run.matches() && run.group(2) == null
          ? repository.run(Long.parseLong(run.group(1))).map(Control::view)
          : Optional.empty();
    }
    if (!method.equals("POST")) {
      return Optional.empty();
    }
    if (run.matches() && run.group(2) != null) {
      return ofRun(repository, Long.parseLong(run.group(1)), run.group(2), body);
    }
    Matcher issue = ISSUE.matcher(rest);
    if (issue.matches()) {
      return ofIssue(repository, Integer.parseInt(issue.group(1)), issue.group(2), body);
    }
    return switch (rest) {
      case "archive" -> done(on(body) ? repository::archive : repository::unarchive);
      case "protect" -> done(() -> repository.protect(text(body, "branch"), protection(body)));
      case "unprotect" -> done(() -> repository.unprotect(text(body, "branch")));
      case "issues-enabled" -> done(() -> repository.issuesEnabled(on(body)));
      case "issues" ->
          Optional.of(
              Map.of(
                  "number",
                  repository.openIssue(
                      text(body, "title"),
                      body.text("body").orElse(""),
                      by(body),
                      body.names("labels").orElse(List.of()).toArray(String[]::new))));
      case "runs" ->
          Optional.of(
              view(
                  repository.startRun(
                      body.text("workflow").orElse("build"),
                      body.text("actor").orElse("ann"),
                      body.names("jobs").orElse(List.of("build")).toArray(String[]::new))));
      default -> Optional.empty();
    };
  }

  private static Optional<Object> ofRun(SimRepository repository, long id, String what, Json body) {
    Matcher job = JOB.matcher(what);
    if (job.matches()) {
      return Optional.of(
          view(repository.finishJob(id, Long.parseLong(job.group(1)), text(body, "conclusion"))));
    }
    return switch (what) {
      case "finish" -> Optional.of(view(repository.finishRun(id, text(body, "conclusion"))));
      case "cancel" -> Optional.of(view(repository.cancelRun(id)));
      case "rerun" -> Optional.of(view(repository.rerun(id)));
      default -> Optional.empty();
    };
  }

  private static Optional<Object> ofIssue(
      SimRepository repository, int number, String what, Json body) {
    return switch (what) {
      case "edit" -> done(() -> repository.editIssue(number, text(body, "body"), by(body)));
      case "close" -> done(() -> repository.closeIssue(number, by(body)));
      case "reopen" -> done(() -> repository.reopenIssue(number, by(body)));
      case "delete" -> done(() -> repository.deleteIssue(number));
      case "lock" -> done(() -> repository.lockIssue(number));
      case "unlock" -> done(() -> repository.unlockIssue(number));
      case "move" -> done(() -> repository.moveIssue(number, text(body, "url")));
      default -> Optional.empty();
    };
  }

  private Object log() {
    Map<String, Object> clients = new LinkedHashMap<>();
    sim.log().perClient().forEach((client, counts) -> clients.put(client, counts(counts)));
    return Bodies.object("clients", clients, "total", counts(sim.log().total()));
  }

  private static Object counts(RequestLog.Counts counts) {
    return Bodies.object(
        "charged", counts.charged(),
        "free", counts.free(),
        "failed", counts.failed(),
        "writes", counts.writes());
  }

  private static Object view(SimRepository.RunView run) {
    List<Object> jobs = new ArrayList<>();
    for (SimRepository.JobView job : run.jobs()) {
      jobs.add(
          Bodies.object(
              "id", job.id(),
              "name", job.name(),
              "runner_name", job.runnerName(),
              "conclusion", job.conclusion().orElse(null)));
    }
    return Bodies.object(
        "id", run.id(),
        "attempt", run.attempt(),
        "conclusion", run.conclusion().orElse(null),
        "jobs", jobs);
  }

  // ---- what a body says

  private static Token token(Json body) {
    Token.Kind kind = choice(Token.Kind.class, body.text("kind").orElse("classic"), "kind");
    Set<Grant> grants = EnumSet.noneOf(Grant.class);
    body.names("grants")
        .ifPresentOrElse(
            all -> all.forEach(one -> grants.add(Grant.of(one))),
            () -> grants.addAll(EnumSet.allOf(Grant.class)));
    Token token =
        Token.of(
            kind,
            text(body, "client"),
            text(body, "value"),
            body.names("repositories").orElse(List.of()),
            grants);
    return body.number("limit").map(limit -> token.withHourlyLimit(limit.intValue())).orElse(token);
  }

  private void fail(Json body) {
    Optional<String> method = body.text("method");
    Optional<String> client = body.text("client");
    Pattern path;
    try {
      path = Pattern.compile(body.text("path").orElse(""));
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException("path is no regular expression: " + e.getMessage(), e);
    }
    Json fault = body.object("fault").orElseThrow(() -> missing("fault"));
    AtomicInteger skip = new AtomicInteger(body.number("skip").map(Double::intValue).orElse(0));
    sim.failNext(
        body.number("count").map(Double::intValue).orElse(1),
        request ->
            method.map(request.method()::equals).orElse(true)
                && client.map(request.client()::equals).orElse(true)
                && path.matcher(request.path()).find()
                && skip.getAndDecrement() <= 0,
        fault(fault));
  }

  private static FaultRate[] rates(Json body) {
    List<Json> all = body.objects("rates").orElseThrow(() -> missing("rates"));
    return all.stream()
        .map(
            one -> new FaultRate(fault(one), one.number("rate").orElseThrow(() -> missing("rate"))))
        .toArray(FaultRate[]::new);
  }

  private static Fault fault(Json body) {
    String kind = text(body, "kind");
    return switch (kind) {
      case "dropped-before" -> new Fault.DroppedBefore();
      case "dropped-after" -> new Fault.DroppedAfter();
      case "unavailable" -> new Fault.Unavailable(status(body, 502), body.flag("applied"));
      case "odd" ->
          body.has("body")
              ? new Fault.Odd(status(body, 404), text(body, "body"), body.flag("applied"))
              : Fault.Odd.saying(
                  status(body, 404),
                  body.text("message").orElse("Not Found"),
                  body.flag("applied"));
      case "slow" -> new Fault.Slow(seconds(body, "seconds"));
      case "limited" ->
          new Fault.Limited(
              status(body, 403),
              body.has("retry_after")
                  ? Optional.of(seconds(body, "retry_after"))
                  : Optional.empty());
      default -> throw new IllegalArgumentException("not a kind of fault: '" + kind + "'");
    };
  }

  private static int status(Json body, int otherwise) {
    return body.number("status").map(Double::intValue).orElse(otherwise);
  }

  private static Duration seconds(Json body, String name) {
    double value = body.number(name).orElseThrow(() -> missing(name));
    return Duration.ofMillis(Math.round(value * 1000));
  }

  private static Protection protection(Json body) {
    return choice(Protection.class, body.text("how").orElse("ruleset"), "how");
  }

  private static <E extends Enum<E>> E choice(Class<E> type, String text, String name) {
    for (E one : type.getEnumConstants()) {
      if (one.name().toLowerCase(Locale.ROOT).replace('_', '-').equals(text)) {
        return one;
      }
    }
    throw new IllegalArgumentException(name + " cannot be '" + text + "'; see GET /_sim");
  }

  private static boolean on(Json body) {
    return !body.has("on") || body.flag("on");
  }

  private static String by(Json body) {
    return body.text("by").orElse("ann");
  }

  private static String text(Json body, String name) {
    return body.text(name).orElseThrow(() -> missing(name));
  }

  private static IllegalArgumentException missing(String name) {
    return new IllegalArgumentException("\"" + name + "\" is missing");
  }

  // ---- answers

  private static Optional<Object> done(Runnable action) {
    action.run();
    return Optional.of(Map.of("done", true));
  }

  private static Service.Sent error(int status, String message) {
    return sent(status, Bodies.object("error", message));
  }

  private static Service.Sent sent(int status, Object body) {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    headers.put("Content-Type", List.of("application/json; charset=utf-8"));
    headers.put("Cache-Control", List.of("no-store"));
    headers.put("X-Content-Type-Options", List.of("nosniff"));
    return new Service.Sent(status, headers, Json.write(body));
  }
}
