package dev.baton.state;

import dev.baton.core.Checks;
import dev.baton.core.Extra;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * One deployment of a stack: an entry of {@code deployment_history}.
 *
 * @param triggeredBy who, for people
 * @param version of what was deployed
 * @param status such as {@code success}
 */
public record Deployment(
    String id,
    Instant at,
    Optional<String> triggeredBy,
    Optional<String> gitCommit,
    Optional<String> version,
    Optional<String> status,
    Optional<Duration> duration,
    Optional<Changes> changes,
    Extra extra) {

  /** How many resources it has changed. */
  public record Changes(long created, long updated, long deleted, Extra extra) {
    public Changes {
      Checks.notNegative("created", created);
      Checks.notNegative("updated", updated);
      Checks.notNegative("deleted", deleted);
      Objects.requireNonNull(extra, "extra");
    }
  }

  public Deployment {
    Checks.line("deployment_id", id, 1, StateMetadata.MAX_TEXT);
    Objects.requireNonNull(at, "at");
    triggeredBy.ifPresent(t -> Checks.line("triggered_by", t, 0, StateMetadata.MAX_TEXT));
    gitCommit.ifPresent(t -> Checks.line("git_commit", t, 0, StateMetadata.MAX_TEXT));
    version.ifPresent(t -> Checks.line("version", t, 0, StateMetadata.MAX_TEXT));
    status.ifPresent(t -> Checks.line("status", t, 0, StateMetadata.MAX_TEXT));
    Objects.requireNonNull(duration, "duration");
    Objects.requireNonNull(changes, "changes");
    Objects.requireNonNull(extra, "extra");
  }
}
