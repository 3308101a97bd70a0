package dev.baton.state;

import dev.baton.core.Checks;
import dev.baton.core.Extra;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/** Whose state it is, and who wrote it last for what. */
public record StateMetadata(
    StateKey key,
    Optional<Instant> lastUpdated,
    Optional<String> lastUpdatedBy,
    Optional<String> deploymentId,
    Optional<String> gitCommit,
    Optional<String> gitBranch,
    Extra extra) {

  public static final int MAX_TEXT = 200;

  public StateMetadata {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(lastUpdated, "lastUpdated");
    lastUpdatedBy.ifPresent(t -> Checks.line("last_updated_by", t, 0, MAX_TEXT));
    deploymentId.ifPresent(t -> Checks.line("deployment_id", t, 0, MAX_TEXT));
    gitCommit.ifPresent(t -> Checks.line("git_commit", t, 0, MAX_TEXT));
    gitBranch.ifPresent(t -> Checks.line("git_branch", t, 0, MAX_TEXT));
    Objects.requireNonNull(extra, "extra");
  }

  public static StateMetadata of(StateKey key) {
    return new StateMetadata(
        key,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Extra.NONE);
  }
}
