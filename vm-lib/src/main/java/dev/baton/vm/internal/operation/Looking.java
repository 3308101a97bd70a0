package dev.baton.vm.internal.operation;

import dev.baton.core.Durations;
import dev.baton.vm.Backup;
import dev.baton.vm.HistoryRecord;
import dev.baton.vm.Journal;
import dev.baton.vm.Kind;
import dev.baton.vm.LockRecord;
import dev.baton.vm.Operation;
import dev.baton.vm.Progress;
import dev.baton.vm.Resource;
import dev.baton.vm.Status;
import dev.baton.vm.StatusReport;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import dev.baton.vm.VmState;
import dev.baton.vm.VmState.DataDisk;
import dev.baton.vm.internal.lifecycle.Lifecycle;
import dev.baton.vm.internal.lifecycle.Lifecycle.Corrected;
import dev.baton.vm.internal.lifecycle.Lifecycle.Truth;
import dev.baton.vm.internal.lifecycle.Situation;
import dev.baton.vm.spi.Disks;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.Phase;
import dev.baton.vm.spi.Provider;
import dev.baton.vm.spi.ProviderException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Looks at a VM, and puts right what an interrupted suspend, resume, stop or start has left. */
final class Looking {

  private static final Duration SETTLING = Duration.ofSeconds(5);
  private static final int ATTEMPTS = 10;

  private final VmContext context;
  private final Calls calls;

  Looking(VmContext context) {
    this.context = context;
    this.calls = Calls.withoutLock(context);
  }

  StatusReport report() throws VmException, InterruptedException {
    JournalFile file = context.file();
    Optional<StatusReport.Correction> corrected = Optional.empty();
    List<String> cloud = new ArrayList<>();
    Map<String, String> facts = new LinkedHashMap<>();
    JournalFile.Loaded loaded = file.read();
    Instant now = file.now();
    for (int i = 0; i < ATTEMPTS && isInterrupted(loaded.journal(), now); i++) {
      VmState state = loaded.journal().state().orElseThrow();
      Optional<Found> found;
      Optional<Corrected> correction;
      try {
        found = look(state);
        correction = Lifecycle.correct(state.status(), truth(found, context.provider()));
      } catch (ProviderException e) {
        cloud.add("could not ask the cloud about the instance: " + e.getMessage());
        break;
      }
      if (correction.isEmpty()) {
        cloud.add("the instance is still on its way; look again in a moment");
        break;
      }
      boolean done = write(loaded, correction.get(), found, now);
      loaded = file.read();
      if (done) {
        corrected = Optional.of(new StatusReport.Correction(state.status(), correction.get().to()));
      }
    }
    Journal journal = loaded.journal();
    converge(journal);
    if (journal.state().isPresent() && cloud.isEmpty()) {
      compare(journal.state().get(), cloud, facts);
    }
    boolean left = journal.lock().filter(l -> context.isFree(l, now)).isPresent();
    return new StatusReport(
        context.name(),
        journal.state(),
        journal.lock(),
        left,
        journal.lock().map(l -> positive(Duration.between(l.startedAt(), now))),
        corrected,
        journal.backup(),
        journal.cleanup(),
        facts,
        cloud,
        advice(journal, left, now, corrected),
        now);
  }

  /** An operation is about to begin, and the lock is free, expired, or may be taken. */
  void correctBeforehand(JournalFile.Loaded loaded, Operation wanted)
      throws VmException, InterruptedException {
    VmState state = loaded.journal().state().orElseThrow();
    long start = context.world().nanos();
    try {
      while (true) {
        Optional<Found> found = look(state);
        Optional<Corrected> correction =
            Lifecycle.correct(state.status(), truth(found, context.provider()));
        if (correction.isPresent()) {
          // Whether it was written or somebody was faster: the journal has to be read anew.
          write(loaded, correction.get(), found, context.file().now());
          return;
        }
        if (calls.since(start, Calls.READY_PATIENCE)) {
          throw new VmException.CloudFailed(
              Trouble.UNAVAILABLE,
              "the instance is neither running nor stopped after "
                  + Calls.READY_PATIENCE.toMinutes()
                  + " minutes",
              "Nothing was changed. Look at it in the cloud's console and run `"
                  + wanted
                  + "` again.",
              null);
        }
        calls.pause(SETTLING);
      }
    } catch (ProviderException e) {
      throw new VmException.CloudFailed(
          e.trouble(),
          e.problem()
              .within("cannot find out what the interrupted operation has come to: ")
              .then("Nothing was changed. Run `" + wanted + "` again when the cloud answers."),
          e);
    }
  }

