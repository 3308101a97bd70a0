package dev.baton.vm.internal.lifecycle;

import dev.baton.vm.Status;
import java.util.Objects;
import java.util.Optional;

/** Where an operation leads. */
public sealed interface Target {

  /** To a status. */
  record To(Status status) implements Target {
    public To {
      Objects.requireNonNull(status, "status");
    }
  }

  /** There is no state any more. */
  record Nothing() implements Target {}

  /** Back to where the destroy came from. */
  record Previous() implements Target {}

  /** {@code destroyed} with a snapshot, and no state without one. */
  record BySnapshot() implements Target {}

  /**
   * @param previous the {@code previous_status} that is in the state
   * @return empty: no state
   */
  default Optional<Status> resolve(Optional<Status> previous, boolean hasSnapshot) {
    if (this instanceof To to) {
      return Optional.of(to.status());
    } else if (this instanceof Previous) {
      return Optional.of(
          previous.orElseThrow(() -> new IllegalStateException("no previous_status is known")));
    } else if (this instanceof BySnapshot) {
      return hasSnapshot ? Optional.of(Status.DESTROYED) : Optional.empty();
    }
    return Optional.empty();
  }
}
