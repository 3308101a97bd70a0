package dev.baton.githubsim;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What a test or a demo does to a repository from the outside, free of charge and never late. */
public final class SimRepository {
  /**
   * A run at its latest attempt.
   *
   * @param conclusion nothing while it runs
   */
  public record RunView(long id, int attempt, Optional<String> conclusion, List<JobView> jobs) {}

  /**
   * @param conclusion nothing while it runs
   */
  public record JobView(long id, String name, String runnerName, Optional<String> conclusion) {}

  /**
   * A comment on an issue.
   *
   * @param reactions such as {@code eyes by ann}, oldest first
   */
  public record CommentView(long id, String author, String body, List<String> reactions) {}

  private final Repository repository;
  private final EventBodies events;

  SimRepository(Repository repository, EventBodies events) {
    this.repository = repository;
    this.events = events;
  }

  /** From now on every write is refused. */
  public void archive() {
    repository.archive(true);
  }

  public void unarchive() {
    repository.archive(false);
  }

  /** From now on the branch takes no direct write; refused as by a ruleset. */
  public void protect(String branch) {
    protect(branch, Protection.RULESET);
  }

  public void protect(String branch, Protection how) {
    repository.protect(branch, how);
  }

  public void unprotect(String branch) {
    repository.unprotect(branch);
  }

  /** Whether the repository has issues at all; without, every request for one is a 410. */
  public void issuesEnabled(boolean on) {
    repository.hasIssues(on);
  }

  /**
   * Runs between the check and the step of every write, on the thread of the request: the place
   * where races are lost. A barrier here makes a race certain.
   */
  public void beforeUpdate(Runnable action) {
    repository.beforeUpdate(action);
  }

  public Optional<String> head(String branch) {
    return repository.ref("refs/heads/" + branch, Instant.MAX).map(Repository.Ref::sha);
  }

  public Optional<String> fileText(String path, String branch) {
    return repository
        .file(path, Optional.of(branch), Instant.MAX)
        .map(found -> new String(found.blob().content(), StandardCharsets.UTF_8));
  }

  /** The messages of a branch's commits, newest first. */
  public List<String> messages(String branch) {
    return repository
        .history(Optional.of(branch), Optional.empty(), Instant.MAX)
        .orElse(List.of())
        .stream()
        .map(Commit::message)
        .toList();
  }

  // ---- issues

  /** Nothing where there is no such issue, or it has no body. */
  public Optional<String> issueBody(int number) {
    return repository.issues().get(number, Instant.MAX).flatMap(Issue::body);
  }

  /** Opens an issue by hand; returns its number. */
  public int openIssue(String title, String body, String by, String... labels) {
    return done(repository
            .issues()
            .create(
                new IssueChange(
                    Optional.of(title),
                    Optional.of(body),
                    Optional.empty(),
                    Optional.of(List.of(labels))),
                by))
        .number();
  }

  /** Somebody edits the body by hand. */
  public void editIssue(int number, String body, String by) {
    change(number, Optional.of(body), Optional.empty(), by);
  }

  /** Somebody closes the issue by hand. */
  public void closeIssue(int number, String by) {
    change(number, Optional.empty(), Optional.of("closed"), by);
  }

  public void reopenIssue(int number, String by) {
    change(number, Optional.empty(), Optional.of("open"), by);
  }

  private void change(int number, Optional<String> body, Optional<String> state, String by) {
    done(
        repository
            .issues()
            .edit(number, new IssueChange(Optional.empty(), body, state, Optional.empty()), by));
  }

  private static Issue done(Outcome<Issue> outcome) {
    if (outcome instanceof Outcome.Refused<Issue> refused) {
      throw new IllegalArgumentException(refused.message() + " " + refused.errors());
    }
    return ((Outcome.Done<Issue>) outcome).value();
  }

  public void lockIssue(int number) {
    repository.issues().lock(number, true, Optional.empty());
  }

