package dev.baton.githubsim;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What a test or a demo does to a repository from the outside, free of charge and never late. */
public final class SimRepository {
  /** A run at its latest attempt. */
  public record RunView(long id, int attempt, List<JobView> jobs) {}

  public record JobView(long id, String name, String runnerName) {}

  private final Repository repository;

  SimRepository(Repository repository) {
    this.repository = repository;
  }

  /** From now on every write is refused. */
  public void archive() {
    repository.archive(true);
  }

  /** From now on the branch takes no direct write. */
  public void protect(String branch) {
    repository.protect(branch);
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

  public void lockIssue(int number) {
    repository.issues().lock(number, true);
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

  // ---- runs

  public RunView startRun(String workflow, String actor, String... jobs) {
    String branch = repository.defaultBranch();
    String head = head(branch).orElseThrow(() -> new IllegalStateException("no " + branch));
    return view(repository.runs().start(workflow, branch, head, actor, List.of(jobs)));
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
    return view(repository.runs().rerun(id));
  }

  private static RunView view(Runs.Run run) {
    return new RunView(
        run.id(),
        run.last().number(),
        run.last().jobs().stream()
            .map(job -> new JobView(job.id(), job.name(), job.runnerName()))
            .toList());
  }
}
