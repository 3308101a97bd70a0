package dev.baton.githubsim;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** Workflows, their runs and jobs. */
final class ActionsEndpoints {
  private static final String RUNS = "/actions/workflow-runs#";
  private static final String JOBS = "/actions/workflow-jobs#";
  private static final String WORKFLOWS = "/actions/workflows#";

  private final RunBodies bodies;
  private final Replies replies;

  ActionsEndpoints(Bodies bodies, Replies replies) {
    this.bodies = new RunBodies(bodies);
    this.replies = replies;
  }

  List<Route> routes() {
    String run = "/actions/runs/([0-9]+)";
    String attempt = run + "/attempts/([0-9]+)";
    String job = "/actions/jobs/([0-9]+)";
    String workflow = "/actions/workflows/([^/]+)";
    String listJobs = JOBS + "list-jobs-for-a-workflow-run";
    Grant read = Grant.ACTIONS_READ;
    Grant write = Grant.ACTIONS_WRITE;
    return List.of(
        Route.of(
            "GET",
            "/actions/runs",
            read,
            RUNS + "list-workflow-runs-for-a-repository",
            call -> listRuns(call, found -> true)),
        Route.of("GET", run, read, RUNS + "get-a-workflow-run", this::getRun),
        Route.of("GET", attempt, read, RUNS + "get-a-workflow-run-attempt", this::getRun),
        Route.of("POST", run + "/cancel", write, RUNS + "cancel-a-workflow-run", this::cancel),
        Route.of("POST", run + "/rerun", write, RUNS + "re-run-a-workflow", this::rerun),
        Route.of(
            "POST",
            run + "/rerun-failed-jobs",
            write,
            RUNS + "re-run-failed-jobs-from-a-workflow-run",
            this::rerunFailed),
        Route.of("GET", run + "/jobs", read, listJobs, this::listJobs),
        Route.of("GET", attempt + "/jobs", read, listJobs + "-attempt", this::listJobs),
        Route.of("GET", job, read, JOBS + "get-a-job-for-a-workflow-run", this::getJob),
        Route.of(
            "POST",
            job + "/rerun",
            write,
            RUNS + "re-run-a-job-from-a-workflow-run",
            this::rerunJob),
        Route.of(
            "GET",
            "/actions/workflows",
            read,
            WORKFLOWS + "list-repository-workflows",
            this::listWorkflows),
        Route.of("GET", workflow, read, WORKFLOWS + "get-a-workflow", this::getWorkflow),
        Route.of(
            "GET",
            workflow + "/runs",
            read,
            RUNS + "list-workflow-runs-for-a-workflow",
            this::listRunsOfWorkflow),
        Route.of(
            "POST",
            workflow + "/dispatches",
            write,
            WORKFLOWS + "create-a-workflow-dispatch-event",
            this::dispatch));
  }

  // ---- runs

  private Reply getRun(Call call) {
    return attempt(call)
        .map(found -> Reply.of(200, body(call, found.run(), found.attempt())))
        .orElse(Reply.empty(404));
  }

  private Reply listRuns(Call call, Predicate<Runs.Run> which) {
    List<Runs.Run> found =
        call.repository().runs().list(call.asOf()).stream()
            .filter(which)
            .filter(run -> call.parameter("branch").map(run.branch()::equals).orElse(true))
            .filter(run -> call.parameter("event").map(run.origin().event()::equals).orElse(true))
            .filter(run -> call.parameter("actor").map(run.actor()::equals).orElse(true))
            .filter(run -> call.parameter("head_sha").map(run.headSha()::equals).orElse(true))
            .filter(
                run ->
                    call.parameter("status")
                        .map(status -> hasStatus(run.last(), status))
                        .orElse(true))
            .toList();
    return replies.page(
        call,
        found,
        run -> body(call, run, run.last()),
        runs -> Bodies.object("total_count", found.size(), "workflow_runs", runs));
  }

  /** The filter takes a status or a conclusion. */
  private static boolean hasStatus(Runs.Attempt attempt, String wanted) {
    return attempt
        .conclusion()
        .map(conclusion -> wanted.equals("completed") || wanted.equals(conclusion))
        .orElse(wanted.equals("in_progress"));
  }