  private boolean isInterrupted(Journal journal, Instant now) {
    return journal.status().filter(Lifecycle::isToldByTheCloud).isPresent()
        && journal.lock().filter(l -> !context.isFree(l, now)).isEmpty();
  }

  /** What the cloud says about the instance. */
  private Optional<Found> look(VmState state) throws ProviderException, InterruptedException {
    Optional<Resource> instance = state.resource(Kind.INSTANCE);
    return instance.isEmpty()
        ? Optional.empty()
        : calls.describe(Kind.INSTANCE, instance.get().id());
  }

  static Truth truth(Optional<Found> found, Provider provider) {
    if (found.isEmpty()) {
      return Truth.GONE;
    }
    return switch (found.get().phase()) {
      case RUNNING, READY -> Truth.RUNNING;
      case STOPPED -> provider.power().isPresent() ? Truth.STOPPED : Truth.SUSPENDED;
      case SUSPENDED -> Truth.SUSPENDED;
      case DELETING, FAILED -> Truth.GONE;
      case PENDING, STARTING, STOPPING -> Truth.CHANGING;
    };
  }

  /**
   * One write that takes the place of lock, correction and release: it fences out whoever was
   * interrupted, and it fails if anybody has written since.
   */
  private boolean write(
      JournalFile.Loaded loaded, Corrected correction, Optional<Found> instance, Instant now)
      throws VmException, InterruptedException {
    boolean billed = instance.filter(Found::isBilledWhileStopped).isPresent();
    Journal found = loaded.journal();
    long fencing = found.fencing() + 1;
    Journal next = found;
    if (found.lock().isPresent()) {
      next = next.with(Admission.interrupted(context, found, found.lock().get(), now));
    }
    next =
        next.with(
                new HistoryRecord(
                    now,
                    Operation.STATUS,
                    found.status(),
                    Optional.of(correction.to()),
                    context.client().id(),
                    Optional.empty(),
                    billed ? Optional.of(Turning.STILL_BILLED) : Optional.empty(),
                    Duration.ZERO,
                    fencing))
            .withFencing(fencing)
            .withLock(Optional.empty())
            .withState(
                found
                    .state()
                    .map(
                        s ->
                            Life.resting(s, correction.to(), now)
                                .at(correction.to(), Optional.empty())
                                .withBilledWhileStopped(billed)
                                .withInstanceMissing(s.instanceMissing() || correction.mark())
                                .withUpdatedAt(now)))
            .numbered(found.sequence() + 1);
    boolean written =
        context
            .file()
            .write(
                loaded.version(),
                next,
                context.name() + " is " + correction.to() + ", as the cloud says")
            .isPresent();
    if (written) {
      found.lock().ifPresent(l -> context.client().liveness().forget(l.nonce()));
    }
    if (written && correction.to() == Status.RUNNING && !correction.mark()) {
      tellItsEnd();
    }
    return written;
  }

  /** Whoever was interrupted had taken it from the cloud, or had not told it yet. */
  private void tellItsEnd() throws InterruptedException {
    try {
      new Pushing(context).tellAgain();
    } catch (VmException e) {
      // Its state has an end all the same, by which a sweep goes; the next push tells it.
      return;
    }
  }

  /** What a crash between a write and its copies has left behind is made up for. */
  void converge(Journal journal) {
    Publisher publisher = context.publisher(Progress.NONE);
    publisher.look();
    publisher.publish(journal);
  }

