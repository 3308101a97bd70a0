package dev.baton.state;

import dev.baton.core.Checks;
import dev.baton.core.Extra;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What Baton keeps in a state so that no older holder of its lock can write any more.
 *
 * @param serial grows with every write, so that no two contents are equal
 * @param snapshot the name in the history under which this very state is kept, if it is
 * @param tokens the newest one by the text of its {@link LockKey}
 */
public record Fencing(
    long serial, Optional<String> snapshot, Map<String, Fence> tokens, Extra extra) {

  /** Of a state that Baton has never written. */
  public static final Fencing NONE = new Fencing(0, Optional.empty(), Map.of(), Extra.NONE);

  public Fencing {
    Checks.notNegative("serial", serial);
    Objects.requireNonNull(snapshot, "snapshot");
    tokens = Collections.unmodifiableMap(new LinkedHashMap<>(tokens));
    Objects.requireNonNull(extra, "extra");
  }

  public Optional<Fence> of(LockKey key) {
    return Optional.ofNullable(tokens.get(key.text()));
  }

  /** The same for the next content, which this lock writes. */
  public Fencing next(LiveLock lock, Optional<String> nextSnapshot) {
    Map<String, Fence> all = new LinkedHashMap<>(tokens);
    all.put(lock.key().text(), Fence.of(lock));
    return new Fencing(serial + 1, nextSnapshot, all, extra);
  }
}
