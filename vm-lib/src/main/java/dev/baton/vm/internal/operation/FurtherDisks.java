package dev.baton.vm.internal.operation;

import dev.baton.vm.Cleanup;
import dev.baton.vm.Intent;
import dev.baton.vm.Kind;
import dev.baton.vm.Resource;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import dev.baton.vm.VmState.DataDisk;
import dev.baton.vm.VmState.DataDisk.Wanted;
import dev.baton.vm.spi.Disks;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.Phase;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.spi.Request;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The disks that a VM has beside the one that it starts from:
 *
 * <ol>
 *   <li>What is wanted of a disk is written to the state: attached, detached or deleted. A new disk
 *       is created by an intent, as everything is, and recorded before it is attached.
 *   <li>The cloud is made to have it so, disk by disk, while the instance is off.
 *   <li>Whoever is killed in between leaves what is wanted in the state, and the next operation on
 *       disks, or the next start, goes on with the second step.
 * </ol>
 */
final class FurtherDisks {

  private final Tenure tenure;
  private final Calls calls;

  FurtherDisks(Tenure tenure, Calls calls) {
    this.tenure = tenure;
    this.calls = calls;
  }

  // ---- attach and detach

  /**
   * @param gigabytes of a new one
   */
  void attach(String name, Optional<Integer> gigabytes)
      throws VmException, ProviderException, InterruptedException {
    Found instance = instanceThatIsOff();
    Optional<DataDisk> recorded = tenure.state().disk(name);
    if (recorded.isPresent() && calls.describe(Kind.DISK, recorded.get().id()).isEmpty()) {
      drop(recorded.get());
      if (gigabytes.isEmpty()) {
        throw new VmException.CloudFailed(
            Trouble.NOT_FOUND,
            recorded.get() + " does not exist any more",
            "Say how large it is to be, and a new one is created.",
            null);
      }
    }
    if (tenure.state().disk(name).isEmpty()) {
      tenure.step(
          2, "disk " + name, id -> id, () -> create(name, gigabytes.orElseThrow(), instance));
    }
    want(name, Wanted.ATTACHED);
    carryOut(instance, "attach " + name);
  }

  void detach(String name, boolean delete)
      throws VmException, ProviderException, InterruptedException {
    Found instance = instanceThatIsOff();
    want(name, delete ? Wanted.DELETED : Wanted.DETACHED);
    carryOut(instance, "detach " + name);
  }

  private Found instanceThatIsOff() throws VmException, ProviderException, InterruptedException {
    String id = tenure.state().resource(Kind.INSTANCE).map(Resource::id).orElse("");
    Optional<Found> found = id.isEmpty() ? Optional.empty() : calls.describe(Kind.INSTANCE, id);
    if (found.isEmpty()) {
      throw Turning.missing(tenure, id);
    }
    if (found.get().phase() != Phase.STOPPED) {
      throw new VmException.CloudFailed(
          Trouble.DEPENDENCY,
          "instance " + id + " is not off, although VM " + tenure.context().name() + " is stopped",
          "Run `start`, which records that it runs, and then `stop`.",
          null);
    }
    return found.get();
  }

  private void want(String name, Wanted wanted) throws VmException, InterruptedException {
    Optional<DataDisk> there = tenure.state().disk(name);
    if (there.isEmpty()) {
      return; // an interrupted operation has deleted it already
    }
    DataDisk disk = there.get();
    if (disk.wanted() != wanted) {
      tenure.changeState(s -> s.with(disk.wanting(wanted)));
    }
    tenure.flush(tenure.context().name() + ": " + disk + " is to be " + wanted.word());
  }

  private void carryOut(Found instance, String step)
      throws VmException, ProviderException, InterruptedException {
    tenure.step(
        2,
        step,
        n -> "done",
        () -> {
          converge(instance);
          return null;
        });
  }

