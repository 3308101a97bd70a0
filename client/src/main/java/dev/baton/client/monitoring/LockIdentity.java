package dev.baton.client.monitoring;

import dev.baton.state.LockKey;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What the lock is called that a report is about.
 *
 * @param key of the lock of a deployment; empty for any other queue
 * @param queue where it is, for people; never with a secret in it
 */
record LockIdentity(Optional<LockKey> key, String queue) {

  String lockKey() {
    return key.map(LockKey::text).orElse(queue);
  }

  /** What metrics are told apart by. */
  Map<String, String> dimensions() {
    Map<String, String> all = new LinkedHashMap<>();
    if (key.isPresent()) {
      all.put("Stack", key.get().state().stack());
      all.put("Environment", key.get().state().environment());
      all.put("LockLevel", key.get().level().id());
    } else {
      all.put("Queue", queue);
    }
    return all;
  }
}
