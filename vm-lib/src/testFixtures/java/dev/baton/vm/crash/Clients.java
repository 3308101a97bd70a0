package dev.baton.vm.crash;

import dev.baton.store.StoreException;
import dev.baton.vm.BuildVm;
import dev.baton.vm.Client;
import dev.baton.vm.Journal;
import dev.baton.vm.Kind;
import dev.baton.vm.Options;
import dev.baton.vm.Questions;
import dev.baton.vm.Resource;
import dev.baton.vm.Status;
import dev.baton.vm.SweepOptions;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import dev.baton.vm.VmState;
import dev.baton.vm.VmState.DataDisk;
import dev.baton.vm.crash.LifecycleScene.Thing;
import dev.baton.vm.internal.codec.VmCodec;
import dev.baton.vm.operation.Vms;
import dev.baton.vm.spi.Cancel;
import dev.baton.vm.spi.Disks;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.Owner;
import dev.baton.vm.spi.Provider;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.spi.Request;
import dev.baton.vm.spi.VmSpace;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Clients on a scene, some of whom may be watched or killed, and looks at what they have done. */
public class Clients {

  public static final VmName NAME = VmName.DEFAULT;
  public static final Options YES = Options.DEFAULT.asking(Questions.assumeYes());

  public final LifecycleScene scene;
  public final KillSwitch kills = new KillSwitch();

  /** What everybody uses but those who are watched. */
  public final VmSpace space;

  /** The id of the space. */
  public final String home;

  /** Nobody stops it, and time goes by while it waits. */
  protected final Cancel patient =
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

  private final VmSpace watched;
  private final boolean writeAhead;
  private int nonces;

  /**
   * @param writeAhead false: intents are not written, and orphans are to be expected
   */
  public Clients(LifecycleScene scene, boolean writeAhead) throws StoreException {
    this(scene, scene.space(), writeAhead);
  }

  /**
   * @param watched the space as those see it who are watched
   */
  protected Clients(LifecycleScene scene, VmSpace watched, boolean writeAhead)
      throws StoreException {
    this.scene = scene;
    this.watched = watched;
    this.writeAhead = writeAhead;
    this.space = scene.space();
    this.home = space.id();
  }

  /** What somebody does. */
  public interface Act {
    void on(BuildVm vm) throws VmException, InterruptedException;
  }

  // ---- who they are

  public Vms vms(String client) {
    return Vms.open(space, scene.provider(), client(client));
  }

  public BuildVm vm(String client) {
    return vms(client).vm(NAME);
  }

  /** The same VM for a client who sees the cloud in another way. */
  public BuildVm vmOn(Provider provider, String client) {
    return Vms.open(watched, provider, client(client)).vm(NAME);
  }

  /** A client whose every write and call can be watched. */
  public Vms watchedVms(String client) {
    return Vms.open(
        new KillableSpace(watched, kills),
        new KillableProvider(scene.provider(), kills),
        client(client));
  }

  public BuildVm watched(String client) {
    return watchedVms(client).vm(NAME);
  }

  /** Nonces are never the same again in this cloud, whatever else was or will be played there. */
  private Client client(String name) {
    return new Client(
        name,
        scene.world(),
        () -> String.format(Locale.ROOT, "%s%08d", home, ++nonces),
        writeAhead);
  }

  // ---- what they do

  /** Somebody begins and is killed at the first moment that is described so. */
  public void killedAt(String where, Act act) throws VmException, InterruptedException {
    kills.watch(
        point -> {
          if (point.where().equals(where)) {
            throw new KillSwitch.Killed(where);
          }
        });
    try {
      act.on(watched("dead"));
    } catch (KillSwitch.Killed e) {
      kills.watch(point -> {});
      kills.disarm();
      return;
    }
    throw new AssertionError("nobody was killed " + where + ": " + kills.points());
  }

  /** Every VM of the space, also what others start from. */
  public void takeDownAll() throws VmException, InterruptedException {
    for (VmName name : vms("other").names()) {
      vms("other").vm(name).takeDown(YES);
    }
  }

  public void sweep() throws VmException, InterruptedException {
    vms("sweeper").sweep(SweepOptions.DRY_RUN.forReal());
  }

  /** Until a lock of somebody who was killed is over, and what was created is old enough. */
  public void letTheLeaseRunOut() {
    scene.elapse(Duration.ofMinutes(16));
  }

  /** What the cloud has agreed to delete takes a moment to be gone. */
  public void letDeletionsFinish() {
    scene.elapse(Duration.ofSeconds(30));
  }

  // ---- the truth

  public Journal journal() throws StoreException {
    return journal(NAME);
  }

  public Journal journal(VmName name) throws StoreException {
    return space
        .journal(name)
        .read()
        .content()
        .map(VmCodec::decode)
        .orElseGet(() -> Journal.empty(name));
  }

  private List<Journal> journals() throws StoreException {
    List<Journal> journals = new ArrayList<>();
    for (VmName name : space.names()) {
      journals.add(journal(name));
    }
    return journals;
  }

  public Optional<String> file(String name) throws StoreException {
    return space.get(NAME, name);
  }

  public String id(Kind kind) throws StoreException {
    return journal().state().flatMap(s -> s.resource(kind)).map(Resource::id).orElseThrow();
  }

