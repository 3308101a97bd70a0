package dev.baton.vm.internal.operation;

import dev.baton.core.DocumentException;
import dev.baton.vm.Backup;
import dev.baton.vm.Journal;
import dev.baton.vm.Kind;
import dev.baton.vm.Legacy;
import dev.baton.vm.Operation;
import dev.baton.vm.Options;
import dev.baton.vm.Outcome;
import dev.baton.vm.Progress;
import dev.baton.vm.Question;
import dev.baton.vm.Resource;
import dev.baton.vm.Status;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import dev.baton.vm.VmState;
import dev.baton.vm.internal.codec.VmCodec;
import dev.baton.vm.internal.lifecycle.Lifecycle;
import dev.baton.vm.internal.lifecycle.Situation;
import dev.baton.vm.internal.lifecycle.Target;
import dev.baton.vm.internal.lifecycle.Transition;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.ProviderException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Takes over a VM that an earlier tool deployed.
 *
 * <ol>
 *   <li>A state that is there already wins, whoever has the lock.
 *   <li>The cloud is asked what there is of the record, and that makes the status.
 *   <li>A person says yes.
 *   <li>The lock and the state are written in one step, if nobody has written since the first look:
 *       of two machines that do this at once one wins, and the other finds a state.
 *   <li>While the lock is held, the record is put aside.
 * </ol>
 *
 * <p>The resources get no mark of their owner. What is recorded is looked at and deleted by its id;
 * what a search by owner does not find, a sweep never touches.
 */
public final class Migrating {

  /** Of a journal: what a store takes, with room for what the operations to come will add. */
  private static final int LONGEST = 500_000;

  private final VmContext context;
  private final Legacy legacy;
  private final Progress progress;
  private String nothingThere = "";

  public Migrating(VmContext context, Legacy legacy, Progress progress) {
    this.context = context;
    this.legacy = legacy;
    this.progress = progress;
  }

  /**
   * @param putAside run under the lock, when the state is written
   */
  public Outcome run(Options options, Runnable putAside) throws VmException, InterruptedException {
    Optional<Outcome> before = there();
    if (before.isPresent()) {
      return before.get();
    }
    try {
      return takeOver(options, putAside);
    } catch (VmException.LockHeld e) {
      // Perhaps by somebody who has written a state meanwhile.
      return there().orElseThrow(() -> e);
    }
  }

  private Optional<Outcome> there() throws VmException, InterruptedException {
    Journal journal = context.file().read().journal();
    if (journal.state().isEmpty()) {
      return Optional.empty();
    }
    new Looking(context).converge(journal);
    return Optional.of(
        new Outcome.Unchanged(
            Operation.MIGRATE,
            journal.state(),
            "VM " + context.name() + " is already " + journal.status().orElseThrow()));
  }

  private Outcome takeOver(Options options, Runnable putAside)
      throws VmException, InterruptedException {
    Outcome outcome =
        new VmHandle(context)
            .run(
                Operation.MIGRATE,
                options,
                asking -> (journal, now) -> enter(journal, now, asking),
                tenure -> putAside.run());
    return outcome instanceof Outcome.Unchanged same && same.state().isEmpty()
        ? new Outcome.Unchanged(Operation.MIGRATE, Optional.empty(), nothingThere)
        : outcome;
  }

  private Optional<Admission.Entry> enter(Journal journal, Instant now, Asking asking)
      throws VmException, InterruptedException {
    if (journal.state().isPresent()) {
      return Optional.empty();
    }
    Optional<Backup> backup;
    Optional<VmState> state;
    try {
      backup = backup();
      state = state(now, backup);
    } catch (ProviderException e) {
      throw unasked(e);
    }
    if (state.isEmpty()) {
      nothingThere =
          "nothing of what "
              + legacy.source()
              + " names exists"
              + (legacy.region().isEmpty() ? "" : " in " + legacy.region())
              + " for these credentials";
      return Optional.empty();
    }
    Journal next = journal.withState(state).withBackup(backup);
    requireReadable(next);
    Question question =
        new Question(
            Question.Topic.MIGRATE,
            "In "
                + legacy.source()
                + " is the record of a VM by version "
                + legacy.version()
                + ", which is "
                + shown(state.get())
                + ". Move it to "
                + context.space().location()
                + "?",
            true);
    if (!asking.isYes(question)) {
      throw new VmException.Declined(
          "The record is as it was, and Baton knows nothing of that VM. Run it again to move it, or"
              + " with --no-migrate to leave it alone for good.");
    }
    Status status = state.get().status();
    Transition line =
        Lifecycle.taking(Situation.of(journal), Operation.MIGRATE, new Target.To(status));
    return Optional.of(new Admission.Entry(next, line));
  }

