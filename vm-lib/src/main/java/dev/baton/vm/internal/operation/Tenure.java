package dev.baton.vm.internal.operation;

import dev.baton.core.Durations;
import dev.baton.core.Lease;
import dev.baton.core.Moment;
import dev.baton.core.World;
import dev.baton.store.Version;
import dev.baton.vm.HistoryRecord;
import dev.baton.vm.Journal;
import dev.baton.vm.LockRecord;
import dev.baton.vm.Operation;
import dev.baton.vm.Progress;
import dev.baton.vm.Status;
import dev.baton.vm.VmException;
import dev.baton.vm.VmState;
import dev.baton.vm.internal.lifecycle.Target;
import dev.baton.vm.internal.lifecycle.Transition;
import dev.baton.vm.spi.Cancel;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.spi.StoppedException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * One operation under the VM's lock.
 *
 * <ol>
 *   <li>The lock, the status that is entered and the fencing number are written in one step. Every
 *       later write is a compare-and-set on the version before it, which this tenure has written:
 *       whoever took the lock over has written since, so a tenure that lost it cannot write.
 *   <li>Each write renews the lease; where none is due, a task of its own does every five minutes.
 *   <li>The {@link Lease} counts from before the write that renewed it was sent, on this machine's
 *       clocks. A minute before it may be over, the work stops without asking the store. Where the
 *       time of day alone says so, which may have been set, a renewal decides.
 *   <li>The work asks before each call to the cloud whether it may go on, and before each one that
 *       changes something it looks whether the lock is still its own. A tenure that has lost its
 *       lock writes nothing, releases nothing, and keeps the state as it is.
 *   <li>Changes are collected in a draft. It is written before each thing that must not be
 *       forgotten, and at the end together with the resting status, the history record and the
 *       release.
 * </ol>
 */
final class Tenure implements Cancel {

  static final Duration SAFETY = Duration.ofMinutes(1);

  private static final Duration RETRY = Duration.ofMinutes(1);

  private final VmContext context;
  private final JournalFile file;
  private final Publisher publisher;
  private final Progress progress;
  private final World world;
  private final World.Signal wake;
  private final World.Signal renewal;
  private final ReentrantLock writing = new ReentrantLock();
  private final Transition line;
  private final String nonce;
  private final Instant startedAt;
  private final long startedNanos;

  private Journal base;
  private Version version;
  private Journal draft;
  private volatile Lease lease;
  private boolean justWritten = true;
  private boolean undecided;
  private volatile String lost;
  private volatile boolean ended;
  private World.Background renewing;
  private final List<String> notes = new ArrayList<>();
  private int steps;

  Tenure(
      VmContext context,
      Journal base,
      Version version,
      Moment before,
      Transition line,
      Progress p) {
    this.context = context;
    this.file = context.file();
    this.publisher = context.publisher(p);
    this.progress = p;
    this.world = context.world();
    this.base = base;
    this.version = version;
    this.draft = base;
    this.lease = new Lease(before, LockRecord.LEASE, SAFETY);
    this.line = line;
    LockRecord lock = base.lock().orElseThrow();
    this.nonce = lock.nonce();
    this.startedAt = lock.startedAt();
    this.startedNanos = world.nanos();
    this.wake = world.newSignal();
    this.renewal = world.newSignal();
  }

  void begin() {
    publisher.publish(base);
    renewing = world.start("baton-vm-lock-" + context.name(), this::keepRenewing);
  }

  VmContext context() {
    return context;
  }

  Transition line() {
    return line;
  }

  Operation operation() {
    return base.lock().map(LockRecord::operation).orElse(line.operation());
  }

  Progress progress() {
    return progress;
  }

  /** The journal as it will be written next. */
  Journal draft() {
    return draft;
  }

  VmState state() {
    return draft.state().orElseThrow();
  }

  void change(UnaryOperator<Journal> change) {
    draft = change.apply(draft);
  }

  void changeState(UnaryOperator<VmState> change) {
    draft = draft.withState(draft.state().map(change));
  }

  Duration took() {
    return Duration.ofNanos(world.nanos() - startedNanos);
  }

  Instant now() throws VmException, InterruptedException {
    return file.now();
  }

  // ---- writing

