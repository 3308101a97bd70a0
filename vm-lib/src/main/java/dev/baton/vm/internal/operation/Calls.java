package dev.baton.vm.internal.operation;

import dev.baton.core.Durations;
import dev.baton.core.World;
import dev.baton.vm.Kind;
import dev.baton.vm.Progress;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import dev.baton.vm.spi.Cancel;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.Owner;
import dev.baton.vm.spi.Phase;
import dev.baton.vm.spi.Provider;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.spi.Request;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Calls to the cloud: asked for leave before each one, tried again when it may help, bounded. */
public final class Calls {

  static final Duration READY_PATIENCE = Duration.ofMinutes(15);
  static final Duration SNAPSHOT_PATIENCE = Duration.ofHours(3);
  static final Duration GONE_PATIENCE = Duration.ofMinutes(10);

  private static final Duration VISIBLE_EXTRA = Duration.ofSeconds(30);
  private static final Duration FIRST_LOOK = Duration.ofMillis(500);
  private static final Duration LONGEST_LOOK = Duration.ofSeconds(10);
  private static final Duration TELLING = Duration.ofMinutes(1);

  private final VmContext context;
  private final Provider provider;
  private final Cancel cancel;
  private final Proof proof;
  private final Pauses pauses;
  private final Progress progress;

  /** Asked before each call that changes something. */
  interface Proof {
    void prove() throws InterruptedException;
  }

  Calls(VmContext context, Tenure tenure) {
    this(context, tenure, tenure::prove, tenure.progress());
  }

  private Calls(VmContext context, Cancel cancel, Proof proof, Progress progress) {
    this.context = context;
    this.provider = context.provider();
    this.cancel = cancel;
    this.proof = proof;
    this.pauses = new Pauses(context.world());
    this.progress = progress;
  }

  /** For looks that need no lock. */
  public static Calls withoutLock(VmContext context) {
    World.Signal never = context.world().newSignal();
    return new Calls(
        context,
        new Cancel() {
          @Override
          public void check() {
            // nothing can be lost
          }

          @Override
          public void pause(Duration time) throws InterruptedException {
            never.await(time);
          }
        },
        () -> {
          throw new IllegalStateException("without the lock nothing may be changed");
        },
        Progress.NONE);
  }

  private interface Deed {
    void run(Cancel cancel) throws ProviderException, InterruptedException;
  }

  private void change(Deed deed) throws ProviderException, InterruptedException {
    retried(
        c -> {
          proof.prove();
          deed.run(c);
          return null;
        });
  }

  public interface Call<T> {
    T run(Cancel cancel) throws ProviderException, InterruptedException;
  }