  private Reply cancel(Call call) {
    return replies.of(call, call.repository().runs().cancel(call.number(1)), run -> Map.of());
  }

  private Reply rerun(Call call) {
    return again(call, call.repository().runs().rerun(call.number(1), call.login()));
  }

  private Reply rerunFailed(Call call) {
    return again(call, call.repository().runs().rerunFailed(call.number(1), call.login()));
  }

  private Reply rerunJob(Call call) {
    return again(call, call.repository().runs().rerunJob(call.number(1), call.login()));
  }

  private Reply again(Call call, Outcome<Runs.Run> outcome) {
    return replies.of(call, outcome, run -> Map.of());
  }

  private record FoundAttempt(Runs.Run run, Runs.Attempt attempt) {}

  private static Optional<FoundAttempt> attempt(Call call) {
    Optional<Runs.Run> run = call.repository().runs().get(call.number(1), call.asOf());
    return run.flatMap(
        found ->
            (call.path().groupCount() < 2
                    ? Optional.of(found.last())
                    : found.attempt(call.smallNumber(2)))
                .map(attempt -> new FoundAttempt(found, attempt)));
  }

  private Map<String, Object> body(Call call, Runs.Run run, Runs.Attempt attempt) {
    return bodies.run(call.repository(), run, attempt, head(call, run));
  }

  private static Commit head(Call call, Runs.Run run) {
    return call.repository()
        .commit(run.headSha(), Instant.MAX)
        .orElseThrow(() -> new IllegalStateException("no commit " + run.headSha()));
  }

  // ---- jobs

  private Reply listJobs(Call call) {
    Optional<FoundAttempt> found = attempt(call);
    if (found.isEmpty()) {
      return Reply.empty(404);
    }
    Runs.Run run = found.get().run();
    boolean ofAllAttempts =
        call.path().groupCount() < 2 && call.parameter("filter").filter("all"::equals).isPresent();
    List<Runs.Attempt> attempts = ofAllAttempts ? run.attempts() : List.of(found.get().attempt());
    List<Object> jobs = new ArrayList<>();
    for (Runs.Attempt attempt : attempts) {
      for (Runs.Job job : attempt.jobs()) {
        jobs.add(bodies.job(call.repository(), run, attempt, job, head(call, run)));
      }
    }
    return replies.page(
        call, jobs, job -> job, shown -> Bodies.object("total_count", jobs.size(), "jobs", shown));
  }

  private Reply getJob(Call call) {
    long id = call.number(1);
    Optional<Runs.Run> run = call.repository().runs().ofJob(id, call.asOf());
    for (Runs.Attempt attempt : run.map(Runs.Run::attempts).orElse(List.of())) {
      for (Runs.Job job : attempt.jobs()) {
        if (job.id() == id) {
          return Reply.of(
              200, bodies.job(call.repository(), run.get(), attempt, job, head(call, run.get())));
        }
      }
    }
    return Reply.empty(404);
  }

  // ---- workflows

  private Reply listWorkflows(Call call) {
    List<Workflow> found = List.copyOf(Workflows.of(call.repository(), call.asOf()));
    return replies.page(
        call,
        found,
        workflow -> bodies.workflow(call.repository(), workflow),
        shown -> Bodies.object("total_count", found.size(), "workflows", shown));
  }

  private Reply getWorkflow(Call call) {
    return workflow(call, call.asOf())
        .map(found -> Reply.of(200, bodies.workflow(call.repository(), found)))
        .orElse(Reply.empty(404));
  }

  private Reply listRunsOfWorkflow(Call call) {
    return workflow(call, call.asOf())
        .map(found -> listRuns(call, run -> run.origin().workflow().path().equals(found.path())))
        .orElse(Reply.empty(404));
  }

  private Reply dispatch(Call call) {
    return replies.withBody(
        call,
        List.of("ref"),
        body ->
            workflow(call, Instant.MAX)
                .map(
                    found ->
                        replies.silent(
                            call,
                            Workflows.dispatch(
                                call.repository(),
                                found,
                                body.text("ref").orElseThrow(),
                                call.login())))
                .orElse(Reply.empty(404)));
  }

  private static Optional<Workflow> workflow(Call call, Instant asOf) {
    return Workflows.find(call.repository(), call.part(1), asOf);
  }
}