  /** Writes the draft. */
  void flush(String message) throws VmException, InterruptedException {
    writing.lock();
    try {
      check();
      Instant now = file.now();
      write(
          draft
              .withLock(base.lock().map(l -> l.renewed(now)))
              .withState(draft.state().map(s -> s.withUpdatedAt(now))),
          message);
      draft = base;
      justWritten = true;
      publisher.publish(base);
    } finally {
      writing.unlock();
    }
  }

  /**
   * Makes sure that the lock is still this tenure's, right before the cloud is asked to change
   * something. Somebody may have taken it by force, and a tenure that has nothing to write for a
   * while would not notice.
   */
  void prove() throws InterruptedException {
    check();
    if (justWritten) {
      justWritten = false;
      return;
    }
    try {
      Optional<LockRecord> holder = file.once().read().journal().lock();
      if (holder.filter(l -> l.nonce().equals(nonce)).isEmpty()) {
        lose(whoHasIt(holder));
      }
    } catch (VmException e) {
      // The lease still holds, and nobody can take it from a store that cannot be reached.
      progress.note("the lock could not be looked at: " + e.what());
    }
    check();
  }

  private void write(Journal next, String message) throws VmException, InterruptedException {
    write(file, next, message);
  }

  private void write(JournalFile to, Journal next, String message)
      throws VmException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      Moment before = Moment.of(world);
      Journal numbered = next.numbered(base.sequence() + 1);
      Optional<Version> written = to.write(version, numbered, message);
      if (written.isPresent()) {
        base = numbered;
        version = written.get();
        lease = lease.renewed(before);
        return;
      }
      JournalFile.Loaded there = to.read();
      Optional<LockRecord> holder = there.journal().lock();
      if (attempt >= Pauses.ATTEMPTS || holder.filter(l -> l.nonce().equals(nonce)).isEmpty()) {
        lose(whoHasIt(holder));
        throw new StoppedException(lost);
      }
      // A write of our own, whose answer never came, was applied after all.
      base = base.numbered(there.journal().sequence());
      version = there.version();
    }
  }

  private static String whoHasIt(Optional<LockRecord> holder) {
    return holder
        .map(
            l ->
                "its lock was taken over by "
                    + l.clientId()
                    + " ("
                    + l.operation()
                    + ", fencing number "
                    + l.fencing()
                    + ")")
        .orElse("its lock was taken over by somebody who is done already");
  }

  // ---- the end

  /** The resting status, the history record and the release, in one write. */
  void succeed(Target target, boolean withHistory) throws VmException, InterruptedException {
    end(target, Optional.empty(), withHistory);
  }

  /** Where the table of transitions says that a failure leads, unless that is not known yet. */
  void fail(String error) throws VmException, InterruptedException {
    Optional<Status> open = undecided ? draft.status() : Optional.empty();
    end(open.<Target>map(Target.To::new).orElse(line.failure()), Optional.of(error), true);
  }

  /** Whether only the cloud can tell where this leads, and has not yet. */
  void undecided(boolean now) {
    undecided = now;
  }

  boolean isUndecided() {
    return undecided;
  }

  private void end(Target target, Optional<String> error, boolean withHistory)
      throws VmException, InterruptedException {
    Optional<Status> to =
        target.resolve(draft.state().flatMap(VmState::previousStatus), draft.backup().isPresent());
    Instant rests = file.now();
    change(j -> j.withState(to.flatMap(status -> rested(j, status, rests))));
    if (draft.status().filter(s -> s == Status.DESTROYING).isEmpty()) {
      change(j -> j.withDestroy(Optional.empty()));
    }
    if (draft.status().filter(s -> s == Status.RESIZING).isEmpty()) {
      change(j -> j.withResize(Optional.empty()));
    }
    writing.lock();
    try {
      check();
      Instant now = file.now();
      LockRecord lock = base.lock().orElseThrow();
      if (withHistory) {
        change(
            j ->
                j.with(
                    new HistoryRecord(
                        startedAt,
                        lock.operation(),
                        lock.from(),
                        to,
                        lock.clientId(),
                        error,
                        notes.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", notes)),
                        took(),
                        lock.fencing())));
      }
      write(
          draft.withLock(Optional.empty()).withState(draft.state().map(s -> s.withUpdatedAt(now))),
          operation() + " of " + context.name() + (error.isPresent() ? " has failed" : " is done"));
      draft = base;
      ended = true;
      publisher.publish(base);
      publisher.prune(now);
    } finally {
      writing.unlock();
    }
  }

  private static Optional<VmState> rested(Journal j, Status status, Instant now) {
    return j.state()
        .map(
            s ->
                VmState.hasPrevious(status)
                    ? s
                    : Life.resting(s, status, now)
                        .at(status, Optional.empty())
                        .withInstanceMissing(s.instanceMissing() && status != Status.DESTROYED));
  }

  /** Ends the task that renews. Changes nothing anywhere else. */
  void close() {
    ended = true;
    context.client().liveness().forget(nonce);
    if (renewing == null) {
      return;
    }
    renewal.raise();
    try {
      renewing.join(Duration.ofSeconds(10));
    } catch (InterruptedException e) {
      // It ends all the same; the operation is over, and its result must not be lost.
      Thread.currentThread().interrupt();
    }
  }

  // ---- the lease

  @Override
  public void check() {
    Moment now = Moment.of(world);
    if (lost == null && lease.isSurelyOver(now)) {
      lose(
          "its lock could not be renewed for "
              + Durations.shown(lease.surelyElapsed(now))
              + ", so somebody else may have it");
    }
    if (lost == null && lease.isOver(now)) {
      // The clock was set, or the machine slept: the store knows which.
      renewOrLose();
    }
    if (lost != null) {
      throw new StoppedException(lost);
    }
  }

  private void renewOrLose() {
    writing.lock();
    try {
      renew();
    } catch (VmException e) {
      lose("its lock could not be renewed: " + e.what());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      lose("it was interrupted while its lock was to be renewed");
    } finally {
      writing.unlock();
    }
  }

  private void renew() throws VmException, InterruptedException {
    JournalFile once = file.once();
    Instant now = once.now();
    write(
        once,
        base.withLock(base.lock().map(l -> l.renewed(now))),
        "the lock of " + context.name() + " is renewed");
    publisher.publish(base);
  }

  @Override
  public void pause(Duration time) throws InterruptedException {
    check();
    wake.await(time);
    check();
  }

  private void lose(String why) {
    if (lost == null) {
      lost = why;
      wake.raise();
    }
  }

  private void keepRenewing() {
    Duration wait = LockRecord.RENEWAL;
    try {
      while (!ended && lost == null) {
        renewal.await(wait);
        if (ended || lost != null) {
          return;
        }
        wait = renewInTime();
      }
    } catch (InterruptedException e) {
      // Nobody renews any more, so the work stops when the lease may be over.
      Thread.currentThread().interrupt();
    } catch (StoppedException e) {
      lose(e.getMessage());
    }
  }

  /** How long to wait until the next time. */
  private Duration renewInTime() throws InterruptedException {
    // Whoever writes at this moment renews with that; waiting for it would help nobody.
    if (!writing.tryLock()) {
      return RETRY;
    }
    try {
      Moment now = Moment.of(world);
      Duration since = lease.surelyElapsed(now);
      if (since.compareTo(LockRecord.RENEWAL) < 0) {
        return LockRecord.RENEWAL.minus(since);
      }
      if (lease.isSurelyOver(now)) {
        lose("its lock could not be renewed for " + Durations.shown(since));
        return RETRY;
      }
      renew();
      return LockRecord.RENEWAL;
    } catch (VmException e) {
      progress.note("the lock could not be renewed: " + e.what());
      return RETRY;
    } finally {
      writing.unlock();
    }
  }

  // ---- progress

  /** What people should know although nothing has failed: now, and when it is over. */
  void note(String text) {
    notes.add(text);
    progress.note(text);
  }

  List<String> notes() {
    return List.copyOf(notes);
  }

  interface Part<T> {
    T run() throws VmException, ProviderException, InterruptedException;
  }

  /** Does a part of the work and tells how long it took. */
  <T> T step(int of, String name, Function<T, String> result, Part<T> part)
      throws VmException, ProviderException, InterruptedException {
    Progress.Step step = new Progress.Step(operation(), ++steps, Math.max(of, steps), name);
    progress.started(step);
    long start = world.nanos();
    T value = part.run();
    progress.finished(step, result.apply(value), Duration.ofNanos(world.nanos() - start));
    return value;
  }
}
