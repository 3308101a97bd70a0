package dev.baton.githubsim;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What GitHub writes about each thing: names, order and types as its answers have them. */
final class Bodies {
  private final String api;
  private final String html;

  Bodies(String api, String html) {
    this.api = api;
    this.html = html;
  }

  String api(Repository repository) {
    return api + "/repos/" + repository.name();
  }

  private String html(Repository repository) {
    return html + "/" + repository.name();
  }

  Map<String, Object> error(
      int status, String message, List<Map<String, Object>> errors, String documentation) {
    Map<String, Object> body = object("message", message);
    if (!errors.isEmpty()) {
      body.put("errors", errors);
    }
    body.put("documentation_url", "https://docs.github.com/rest" + documentation);
    body.put("status", Integer.toString(status));
    return body;
  }

  Map<String, Object> repository(Repository repository) {
    return object(
        "id", repository.id(),
        "node_id", nodeId("Repository", repository.id()),
        "name", repository.name().repo(),
        "full_name", repository.name().toString(),
        "private", repository.isPrivate(),
        "owner", user(repository.name().owner()),
        "html_url", html(repository),
        "description", null,
        "fork", false,
        "url", api(repository),
        "archived", repository.archived(),
        "disabled", false,
        "has_issues", repository.hasIssues(),
        "visibility", repository.isPrivate() ? "private" : "public",
        "default_branch", repository.defaultBranch());
  }

  // ---- git

  Map<String, Object> ref(Repository repository, Repository.Ref ref) {
    return object(
        "ref", ref.name(),
        "node_id", nodeId("REF", ref.name()),
        "url", refUrl(repository, ref),
        "object",
            object(
                "sha",
                ref.sha(),
                "type",
                "commit",
                "url",
                api(repository) + "/git/commits/" + ref.sha()));
  }

  String refUrl(Repository repository, Repository.Ref ref) {
    return api(repository) + "/git/" + ref.name();
  }

  Map<String, Object> file(Repository repository, Repository.Found found) {
    Map<String, Object> body = about(repository, found.path(), found.ref(), found.blob());
    Object links = body.remove("_links");
    body.put("content", base64(found.blob()));
    body.put("encoding", "base64");
    body.put("_links", links);
    return body;
  }

  Map<String, Object> written(Repository repository, Repository.Written written) {
    return object(
        "content",
            written
                .blob()
                .map(blob -> about(repository, written.path(), written.branch(), blob))
                .orElse(null),
        "commit", gitCommit(repository, written.commit()));
  }

  /** A commit as the git part of the API shows it. */
  Map<String, Object> gitCommit(Repository repository, Commit commit) {
    return object(
        "sha", commit.sha(),
        "node_id", nodeId("C", commit.sha()),
        "url", gitUrl(repository, "commits", commit.sha()),
        "html_url", html(repository) + "/commit/" + commit.sha(),
        "author", person(commit.author()),
        "committer", person(commit.committer()),
        "tree", treeOf(repository, commit),
        "message", commit.message(),
        "parents", parents(repository, commit, "/git/commits/"),
        "verification", unsigned());
  }

  String gitUrl(Repository repository, String kind, String sha) {
    return api(repository) + "/git/" + kind + "/" + sha;
  }

  Map<String, Object> madeBlob(Repository repository, Blob blob) {
    return object("sha", blob.sha(), "url", gitUrl(repository, "blobs", blob.sha()));
  }

  Map<String, Object> blob(Repository repository, Blob blob) {
    return object(
        "sha", blob.sha(),
        "node_id", nodeId("B", blob.sha()),
        "size", blob.size(),
        "url", gitUrl(repository, "blobs", blob.sha()),
        "content", base64(blob),
        "encoding", "base64");
  }

  Map<String, Object> tree(Repository repository, Tree tree, boolean recursive) {
    List<Tree.Entry> entries = new ArrayList<>();
    if (recursive) {
      new TreeMap<>(tree.files())
          .forEach((path, blob) -> entries.add(new Tree.Entry(path, blob.sha(), blob.size())));
    } else {
      entries.addAll(tree.entries());
    }
    List<Object> shown = new ArrayList<>();
    for (Tree.Entry entry : entries) {
      Map<String, Object> body =
          object(
              "path",
              entry.path(),
              "mode",
              entry.folder() ? "040000" : "100644",
              "type",
              entry.folder() ? "tree" : "blob",
              "sha",
              entry.sha());
      if (!entry.folder()) {
        body.put("size", entry.size());
      }
      body.put("url", gitUrl(repository, entry.folder() ? "trees" : "blobs", entry.sha()));
      shown.add(body);
    }
    return object(
        "sha",
        tree.sha(),
        "url",
        gitUrl(repository, "trees", tree.sha()),
        "tree",
        shown,
        "truncated",
        false);
  }

