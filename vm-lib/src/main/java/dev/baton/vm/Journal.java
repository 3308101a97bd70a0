package dev.baton.vm;

import dev.baton.core.Checks;
import dev.baton.core.Extra;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Everything that is known about one VM: the one document that is changed by compare-and-set.
 *
 * @param sequence grows with each write, so no two contents are equal
 * @param fencing the greatest fencing number that was given out
 * @param state empty: not deployed
 * @param intents what is, or was, about to be created
 * @param destroy how the destroy under way is to end; only while destroying
 * @param resize from which size to which other; only while resizing
 * @param cleanup what is still to be deleted
 * @param unpublished history records that may not be in their files yet
 */
public record Journal(
    VmName name,
    long sequence,
    long fencing,
    Optional<LockRecord> lock,
    Optional<VmState> state,
    List<Intent> intents,
    Optional<DestroyPlan> destroy,
    Optional<ResizePlan> resize,
    Optional<Backup> backup,
    List<Cleanup> cleanup,
    List<HistoryRecord> unpublished,
    Extra extra) {

  /** The version of the format of the journal, for all that it can say. */
  public static final String FORMAT = "baton-vm/1";

  /** Of a journal that {@link #FORMAT} cannot express, so that earlier versions leave it alone. */
  public static final String LATER_FORMAT = "baton-vm/2";

  private static final int MAX_LIST = 1_000;

  /**
   * What a destroy was asked for, for whoever has to finish it.
   *
   * @param keepSnapshot the disk is to be kept as a snapshot
   * @param snapshotTaken that has been done, and the snapshot is the backup
   * @param withMemory the snapshot is one that others start from without booting
   */
  public record DestroyPlan(boolean keepSnapshot, boolean snapshotTaken, boolean withMemory) {
    public DestroyPlan(boolean keepSnapshot, boolean snapshotTaken) {
      this(keepSnapshot, snapshotTaken, false);
    }

    public DestroyPlan taken() {
      return new DestroyPlan(true, true, withMemory);
    }
  }

  /**
   * What a resize was asked for, and what it goes back to: the attributes that the size of an
   * instance consists of.
   */
  public record ResizePlan(Map<String, String> from, Map<String, String> to) {
    public ResizePlan {
      from = Texts.fields("from", from);
      to = Texts.fields("to", to);
    }
  }

  public Journal {
    Objects.requireNonNull(name, "name");
    Checks.notNegative("sequence", sequence);
    Checks.notNegative("fencing", fencing);
    if (lock.filter(l -> l.fencing() > fencing).isPresent()) {
      throw new IllegalArgumentException(
          "the lock has the fencing number " + lock.get().fencing() + ", beyond " + fencing);
    }
    Objects.requireNonNull(state, "state");
    intents = bounded("intents", intents);
    Objects.requireNonNull(destroy, "destroy");
    Objects.requireNonNull(resize, "resize");
    Objects.requireNonNull(backup, "backup");
    cleanup = bounded("cleanup", cleanup);
    unpublished = bounded("unpublished", unpublished);
    Objects.requireNonNull(extra, "extra");
  }

  private static <T> List<T> bounded(String name, List<T> list) {
    if (list.size() > MAX_LIST) {
      throw new IllegalArgumentException(
          name + " has more than " + MAX_LIST + " entries: " + list.size());
    }
    return List.copyOf(list);
  }

  public static Journal empty(VmName name) {
    return new Journal(
        name,
        0,
        0,
        Optional.empty(),
        Optional.empty(),
        List.of(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        List.of(),
        List.of(),
        Extra.NONE);
  }

  public Optional<Status> status() {
    return state.map(VmState::status);
  }

  public Optional<Intent> intent(Kind kind) {
    return intents.stream().filter(i -> i.kind() == kind).findFirst();
  }

  /** Whether something in the cloud is accounted for by the state or the backup. */
  public boolean records(Kind kind, String id) {
    return state.flatMap(s -> s.resource(kind)).filter(r -> r.id().equals(id)).isPresent()
        || kind == Kind.DISK
            && state.filter(s -> s.disks().stream().anyMatch(d -> d.id().equals(id))).isPresent()
        || kind == Kind.SNAPSHOT && backup.filter(b -> b.snapshotId().equals(id)).isPresent();
  }

  public Journal numbered(long nextSequence) {
    return copy(
        lock, state, intents, destroy, resize, backup, cleanup, unpublished, nextSequence, fencing);
  }

  public Journal withFencing(long number) {
    return copy(
        lock, state, intents, destroy, resize, backup, cleanup, unpublished, sequence, number);
  }

  public Journal withLock(Optional<LockRecord> next) {
    return copy(
        next, state, intents, destroy, resize, backup, cleanup, unpublished, sequence, fencing);
  }

  public Journal withState(Optional<VmState> next) {
    return copy(
        lock, next, intents, destroy, resize, backup, cleanup, unpublished, sequence, fencing);
  }

  public Journal withIntents(List<Intent> next) {
    return copy(
        lock, state, next, destroy, resize, backup, cleanup, unpublished, sequence, fencing);
  }

  /** With that intent in place of any other for the same kind. */
  public Journal with(Intent intent) {
    List<Intent> next = new ArrayList<>(without(intent.kind()).intents);
    next.add(intent);
    return withIntents(next);
  }

  public Journal without(Kind intent) {
    return withIntents(intents.stream().filter(i -> i.kind() != intent).toList());
  }

  public Journal withDestroy(Optional<DestroyPlan> next) {
    return copy(
        lock, state, intents, next, resize, backup, cleanup, unpublished, sequence, fencing);
  }

  public Journal withResize(Optional<ResizePlan> next) {
    return copy(
        lock, state, intents, destroy, next, backup, cleanup, unpublished, sequence, fencing);
  }

  public Journal withBackup(Optional<Backup> next) {
    return copy(
        lock, state, intents, destroy, resize, next, cleanup, unpublished, sequence, fencing);
  }

  public Journal withCleanup(List<Cleanup> next) {
    return copy(
        lock, state, intents, destroy, resize, backup, next, unpublished, sequence, fencing);
  }

  public Journal with(Cleanup more) {
    List<Cleanup> next = new ArrayList<>(without(more.kind(), more.id()).cleanup);
    next.add(more);
    return withCleanup(next);
  }

  public Journal without(Kind kind, String cleanupId) {
    return withCleanup(cleanup.stream().filter(c -> !c.isSameAs(kind, cleanupId)).toList());
  }

  public Journal withUnpublished(List<HistoryRecord> next) {
    return copy(lock, state, intents, destroy, resize, backup, cleanup, next, sequence, fencing);
  }

  public Journal with(HistoryRecord more) {
    List<HistoryRecord> next = new ArrayList<>(unpublished);
    next.add(more);
    return withUnpublished(next);
  }

  private Journal copy(
      Optional<LockRecord> nextLock,
      Optional<VmState> nextState,
      List<Intent> nextIntents,
      Optional<DestroyPlan> nextDestroy,
      Optional<ResizePlan> nextResize,
      Optional<Backup> nextBackup,
      List<Cleanup> nextCleanup,
      List<HistoryRecord> nextUnpublished,
      long nextSequence,
      long nextFencing) {
    return new Journal(
        name,
        nextSequence,
        nextFencing,
        nextLock,
        nextState,
        nextIntents,
        nextDestroy,
        nextResize,
        nextBackup,
        nextCleanup,
        nextUnpublished,
        extra);
  }
}
