package dev.baton.vm.internal.operation;

import dev.baton.vm.Journal;
import dev.baton.vm.Kind;
import dev.baton.vm.Operation;
import dev.baton.vm.Question;
import dev.baton.vm.Resource;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import dev.baton.vm.VmState;
import dev.baton.vm.VmState.DataDisk;
import dev.baton.vm.VmState.DataDisk.Wanted;
import dev.baton.vm.internal.lifecycle.Lifecycle;
import dev.baton.vm.internal.lifecycle.Situation;
import dev.baton.vm.internal.lifecycle.Transition;
import dev.baton.vm.spi.Disks;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.ProviderException;
import java.util.Optional;

/** Whether a further disk can be attached or detached, before anything is changed. */
final class DiskRequest {

  private final VmContext context;
  private final String name;

  DiskRequest(VmContext context, String name) {
    this.context = context;
    this.name = name;
  }

  /**
   * @return empty: it is attached already
   */
  Optional<Admission.Entry> attach(Journal journal, Optional<Integer> gigabytes)
      throws VmException, InterruptedException {
    Transition line = Lifecycle.require(Situation.of(journal), Operation.ATTACH);
    VmState state = journal.state().orElseThrow();
    Optional<DataDisk> there = state.disk(name);
    if (there.isEmpty()) {
      requireRoom(state, gigabytes);
    } else {
      requireSame(there.get(), gigabytes);
      if (isAlready(Wanted.ATTACHED, there.get(), journal)) {
        return Optional.empty();
      }
    }
    return Optional.of(new Admission.Entry(journal, line));
  }

  private void requireRoom(VmState state, Optional<Integer> gigabytes) throws VmException {
    if (gigabytes.isEmpty()) {
      throw new VmException.Impossible(
          Trouble.BAD_REQUEST,
          "VM " + context.name() + " has no disk " + name + " yet, and no size was given for one",
          "Say how large it is to be.",
          null);
    }
    if (state.disks().size() >= DataDisk.MOST) {
      throw new VmException.Impossible(
          Trouble.QUOTA_EXCEEDED,
          "VM " + context.name() + " has " + DataDisk.MOST + " disks already, which is the most",
          "Detach and delete one first.",
          null);
    }
  }

  private static void requireSame(DataDisk there, Optional<Integer> gigabytes) throws VmException {
    if (gigabytes.filter(gb -> gb != there.gigabytes()).isPresent()) {
      throw new VmException.Impossible(
          Trouble.BAD_REQUEST,
          there + " has " + there.gigabytes() + " GB already, not " + gigabytes.get(),
          "Leave the size out, or choose another name for a new disk.",
          null);
    }
    if (there.wanted() == Wanted.DELETED) {
      throw new VmException.Impossible(
          Trouble.BAD_REQUEST,
          there + " is being deleted: that was asked for, and interrupted",
          "Ask for its deletion again to finish that, or choose another name for a new disk.",
          null);
    }
  }

  /**
   * @return empty: it is detached already, or to be deleted and not there
   */
  Optional<Admission.Entry> detach(Journal journal, boolean delete, Asking asking)
      throws VmException, InterruptedException {
    Transition line = Lifecycle.require(Situation.of(journal), Operation.DETACH);
    VmState state = journal.state().orElseThrow();
    Optional<DataDisk> there = state.disk(name);
    if (there.isEmpty()) {
      if (delete) {
        boolean unfinished = journal.lock().isPresent();
        return unfinished ? Optional.of(new Admission.Entry(journal, line)) : Optional.empty();
      }
      throw new VmException.Impossible(
          Trouble.NOT_FOUND,
          "VM " + context.name() + " has no disk " + name,
          "Run `status` to see its disks.",
          null);
    }
    if (delete) {
      requireYes(there.get(), asking);
    } else {
      requireSame(there.get(), Optional.empty());
      if (isAlready(Wanted.DETACHED, there.get(), journal)) {
        return Optional.empty();
      }
    }
    return Optional.of(new Admission.Entry(journal, line));
  }

  private static void requireYes(DataDisk there, Asking asking)
      throws VmException, InterruptedException {
    Question question =
        new Question(
            Question.Topic.DELETE_DISK, "Delete " + there + " with all that is on it?", false);
    if (there.wanted() != Wanted.DELETED && !asking.isYes(question)) {
      throw new VmException.Declined("Detach it without its deletion to keep it.");
    }
  }

  /**
   * By the state, and by the cloud: an operation that was killed may have left it otherwise. Where
   * it has left its lock it is finished in any case.
   */
  private boolean isAlready(Wanted wanted, DataDisk there, Journal journal)
      throws VmException, InterruptedException {
    if (there.wanted() != wanted || journal.lock().isPresent()) {
      return false;
    }
    String instance =
        journal.state().flatMap(s -> s.resource(Kind.INSTANCE)).map(Resource::id).orElse("");
    try {
      Optional<Found> found = Calls.withoutLock(context).describe(Kind.DISK, there.id());
      Optional<String> has = found.map(f -> f.attributes().getOrDefault(Disks.INSTANCE, ""));
      return has.filter(i -> i.equals(instance) == (wanted == Wanted.ATTACHED)).isPresent();
    } catch (ProviderException e) {
      throw new VmException.CloudFailed(
          e.trouble(),
          e.problem()
              .within("cannot find out whether " + there + " is attached: ")
              .then(VmHandle.advice(e.trouble())),
          e);
    }
  }
}
