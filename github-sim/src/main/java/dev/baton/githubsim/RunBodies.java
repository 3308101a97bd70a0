package dev.baton.githubsim;

import static dev.baton.githubsim.Bodies.nodeId;
import static dev.baton.githubsim.Bodies.object;
import static dev.baton.githubsim.Bodies.time;

import java.util.List;
import java.util.Map;

/** What GitHub writes about workflows, their runs and jobs. */
final class RunBodies {
  private final Bodies bodies;
  private final RepositoryBodies repositories;

  RunBodies(Bodies bodies) {
    this.bodies = bodies;
    this.repositories = new RepositoryBodies(bodies);
  }

  Map<String, Object> run(Repository repository, Runs.Run run, Runs.Attempt attempt, Commit head) {
    String url = bodies.api(repository) + "/actions/runs/" + run.id();
    Workflow workflow = run.origin().workflow();
    String previous = attempt.number() == 1 ? null : url + "/attempts/" + (attempt.number() - 1);
    Map<String, Object> where = repositories.brief(repository);
    return object(
        "id",
        run.id(),
        "name",
        run.workflow(),
        "node_id",
        nodeId("WFR", run.id()),
        "head_branch",
        run.branch(),
        "head_sha",
        head.sha(),
        "path",
        workflow.path(),
        "run_number",
        run.number(),
        "event",
        run.origin().event(),
        "status",
        attempt.conclusion().isPresent() ? "completed" : "in_progress",
        "conclusion",
        attempt.conclusion().orElse(null),
        "workflow_id",
        workflow.id(),
        "check_suite_id",
        run.id() + 5_000_000_000L,
        "check_suite_node_id",
        nodeId("CS", run.id() + 5_000_000_000L),
        "url",
        url,
        "html_url",
        bodies.html(repository) + "/actions/runs/" + run.id(),
        "pull_requests",
        List.of(),
        "created_at",
        time(run.createdAt()),
        "updated_at",
        time(attempt.updatedAt()),
        "actor",
        bodies.user(run.actor()),
        "run_attempt",
        attempt.number(),
        "referenced_workflows",
        List.of(),
        "run_started_at",
        time(attempt.startedAt()),
        "triggering_actor",
        bodies.user(attempt.actor()),
        "jobs_url",
        url + "/jobs",
        "logs_url",
        url + "/logs",
        "check_suite_url",
        bodies.api(repository) + "/check-suites/" + (run.id() + 5_000_000_000L),
        "artifacts_url",
        url + "/artifacts",
        "cancel_url",
        url + "/cancel",
        "rerun_url",
        url + "/rerun",
        "previous_attempt_url",
        previous,
        "workflow_url",
        bodies.api(repository) + "/actions/workflows/" + workflow.id(),
        "head_commit",
        headCommit(head),
        "repository",
        where,
        "head_repository",
        where);
  }

  Map<String, Object> workflow(Repository repository, Workflow workflow) {
    String page = bodies.html(repository) + "/blob/" + repository.defaultBranch();
    // GitHub says when the file was made and changed; the sim keeps no such dates.
    String made = time(repository.createdAt());
    return object(
        "id",
        workflow.id(),
        "node_id",
        nodeId("W", workflow.id()),
        "name",
        workflow.name(),
        "path",
        workflow.path(),
        "state",
        "active",
        "created_at",
        made,
        "updated_at",
        made,
        "url",
        bodies.api(repository) + "/actions/workflows/" + workflow.id(),
        "html_url",
        page + "/" + workflow.path(),
        "badge_url",
        bodies.html(repository) + "/workflows/" + Bodies.encode(workflow.name()) + "/badge.svg");
  }

  private static Map<String, Object> headCommit(Commit head) {
    Map<String, Object> author =
        object("name", head.author().name(), "email", head.author().email());
    Map<String, Object> committer =
        object("name", head.committer().name(), "email", head.committer().email());
    return object(
        "id", head.sha(),
        "tree_id", head.tree().sha(),
        "message", head.message(),
        "timestamp", time(head.at()),
        "author", author,
        "committer", committer);
  }

  Map<String, Object> job(
      Repository repository, Runs.Run run, Runs.Attempt attempt, Runs.Job job, Commit head) {
    String page = bodies.html(repository) + "/actions/runs/" + run.id() + "/job/" + job.id();
    return object(
        "id", job.id(),
        "run_id", run.id(),
        "workflow_name", run.workflow(),
        "head_branch", run.branch(),
        "run_url", bodies.api(repository) + "/actions/runs/" + run.id(),
        "run_attempt", attempt.number(),
        "node_id", nodeId("CR", job.id()),
        "head_sha", head.sha(),
        "url", bodies.api(repository) + "/actions/jobs/" + job.id(),
        "html_url", page,
        "status", job.completedAt().isPresent() ? "completed" : "in_progress",
        "conclusion", job.conclusion().orElse(null),
        "created_at", time(job.startedAt()),
        "started_at", time(job.startedAt()),
        "completed_at", job.completedAt().map(Bodies::time).orElse(null),
        "name", job.name(),
        "steps", steps(job),
        "check_run_url", bodies.api(repository) + "/check-runs/" + job.id(),
        "labels", List.of("ubuntu-latest"),
        "runner_id", job.id() % 1000,
        "runner_name", job.runnerName(),
        "runner_group_id", 2,
        "runner_group_name", "GitHub Actions");
  }

  /** What a runner does around a step of one's own. */
  private static List<Object> steps(Runs.Job job) {
    boolean over = job.completedAt().isPresent();
    String start = time(job.startedAt());
    String end = job.completedAt().map(Bodies::time).orElse(null);
    return List.of(
        step("Set up job", 1, "completed", "success", start, start),
        step(
            "Run " + job.name(),
            2,
            over ? "completed" : "in_progress",
            job.conclusion().orElse(null),
            start,
            end),
        step(
            "Complete job",
            3,
            over ? "completed" : "queued",
            over ? "success" : null,
            over ? end : null,
            end));
  }

  private static Map<String, Object> step(
      String name, int number, String status, String conclusion, String start, String end) {
    return object(
        "name", name,
        "status", status,
        "conclusion", conclusion,
        "number", number,
        "started_at", start,
        "completed_at", end);
  }
}