  /** What was written cannot be refused any more: nobody could read it, nor delete the VM. */
  private void requireReadable(Journal next) throws VmException {
    String why;
    try {
      String text = VmCodec.encode(next);
      VmCodec.decode(text);
      if (text.length() <= LONGEST) {
        return;
      }
      why = "it has " + text.length() + " characters, and " + LONGEST + " are taken";
    } catch (DocumentException e) {
      why = e.getMessage();
    }
    throw new VmException.BrokenState(
        "the record of a VM in " + legacy.source(),
        "what would become of it could not be read back: " + why,
        "Nothing was changed. Take out what a VM does not need, or leave it alone with"
            + " --no-migrate.");
  }

  /**
   * What of the record the cloud still has, and none of these accounts for.
   *
   * @param journals of all VMs of the space
   */
  public List<Resource> unclaimed(List<Journal> journals) throws VmException, InterruptedException {
    List<Resource> recorded = new ArrayList<>(legacy.resources().values());
    legacy
        .backup()
        .ifPresent(b -> recorded.add(new Resource(Kind.SNAPSHOT, b.snapshotId(), Map.of())));
    recorded.removeIf(r -> journals.stream().anyMatch(j -> claims(j, r)));
    List<Resource> found = new ArrayList<>();
    try {
      for (Resource r : recorded) {
        if (Calls.withoutLock(context).describe(r.kind(), r.id()).isPresent()) {
          found.add(r);
        }
      }
      return found;
    } catch (ProviderException e) {
      throw unasked(e);
    }
  }

  private static boolean claims(Journal journal, Resource r) {
    return journal.records(r.kind(), r.id())
        || journal.cleanup().stream().anyMatch(c -> c.isSameAs(r.kind(), r.id()));
  }

  private VmException unasked(ProviderException e) {
    return new VmException.CloudFailed(
        e.trouble(),
        e.problem()
            .within("cannot find out what there is of the VM in " + legacy.source() + ": ")
            .then("Nothing was changed. Run the same command again when the cloud can be asked."),
        e);
  }

  private static String shown(VmState state) {
    return state.status()
        + (state.instanceMissing() ? " without its instance" : "")
        + state.resource(Kind.INSTANCE).map(i -> " (" + i.id() + ")").orElse("");
  }

  private Optional<Backup> backup() throws ProviderException, InterruptedException {
    if (legacy.backup().isEmpty()) {
      return Optional.empty();
    }
    String id = legacy.backup().get().snapshotId();
    if (Calls.withoutLock(context).describe(Kind.SNAPSHOT, id).isPresent()) {
      return legacy.backup();
    }
    progress.note("snapshot " + id + " does not exist any more, and is left out");
    return Optional.empty();
  }

  /** Empty: there is nothing left of it. */
  private Optional<VmState> state(Instant now, Optional<Backup> backup)
      throws VmException, ProviderException, InterruptedException {
    Calls calls = Calls.withoutLock(context);
    Map<Kind, Resource> resources = new EnumMap<>(Kind.class);
    boolean anything = false;
    Optional<Found> instance = Optional.empty();
    for (Resource r : legacy.resources().values()) {
      Optional<Found> found = calls.describe(r.kind(), r.id());
      resources.put(r.kind(), found.map(f -> merged(r, f)).orElse(r));
      if (r.kind() == Kind.INSTANCE) {
        instance = found;
      }
      if (found.isPresent()) {
        anything = true;
      } else {
        progress.note(r + " does not exist any more");
      }
    }
    if (!anything && backup.isEmpty()) {
      return Optional.empty();
    }
    if (!anything) {
      return Optional.of(as(Status.DESTROYED, now).withResources(Map.of()));
    }
    VmState state = as(Status.RUNNING, now).withResources(resources);
    return Optional.of(
        switch (Looking.truth(instance, context.provider())) {
          case RUNNING -> state;
          case STOPPED -> state.at(Status.STOPPED, Optional.empty());
          case SUSPENDED ->
              state
                  .at(Status.SUSPENDED, Optional.empty())
                  .withBilledWhileStopped(instance.orElseThrow().isBilledWhileStopped());
          // With a snapshot a deploy starts from it.
          case GONE ->
              state
                  .at(backup.isPresent() ? Status.SUSPENDED : Status.RUNNING, Optional.empty())
                  .withInstanceMissing(true);
          case CHANGING ->
              throw new VmException.CloudFailed(
                  Trouble.UNAVAILABLE,
                  "the instance of the VM in " + legacy.source() + " is just starting or stopping",
                  "Nothing was changed. Run the same command again in a minute.",
                  null);
        });
  }

  /** With what the cloud knows better, such as its address now, and what the record knows alone. */
  private static Resource merged(Resource recorded, Found found) {
    Map<String, String> attributes = new LinkedHashMap<>(recorded.attributes());
    attributes.putAll(found.attributes());
    attributes.remove(Found.BILLED_WHILE_STOPPED);
    return new Resource(recorded.kind(), recorded.id(), attributes);
  }

  private VmState as(Status status, Instant now) {
    return VmState.starting(status, legacy.region(), now).withExtra(legacy.extra());
  }
}