  /** GitHub breaks its Base64 into lines and ends the last one too. */
  private static String base64(Blob blob) {
    String text = Base64.getMimeEncoder(60, new byte[] {'\n'}).encodeToString(blob.content());
    return text.isEmpty() ? "" : text + "\n";
  }

  /** An entry of the list of commits. */
  Map<String, Object> commit(Repository repository, Commit commit) {
    String url = api(repository) + "/commits/" + commit.sha();
    return object(
        "sha", commit.sha(),
        "node_id", nodeId("C", commit.sha()),
        "commit",
            object(
                "author",
                person(commit.author()),
                "committer",
                person(commit.committer()),
                "message",
                commit.message(),
                "tree",
                treeOf(repository, commit),
                "url",
                api(repository) + "/git/commits/" + commit.sha(),
                "comment_count",
                0,
                "verification",
                unsigned()),
        "url", url,
        "html_url", html(repository) + "/commit/" + commit.sha(),
        "comments_url", url + "/comments",
        "author", user(commit.login()),
        "committer", user(commit.login()),
        "parents", parents(repository, commit, "/commits/"));
  }

  private Map<String, Object> about(Repository repository, String path, String ref, Blob blob) {
    String encoded =
        Arrays.stream(path.split("/")).map(Bodies::encode).collect(Collectors.joining("/"));
    String self = api(repository) + "/contents/" + encoded + "?ref=" + ref;
    String git = api(repository) + "/git/blobs/" + blob.sha();
    String page = html(repository) + "/blob/" + ref + "/" + encoded;
    return object(
        "name",
        path.substring(path.lastIndexOf('/') + 1),
        "path",
        path,
        "sha",
        blob.sha(),
        "size",
        blob.size(),
        "url",
        self,
        "html_url",
        page,
        "git_url",
        git,
        "download_url",
        html(repository) + "/raw/" + ref + "/" + encoded,
        "type",
        "file",
        "_links",
        object("self", self, "git", git, "html", page));
  }

  private Map<String, Object> treeOf(Repository repository, Commit commit) {
    String sha = commit.tree().sha();
    return object("sha", sha, "url", gitUrl(repository, "trees", sha));
  }

  private List<Object> parents(Repository repository, Commit commit, String folder) {
    List<Object> all = new ArrayList<>();
    for (String sha : commit.parents()) {
      all.add(
          object(
              "sha", sha,
              "url", api(repository) + folder + sha,
              "html_url", html(repository) + "/commit/" + sha));
    }
    return all;
  }

  private static Map<String, Object> person(Person person) {
    return object("name", person.name(), "email", person.email(), "date", time(person.at()));
  }

  private static Map<String, Object> unsigned() {
    return object("verified", false, "reason", "unsigned", "signature", null, "payload", null);
  }

  // ---- issues

  String issueUrl(Repository repository, int number) {
    return api(repository) + "/issues/" + number;
  }

  Map<String, Object> issue(Repository repository, Issue issue) {
    String url = issueUrl(repository, issue.number());
    return object(
        "url", url,
        "repository_url", api(repository),
        "labels_url", url + "/labels{/name}",
        "comments_url", url + "/comments",
        "events_url", url + "/events",
        "html_url", html(repository) + "/issues/" + issue.number(),
        "id", issue.id(),
        "node_id", nodeId("I", issue.id()),
        "number", issue.number(),
        "title", issue.title(),
        "user", user(issue.author()),
        "labels", issue.labels().stream().map(label -> label(repository, label)).toList(),
        "state", issue.open() ? "open" : "closed",
        "locked", issue.locked(),
        "assignee", null,
        "assignees", List.of(),
        "milestone", null,
        "comments", 0,
        "created_at", time(issue.createdAt()),
        "updated_at", time(issue.updatedAt()),
        "closed_at", issue.closedAt().map(Bodies::time).orElse(null),
        "author_association", repository.association(issue.author()),
        "active_lock_reason", issue.locked() ? "resolved" : null,
        "body", issue.body().orElse(null),
        "closed_by", issue.closedBy().map(this::user).orElse(null),
        "reactions", reactions(url),
        "timeline_url", url + "/timeline",
        "performed_via_github_app", null,
        "state_reason", issue.open() ? null : "completed");
  }

  Map<String, Object> label(Repository repository, Label label) {
    return object(
        "id", label.id(),
        "node_id", nodeId("LA", label.id()),
        "url", api(repository) + "/labels/" + encode(label.name()),
        "name", label.name(),
        "color", label.color(),
        "default", false,
        "description", label.description().orElse(null));
  }

  private static Map<String, Object> reactions(String issueUrl) {
    Map<String, Object> body = object("url", issueUrl + "/reactions", "total_count", 0);
    for (String kind :
        List.of("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")) {
      body.put(kind, 0);
    }
    return body;
  }

