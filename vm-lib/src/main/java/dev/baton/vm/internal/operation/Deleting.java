package dev.baton.vm.internal.operation;

import dev.baton.core.Durations;
import dev.baton.core.Extra;
import dev.baton.vm.Backup;
import dev.baton.vm.Cleanup;
import dev.baton.vm.Intent;
import dev.baton.vm.Journal;
import dev.baton.vm.Kind;
import dev.baton.vm.Resource;
import dev.baton.vm.Status;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import dev.baton.vm.VmState;
import dev.baton.vm.VmState.DataDisk;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.Phase;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.spi.Request;
import dev.baton.vm.spi.WarmStarts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Takes a VM down:
 *
 * <ol>
 *   <li>If its disk is to be kept, a snapshot is made and finished, and recorded as the backup,
 *       before anything is deleted. The snapshot that it replaces goes on the list of what is to be
 *       deleted.
 *   <li>What the state records, and what a search by owner finds besides, is deleted: what depends
 *       on another before it. What is gone already is as good.
 *   <li>So is what earlier attempts could not delete. What still would not go stays on the list.
 *   <li>A last search waits until nothing shows any more.
 * </ol>
 */
final class Deleting {

  private final Tenure tenure;
  private final Calls calls;
  private final List<Cleanup> refused = new ArrayList<>();

  /** What is on its way out; not every cloud says so of what it still shows. */
  private final Set<String> leaving = new HashSet<>();

  Deleting(Tenure tenure, Calls calls) {
    this.tenure = tenure;
    this.calls = calls;
  }

  // ---- the snapshot

  void keepDisk() throws VmException, ProviderException, InterruptedException {
    if (tenure.draft().destroy().filter(Journal.DestroyPlan::snapshotTaken).isPresent()) {
      return;
    }
    Optional<Resource> instance = tenure.state().resource(Kind.INSTANCE);
    Optional<Found> found =
        instance.isPresent()
            ? calls.describe(Kind.INSTANCE, instance.get().id())
            : Optional.empty();
    Optional<Resource> kept;
    if (found.isPresent()) {
      // The cloud must not take the disk away while it is being copied. One that was suspended
      // has no end, and gets none: it may well be what a destroy that fails goes back to.
      Deploying.releaseAfter(
          tenure,
          calls,
          Life.left(tenure.state(), tenure.now())
              .map(left -> Life.longer(left, Calls.SNAPSHOT_PATIENCE)));
      kept = Optional.of(snapshot(instance.get()));
    } else {
      kept = begunEarlier();
    }
    if (kept.isEmpty()) {
      requireEarlierSnapshot();
      return;
    }
    Resource snapshot = kept.get();
    Backup backup =
        new Backup(
            snapshot.id(),
            VmState.FORMAT,
            tenure.now(),
            tenure.state().region(),
            gigabytes(snapshot),
            snapshot.attributes().getOrDefault(Kind.INSTANCE.key(), ""),
            withMemory(),
            Extra.NONE);
    replaceBackup(Optional.of(backup), "replaced by " + snapshot.id());
    tenure.change(
        j -> j.without(Kind.SNAPSHOT).withDestroy(j.destroy().map(Journal.DestroyPlan::taken)));
    tenure.flush(tenure.context().name() + ": its snapshot is " + snapshot.id());
  }

  private void requireEarlierSnapshot() throws VmException {
    if (tenure.draft().backup().isEmpty()) {
      throw new VmException.CloudFailed(
          Trouble.NOT_FOUND,
          "the instance is gone, so there is no disk to keep",
          "Destroy it without a snapshot.",
          null);
    }
    tenure.progress().note("the instance is gone; the snapshot that there is stays");
    tenure.change(j -> j.withDestroy(j.destroy().map(Journal.DestroyPlan::taken)));
  }

  /** Made by a destroy that was killed, before the instance went: there is no newer one. */
  private Optional<Resource> begunEarlier()
      throws VmException, ProviderException, InterruptedException {
    Optional<Intent> intent = tenure.draft().intent(Kind.SNAPSHOT);
    Optional<Found> found =
        intent.isPresent() ? new Intents(tenure, calls).search(intent.get()) : Optional.empty();
    if (found.isEmpty()) {
      return Optional.empty();
    }
    Optional<Found> ready;
    try {
      ready = calls.awaitReady(Kind.SNAPSHOT, found.get().id());
    } catch (ProviderException e) {
      if (e.trouble().isPassing()) {
        throw e;
      }
      return Optional.empty();
    }
    if (ready.isPresent()) {
      tenure.note(
          "the instance is gone; its disk is kept as it was "
              + Durations.shown(Duration.between(intent.get().at(), tenure.now()))
              + " earlier");
    }
    return ready.map(f -> recorded(intent.get(), f));
  }

  private static Resource recorded(Intent intent, Found snapshot) {
    String instance = intent.parameters().getOrDefault(Kind.INSTANCE.key(), "");
    return new Resource(Kind.SNAPSHOT, snapshot.id(), snapshot.attributes())
        .with(Kind.INSTANCE.key(), instance);
  }

