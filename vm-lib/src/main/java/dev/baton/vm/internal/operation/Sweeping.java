package dev.baton.vm.internal.operation;

import dev.baton.core.Durations;
import dev.baton.vm.BuildVm.Disk;
import dev.baton.vm.Cleanup;
import dev.baton.vm.Intent;
import dev.baton.vm.Journal;
import dev.baton.vm.Kind;
import dev.baton.vm.LockRecord;
import dev.baton.vm.Operation;
import dev.baton.vm.Options;
import dev.baton.vm.Questions;
import dev.baton.vm.Status;
import dev.baton.vm.SweepOptions;
import dev.baton.vm.SweepReport.Finding;
import dev.baton.vm.SweepReport.Reason;
import dev.baton.vm.SweepReport.Result;
import dev.baton.vm.VmException;
import dev.baton.vm.VmState;
import dev.baton.vm.internal.lifecycle.Lifecycle;
import dev.baton.vm.internal.lifecycle.Situation;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.Phase;
import dev.baton.vm.spi.ProviderException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Sweeps one VM. Nobody may be at work on it, and what is deleted is deleted under its lock:
 *
 * <ol>
 *   <li>an interrupted destroy is finished, as it was meant;
 *   <li>a VM of a job that outlived its time is taken down, and so is what VMs started warm from;
 *   <li>the lock of somebody who died is taken away;
 *   <li>what is on the list of leftovers is deleted;
 *   <li>so is what bears this VM's mark in the cloud, is claimed by no state, and is old enough.
 * </ol>
 */
public final class Sweeping {

  private final VmContext context;
  private final VmHandle vm;
  private final SweepOptions options;
  private final Options working;
  private final List<Finding> findings = new ArrayList<>();

  public Sweeping(VmContext context, SweepOptions options) {
    this.context = context;
    this.vm = new VmHandle(context);
    this.options = options;
    this.working = Options.DEFAULT.asking(Questions.assumeYes()).telling(options.progress());
  }

  /**
   * @param owned what bears this VM's mark
   */
  public List<Finding> run(List<Found> owned) throws InterruptedException {
    try {
      Journal journal = context.file().read().journal();
      Instant now = context.file().now();
      Optional<LockRecord> busy = journal.lock().filter(l -> !context.isFree(l, now));
      if (busy.isPresent()) {
        whole(
            Reason.BUSY,
            Result.LEFT_ALONE,
            busy.get().operation() + " by " + busy.get().clientId());
        return findings;
      }
      if (isInterrupted(journal) && !options.dryRun()) {
        // What it was meant to be is decided first: one that is suspended has no end.
        vm.status();
        journal = context.file().read().journal();
      }
      whole(journal, now);
      if (findings.stream().noneMatch(f -> f.kind().isEmpty() && f.result() != Result.LEFT_ALONE)) {
        parts(journal, owned);
      }
    } catch (VmException e) {
      whole(Reason.UNCLAIMED, Result.FAILED, e.getMessage());
    }
    return findings;
  }

  private void whole(Journal journal, Instant now) throws InterruptedException {
    Optional<Status> status = journal.status();
    boolean expired =
        !isInterrupted(journal)
            && journal
                .state()
                .flatMap(VmState::expiresAt)
                .filter(at -> at.isBefore(now))
                .isPresent();
    if (status.equals(Optional.of(Status.DESTROYING))) {
      // Whoever asked for the snapshot did so in time, whenever somebody finishes it. If there is
      // no disk to keep any more, the VM is what it was before, and the next sweep takes it down.
      boolean keep = journal.destroy().filter(Journal.DestroyPlan::keepSnapshot).isPresent();
      takeDown(
          Reason.INTERRUPTED_DESTROY,
          keep ? "to be destroyed, with a snapshot kept" : "to be destroyed",
          () -> vm.destroy(keep ? Disk.KEEP : Disk.DROP, working));
    } else if (expired && !status.equals(Optional.of(Status.DESTROYED))) {
      takeDown(
          Reason.EXPIRED,
          "should have been taken down "
              + Durations.shown(
                  Duration.between(journal.state().flatMap(VmState::expiresAt).orElseThrow(), now))
              + " ago",
          () -> vm.takeDown(working));
    } else if (status.equals(Optional.of(Status.DESTROYED))
        && journal.backup().filter(b -> Warming.isOld(b, now)).isPresent()) {
      takeDown(
          Reason.EXPIRED,
          "was prepared for warm starts more than " + Durations.shown(Warming.GOOD_FOR) + " ago",
          () -> vm.destroy(Disk.DROP, working));
    } else if (status.equals(Optional.of(Status.DEPLOYING))) {
      whole(Reason.INTERRUPTED_DEPLOY, Result.LEFT_ALONE, Lifecycle.advice(Situation.of(journal)));
    } else if (status.equals(Optional.of(Status.RESIZING))) {
      whole(Reason.INTERRUPTED_RESIZE, Result.LEFT_ALONE, Lifecycle.advice(Situation.of(journal)));
    }
  }

