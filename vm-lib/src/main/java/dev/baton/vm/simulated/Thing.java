package dev.baton.vm.simulated;

import dev.baton.vm.Kind;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.Owner;
import dev.baton.vm.spi.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A resource in the simulated cloud: a file that a person may edit or delete.
 *
 * @param then the phase that it goes over to at {@code thenAt}
 * @param releaseAt when it goes by itself
 */
record Thing(
    String id,
    Kind kind,
    String owner,
    String token,
    Phase phase,
    Optional<Phase> then,
    Instant thenAt,
    Instant createdAt,
    Instant visibleAt,
    Optional<Instant> releaseAt,
    Map<String, String> parameters,
    Map<String, String> attributes) {

  Phase phase(Instant now) {
    return then.isPresent() && !now.isBefore(thenAt) ? then.get() : phase;
  }

  boolean isVisible(Instant now) {
    return !now.isBefore(visibleAt);
  }

  /** Deleted, or gone by itself. */
  boolean isGone(Instant now) {
    return phase == Phase.DELETING && !now.isBefore(thenAt)
        || releaseAt.filter(at -> !now.isBefore(at)).isPresent();
  }

  Thing passing(Phase through, Optional<Phase> to, Instant at) {
    return new Thing(
        id,
        kind,
        owner,
        token,
        through,
        to,
        at,
        createdAt,
        visibleAt,
        releaseAt,
        parameters,
        attributes);
  }

  Thing releasedAt(Optional<Instant> at) {
    return new Thing(
        id,
        kind,
        owner,
        token,
        phase,
        then,
        thenAt,
        createdAt,
        visibleAt,
        at,
        parameters,
        attributes);
  }

  Thing with(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(attributes);
    if (value == null) {
      more.remove(name);
    } else {
      more.put(name, value);
    }
    return new Thing(
        id,
        kind,
        owner,
        token,
        phase,
        then,
        thenAt,
        createdAt,
        visibleAt,
        releaseAt,
        parameters,
        more);
  }

  boolean isOn(Kind parent, String parentId) {
    return parentId.equals(parameters.get(parent.key()));
  }

  Found found(Instant now) {
    Duration age = Duration.between(createdAt, now);
    return new Found(
        kind,
        id,
        phase(now),
        Owner.of(owner),
        token.isEmpty() ? Optional.empty() : Optional.of(token),
        age.isNegative() ? Duration.ZERO : age,
        attributes);
  }
}