  public void unlockIssue(int number) {
    repository.issues().lock(number, false, Optional.empty());
  }

  public void deleteIssue(int number) {
    repository.issues().delete(number);
  }

  /**
   * @param url the issue's address in the repository it was transferred to
   */
  public void moveIssue(int number, String url) {
    repository.issues().move(number, url);
  }

  // ---- people, comments, and what a workflow is told of them

  /**
   * What a person may do from now on.
   *
   * @param role {@code read}, {@code triage}, {@code write}, {@code maintain}, {@code admin},
   *     {@code none}, or one that an organization has made on top of {@code write}
   */
  public void role(String login, String role) {
    repository.role(login, role);
  }

  /** Somebody comments by hand; returns the comment's number. */
  public long comment(int issue, String body, String by) {
    Issues issues = repository.issues();
    Outcome<Comment> made =
        issues.changeComments(now -> issues.comments().create(issue, body, by, now));
    if (made instanceof Outcome.Done<Comment> done) {
      return done.value().id();
    }
    throw new IllegalArgumentException(made.toString());
  }

  /** Oldest first. */
  public List<CommentView> comments(int issue) {
    return repository.issues().comments().of(issue, Instant.MAX).stream()
        .map(
            c ->
                new CommentView(
                    c.id(),
                    c.author(),
                    c.body(),
                    repository.issues().reactions().of(c.id(), Instant.MAX).stream()
                        .map(r -> r.content() + " by " + r.author())
                        .toList()))
        .toList();
  }

  /**
   * What {@code GITHUB_EVENT_PATH} names in a workflow that the comment has started: {@code
   * issue_comment}.
   *
   * @param action {@code created}, or {@code edited}
   */
  public String commentEvent(long comment, String action) {
    return events.comment(repository, comment, action);
  }

  /**
   * The same in one that an edit of the issue's body has started: {@code issues}, {@code edited}.
   *
   * @param before the body until then
   */
  public String editEvent(int issue, String before, String by) {
    return events.edit(repository, issue, before, by);
  }

  // ---- runs

  public Optional<RunView> run(long id) {
    return repository.runs().get(id, Instant.MAX).map(SimRepository::view);
  }

  public RunView startRun(String workflow, String actor, String... jobs) {
    String branch = repository.defaultBranch();
    String head = head(branch).orElseThrow(() -> new IllegalStateException("no " + branch));
    Runs.Origin origin = new Runs.Origin(Workflow.named(workflow), "push", branch, head, actor);
    return view(repository.runs().start(origin, List.of(jobs)));
  }

  /**
   * @param conclusion {@code success}, {@code failure}, …
   */
  public RunView finishRun(long id, String conclusion) {
    return view(repository.runs().finish(id, conclusion));
  }

  public RunView cancelRun(long id) {
    return finishRun(id, "cancelled");
  }

  /** Ends one job while the run goes on. */
  public RunView finishJob(long id, long jobId, String conclusion) {
    return view(repository.runs().finishJob(id, jobId, conclusion));
  }

  /** A new attempt of a run that has ended. */
  public RunView rerun(long id) {
    Runs.Run run =
        repository
            .runs()
            .get(id, Instant.MAX)
            .orElseThrow(() -> new IllegalArgumentException("no run " + id));
    Outcome<Runs.Run> outcome = repository.runs().rerun(id, run.actor());
    if (outcome instanceof Outcome.Refused<Runs.Run> refused) {
      throw new IllegalStateException("run " + id + ": " + refused.message());
    }
    return view(((Outcome.Done<Runs.Run>) outcome).value());
  }

  private static RunView view(Runs.Run run) {
    return new RunView(
        run.id(),
        run.last().number(),
        run.last().conclusion(),
        run.last().jobs().stream()
            .map(job -> new JobView(job.id(), job.name(), job.runnerName(), job.conclusion()))
            .toList());
  }
}
