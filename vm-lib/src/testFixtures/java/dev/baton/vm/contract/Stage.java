package dev.baton.vm.contract;

import dev.baton.store.StoreException;
import dev.baton.vm.Backup;
import dev.baton.vm.BuildVm;
import dev.baton.vm.Journal;
import dev.baton.vm.Kind;
import dev.baton.vm.LockRecord;
import dev.baton.vm.Options;
import dev.baton.vm.Questions;
import dev.baton.vm.Resource;
import dev.baton.vm.Status;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import dev.baton.vm.VmState;
import dev.baton.vm.codec.Json;
import dev.baton.vm.codec.VmCodec;
import dev.baton.vm.crash.KillSwitch;
import dev.baton.vm.crash.KillableProvider;
import dev.baton.vm.crash.KillableSpace;
import dev.baton.vm.operation.Client;
import dev.baton.vm.operation.Vms;
import dev.baton.vm.provider.Cancel;
import dev.baton.vm.provider.Found;
import dev.baton.vm.provider.Owner;
import dev.baton.vm.provider.Phase;
import dev.baton.vm.provider.ProviderException;
import dev.baton.vm.provider.Request;
import dev.baton.vm.store.VmSpace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Clients on a scene, some of whom may be watched or killed, and looks at what they have done. */
final class Stage {

  static final VmName NAME = VmName.DEFAULT;
  static final Options YES = Options.DEFAULT.asking(Questions.assumeYes());

  final LifecycleScene scene;
  final KillSwitch kills = new KillSwitch();

  /** What everybody uses but those who are watched. */
  final VmSpace space;

  private final Cancel patient =
      new Cancel() {
        @Override
        public void check() {
          // nobody stops it
        }

        @Override
        public void pause(Duration time) {
          scene.elapse(time);
        }
      };

  /** The id of the space. */
  final String home;

  private TroubledSpace troubled;
  private int nonces;

  Stage(LifecycleScene scene) throws StoreException {
    this.scene = scene;
    this.space = scene.space();
    this.home = space.id();
  }

  interface Act {
    void on(BuildVm vm) throws VmException, InterruptedException;
  }

  interface Meanwhile {
    void run() throws StoreException, ProviderException, VmException, InterruptedException;
  }

  // ---- clients

  Vms vms(String client) {
    return Vms.open(space, scene.provider(), client(client));
  }

  BuildVm vm(String client) {
    return vms(client).vm(NAME);
  }

  /** The space as watched clients see it. */
  TroubledSpace troubled() {
    if (troubled == null) {
      try {
        troubled = new TroubledSpace(scene.space());
      } catch (StoreException e) {
        throw new AssertionError(e);
      }
    }
    return troubled;
  }

  /** A client whose every write and call can be watched. */
  BuildVm watched(String client) {
    return Vms.open(
            new KillableSpace(troubled(), kills),
            new KillableProvider(scene.provider(), kills),
            client(client))
        .vm(NAME);
  }

  /** Nonces are never the same again in this cloud, whatever else was or will be played there. */
  private Client client(String name) {
    return new Client(
        name, scene.world(), () -> String.format(Locale.ROOT, "%s%08d", home, ++nonces), true);
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
    } catch (KillSwitch.Killed e) {
      kills.disarm();
      return;
    }
    throw new AssertionError("nobody was killed " + where + ": " + kills.points());
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

  // ---- the truth

  Journal journal() throws StoreException {
    return space
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

  Optional<String> file(String name) throws StoreException {
    return space.get(NAME, name);
  }

  /** The fields of a file. */
  Map<?, ?> fields(String file) throws StoreException {
    String text = file(file).orElseThrow(() -> new AssertionError("there is no " + file));
    return (Map<?, ?>) Json.parse(text);
  }

  String id(Kind kind) throws StoreException {
    return state().resource(kind).map(Resource::id).orElseThrow();
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
    journal.backup().map(Backup::snapshotId).ifPresent(ids::add);
    return ids;
  }

  /** What is wrong with a VM at rest, but for what is recorded and does not exist or vice versa. */
  List<String> troubles() throws StoreException {
    Journal journal = journal();
    List<String> troubles = new ArrayList<>();
    journal.lock().ifPresent(l -> troubles.add("it is locked by " + l.clientId()));
    journal.intents().forEach(i -> troubles.add("it has an intent: " + i));
    journal.cleanup().forEach(c -> troubles.add("it has a leftover: " + c));
    if (!file("state.json").equals(journal.state().map(s -> VmCodec.stateFile(s, journal)))) {
      troubles.add("state.json is not up to date");
    }
    if (!file("backup.json").equals(journal.backup().map(VmCodec::backupFile))) {
      troubles.add("backup.json is not up to date");
    }
    if (file(".lock").isPresent()) {
      troubles.add(".lock is still there");
    }
    return troubles;
  }

  // ---- by hand

  void deleteByHand(Kind kind) throws StoreException, ProviderException, InterruptedException {
    scene.deleteByHand(kind, id(kind));
  }

  void stopByHand() throws StoreException, ProviderException, InterruptedException {
    scene.provider().stop(id(Kind.INSTANCE), patient);
    scene.elapse(Duration.ofMinutes(1));
  }

  /** A network that bears such a mark and is in no record. */
  String stray(Owner owner) throws ProviderException, InterruptedException {
    Map<String, String> plan =
        scene.provider().plan(Kind.NETWORK, scene.spec(), Map.of(), Optional.empty());
    String token = "stray-" + home + "-" + ++nonces;
    Request request = new Request(Kind.NETWORK, plan, token, owner, Optional.empty());
    String id = scene.provider().create(request, patient).id();
    // Until it shows.
    scene.elapse(Duration.ofMinutes(1));
    return id;
  }
}