  private void compare(VmState state, List<String> cloud, Map<String, String> facts)
      throws InterruptedException {
    if (state.status() == Status.DESTROYED || state.status() == Status.DEPLOYING) {
      return;
    }
    for (Resource r : state.resources().values()) {
      try {
        Optional<Found> found = calls.describe(r.kind(), r.id());
        if (found.isEmpty()) {
          cloud.add(r + " does not exist any more");
        } else if (r.kind() == Kind.INSTANCE) {
          facts.putAll(context.provider().facts(found.get()));
          Phase phase = found.get().phase();
          boolean fits = Turning.fits(state.status(), phase, calls);
          if (!fits) {
            cloud.add(r + " is " + phase.name().toLowerCase(Locale.ROOT));
          } else if (found.get().isBilledWhileStopped() && !state.billedWhileStopped()) {
            cloud.add(Turning.STILL_BILLED);
          }
        }
      } catch (ProviderException e) {
        cloud.add("could not ask the cloud about " + r + ": " + e.getMessage());
        return;
      }
    }
    compareDisks(state, cloud);
  }

  private void compareDisks(VmState state, List<String> cloud) throws InterruptedException {
    String instance = state.resource(Kind.INSTANCE).map(Resource::id).orElse("");
    for (DataDisk disk : state.disks()) {
      try {
        Optional<Found> found = calls.describe(Kind.DISK, disk.id());
        boolean attached =
            found.filter(f -> instance.equals(f.attributes().get(Disks.INSTANCE))).isPresent();
        if (found.isEmpty()) {
          cloud.add(disk + " does not exist any more");
        } else if (attached != (disk.wanted() == DataDisk.Wanted.ATTACHED)) {
          cloud.add(
              disk
                  + (attached ? " is attached" : " is not attached")
                  + ", and should be "
                  + disk.wanted().word()
                  + ": the next `start` puts that right");
        }
      } catch (ProviderException e) {
        cloud.add("could not ask the cloud about " + disk + ": " + e.getMessage());
        return;
      }
    }
  }

  private static List<String> advice(
      Journal journal, boolean left, Instant now, Optional<StatusReport.Correction> corrected) {
    List<String> advice = new ArrayList<>();
    if (journal.lock().isPresent() && !left) {
      LockRecord lock = journal.lock().get();
      advice.add(
          "Wait for "
              + lock.operation()
              + " by "
              + lock.clientId()
              + " to finish. If it has died, its lock ends in "
              + Durations.shown(LockRecord.LEASE.minus(Duration.between(lock.renewedAt(), now))));
      return advice;
    }
    corrected.ifPresent(
        c -> {
          if (c.from() == Status.SUSPENDING && c.to() == Status.RUNNING) {
            advice.add("The interrupted suspend has not stopped it. Run `suspend` again");
          } else if (c.from() == Status.RESUMING && c.to() == Status.SUSPENDED) {
            advice.add("The interrupted resume has not started it. Run `resume` again");
          } else if (c.from() == Status.STOPPING && c.to() == Status.RUNNING) {
            advice.add("The interrupted stop has not stopped it. Run `stop` again");
          } else if (c.from() == Status.STARTING && c.to() == Status.STOPPED) {
            advice.add("The interrupted start has not started it. Run `start` again");
          }
        });
    if (journal.status().equals(Optional.of(Status.DESTROYING))) {
      boolean taken = journal.destroy().filter(Journal.DestroyPlan::snapshotTaken).isPresent();
      advice.add(
          taken
              ? "A destroy was interrupted after its snapshot was finished"
              : "A destroy was interrupted; it has no finished snapshot");
    }
    journal
        .resize()
        .ifPresent(
            r ->
                advice.add(
                    "A resize from "
                        + Resizing.shown(r.from())
                        + " to "
                        + Resizing.shown(r.to())
                        + " was interrupted"));
    if (advice.isEmpty()
        || journal.resize().isPresent()
        || journal.status().equals(Optional.of(Status.DESTROYING))) {
      advice.add(next(journal));
    }
    if (journal.state().filter(VmState::billedWhileStopped).isPresent()) {
      advice.add("It is stopped but still billed: `destroy` with a snapshot costs less");
    }
    if (!journal.cleanup().isEmpty()) {
      advice.add("`sweep` or the next `destroy` removes what is still there");
    }
    return advice;
  }

  private static String next(Journal journal) {
    boolean prepared =
        journal.status().equals(Optional.of(Status.DESTROYED))
            && journal.backup().filter(Backup::withMemory).isPresent();
    return prepared
        ? "New VMs start warm from its snapshot; `destroy` removes that"
        : Lifecycle.advice(Situation.of(journal));
  }

  private static Duration positive(Duration d) {
    return d.isNegative() ? Duration.ZERO : d;
  }
}
