package dev.baton.vm;

import dev.baton.core.Checks;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * What an operation came to.
 *
 * @param timestamp when it began, by the store's clock
 * @param from empty: there was no state
 * @param to empty: there is no state any more
 * @param error empty exactly when it succeeded
 * @param note what people should know although it succeeded
 */
public record HistoryRecord(
    Instant timestamp,
    Operation operation,
    Optional<Status> from,
    Optional<Status> to,
    String clientId,
    Optional<String> error,
    Optional<String> note,
    Duration duration,
    long fencing) {

  public HistoryRecord {
    Objects.requireNonNull(timestamp, "timestamp");
    Objects.requireNonNull(operation, "operation");
    Objects.requireNonNull(from, "from");
    Objects.requireNonNull(to, "to");
    Checks.line("client_id", clientId, 1, LockRecord.MAX_CLIENT);
    error = error.map(Texts::error);
    note = note.map(Texts::error);
    Objects.requireNonNull(duration, "duration");
    if (duration.isNegative()) {
      throw new IllegalArgumentException("duration must not be negative: " + duration);
    }
    Checks.positive("fencing", fencing);
  }

  public boolean isSuccess() {
    return error.isEmpty();
  }
}