  /**
   * What is in the cloud and in no record.
   *
   * @param intents whether an intent that will be taken up again is as good as a record
   */
  public List<String> orphans(boolean intents)
      throws StoreException, ProviderException, InterruptedException {
    List<Journal> journals = journals();
    Map<String, Optional<String>> tokens = new HashMap<>();
    for (Found f : scene.provider().findOwned(home, Optional.empty(), patient)) {
      tokens.put(f.id(), f.token());
    }
    List<String> orphans = new ArrayList<>();
    for (Thing thing : scene.things()) {
      boolean recorded =
          thing
              .kind()
              .map(k -> journals.stream().anyMatch(j -> j.records(k, thing.id())))
              .orElse(thing.part());
      Optional<String> token = tokens.getOrDefault(thing.id(), Optional.empty());
      boolean intended =
          journals.stream()
              .flatMap(j -> j.intents().stream())
              .anyMatch(i -> token.equals(Optional.of(i.token())));
      if (!recorded && !(intents && intended)) {
        orphans.add(thing.toString());
      }
    }
    return orphans;
  }

  /** What is wrong with a VM at rest. */
  public List<String> troubles() throws StoreException, ProviderException, InterruptedException {
    Journal journal = journal();
    List<String> troubles = new ArrayList<>();
    journal.lock().ifPresent(l -> troubles.add("it is locked by " + l.clientId()));
    journal.intents().forEach(i -> troubles.add("it has an intent: " + i));
    journal.cleanup().forEach(c -> troubles.add("it has a leftover: " + c));
    for (Resource r : journal.state().map(s -> s.resources().values()).orElse(List.of())) {
      if (scene.provider().describe(r.kind(), r.id(), patient).isEmpty()) {
        troubles.add(r + " is recorded and does not exist");
      }
    }
    for (DataDisk disk : journal.state().map(VmState::disks).orElse(List.of())) {
      if (!isAsWanted(disk, journal)) {
        troubles.add(disk + " is not " + disk.wanted().word());
      }
    }
    journal.resize().ifPresent(r -> troubles.add("it is being resized: " + r));
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

  private boolean isAsWanted(DataDisk disk, Journal journal)
      throws ProviderException, InterruptedException {
    Optional<Found> found = scene.provider().describe(Kind.DISK, disk.id(), patient);
    Optional<String> instance =
        journal.state().flatMap(s -> s.resource(Kind.INSTANCE)).map(Resource::id);
    Optional<String> has = found.map(f -> f.attributes().get(Disks.INSTANCE));
    return switch (disk.wanted()) {
      case ATTACHED -> found.isPresent() && (instance.isEmpty() || has.equals(instance));
      case DETACHED -> found.isPresent() && has.isEmpty();
      case DELETED -> false;
    };
  }

  /** What would delete a VM that is wanted, or keep one that nobody wants. */
  public List<String> wrongEnds() throws StoreException, ProviderException {
    List<String> wrong = new ArrayList<>();
    VmState state = journal().state().orElse(null);
    if (state == null || state.maxLife().isEmpty()) {
      return wrong;
    }
    wrong.addAll(deadlyEnds());
    wrong.addAll(endsUntold());
    if (state.status() == Status.RUNNING && state.expiresAt().isEmpty()) {
      wrong.add("it is of a job and has no end");
    }
    return wrong;
  }

  /** A VM that runs and has an end of which the cloud knows nothing. */
  private List<String> endsUntold() throws StoreException, ProviderException {
    VmState state = journal().state().orElse(null);
    if (state == null
        || !scene.provider().traits().deadManSwitch()
        || state.status() != Status.RUNNING
        || state.instanceMissing()
        || state.expiresAt().isEmpty()
        || state.maxLife().isEmpty()) {
      return List.of();
    }
    Optional<Instant> release = releaseTime();
    return release.isEmpty()
        ? List.of("it goes at " + state.expiresAt() + " and the cloud does not know")
        : List.of();
  }

  /** What would delete a VM that somebody has suspended: never, not even if nobody comes back. */
  public List<String> deadlyEnds() throws StoreException, ProviderException {
    VmState state = journal().state().orElse(null);
    Status status = state == null ? null : state.previousStatus().orElse(state.status());
    if (status != Status.SUSPENDED && status != Status.STOPPED) {
      return List.of();
    }
    Optional<Instant> release = releaseTime();
    return release.isPresent() || state.expiresAt().isPresent()
        ? List.of("it is " + status + " and goes at " + release + ", " + state.expiresAt())
        : List.of();
  }

  /** When the cloud deletes the instance by itself; empty: never, or there is none. */
  public Optional<Instant> releaseTime() throws StoreException, ProviderException {
    Optional<Resource> instance = journal().state().flatMap(s -> s.resource(Kind.INSTANCE));
    return instance.isPresent() ? scene.releaseTime(instance.get().id()) : Optional.empty();
  }

  // ---- by hand

  public void deleteByHand(Kind kind)
      throws StoreException, ProviderException, InterruptedException {
    scene.deleteByHand(kind, id(kind));
  }

  /** A network that bears such a mark and is in no record. */
  public String stray(Owner owner) throws ProviderException, InterruptedException {
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