  private Map<String, Object> user(String login) {
    String url = api + "/users/" + encode(login);
    // Any stable number will do.
    int id = 100_000 + Math.floorMod(login.hashCode(), 10_000_000);
    return object(
        "login", login,
        "id", id,
        "node_id", nodeId("User", id),
        "avatar_url", html + "/avatars/u/" + id + "?v=4",
        "gravatar_id", "",
        "url", url,
        "html_url", html + "/" + encode(login),
        "followers_url", url + "/followers",
        "following_url", url + "/following{/other_user}",
        "gists_url", url + "/gists{/gist_id}",
        "starred_url", url + "/starred{/owner}{/repo}",
        "subscriptions_url", url + "/subscriptions",
        "organizations_url", url + "/orgs",
        "repos_url", url + "/repos",
        "events_url", url + "/events{/privacy}",
        "received_events_url", url + "/received_events",
        "type", login.endsWith("[bot]") ? "Bot" : "User",
        "site_admin", false);
  }

  // ---- runs

  Map<String, Object> run(Repository repository, Runs.Run run, Runs.Attempt attempt, Commit head) {
    String url = api(repository) + "/actions/runs/" + run.id();
    long workflowId = 6_820_000 + Math.floorMod(run.workflow().hashCode(), 1000);
    String previous = attempt.number() == 1 ? null : url + "/attempts/" + (attempt.number() - 1);
    Map<String, Object> where =
        object(
            "id", repository.id(),
            "name", repository.name().repo(),
            "full_name", repository.name().toString(),
            "private", repository.isPrivate());
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
        ".github/workflows/" + run.workflow() + ".yml",
        "run_number",
        run.number(),
        "event",
        "push",
        "status",
        attempt.conclusion().isPresent() ? "completed" : "in_progress",
        "conclusion",
        attempt.conclusion().orElse(null),
        "workflow_id",
        workflowId,
        "check_suite_id",
        run.id() + 5_000_000_000L,
        "check_suite_node_id",
        nodeId("CS", run.id() + 5_000_000_000L),
        "url",
        url,
        "html_url",
        html(repository) + "/actions/runs/" + run.id(),
        "pull_requests",
        List.of(),
        "created_at",
        time(run.createdAt()),
        "updated_at",
        time(attempt.updatedAt()),
        "actor",
        user(run.actor()),
        "run_attempt",
        attempt.number(),
        "referenced_workflows",
        List.of(),
        "run_started_at",
        time(attempt.startedAt()),
        "triggering_actor",
        user(run.actor()),
        "jobs_url",
        url + "/jobs",
        "logs_url",
        url + "/logs",
        "check_suite_url",
        api(repository) + "/check-suites/" + (run.id() + 5_000_000_000L),
        "artifacts_url",
        url + "/artifacts",
        "cancel_url",
        url + "/cancel",
        "rerun_url",
        url + "/rerun",
        "previous_attempt_url",
        previous,
        "workflow_url",
        api(repository) + "/actions/workflows/" + workflowId,
        "head_commit",
        headCommit(head),
        "repository",
        where,
        "head_repository",
        where);
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
    String page = html(repository) + "/actions/runs/" + run.id() + "/job/" + job.id();
    return object(
        "id", job.id(),
        "run_id", run.id(),
        "workflow_name", run.workflow(),
        "head_branch", run.branch(),
        "run_url", api(repository) + "/actions/runs/" + run.id(),
        "run_attempt", attempt.number(),
        "node_id", nodeId("CR", job.id()),
        "head_sha", head.sha(),
        "url", api(repository) + "/actions/jobs/" + job.id(),
        "html_url", page,
        "status", job.completedAt().isPresent() ? "completed" : "in_progress",
        "conclusion", job.conclusion().orElse(null),
        "created_at", time(job.startedAt()),
        "started_at", time(job.startedAt()),
        "completed_at", job.completedAt().map(Bodies::time).orElse(null),
        "name", job.name(),
        "steps", steps(job),
        "check_run_url", api(repository) + "/check-runs/" + job.id(),
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

  // ---- small parts

  static Map<String, Object> quota(Budget.Quota quota) {
    return object(
        "limit", quota.limit(),
        "used", quota.used(),
        "remaining", quota.remaining(),
        "reset", quota.reset().getEpochSecond());
  }

  /** Names and values in turn; a null value stays as JSON's null. */
  static Map<String, Object> object(Object... namesAndValues) {
    Map<String, Object> made = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      made.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    return made;
  }

  private static String time(Instant at) {
    return at.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  private static String nodeId(String kind, Object id) {
    return kind
        + "_"
        + Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(id.toString().getBytes(StandardCharsets.UTF_8));
  }

  static String encode(String segment) {
    return URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