  private Resource snapshot(Resource instance)
      throws VmException, ProviderException, InterruptedException {
    Intents intents = new Intents(tenure, calls);
    Map<String, String> parameters =
        withMemory()
            ? Map.of(Kind.INSTANCE.key(), instance.id(), WarmStarts.MEMORY, "true")
            : Map.of(Kind.INSTANCE.key(), instance.id());
    Optional<Intent> earlier = tenure.draft().intent(Kind.SNAPSHOT);
    // One of a destroy that failed and was over: the disk may have changed since.
    if (earlier.isPresent()
        && (!tenure.line().from().status().equals(Optional.of(Status.DESTROYING))
            || !earlier.get().parameters().equals(parameters)
            || intents.mustSearch(earlier.get()))) {
      intents.salvage(earlier.get());
      earlier = Optional.empty();
    }
    Intent intent = earlier.isPresent() ? earlier.get() : intents.begin(Kind.SNAPSHOT, parameters);
    Found created;
    Optional<Found> ready;
    try {
      created =
          calls.create(
              new Request(
                  Kind.SNAPSHOT,
                  intent.parameters(),
                  intent.token(),
                  tenure.context().owner(),
                  Optional.empty()));
      ready = calls.awaitReady(Kind.SNAPSHOT, created.id());
    } catch (ProviderException e) {
      if (e.trouble().isSureThatNothingWasDone()) {
        // Also after a failed one: the next attempt must make another.
        intents.salvage(intent);
      }
      throw e;
    }
    if (ready.isEmpty()) {
      throw new ProviderException(
          Trouble.UNAVAILABLE, "snapshot " + created.id() + " was created and does not show");
    }
    return recorded(intent, ready.get());
  }

  private boolean withMemory() {
    return tenure.draft().destroy().filter(Journal.DestroyPlan::withMemory).isPresent();
  }

  private static int gigabytes(Resource snapshot) {
    String size = snapshot.attributes().getOrDefault("disk_gb", "");
    return size.matches("[0-9]{1,6}") ? Integer.parseInt(size) : 0;
  }

  private void replaceBackup(Optional<Backup> next, String why)
      throws VmException, InterruptedException {
    Optional<Backup> old = tenure.draft().backup();
    tenure.change(j -> j.withBackup(next));
    if (old.isPresent()
        && next.filter(b -> b.snapshotId().equals(old.get().snapshotId())).isEmpty()) {
      Cleanup cleanup = new Cleanup(Kind.SNAPSHOT, old.get().snapshotId(), why, tenure.now());
      tenure.change(j -> j.with(cleanup));
    }
  }

  /** The backup is not wanted any more. */
  void declineBackup(String why) throws VmException, InterruptedException {
    replaceBackup(Optional.empty(), why);
  }

  // ---- everything else

  /**
   * Deletes all that belongs to the VM.
   *
   * @param dropBackup also the snapshot that was kept, and further disks: without a snapshot
   *     nothing would remember them
   * @throws VmException.Incomplete when something that the state records would not go; the state
   *     then has what is left
   */
  void everything(int steps, boolean dropBackup)
      throws VmException, ProviderException, InterruptedException {
    new Intents(tenure, calls).awaitVisible();
    // Before anything is deleted: what a crash has left may need what the state records.
    List<Found> owned = calls.owned();
    for (Kind kind : Kind.DELETION) {
      for (Found f : owned) {
        if (f.kind() == kind && f.phase() != Phase.DELETING && !isKept(kind, f.id())) {
          removeOrList(kind, f.id(), "belongs to nothing");
        }
      }
      if (kind == Kind.DISK && (dropBackup || tenure.draft().backup().isEmpty())) {
        removeDisks(steps);
      }
      Optional<Resource> recorded = tenure.state().resource(kind);
      if (recorded.isPresent()) {
        String id = recorded.get().id();
        tenure.step(
            steps,
            kind.words(),
            gone -> id + (gone ? " deleted" : " could not be deleted"),
            () -> remove(kind, id));
      }
    }
    requireNothingRecordedLeft();
    if (dropBackup) {
      declineBackup("not wanted any more");
    }
    tenure.step(steps, "leftovers", n -> n == 0 ? "none" : n + " deleted", this::leftovers);
  }

  private void requireNothingRecordedLeft() throws VmException {
    List<Cleanup> left =
        refused.stream()
            .filter(c -> c.kind() != Kind.SNAPSHOT && tenure.draft().records(c.kind(), c.id()))
            .toList();
    if (!left.isEmpty()) {
      throw incomplete(left);
    }
  }

  /**
   * Deletes the further disks of a VM that is gone already.
   *
   * @throws VmException.Incomplete when one would not go
   */
  void furtherDisks(int steps) throws VmException, ProviderException, InterruptedException {
    removeDisks(steps);
    requireNothingRecordedLeft();
  }

