package dev.baton.vm.spi;

import dev.baton.core.Checks;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Kind;
import dev.baton.vm.Resource;
import dev.baton.vm.VmName;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A cloud. Implementations are safe for use by several threads and keep nothing that is not in the
 * cloud itself: the next call may come from another machine.
 *
 * <p>No method retries, waits for a resource to become ready, or remembers: all that is done by
 * those who call. Every method but {@link #plan} and {@link #elsewhere} may throw {@link
 * StoppedException} by way of its {@link Cancel}.
 */
public interface Provider {

  Traits traits();

  /**
   * Whether that could be had, as far as the cloud can tell beforehand: types, images, quotas.
   *
   * @param toCreate the kinds that are still to be created
   */
  void validate(DeploySpec spec, Set<Kind> toCreate, Cancel cancel)
      throws ProviderException, InterruptedException;

  /**
   * What {@link #create} is to be asked for. Pure, and without a secret: it is written to the
   * journal. Parents are named by their {@link Kind#key}.
   *
   * @param have what was created before
   * @param snapshot what the disk starts from
   */
  Map<String, String> plan(
      Kind kind, DeploySpec spec, Map<Kind, Resource> have, Optional<String> snapshot);

  /**
   * What to deploy instead when the instance is sold out where its subnet is: the same, with less
   * to choose from. Pure.
   *
   * @param have what was created before
   * @return empty: there is no other place
   */
  Optional<DeploySpec> elsewhere(DeploySpec spec, Map<Kind, Resource> have);

  /**
   * Creates a resource that has its owner's mark from the first moment on. Where the cloud has
   * client tokens, the same token with the same parameters gives the same resource.
   */
  Found create(Request request, Cancel cancel) throws ProviderException, InterruptedException;

  /** Empty: there is no such resource, or the cloud does not show it yet. */
  Optional<Found> describe(Kind kind, String id, Cancel cancel)
      throws ProviderException, InterruptedException;

  /**
   * Begins to delete it.
   *
   * @throws ProviderException with {@code NOT_FOUND} when it is gone already
   */
  void delete(Kind kind, String id, Cancel cancel) throws ProviderException, InterruptedException;

  /**
   * Everything with that owner's mark, of every kind.
   *
   * @param vm empty: of all VMs of that space
   */
  List<Found> findOwned(String space, Optional<VmName> vm, Cancel cancel)
      throws ProviderException, InterruptedException;

  /** Begins to start a stopped instance. */
  void start(String instance, Cancel cancel) throws ProviderException, InterruptedException;

  /**
   * Begins to stop an instance, so that it costs as little as this cloud lets it. Where that is no
   * less than before, {@link #describe} says so: {@link Found#BILLED_WHILE_STOPPED}.
   */
  void stop(String instance, Cancel cancel) throws ProviderException, InterruptedException;

  /** Lets an address lead to an instance; to the same one again does nothing. */
  void bind(String address, String instance, Cancel cancel)
      throws ProviderException, InterruptedException;

  /**
   * Has the cloud delete the instance by itself after that time; empty: never. Called only where
   * {@link Traits#deadManSwitch} says that it works.
   */
  void releaseAfter(String instance, Optional<Duration> time, Cancel cancel)
      throws ProviderException, InterruptedException;

  // ---- what not every cloud can do; each method always answers the same

  /** Empty: being suspended is being off. */
  default Optional<PowerSwitch> power() {
    return Optional.empty();
  }

  /** Empty: an instance keeps the size that it was created with. */
  default Optional<Sizes> sizes() {
    return Optional.empty();
  }

  /** Empty: an instance has one disk. */
  default Optional<Disks> disks() {
    return Optional.empty();
  }

  /** Empty: every instance boots. */
  default Optional<WarmStarts> warmStarts() {
    return Optional.empty();
  }

  /**
   * What people like to know about an instance beyond what its state has: such as {@code
   * accelerator} and {@code kvm}. Pure.
   *
   * @param instance as {@link #describe} shows it
   * @return in the order in which it is shown; names are single words
   */
  default Map<String, String> facts(Found instance) {
    return Map.of();
  }

  /**
   * What a cloud is like.
   *
   * @param name how people call it
   * @param kinds those that it has, in the order of their creation
   * @param snapshots whether a disk can be kept
   * @param clientTokens whether {@link #create} with the same token is safe to repeat
   * @param tokenLife how long such a token is remembered
   * @param visibility how long a resource may be there before it shows
   * @param deadManSwitch whether it can delete an instance by itself
   */
  record Traits(
      String name,
      List<Kind> kinds,
      boolean snapshots,
      boolean clientTokens,
      Duration tokenLife,
      Duration visibility,
      boolean deadManSwitch) {
    public Traits {
      Checks.line("name", name, 1, 40);
      kinds = List.copyOf(kinds);
      if (!kinds.contains(Kind.INSTANCE)) {
        throw new IllegalArgumentException("a cloud without instances: " + name);
      }
      Objects.requireNonNull(tokenLife, "tokenLife");
      Objects.requireNonNull(visibility, "visibility");
    }
  }
}