  private String create(String name, int gigabytes, Found instance)
      throws VmException, ProviderException, InterruptedException {
    Intents intents = new Intents(tenure, calls);
    Map<String, String> parameters = disks().plan(name, gigabytes, instance);
    Optional<Intent> earlier = tenure.draft().intent(Kind.DISK);
    if (earlier.isPresent() && !earlier.get().parameters().equals(parameters)) {
      intents.salvage(earlier.get());
      earlier = Optional.empty();
    }
    Optional<Found> made = Optional.empty();
    if (earlier.isPresent() && intents.mustSearch(earlier.get())) {
      made = intents.search(earlier.get());
      if (made.isEmpty()) {
        tenure.change(j -> j.without(Kind.DISK));
        earlier = Optional.empty();
      }
    }
    Intent intent = earlier.isPresent() ? earlier.get() : intents.begin(Kind.DISK, parameters);
    String id = made.isPresent() ? made.get().id() : created(intent, intents);
    if (calls.awaitReady(Kind.DISK, id).isEmpty()) {
      Cleanup cleanup = new Cleanup(Kind.DISK, id, "was created and never showed", tenure.now());
      tenure.change(j -> j.with(cleanup).without(Kind.DISK));
      throw new ProviderException(
          Trouble.UNAVAILABLE, "disk " + id + " was created and does not show");
    }
    tenure.change(j -> j.without(Kind.DISK));
    tenure.changeState(s -> s.with(new DataDisk(name, id, gigabytes, Wanted.ATTACHED)));
    return id;
  }

  private String created(Intent intent, Intents intents)
      throws VmException, ProviderException, InterruptedException {
    try {
      return calls
          .create(
              new Request(
                  Kind.DISK,
                  intent.parameters(),
                  intent.token(),
                  tenure.context().owner(),
                  Optional.empty()))
          .id();
    } catch (ProviderException e) {
      if (e.trouble().isSureThatNothingWasDone() || e.trouble() == Trouble.TOKEN_MISMATCH) {
        intents.salvage(intent);
      }
      throw e;
    }
  }

  private Disks disks() {
    return tenure.context().provider().disks().orElseThrow();
  }

  // ---- as it should be

  /** Makes the cloud have each disk as it is wanted. What changes with that is written. */
  void converge(Found instance) throws VmException, ProviderException, InterruptedException {
    List<DataDisk> before = tenure.state().disks();
    for (DataDisk disk : before) {
      Optional<Found> found = calls.describe(Kind.DISK, disk.id());
      if (found.isEmpty()) {
        drop(disk);
      } else {
        converge(disk, instance.id(), found.get());
      }
    }
    if (!tenure.state().disks().equals(before)) {
      new Deleting(tenure, calls).cleanUp();
      tenure.flush(tenure.context().name() + " has the disks that it should have");
    }
  }

  private void converge(DataDisk disk, String instance, Found found)
      throws VmException, ProviderException, InterruptedException {
    boolean attached = instance.equals(found.attributes().get(Disks.INSTANCE));
    if (attached && disk.wanted() != Wanted.ATTACHED) {
      calls.detach(disk.id(), instance);
    } else if (!attached && disk.wanted() == Wanted.ATTACHED) {
      calls.attach(disk.id(), instance);
    }
    if (disk.wanted() == Wanted.DELETED) {
      Cleanup cleanup = new Cleanup(Kind.DISK, disk.id(), "not wanted any more", tenure.now());
      tenure.change(j -> j.with(cleanup));
      tenure.changeState(s -> s.withoutDisk(disk.name()));
    }
  }

  private void drop(DataDisk gone) {
    if (gone.wanted() != Wanted.DELETED) {
      tenure.note(gone + " does not exist any more, and is taken off the list of disks");
    }
    tenure.changeState(s -> s.withoutDisk(gone.name()));
  }

  /**
   * The ids of those that a new instance has from the beginning; those that are gone are dropped.
   */
  String forNewInstance() throws ProviderException, InterruptedException {
    StringBuilder ids = new StringBuilder();
    for (DataDisk disk : tenure.state().disks()) {
      if (disk.wanted() != Wanted.ATTACHED) {
        continue;
      }
      if (calls.describe(Kind.DISK, disk.id()).isEmpty()) {
        drop(disk);
      } else {
        ids.append(ids.isEmpty() ? "" : ",").append(disk.id());
      }
    }
    return ids.toString();
  }
}