  /** Those that a VM has beside the one that it starts from. */
  private void removeDisks(int steps) throws VmException, ProviderException, InterruptedException {
    for (DataDisk disk : tenure.draft().state().map(VmState::disks).orElse(List.of())) {
      tenure.step(
          steps,
          "disk " + disk.name(),
          gone -> disk.id() + (gone ? " deleted" : " could not be deleted"),
          () -> remove(Kind.DISK, disk.id()));
    }
  }

  /** Recorded, so it has its own turn; or on the list of what is deleted last. */
  private boolean isKept(Kind kind, String id) {
    return tenure.draft().records(kind, id)
        || tenure.draft().cleanup().stream().anyMatch(c -> c.isSameAs(kind, id));
  }

  private VmException.Incomplete incomplete(List<Cleanup> stillThere) {
    return new VmException.Incomplete(
        tenure.context().name(),
        stillThere,
        "Remove what is in the way and run `" + tenure.operation() + "` again.");
  }

  /** Also tells the state, so that it never claims what is known to be gone. */
  private boolean remove(Kind kind, String id) throws VmException, InterruptedException {
    boolean recorded =
        tenure
            .draft()
            .state()
            .flatMap(s -> s.resource(kind))
            .filter(r -> r.id().equals(id))
            .isPresent();
    try {
      if (calls.delete(kind, id, refused.isEmpty())) {
        leaving.add(kind + " " + id);
      }
      if (kind == Kind.DISK) {
        tenure.changeState(
            s -> s.withDisks(s.disks().stream().filter(d -> !d.id().equals(id)).toList()));
      } else if (recorded) {
        tenure.changeState(
            s -> s.without(kind).withInstanceMissing(s.instanceMissing() || kind == Kind.INSTANCE));
      }
      tenure.change(j -> j.without(kind, id));
      return true;
    } catch (ProviderException e) {
      refused.add(new Cleanup(kind, id, e.getMessage(), tenure.now()));
      return false;
    }
  }

  /**
   * Deletes what only a search finds and what waits since earlier, and sees to it that nothing is
   * left: not even what is still on its way out.
   */
  int leftovers() throws VmException, ProviderException, InterruptedException {
    int deleted = cleanUp();
    new Intents(tenure, calls).awaitVisible();
    tenure.change(j -> j.withIntents(List.of()));
    Calls.Wait wait = calls.new Wait("what was deleted", Calls.GONE_PATIENCE);
    while (true) {
      boolean look = false;
      List<Found> owned = owned();
      for (Kind kind : Kind.DELETION) {
        for (Found f : owned) {
          if (f.kind() != kind || tenure.draft().records(kind, f.id())) {
            continue;
          }
          look = true;
          if (f.phase() != Phase.DELETING && !leaving.contains(kind + " " + f.id())) {
            deleted += removeOrList(kind, f.id(), "belongs to nothing") ? 1 : 0;
          }
        }
      }
      if (!look || wait.isOver()) {
        return deleted;
      }
      wait.tell("still there");
      calls.pause(Duration.ofSeconds(2));
    }
  }

  private List<Found> owned() throws VmException, ProviderException, InterruptedException {
    return calls.owned().stream()
        .filter(f -> refused.stream().noneMatch(c -> c.isSameAs(f.kind(), f.id())))
        .toList();
  }

  /** Deletes what is on the list. What would not go stays there, and says why. */
  int cleanUp() throws VmException, InterruptedException {
    int deleted = 0;
    for (Kind kind : Kind.DELETION) {
      for (Cleanup c : tenure.draft().cleanup()) {
        if (c.kind() == kind) {
          deleted += removeOrList(kind, c.id(), c.why()) ? 1 : 0;
        }
      }
    }
    return deleted;
  }

  /**
   * Deletes what no state claims of a kind that cannot be there twice, and waits until it is gone.
   *
   * @return false: something would not go
   */
  boolean makeRoom(Kind kind) throws VmException, ProviderException, InterruptedException {
    boolean room = true;
    for (Found f : calls.owned()) {
      if (f.kind() != kind || tenure.draft().records(kind, f.id())) {
        continue;
      }
      if (f.phase() == Phase.DELETING || removeOrList(kind, f.id(), "belongs to nothing")) {
        calls.awaitGone(kind, f.id());
      } else {
        room = false;
      }
    }
    return room;
  }

  private boolean removeOrList(Kind kind, String id, String why)
      throws VmException, InterruptedException {
    if (remove(kind, id)) {
      return true;
    }
    Cleanup last = refused.get(refused.size() - 1);
    Cleanup listed = new Cleanup(kind, id, why + "; " + last.why(), last.since());
    tenure.change(j -> j.with(listed));
    return false;
  }

  /** Deletes one thing that no state claims. */
  Optional<String> unclaimed(Kind kind, String id) throws VmException, InterruptedException {
    if (removeOrList(kind, id, "belongs to nothing")) {
      return Optional.empty();
    }
    return Optional.of(refused.get(refused.size() - 1).why());
  }
}
