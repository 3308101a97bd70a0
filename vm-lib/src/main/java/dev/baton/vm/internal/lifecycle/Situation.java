package dev.baton.vm.internal.lifecycle;

import dev.baton.vm.Journal;
import dev.baton.vm.Status;
import dev.baton.vm.VmState;
import java.util.Objects;
import java.util.Optional;

/**
 * All that decides about an operation.
 *
 * @param status empty: no state
 * @param instanceMissing a destroy failed when the instance was gone already
 */
public record Situation(Optional<Status> status, boolean instanceMissing) {

  public Situation {
    Objects.requireNonNull(status, "status");
    if (instanceMissing && status.isEmpty()) {
      throw new IllegalArgumentException("without a state nothing can be missing");
    }
  }

  public static Situation of(Journal journal) {
    return new Situation(
        journal.status(), journal.state().filter(VmState::instanceMissing).isPresent());
  }

  public static Situation at(Status status) {
    return new Situation(Optional.of(status), false);
  }

  public static Situation nothing() {
    return new Situation(Optional.empty(), false);
  }

  public Situation withoutInstance() {
    return new Situation(status, true);
  }
}
