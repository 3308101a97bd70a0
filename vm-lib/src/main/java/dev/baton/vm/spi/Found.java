package dev.baton.vm.spi;

import dev.baton.vm.Kind;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A resource as its cloud describes it.
 *
 * @param owner empty when it has no mark of ours
 * @param token that it was created with, where the provider can tell
 * @param age by the cloud's own clock
 * @param attributes what is worth recording: {@code ip} of an instance or address, {@code instance}
 *     that an address is bound to, {@code host_key}, {@code cidr}, …; and {@link
 *     #BILLED_WHILE_STOPPED}
 */
public record Found(
    Kind kind,
    String id,
    Phase phase,
    Optional<Owner> owner,
    Optional<String> token,
    Duration age,
    Map<String, String> attributes) {

  /** Set to {@code true} of an instance that is stopped and costs as much as if it ran. */
  public static final String BILLED_WHILE_STOPPED = "billed_while_stopped";

  public Found {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(phase, "phase");
    Objects.requireNonNull(owner, "owner");
    Objects.requireNonNull(token, "token");
    Objects.requireNonNull(age, "age");
    attributes = Collections.unmodifiableMap(new LinkedHashMap<>(attributes));
  }

  /** Of an instance: it does not run, nor is it on its way to. */
  public boolean isDown() {
    return phase == Phase.STOPPED || phase == Phase.SUSPENDED;
  }

  public boolean isBilledWhileStopped() {
    return isDown() && "true".equals(attributes.get(BILLED_WHILE_STOPPED));
  }
}
