package dev.baton.vm.crash;

import dev.baton.store.StoreException;
import dev.baton.vm.BuildVm;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Journal;
import dev.baton.vm.Kind;
import dev.baton.vm.Options;
import dev.baton.vm.Questions;
import dev.baton.vm.Resource;
import dev.baton.vm.Status;
import dev.baton.vm.SweepOptions;
import dev.baton.vm.SweepReport;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import dev.baton.vm.VmState;
import dev.baton.vm.codec.VmCodec;
import dev.baton.vm.operation.Client;
import dev.baton.vm.operation.Vms;
import dev.baton.vm.provider.Found;
import dev.baton.vm.provider.ProviderException;
import dev.baton.vm.provider.simulated.SimulatedCloud;
import dev.baton.vm.store.MemoryVmSpace;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A cloud, a space and two clients, of whom the first may be killed. */
final class Scene {

  static final String SPACE = "crash0space";
  static final VmName NAME = VmName.DEFAULT;
  static final Options OPTIONS = Options.DEFAULT.asking(Questions.assumeYes());
  static final DeploySpec SPEC =
      DeploySpec.of("eu", "sim.small")
          .withPublicKey("ssh-ed25519 AAAA crash")
          .withApplication("echo installed");

  final SkippingWorld world = new SkippingWorld();
  final KillSwitch kills = new KillSwitch();
  final SimulatedCloud cloud = SimulatedCloud.inMemory(world);
  final MemoryVmSpace space = new MemoryVmSpace(SPACE, world::now);
  final Vms victim;
  final Vms other;
  private int nonces;

  Scene(boolean writeAhead) throws ProviderException {
    cloud.configure(
        s ->
            s.visibleAfter(Duration.ofSeconds(3))
                .taking(Duration.ofSeconds(20), Duration.ofSeconds(60), Duration.ofSeconds(5)));
    victim =
        Vms.open(
            new KillableSpace(space, kills),
            new KillableProvider(cloud, kills),
            new Client("victim", world, this::nonce, writeAhead));
    other = Vms.open(space, cloud, new Client("other", world, this::nonce, writeAhead));
  }

  private String nonce() {
    return String.format(Locale.ROOT, "nonce%020d", ++nonces);
  }

  BuildVm victimVm() {
    return victim.vm(NAME);
  }

  BuildVm otherVm() {
    return other.vm(NAME);
  }

  /** Until a lock of somebody who was killed is over, and what was created is old enough. */
  void letTheLeaseRunOut() {
    world.advance(Duration.ofMinutes(16));
  }

  /** What the cloud has agreed to delete takes a moment to be gone. */
  void letDeletionsFinish() {
    world.advance(Duration.ofSeconds(10));
  }

  SweepReport sweep() throws VmException, InterruptedException {
    return other.sweep(SweepOptions.DRY_RUN.forReal());
  }

  Journal journal() throws StoreException {
    return space
        .journal(NAME)
        .read()
        .content()
        .map(VmCodec::decode)
        .orElseGet(() -> Journal.empty(NAME));
  }

  /** What is in the cloud and in no record. */
  List<String> orphans() throws StoreException, ProviderException {
    Journal journal = journal();
    List<String> orphans = new ArrayList<>();
    for (Found f : cloud.everything()) {
      if (!journal.records(f.kind(), f.id())) {
        orphans.add(f.id());
      }
    }
    return orphans;
  }

  /** What is wrong with a VM at rest. */
  List<String> troubles() throws StoreException, ProviderException {
    Journal journal = journal();
    List<String> troubles = new ArrayList<>();
    if (journal.lock().isPresent()) {
      troubles.add("it is locked by " + journal.lock().get().clientId());
    }
    if (!journal.intents().isEmpty()) {
      troubles.add("it has intents: " + journal.intents());
    }
    if (!journal.cleanup().isEmpty()) {
      troubles.add("it has leftovers: " + journal.cleanup());
    }
    List<Found> everything = cloud.everything();
    journal
        .state()
        .ifPresent(
            s ->
                s.resources()
                    .values()
                    .forEach(
                        r -> {
                          if (everything.stream().noneMatch(f -> f.id().equals(r.id()))) {
                            troubles.add(r + " is recorded and does not exist");
                          }
                        }));
    copies(journal, troubles);
    return troubles;
  }

  /** What would delete a VM that is wanted, or keep one that nobody wants. */
  List<String> wrongEnds() throws StoreException, ProviderException {
    List<String> wrong = new ArrayList<>();
    VmState state = journal().state().orElse(null);
    if (state == null || state.maxLife().isEmpty()) {
      return wrong;
    }
    Optional<Resource> instance = state.resource(Kind.INSTANCE);
    Optional<Instant> release =
        instance.isPresent() ? cloud.releaseTime(instance.get().id()) : Optional.empty();
    if (state.status() == Status.SUSPENDED
        && (release.isPresent() || state.expiresAt().isPresent())) {
      wrong.add("it is suspended and goes at " + release + ", " + state.expiresAt());
    }
    if (state.status() == Status.RUNNING && state.expiresAt().isEmpty()) {
      wrong.add("it is of a job and has no end");
    }
    return wrong;
  }

  private void copies(Journal journal, List<String> troubles) {
    if (!space
        .get(NAME, "state.json")
        .equals(journal.state().map(s -> VmCodec.stateFile(s, journal)))) {
      troubles.add("state.json is not up to date");
    }
    if (!space.get(NAME, "backup.json").equals(journal.backup().map(VmCodec::backupFile))) {
      troubles.add("backup.json is not up to date");
    }
    if (!space.get(NAME, ".lock").equals(Optional.empty())) {
      troubles.add(".lock is still there");
    }
  }
}
