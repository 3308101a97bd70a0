package dev.baton.state;

import dev.baton.core.Checks;
import dev.baton.core.Extra;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The state of a deployment, in the format {@value #FORMAT}. Immutable. What Baton does not know is
 * kept, at every level.
 *
 * @param version as the deployer numbers it
 * @param resources by name; what is in them is for the deployer alone
 * @param outputs likewise
 * @param history the newest deployment first
 * @param verified whether the checksums are Baton's and were right; those of another program cannot
 *     be checked, as the format does not say what they are of
 */
public record DeploymentState(
    String version,
    StateMetadata metadata,
    LockSection lock,
    Map<String, Object> resources,
    Map<String, Object> outputs,
    List<Deployment> history,
    Fencing fencing,
    boolean verified,
    Extra extra) {

  public static final String FORMAT = "deployer-state-v1";
  public static final String FIRST_VERSION = "1.0.0";
  public static final int HISTORY_KEPT = 50;

  public DeploymentState {
    Checks.line("version", version, 1, StateMetadata.MAX_TEXT);
    Objects.requireNonNull(metadata, "metadata");
    Objects.requireNonNull(lock, "lock");
    resources = Collections.unmodifiableMap(new LinkedHashMap<>(resources));
    outputs = Collections.unmodifiableMap(new LinkedHashMap<>(outputs));
    history = List.copyOf(history);
    Objects.requireNonNull(fencing, "fencing");
    Objects.requireNonNull(extra, "extra");
  }

  /** One without resources, that was never saved. */
  public static DeploymentState empty(StateKey key) {
    return new DeploymentState(
        FIRST_VERSION,
        StateMetadata.of(key),
        LockSection.FREE,
        Map.of(),
        Map.of(),
        List.of(),
        Fencing.NONE,
        true,
        Extra.NONE);
  }

  public StateKey key() {
    return metadata.key();
  }

  public DeploymentState with(StateMetadata next) {
    return new DeploymentState(
        version, next, lock, resources, outputs, history, fencing, verified, extra);
  }

  public DeploymentState with(LockSection next) {
    return new DeploymentState(
        version, metadata, next, resources, outputs, history, fencing, verified, extra);
  }

  public DeploymentState with(Fencing next) {
    return new DeploymentState(
        version, metadata, lock, resources, outputs, history, next, verified, extra);
  }

  public DeploymentState withResources(Map<String, Object> next) {
    return new DeploymentState(
        version, metadata, lock, next, outputs, history, fencing, verified, extra);
  }

  public DeploymentState withOutputs(Map<String, Object> next) {
    return new DeploymentState(
        version, metadata, lock, resources, next, history, fencing, verified, extra);
  }

  public DeploymentState withHistory(List<Deployment> next) {
    return new DeploymentState(
        version, metadata, lock, resources, outputs, next, fencing, verified, extra);
  }

  /** With one more deployment; the oldest beyond {@link #HISTORY_KEPT} are let go. */
  public DeploymentState with(Optional<Deployment> deployment) {
    if (deployment.isEmpty()) {
      return this;
    }
    List<Deployment> all = new ArrayList<>(List.of(deployment.get()));
    history.stream().filter(d -> !d.id().equals(deployment.get().id())).forEach(all::add);
    return withHistory(all.subList(0, Math.min(all.size(), HISTORY_KEPT)));
  }
}
