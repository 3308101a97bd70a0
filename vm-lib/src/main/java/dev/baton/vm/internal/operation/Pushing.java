package dev.baton.vm.internal.operation;

import dev.baton.vm.BuildVm.Push;
import dev.baton.vm.Journal;
import dev.baton.vm.Kind;
import dev.baton.vm.Resource;
import dev.baton.vm.Status;
import dev.baton.vm.VmException;
import dev.baton.vm.VmState;
import dev.baton.vm.spi.ProviderException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Moves the end of a VM that is in use, beside its lock:
 *
 * <ol>
 *   <li>One compare-and-set of the journal, which fails if anybody has written since. Nobody may be
 *       at work; the lock of somebody who died stays as it is.
 *   <li>Then the cloud is told. Whoever is killed in between leaves a VM that lives longer by its
 *       state than at the cloud, and the next push makes up for that.
 *   <li>If somebody has begun to suspend it meanwhile, the cloud is told to forget it again. That
 *       is tried more than once, and by the next push if this one may not have come through:
 *       nothing else would keep the cloud from deleting a suspended VM.
 * </ol>
 *
 * Nothing else is tried twice: there is a next time.
 */
final class Pushing {

  private final VmContext context;
  private final JournalFile file;
  private final Calls calls;

  Pushing(VmContext context) {
    this.context = context;
    this.file = context.file().once();
    this.calls = Calls.withoutLock(context);
  }

  Push run(Duration atLeast, boolean anyway) throws VmException, InterruptedException {
    JournalFile.Loaded loaded = file.read();
    Journal journal = loaded.journal();
    Optional<Duration> longest = journal.state().flatMap(VmState::maxLife);
    if (longest.isEmpty()) {
      return new Push(Push.Result.NOT_MEANT, Optional.empty());
    }
    VmState state = journal.state().orElseThrow();
    Duration life = Life.longer(longest.get(), atLeast);
    Instant now = file.now();
    if (journal.lock().filter(l -> !context.isFree(l, now)).isPresent()) {
      return push(Push.Result.BUSY, life);
    }
    Optional<Resource> instance = state.resource(Kind.INSTANCE);
    if (state.status() != Status.RUNNING || state.instanceMissing() || instance.isEmpty()) {
      if (anyway && isSuspended(state) && instance.isPresent()) {
        tellTheCloud(() -> calls.keep(instance.get().id()));
      }
      return push(Push.Result.NOT_MEANT, life);
    }
    boolean due = Life.isShort(state, life, now);
    if (!due && !anyway) {
      return push(Push.Result.ENOUGH_LEFT, life);
    }
    Instant end = due ? now.plus(life) : state.expiresAt().orElseThrow();
    if (due) {
      Journal next =
          journal
              .withState(Optional.of(state.withExpiresAt(Optional.of(end)).withUpdatedAt(now)))
              .numbered(journal.sequence() + 1);
      if (file.write(loaded.version(), next, context.name() + " is in use").isEmpty()) {
        return push(Push.Result.BUSY, life);
      }
      new Looking(context).converge(next);
    }
    tellTheCloud(instance.get().id(), Duration.between(now, end));
    return push(Push.Result.PUSHED, life);
  }

  private static Push push(Push.Result result, Duration life) {
    return new Push(result, Optional.of(life));
  }

  /** Without moving it: for who has just found out that the VM runs. */
  void tellAgain() throws VmException, InterruptedException {
    Optional<Instant> told = Optional.empty();
    // Whoever pushes meanwhile must not be undone.
    for (int i = 0; i < Pauses.ATTEMPTS; i++) {
      Journal journal = file.read().journal();
      Instant now = file.now();
      Optional<VmState> state =
          journal
              .state()
              .filter(s -> s.status() == Status.RUNNING && !s.instanceMissing())
              .filter(s -> s.maxLife().isPresent() && s.resource(Kind.INSTANCE).isPresent());
      Optional<Instant> end = state.flatMap(VmState::expiresAt).filter(now::isBefore);
      if (end.isEmpty()
          || end.equals(told)
          || journal.lock().filter(l -> !context.isFree(l, now)).isPresent()) {
        return;
      }
      String instance = state.get().resource(Kind.INSTANCE).orElseThrow().id();
      tellTheCloud(instance, Duration.between(now, end.get()));
      told = end;
    }
  }

  private void tellTheCloud(String instance, Duration time)
      throws VmException, InterruptedException {
    tellTheCloud(
        () -> {
          calls.releaseOnce(instance, Optional.of(time));
          if (file.read().journal().state().filter(Pushing::isSuspended).isPresent()) {
            calls.keep(instance);
          }
        });
  }

  private interface Telling {
    void run() throws VmException, ProviderException, InterruptedException;
  }

  private void tellTheCloud(Telling telling) throws VmException, InterruptedException {
    if (!calls.traits().deadManSwitch()) {
      return;
    }
    try {
      telling.run();
    } catch (ProviderException e) {
      throw new VmException.CloudFailed(
          e.trouble(),
          e.problem()
              .within("the cloud cannot be told to keep VM " + context.name() + ": ")
              .then(VmHandle.advice(e.trouble())),
          e);
    }
  }

  /** Or stopped, or about to be; and not to be swept for its end. */
  private static boolean isSuspended(VmState state) {
    boolean down =
        switch (state.status()) {
          case SUSPENDING, SUSPENDED, STOPPING, STOPPED -> true;
          default -> false;
        };
    return down && state.expiresAt().isEmpty();
  }
}
