package dev.baton.vm.contract;

import dev.baton.core.json.PlainJson;
import dev.baton.store.StoreException;
import dev.baton.vm.Backup;
import dev.baton.vm.Journal;
import dev.baton.vm.Kind;
import dev.baton.vm.LockRecord;
import dev.baton.vm.Resource;
import dev.baton.vm.Status;
import dev.baton.vm.VmException;
import dev.baton.vm.VmState;
import dev.baton.vm.crash.Clients;
import dev.baton.vm.crash.KillSwitch;
import dev.baton.vm.crash.LifecycleScene;
import dev.baton.vm.spi.Cancel;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.Phase;
import dev.baton.vm.spi.PowerSwitch;
import dev.baton.vm.spi.ProviderException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Clients during whose operations something else happens, and who may meet a troubled space. */
final class Stage extends Clients {

  private final TroubledSpace troubled;

  Stage(LifecycleScene scene) throws StoreException {
    this(scene, new TroubledSpace(scene.space()));
  }

  private Stage(LifecycleScene scene, TroubledSpace troubled) throws StoreException {
    super(scene, troubled, true);
    this.troubled = troubled;
  }

  interface Meanwhile {
    void run() throws StoreException, ProviderException, VmException, InterruptedException;
  }

  // ---- clients

  /** The space as watched clients see it. */
  TroubledSpace troubled() {
    return troubled;
  }

  /**
   * Something else happens at the first moment that is described so.
   *
   * @return the moments after that, as they come
   */
  List<String> at(String where, Meanwhile meanwhile) {
    List<String> after = new ArrayList<>();
    boolean[] done = new boolean[1];
    kills.watch(
        point -> {
          if (done[0]) {
            after.add(point.where());
          } else if (point.where().equals(where)) {
            done[0] = true;
            run(meanwhile);
          }
        });
    return after;
  }

  /**
   * Something else happens at each moment whose description begins so.
   *
   * @return those moments, as they come
   */
  List<String> atEach(String beginning, Meanwhile meanwhile) {
    List<String> moments = new ArrayList<>();
    kills.watch(
        point -> {
          if (point.where().startsWith(beginning)) {
            moments.add(point.where());
            run(meanwhile);
          }
        });
    return moments;
  }

  private static void run(Meanwhile meanwhile) {
    try {
      meanwhile.run();
    } catch (StoreException | ProviderException | VmException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Every status that the VM has in the course of it, the one before it first; empty: none. */
  List<Optional<Status>> statuses(Act act)
      throws StoreException, VmException, InterruptedException {
    List<Optional<Status>> seen = new ArrayList<>(List.of(status()));
    Meanwhile look =
        () -> {
          Optional<Status> now = status();
          if (!now.equals(seen.get(seen.size() - 1))) {
            seen.add(now);
          }
        };
    kills.watch(
        point -> {
          if (point.at() == KillSwitch.At.STORE_WRITE) {
            run(look);
          }
        });
    act.on(watched("a"));
    kills.disarm();
    return seen;
  }

  void expireLock() {
    scene.elapse(LockRecord.LEASE.plusSeconds(2));
  }

  /** Somebody whom nobody stops. */
  Cancel patient() {
    return patient;
  }

  // ---- the truth

  VmState state() throws StoreException {
    return journal().state().orElseThrow();
  }

  Optional<Status> status() throws StoreException {
    return journal().status();
  }

  /** The fields of a file. */
  Map<?, ?> fields(String file) throws StoreException {
    String text = file(file).orElseThrow(() -> new AssertionError("there is no " + file));
    return (Map<?, ?>) PlainJson.object(text);
  }

  Optional<Found> found(Kind kind, String id) throws ProviderException, InterruptedException {
    return scene.provider().describe(kind, id, patient);
  }

  Optional<Found> found(Kind kind) throws StoreException, ProviderException, InterruptedException {
    return found(kind, id(kind));
  }

  Phase phase() throws StoreException, ProviderException, InterruptedException {
    return found(Kind.INSTANCE).orElseThrow().phase();
  }

  /** How the instance of a suspended VM is in this cloud. */
  Phase suspended() {
    return scene.provider().power().isPresent() ? Phase.SUSPENDED : Phase.STOPPED;
  }

  /** What the cloud has agreed to delete is given the moment that it takes to be gone. */
  List<String> everything() throws ProviderException {
    scene.elapse(Duration.ofSeconds(30));
    return scene.everything();
  }

  /** What {@link #everything} must say when nothing is lost and nothing left over. */
  List<String> recorded() throws StoreException {
    List<String> ids = new ArrayList<>();
    Journal journal = journal();
    for (Resource r : journal.state().map(s -> s.resources().values()).orElse(List.of())) {
      if (r.kind() != Kind.APPLICATION) {
        ids.add(r.id());
      }
    }
    journal.state().ifPresent(s -> s.disks().forEach(d -> ids.add(d.id())));
    journal.backup().map(Backup::snapshotId).ifPresent(ids::add);
    return ids;
  }

  // ---- by hand

  void stopByHand() throws StoreException, ProviderException, InterruptedException {
    String instance = id(Kind.INSTANCE);
    Optional<PowerSwitch> power = scene.provider().power();
    if (power.isPresent()) {
      power.get().powerOff(instance, patient);
    } else {
      scene.provider().stop(instance, patient);
    }
    scene.elapse(Duration.ofMinutes(1));
  }
}
