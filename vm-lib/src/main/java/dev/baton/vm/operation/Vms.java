package dev.baton.vm.operation;

import dev.baton.store.StoreException;
import dev.baton.vm.BuildVm;
import dev.baton.vm.Client;
import dev.baton.vm.Journal;
import dev.baton.vm.Keeper;
import dev.baton.vm.Legacy;
import dev.baton.vm.Options;
import dev.baton.vm.Outcome;
import dev.baton.vm.Progress;
import dev.baton.vm.Resource;
import dev.baton.vm.SweepOptions;
import dev.baton.vm.SweepReport;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import dev.baton.vm.internal.codec.LegacyCodec;
import dev.baton.vm.internal.operation.Calls;
import dev.baton.vm.internal.operation.Migrating;
import dev.baton.vm.internal.operation.Sweeping;
import dev.baton.vm.internal.operation.VmContext;
import dev.baton.vm.internal.operation.VmHandle;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.Owner;
import dev.baton.vm.spi.Provider;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.spi.VmSpace;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The VMs of one space, in one cloud. Safe for use by several threads; keeps nothing open.
 *
 * <pre>{@code
 * Vms vms = Vms.open(FileVmSpace.in(directory), cloud, Client.ofThisProcess());
 * vms.vm(VmName.DEFAULT).deploy(DeploySpec.of("eu", "small"), Options.DEFAULT);
 * }</pre>
 */
public final class Vms {

  private final VmSpace space;
  private final Provider provider;
  private final Client client;

  private Vms(VmSpace space, Provider provider, Client client) {
    this.space = Objects.requireNonNull(space, "space");
    this.provider = Objects.requireNonNull(provider, "provider");
    this.client = Objects.requireNonNull(client, "client");
  }

  public static Vms open(VmSpace space, Provider provider, Client client) {
    return new Vms(space, provider, client);
  }

  /**
   * Reads what an earlier tool has written down about a VM, for {@link #migrate}. Pure.
   *
   * @param source for people: where the record was found
   * @param state its {@code state.json}
   * @param backup its {@code backup.json}
   * @param found when it was: a snapshot that does not say is as old as that
   * @return empty when it names nothing that could be taken over
   * @throws dev.baton.core.UnknownFormatException when a later version has written it
   * @throws dev.baton.core.BrokenDocumentException when it is damaged
   */
  public static Optional<Legacy> legacy(
      String source, Optional<String> state, Optional<String> backup, Instant found) {
    return LegacyCodec.decode(source, state, backup, found);
  }

  /** Whether it is deployed or not. */
  public BuildVm vm(VmName name) {
    return new VmHandle(context(name));
  }

  private VmContext context(VmName name) {
    return new VmContext(space, provider, client, name);
  }

  /** Keeps a VM of a job alive until the keeper is closed. */
  public Keeper keepAlive(VmName name, Duration atLeast, Consumer<String> warn) {
    return Keeper.start(vm(name), atLeast, warn, client.world());
  }

  /**
   * Takes over a VM that an earlier tool deployed, with the status that the cloud tells. A state
   * that is there already stays as it is, and so does everything when nothing of the VM exists.
   *
   * @param legacy its region must be this cloud's
   * @param putAside run under the lock, when the state is written: whoever comes later must not
   *     find the record again
   */
  public Outcome migrate(VmName name, Legacy legacy, Options options, Runnable putAside)
      throws VmException, InterruptedException {
    return new Migrating(context(name), legacy, options.progress()).run(options, putAside);
  }

  /**
   * What of a VM that an earlier tool deployed exists, and is not that of any VM of this space:
   * nobody looks after it.
   */
  public List<Resource> unclaimed(Legacy legacy) throws VmException, InterruptedException {
    List<Journal> journals = new ArrayList<>();
    for (VmName name : names()) {
      journals.add(context(name).file().read().journal());
    }
    return new Migrating(context(VmName.DEFAULT), legacy, Progress.NONE).unclaimed(journals);
  }

  /** Every VM that has, or once had, a state. */
  public List<VmName> names() throws VmException {
    try {
      return space.names();
    } catch (StoreException e) {
      throw new VmException.StoreFailed(
          e.problem()
              .within("cannot list the VMs in " + space.location() + ": ")
              .then("Try again when it can be used."),
          e);
    }
  }

  /**
   * Removes what no state of this space claims, and finishes what was interrupted. Never touches
   * what bears the mark of another space, or none. A failure with one VM does not keep the others
   * from being swept; it is in the report.
   */
  public SweepReport sweep(SweepOptions options) throws VmException, InterruptedException {
    Map<VmName, List<Found>> owned = new TreeMap<>();
    for (VmName name : names()) {
      owned.put(name, new ArrayList<>());
    }
    String id = VmContext.spaceId(space);
    try {
      Calls calls = Calls.withoutLock(context(VmName.DEFAULT));
      for (Found f : calls.retried(c -> provider.findOwned(id, Optional.empty(), c))) {
        Optional<Owner> owner = f.owner().filter(o -> o.space().equals(id));
        owner.ifPresent(o -> owned.computeIfAbsent(o.vm(), n -> new ArrayList<>()).add(f));
      }
    } catch (ProviderException e) {
      throw new VmException.CloudFailed(
          e.trouble(),
          e.problem()
              .within("nothing was swept, since the cloud could not be searched: ")
              .then(VmHandle.advice(e.trouble())),
          e);
    }
    List<SweepReport.Finding> findings = new ArrayList<>();
    for (Map.Entry<VmName, List<Found>> vm : owned.entrySet()) {
      findings.addAll(new Sweeping(context(vm.getKey()), options).run(vm.getValue()));
    }
    return new SweepReport(options.dryRun(), findings);
  }
}
