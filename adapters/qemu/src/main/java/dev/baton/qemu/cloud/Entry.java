package dev.baton.qemu.cloud;

import dev.baton.vm.Kind;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.Owner;
import dev.baton.vm.spi.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A resource as it is written down, before anything of it is made and until all of it is gone.
 *
 * @param done whether it was made to the end
 */
record Entry(
    String id,
    Kind kind,
    String owner,
    String token,
    Instant createdAt,
    boolean done,
    Map<String, String> parameters,
    Map<String, String> attributes) {
  Entry {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(createdAt, "createdAt");
    parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
    attributes = Collections.unmodifiableMap(new LinkedHashMap<>(attributes));
  }

  Entry with(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(attributes);
    more.put(name, value);
    return new Entry(id, kind, owner, token, createdAt, done, parameters, more);
  }

  Entry without(String name) {
    Map<String, String> fewer = new LinkedHashMap<>(attributes);
    fewer.remove(name);
    return new Entry(id, kind, owner, token, createdAt, done, parameters, fewer);
  }

  Entry finished() {
    return new Entry(id, kind, owner, token, createdAt, true, parameters, attributes);
  }

  boolean isOn(Kind parent, String parentId) {
    return parentId.equals(parameters.get(parent.key()));
  }

  Found found(Phase phase, Instant now) {
    return new Found(
        kind,
        id,
        phase,
        Owner.of(owner),
        Optional.of(token),
        Duration.between(createdAt, now),
        attributes);
  }
}
