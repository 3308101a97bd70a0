package dev.baton.vm.internal.codec;

import dev.baton.vm.Backup;
import dev.baton.vm.HistoryRecord;
import dev.baton.vm.Journal;
import dev.baton.vm.Kind;
import dev.baton.vm.Operation;
import dev.baton.vm.Status;
import dev.baton.vm.VmState;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * What the first format has no words for. A version that knows no other would take it for damage,
 * or pass over a disk; so only a document that has none of this is written in that format.
 */
final class NewWords {

  private static final Set<Status> STATUSES =
      EnumSet.of(Status.STOPPING, Status.STOPPED, Status.STARTING, Status.RESIZING);

  private static final Set<Operation> OPERATIONS =
      EnumSet.of(
          Operation.STOP, Operation.START, Operation.RESIZE, Operation.ATTACH, Operation.DETACH);

  private NewWords() {}

  static boolean in(VmState s) {
    return STATUSES.contains(s.status()) || in(s.previousStatus()) || !s.disks().isEmpty();
  }

  static boolean in(Journal j) {
    return j.state().filter(NewWords::in).isPresent()
        || j.lock().filter(l -> OPERATIONS.contains(l.operation()) || in(l.from())).isPresent()
        || j.resize().isPresent()
        || j.destroy().filter(Journal.DestroyPlan::withMemory).isPresent()
        || j.backup().filter(Backup::withMemory).isPresent()
        || j.intents().stream().anyMatch(i -> i.kind() == Kind.DISK)
        || j.cleanup().stream().anyMatch(c -> c.kind() == Kind.DISK)
        || j.unpublished().stream().anyMatch(NewWords::in);
  }

  private static boolean in(HistoryRecord h) {
    return OPERATIONS.contains(h.operation()) || in(h.from()) || in(h.to());
  }

  private static boolean in(Optional<Status> status) {
    return status.filter(STATUSES::contains).isPresent();
  }
}
