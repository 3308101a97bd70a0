package dev.baton.action;

import dev.baton.queue.RunRef;
import dev.baton.queue.github.GitHubSpace;
import dev.baton.queue.spi.Waker;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Runs the jobs of parked tickets again: with the token of the step those of its own repository,
 * with a {@code wake-token} all that it reaches. Safe for use by several threads.
 */
final class StepWaker implements Waker {

  private final GitHubSpace space;
  private final Optional<String> only;
  private final Map<String, Waker> wakers = new ConcurrentHashMap<>();

  /**
   * Nothing is asked yet.
   *
   * @param only the one repository whose jobs are run again; empty: whichever the token reaches
   */
  StepWaker(GitHubSpace space, Optional<String> only) {
    this.space = Objects.requireNonNull(space, "space");
    this.only = Objects.requireNonNull(only, "only");
  }

  private Waker of(RunRef job) {
    return wakers.computeIfAbsent(only.orElse(job.repository()), r -> space.waker(Set.of(r)));
  }

  @Override
  public Optional<String> whyNotToPark(RunRef job) {
    return of(job).whyNotToPark(job);
  }

  @Override
  public Optional<String> whyNotToWake(RunRef job) {
    return of(job).whyNotToWake(job);
  }

  @Override
  public Optional<Attempt> lastAttempt(RunRef job) {
    return of(job).lastAttempt(job);
  }

  @Override
  public Answer wake(RunRef job) {
    return of(job).wake(job);
  }
}