  private static boolean isInterrupted(Journal journal) {
    return journal.status().filter(Lifecycle::isToldByTheCloud).isPresent();
  }

  private interface TakingDown {
    void run() throws VmException, InterruptedException;
  }

  private void takeDown(Reason reason, String why, TakingDown work) throws InterruptedException {
    if (options.dryRun()) {
      whole(reason, Result.WOULD_REMOVE, why);
      return;
    }
    try {
      work.run();
      whole(reason, Result.REMOVED, why);
    } catch (VmException e) {
      whole(reason, Result.FAILED, e.getMessage());
    }
  }

  private void parts(Journal journal, List<Found> owned) throws VmException, InterruptedException {
    List<Finding> wanted = judge(journal, owned);
    boolean deadLock = journal.lock().isPresent();
    boolean idle = wanted.stream().noneMatch(f -> f.result() == Result.WOULD_REMOVE) && !deadLock;
    if (options.dryRun() || idle) {
      findings.addAll(wanted);
      return;
    }
    vm.run(
        Operation.SWEEP,
        working,
        asking ->
            (now, at) ->
                Optional.of(
                    new Admission.Entry(now, Lifecycle.stay(Situation.of(now), Operation.SWEEP))),
        this::remove);
  }

  /** Under the lock the list is made anew: whoever came first may have claimed something. */
  private void remove(Tenure tenure) throws VmException, ProviderException, InterruptedException {
    Calls calls = new Calls(context, tenure);
    Deleting deleting = new Deleting(tenure, calls);
    for (Finding f : judge(tenure.draft(), calls.owned())) {
      if (f.result() != Result.WOULD_REMOVE) {
        findings.add(f);
        continue;
      }
      Kind kind = f.kind().orElseThrow();
      Optional<String> refused = deleting.unclaimed(kind, f.id());
      forgetIntent(tenure, kind, f.reason());
      findings.add(
          new Finding(
              f.vm(),
              f.reason(),
              f.kind(),
              f.id(),
              refused.isPresent() ? Result.FAILED : Result.REMOVED,
              refused.orElse(f.note())));
    }
  }

  /** An intent whose resource was swept must not be replayed: its token leads to nothing. */
  private static void forgetIntent(Tenure tenure, Kind kind, Reason reason) {
    if (reason == Reason.UNCLAIMED && !claims(tenure.draft(), kind)) {
      tenure.change(j -> j.without(kind));
    }
  }

  private List<Finding> judge(Journal journal, List<Found> owned) {
    List<Finding> judged = new ArrayList<>();
    for (Kind kind : Kind.DELETION) {
      for (Cleanup c : journal.cleanup()) {
        if (c.kind() == kind) {
          judged.add(part(Reason.CLEANUP, kind, c.id(), Result.WOULD_REMOVE, c.why()));
        }
      }
      for (Found f : owned) {
        if (f.kind() == kind
            && f.phase() != Phase.DELETING
            && !isClaimed(journal, f)
            && journal.cleanup().stream().noneMatch(c -> c.isSameAs(kind, f.id()))) {
          boolean young = f.age().compareTo(options.minimumAge()) < 0;
          judged.add(
              part(
                  young ? Reason.TOO_YOUNG : Reason.UNCLAIMED,
                  kind,
                  f.id(),
                  young ? Result.LEFT_ALONE : Result.WOULD_REMOVE,
                  young ? "created " + Durations.shown(f.age()) + " ago" : "no state claims it"));
        }
      }
    }
    return judged;
  }

  private static boolean isClaimed(Journal journal, Found f) {
    if (journal.records(f.kind(), f.id())) {
      return true;
    }
    Optional<Intent> intent = journal.intent(f.kind());
    return intent.isPresent()
        && claims(journal, f.kind())
        && f.token().orElse(intent.get().token()).equals(intent.get().token());
  }

  /** Whether an intent will be taken up again: by the deploy or the destroy that it belongs to. */
  private static boolean claims(Journal journal, Kind kind) {
    Optional<Status> status = journal.status();
    return switch (kind) {
      case SNAPSHOT -> status.equals(Optional.of(Status.DESTROYING));
      // Nobody knows whether whoever asked for a disk still wants it: asking again makes another.
      case DISK -> false;
      default ->
          status.equals(Optional.of(Status.DEPLOYING))
              || status.equals(Optional.of(Status.RUNNING));
    };
  }

  private Finding part(Reason reason, Kind kind, String id, Result result, String note) {
    return new Finding(context.name(), reason, Optional.of(kind), id, result, note);
  }

  private void whole(Reason reason, Result result, String note) {
    findings.add(new Finding(context.name(), reason, Optional.empty(), "", result, note));
  }
}
