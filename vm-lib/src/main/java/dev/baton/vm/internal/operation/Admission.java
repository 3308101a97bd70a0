package dev.baton.vm.internal.operation;

import dev.baton.core.Durations;
import dev.baton.core.Moment;
import dev.baton.store.Version;
import dev.baton.vm.HistoryRecord;
import dev.baton.vm.Journal;
import dev.baton.vm.LockRecord;
import dev.baton.vm.Operation;
import dev.baton.vm.Options;
import dev.baton.vm.Question;
import dev.baton.vm.VmException;
import dev.baton.vm.internal.lifecycle.Lifecycle;
import dev.baton.vm.internal.lifecycle.Situation;
import dev.baton.vm.internal.lifecycle.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The way into an operation.
 *
 * <ol>
 *   <li>Read the journal. A lock is free when its lease is over by the store's clock, or when the
 *       process that holds it has certainly ended; a live one is waited for, taken with force and a
 *       yes, or the reason to refuse.
 *   <li>What an interrupted suspend or resume left is put right from the cloud's truth.
 *   <li>Ask whether the operation is allowed, makes sense, and can be had; nothing was written yet.
 *   <li>Write lock, fencing number and entered status in one step. If somebody was faster, begin
 *       again.
 * </ol>
 */
final class Admission {

  private static final Duration LOOK = Duration.ofSeconds(5);
  private static final int ATTEMPTS = 50;

  /**
   * What an operation wants to begin with.
   *
   * @param next the journal as it is entered, but for the lock
   */
  record Entry(Journal next, Transition line) {}

  /** Decides on what is there. Must not change anything: it may be asked again. */
  interface Gate {
    /**
     * @return empty: there is nothing to do
     */
    Optional<Entry> enter(Journal now, Instant at) throws VmException, InterruptedException;
  }

  private final VmContext context;
  private final Operation operation;
  private final Options options;
  private final Asking asking;
  private final Set<String> allowed = new HashSet<>();

  Admission(VmContext context, Operation operation, Options options, Asking asking) {
    this.context = context;
    this.operation = operation;
    this.options = options;
    this.asking = asking;
  }

  /**
   * @return empty: there is nothing to do
   */
  Optional<Tenure> enter(Gate gate) throws VmException, InterruptedException {
    JournalFile file = context.file();
    long start = context.world().nanos();
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      JournalFile.Loaded loaded = awaitLock(start);
      Journal found = loaded.journal();
      if (Lifecycle.mustBeCorrectedFirst(Situation.of(found), operation)) {
        new Looking(context).correctBeforehand(loaded, operation);
        continue;
      }
      Instant now = file.now();
      Optional<Entry> entry = gate.enter(found, now);
      if (entry.isEmpty()) {
        return Optional.empty();
      }
      Moment before = Moment.of(context.world());
      String nonce = context.client().nonces().get();
      Optional<LockRecord.Holder> process = context.client().liveness().show(nonce);
      Optional<Version> written = Optional.empty();
      Journal next;
      try {
        next = locked(found, entry.get().next(), file.now(), nonce, process);
        written =
            file.write(loaded.version(), next, operation + " of " + context.name() + " begins");
      } finally {
        context.client().liveness().forget(written.isPresent() ? taken(found) : nonce);
      }
      if (written.isPresent()) {
        Tenure tenure =
            new Tenure(
                context, next, written.get(), before, entry.get().line(), options.progress());
        tenure.begin();
        return Optional.of(tenure);
      }
    }
    throw new VmException.StoreFailed(
        "others write to VM " + context.name() + " all the time",
        "Nothing was changed. Try again later.",
        null);
  }

  /** The lock that has been replaced: whoever held it needs no sign of life any more. */
  private static String taken(Journal found) {
    return found.lock().map(LockRecord::nonce).orElse("");
  }

  private JournalFile.Loaded awaitLock(long start) throws VmException, InterruptedException {
    while (true) {
      JournalFile.Loaded loaded = context.file().read();
      Optional<LockRecord> lock = loaded.journal().lock();
      if (lock.isEmpty() || allowed.contains(lock.get().nonce())) {
        return loaded;
      }
      Instant now = context.file().now();
      if (context.isFree(lock.get(), now)) {
        return loaded;
      }
      Duration age = age(lock.get(), now);
      Duration left = options.waitAtMost().minusNanos(context.world().nanos() - start);
      if (!left.isNegative() && !left.isZero()) {
        options
            .progress()
            .note(
                "waiting for "
                    + lock.get().operation()
                    + " by "
                    + lock.get().clientId()
                    + " (started "
                    + Durations.shown(age)
                    + " ago)");
        context.world().newSignal().await(left.compareTo(LOOK) < 0 ? left : LOOK);
        continue;
      }
      if (!options.force()) {
        throw held(lock.get(), now, age);
      }
      Question question =
          new Question(
              Question.Topic.TAKE_OVER,
              lock.get().operation()
                  + " of VM "
                  + context.name()
                  + " is under way by "
                  + lock.get().clientId()
                  + " (started "
                  + Durations.shown(age)
                  + " ago). Take it over?",
              false);
      if (!asking.isYes(question)) {
        throw held(lock.get(), now, age);
      }
      allowed.add(lock.get().nonce());
    }
  }

  private VmException.LockHeld held(LockRecord lock, Instant now, Duration age) {
    Duration left = LockRecord.LEASE.minus(Duration.between(lock.renewedAt(), now));
    return new VmException.LockHeld(
        context.name(),
        lock,
        age,
        "Wait until it has finished. If it has died, its lock ends in "
            + Durations.shown(left)
            + "."
            + (operation == Operation.MIGRATE ? " Then run the same command again." : ""));
  }

  private static Duration age(LockRecord lock, Instant now) {
    Duration age = Duration.between(lock.startedAt(), now);
    return age.isNegative() ? Duration.ZERO : age;
  }

  private Journal locked(
      Journal found,
      Journal entered,
      Instant now,
      String nonce,
      Optional<LockRecord.Holder> process) {
    long fencing = found.fencing() + 1;
    Journal next = entered.withFencing(fencing);
    if (found.lock().isPresent()) {
      next = next.with(interrupted(context, found, found.lock().get(), now));
    }
    LockRecord lock =
        new LockRecord(
            operation, context.client().id(), now, now, fencing, nonce, found.status(), process);
    return next.withLock(Optional.of(lock))
        .withState(next.state().map(s -> s.withUpdatedAt(now)))
        .numbered(found.sequence() + 1);
  }

  /** What became of the operation whose lock is taken over: it cannot say so itself. */
  static HistoryRecord interrupted(VmContext context, Journal found, LockRecord lock, Instant now) {
    Duration time = Duration.between(lock.startedAt(), lock.renewedAt());
    return new HistoryRecord(
        lock.startedAt(),
        lock.operation(),
        lock.from(),
        found.status(),
        lock.clientId(),
        Optional.of(
            (context.isFree(lock, now) ? "interrupted" : "stopped by force")
                + "; taken over by "
                + context.client().id()),
        Optional.empty(),
        time.isNegative() ? Duration.ZERO : time,
        lock.fencing());
  }
}
