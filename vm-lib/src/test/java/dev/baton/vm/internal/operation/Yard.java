package dev.baton.vm.internal.operation;

import dev.baton.core.Durations;
import dev.baton.store.StoreException;
import dev.baton.vm.BuildVm;
import dev.baton.vm.Client;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.HistoryRecord;
import dev.baton.vm.Journal;
import dev.baton.vm.Kind;
import dev.baton.vm.Liveness;
import dev.baton.vm.LockRecord;
import dev.baton.vm.Options;
import dev.baton.vm.Progress;
import dev.baton.vm.Questions;
import dev.baton.vm.Resource;
import dev.baton.vm.Status;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import dev.baton.vm.VmState;
import dev.baton.vm.contract.TroubledSpace;
import dev.baton.vm.crash.KillSwitch;
import dev.baton.vm.crash.KillableProvider;
import dev.baton.vm.crash.KillableSpace;
import dev.baton.vm.crash.SkippingWorld;
import dev.baton.vm.internal.codec.VmCodec;
import dev.baton.vm.operation.Vms;
import dev.baton.vm.simulated.SimulatedCloud;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.Phase;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.spi.VmSpace;
import dev.baton.vm.store.MemoryVmSpace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** A cloud and a space in memory, and clients who may be watched or killed. */
final class Yard {

  static final VmName NAME = VmName.DEFAULT;
  static final Options YES = Options.DEFAULT.asking(Questions.assumeYes());
  static final DeploySpec SPEC =
      DeploySpec.of("eu", "sim.small")
          .withPublicKey("ssh-ed25519 AAAA test")
          .withApplication("echo hello");

  final SkippingWorld world = new SkippingWorld();
  final SimulatedCloud cloud = SimulatedCloud.inMemory(world);
  final MemoryVmSpace memory = new MemoryVmSpace("yard00000000", world::now);
  final TroubledSpace space = new TroubledSpace(memory);
  final KillSwitch kills = new KillSwitch();
  final List<String> notes = new ArrayList<>();
  final List<String> steps = new ArrayList<>();

  /** Processes that have ended; only those of their machine can tell. */
  final Set<LockRecord.Holder> dead = new HashSet<>();

  private int nonces;

  /** A client whose process others can recognise on the same machine. */
  Client process(String machine, int pid) {
    LockRecord.Holder own = new LockRecord.Holder(machine, pid, "tick-" + pid);
    return new Client(
        machine + "-" + pid,
        world,
        this::nonce,
        true,
        new Liveness() {
          @Override
          public Optional<LockRecord.Holder> show(String nonce) {
            return Optional.of(own);
          }

          @Override
          public void forget(String nonce) {
            // Nothing was kept.
          }

          @Override
          public boolean isDead(LockRecord lock) {
            return lock.process().filter(p -> p.machine().equals(machine)).stream()
                .anyMatch(dead::contains);
          }
        });
  }

  Vms vms(String client) {
    return vms(client, space);
  }

  Vms vms(String client, VmSpace where) {
    return Vms.open(where, cloud, new Client(client, world, this::nonce, true));
  }

  BuildVm vm(String client) {
    return vms(client).vm(NAME);
  }

  /** A client whose every write and call can be watched. */
  BuildVm watched(String client) {
    return Vms.open(
            new KillableSpace(space, kills),
            new KillableProvider(cloud, kills),
            new Client(client, world, this::nonce, true))
        .vm(NAME);
  }

  private String nonce() {
    return String.format(Locale.ROOT, "nonce%020d", ++nonces);
  }

  Options told() {
    return YES.telling(
        new Progress() {
          @Override
          public void started(Step step) {
            steps.add(step.number() + "/" + step.of() + " " + step.name());
          }

          @Override
          public void finished(Step step, String result, Duration took) {
            steps.add(step.name() + ": " + result + " in " + Durations.shown(took));
          }

          @Override
          public void note(String text) {
            notes.add(text);
          }
        });
  }

  Journal journal() throws StoreException {
    return memory
        .journal(NAME)
        .read()
        .content()
        .map(VmCodec::decode)
        .orElseGet(() -> Journal.empty(NAME));
  }

  VmState state() throws StoreException {
    return journal().state().orElseThrow();
  }

  Optional<Status> status() throws StoreException {
    return journal().status();
  }

  String id(Kind kind) throws StoreException {
    return state().resource(kind).map(Resource::id).orElseThrow();
  }

  Phase phase() throws StoreException, ProviderException {
    String id = id(Kind.INSTANCE);
    return cloud.everything().stream()
        .filter(f -> f.id().equals(id))
        .map(Found::phase)
        .findFirst()
        .orElseThrow();
  }

  List<String> cloudIds() throws ProviderException {
    return cloud.everything().stream().map(Found::id).toList();
  }

  void expireLock() {
    world.advance(LockRecord.LEASE.plusSeconds(1));
  }

  HistoryRecord lastRecord(String client) throws VmException, InterruptedException {
    return vm(client).history(10).get(0);
  }

  interface Act {
    void on(BuildVm vm) throws VmException, InterruptedException;
  }

  /** Somebody else takes the lock by force, begins, and is killed there. */
  void killedAtInside(String where) throws VmException, InterruptedException {
    KillSwitch others = new KillSwitch();
    others.watch(
        point -> {
          if (point.where().equals(where)) {
            throw new KillSwitch.Killed(where);
          }
        });
    BuildVm thief =
        Vms.open(
                new KillableSpace(space, others),
                new KillableProvider(cloud, others),
                new Client("thief", world, this::nonce, true))
            .vm(NAME);
    try {
      thief.destroy(BuildVm.Disk.DROP, YES.forcing());
      throw new AssertionError("nobody was killed " + where);
    } catch (KillSwitch.Killed e) {
      others.disarm();
    }
  }

  /** Somebody begins and is killed at the first moment that is described so. */
  void killedAt(String where, Act act) throws VmException, InterruptedException {
    kills.watch(
        point -> {
          if (point.where().equals(where)) {
            throw new KillSwitch.Killed(where);
          }
        });
    try {
      act.on(watched("dead"));
      throw new AssertionError("nobody was killed " + where + ": " + kills.points());
    } catch (KillSwitch.Killed e) {
      kills.watch(point -> {});
    }
  }
}