  public <T> T retried(Call<T> call) throws ProviderException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      cancel.check();
      try {
        T result = call.run(cancel);
        // An answer that took too long belongs to somebody who is not allowed to use it.
        cancel.check();
        return result;
      } catch (ProviderException e) {
        if (!e.trouble().isPassing() || attempt == Pauses.ATTEMPTS) {
          throw e;
        }
        cancel.pause(pauses.length(attempt, e.retryAfter()));
      }
    }
  }

  Provider.Traits traits() {
    return provider.traits();
  }

  Optional<Found> describe(Kind kind, String id) throws ProviderException, InterruptedException {
    return retried(c -> provider.describe(kind, id, c)).filter(f -> f.phase() != Phase.DELETING);
  }

  Found create(Request request) throws ProviderException, InterruptedException {
    if (provider.traits().clientTokens()) {
      return retried(
          c -> {
            proof.prove();
            return provider.create(request, c);
          });
    }
    // Without tokens an answer that was lost must not be asked for again: it would be a second one.
    proof.prove();
    return provider.create(request, cancel);
  }

  List<Found> owned() throws ProviderException, VmException, InterruptedException {
    Owner owner = context.owner();
    return retried(c -> provider.findOwned(owner.space(), Optional.of(owner.vm()), c));
  }

  void start(String instance) throws ProviderException, InterruptedException {
    change(c -> provider.start(instance, c));
  }

  void stop(String instance) throws ProviderException, InterruptedException {
    change(c -> provider.stop(instance, c));
  }

  void powerOff(String instance) throws ProviderException, InterruptedException {
    change(c -> provider.power().orElseThrow().powerOff(instance, c));
  }

  /** Where a suspend leads to. */
  Phase suspendedPhase() {
    return provider.power().isPresent() ? Phase.SUSPENDED : Phase.STOPPED;
  }

  void resize(String instance, Map<String, String> size)
      throws ProviderException, InterruptedException {
    change(c -> provider.sizes().orElseThrow().resize(instance, size, c));
  }

  void attach(String disk, String instance) throws ProviderException, InterruptedException {
    change(c -> provider.disks().orElseThrow().attach(disk, instance, c));
  }

  void detach(String disk, String instance) throws ProviderException, InterruptedException {
    change(c -> provider.disks().orElseThrow().detach(disk, instance, c));
  }

  void bind(String address, String instance) throws ProviderException, InterruptedException {
    change(c -> provider.bind(address, instance, c));
  }

  /** Beside the lock, and without another try. */
  void releaseOnce(String instance, Optional<Duration> time)
      throws ProviderException, InterruptedException {
    provider.releaseAfter(instance, time, cancel);
  }

  /** Beside the lock too: the cloud does not delete it by itself any more. */
  void keep(String instance) throws ProviderException, InterruptedException {
    retried(
        c -> {
          provider.releaseAfter(instance, Optional.empty(), c);
          return null;
        });
  }

  void releaseAfter(String instance, Optional<Duration> time)
      throws ProviderException, InterruptedException {
    change(c -> provider.releaseAfter(instance, time, c));
  }

  /**
   * Deletes it, or finds it gone.
   *
   * @param patient wait for what depends on it and is on its way out
   * @return false: it was gone, or does not show yet
   */
  boolean delete(Kind kind, String id, boolean patient)
      throws ProviderException, InterruptedException {
    Wait wait = new Wait(kind.words() + " " + id, GONE_PATIENCE);
    for (int attempt = 1; ; attempt++) {
      try {
        change(c -> provider.delete(kind, id, c));
        return true;
      } catch (ProviderException e) {
        if (e.trouble() == Trouble.NOT_FOUND) {
          return false;
        }
        if (e.trouble() != Trouble.DEPENDENCY || !patient || wait.isOver()) {
          throw e;
        }
        wait.tell("still in use");
        cancel.pause(pauses.length(attempt, Optional.empty()));
      }
    }
  }

  /**
   * Waits until a resource that was just created shows and is of use.
   *
   * @return empty: it never showed
   */
  Optional<Found> awaitReady(Kind kind, String id) throws ProviderException, InterruptedException {
    Phase wanted = kind == Kind.INSTANCE ? Phase.RUNNING : Phase.READY;
    return await(kind, id, wanted);
  }

  /** Waits until it is in that phase; empty: it does not show, or not any more. */
  Optional<Found> await(Kind kind, String id, Phase wanted)
      throws ProviderException, InterruptedException {
    Duration patience = kind == Kind.SNAPSHOT ? SNAPSHOT_PATIENCE : READY_PATIENCE;
    Wait wait = new Wait(kind.words() + " " + id, patience);
    Duration look = FIRST_LOOK;
    boolean begun = false;
    while (true) {
      Optional<Found> found = describe(kind, id);
      if (found.filter(f -> f.phase() == wanted).isPresent()) {
        return found;
      }
      boolean off = found.filter(f -> f.phase() == Phase.STOPPED).isPresent();
      begun |= found.isPresent() && !off;
      if (off && hasFailed(wanted, begun, wait)) {
        throw new ProviderException(
            Trouble.UNAVAILABLE,
            kind.words()
                + " "
                + id
                + (wanted == Phase.RUNNING
                    ? " did not start: it is off again"
                    : " was not suspended: it is off"));
      }
      if (found.filter(f -> f.phase() == Phase.FAILED).isPresent()) {
        throw new ProviderException(
            Trouble.BAD_REQUEST, "the cloud says that " + kind.words() + " " + id + " has failed");
      }
      if (found.isEmpty() && wait.isLongerThan(traits().visibility().plus(VISIBLE_EXTRA))) {
        return Optional.empty();
      }
      if (wait.isOver()) {
        throw new ProviderException(
            Trouble.UNAVAILABLE,
            kind.words()
                + " "
                + id
                + " is not "
                + wanted
                + " after "
                + patience.toMinutes()
                + " minutes");
      }
      wait.tell(found.map(f -> word(f.phase())).orElse("not shown yet"));
      cancel.pause(look);
      look = longer(look);
    }
  }

  /** Whether what is off, and should be something else, will stay so. */
  private boolean hasFailed(Phase wanted, boolean begun, Wait wait) {
    return provider.power().isPresent()
        && (wanted == Phase.SUSPENDED
            || wanted == Phase.RUNNING
                && (begun || wait.isLongerThan(traits().visibility().plus(VISIBLE_EXTRA))));
  }

  private static String word(Phase phase) {
    return phase.name().toLowerCase(Locale.ROOT);
  }

  /** Waits until what was deleted does not show any more. */
  void awaitGone(Kind kind, String id) throws ProviderException, InterruptedException {
    Wait wait = new Wait(kind.words() + " " + id, GONE_PATIENCE);
    Duration look = FIRST_LOOK;
    while (retried(c -> provider.describe(kind, id, c)).isPresent()) {
      if (wait.isOver()) {
        throw new ProviderException(
            Trouble.UNAVAILABLE,
            kind.words()
                + " "
                + id
                + " was deleted and is still there after "
                + GONE_PATIENCE.toMinutes()
                + " minutes");
      }
      wait.tell("being deleted");
      cancel.pause(look);
      look = longer(look);
    }
  }

  private static Duration longer(Duration look) {
    Duration twice = look.multipliedBy(2);
    return twice.compareTo(LONGEST_LOOK) > 0 ? LONGEST_LOOK : twice;
  }

  /** Something that may take long: tells so about once a minute. */
  final class Wait {
    private final String what;
    private final Duration limit;
    private final long start = context.world().nanos();
    private Duration next = TELLING;

    Wait(String what, Duration limit) {
      this.what = what;
      this.limit = limit;
    }

    boolean isLongerThan(Duration time) {
      return since(start, time);
    }

    boolean isOver() {
      return isLongerThan(limit);
    }

    void tell(String how) {
      if (isLongerThan(next)) {
        Duration so = Duration.ofNanos(context.world().nanos() - start);
        next = so.plus(TELLING);
        progress.waiting(
            what
                + " is "
                + how
                + "; waiting for "
                + Durations.shown(so)
                + ", at most "
                + Durations.shown(limit));
      }
    }
  }

  /** Waits for a moment on this machine's clock. */
  void pause(Duration time) throws InterruptedException {
    cancel.pause(time);
  }

  boolean since(long nanos, Duration time) {
    return context.world().nanos() - nanos >= time.toNanos();
  }
}
