package dev.baton.vm;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How a VM is.
 *
 * @param state empty: nothing is deployed
 * @param lock who works on it, or was at it when it stopped
 * @param lockExpired the next operation takes that lock over by itself
 * @param lockAge since it was taken
 * @param corrected what an interrupted operation had left and this look has put right
 * @param cleanup what is still to be deleted
 * @param facts what the provider likes people to know of the instance, such as what accelerates it
 * @param cloud what the cloud says where it differs from the state, in sentences
 * @param advice what to do next, in sentences
 * @param at the time of the store
 */
public record StatusReport(
    VmName name,
    Optional<VmState> state,
    Optional<LockRecord> lock,
    boolean lockExpired,
    Optional<Duration> lockAge,
    Optional<Correction> corrected,
    Optional<Backup> backup,
    List<Cleanup> cleanup,
    Map<String, String> facts,
    List<String> cloud,
    List<String> advice,
    Instant at) {

  /** A status that was put right. */
  public record Correction(Status from, Status to) {}

  public StatusReport {
    cleanup = List.copyOf(cleanup);
    facts = Collections.unmodifiableMap(new LinkedHashMap<>(facts));
    cloud = List.copyOf(cloud);
    advice = List.copyOf(advice);
  }
}
