package dev.baton.vm.internal.operation;

import dev.baton.core.Durations;
import dev.baton.vm.Status;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import dev.baton.vm.VmState;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The end of a VM of a job, as its status changes. What the state says is written before the cloud
 * is told, and what the cloud is told never makes a VM go before its state says so.
 *
 * <ul>
 *   <li>Suspending takes the end away, first from the state, then from the cloud, and only then
 *       stops the instance: whoever is killed on the way leaves nothing that deletes a VM which was
 *       suspended on purpose. An end that was over before stays: that VM is still to be swept.
 *   <li>Stopping and starting are the same as suspending and resuming here.
 *   <li>Resuming gives the whole life again: the state when it begins, the cloud when the instance
 *       runs, since one that does not start must not be deleted.
 * </ul>
 */
final class Life {

  /** No cloud of ours takes a release time that is further away. */
  private static final Duration LONGEST = Duration.ofDays(3 * 365);

  private Life() {}

  /** Before anything is created, or moved. */
  static void require(Optional<Duration> life) throws VmException.Impossible {
    if (life.filter(l -> l.compareTo(LONGEST) > 0).isPresent()) {
      throw new VmException.Impossible(
          Trouble.BAD_REQUEST,
          "a life of " + Durations.shown(life.get()) + " is longer than a cloud takes",
          "Choose " + LONGEST.toDays() + " days at most, or none.",
          null);
    }
  }

  /** A deploy gives a whole life, and takes none from whoever else was promised more. */
  static VmState deploying(VmState state, Optional<Duration> life, Instant now) {
    Optional<Instant> before = state.expiresAt();
    VmState living = state.living(life, now);
    return life.isPresent() && before.filter(living.expiresAt().get()::isBefore).isPresent()
        ? living.withExpiresAt(before)
        : living;
  }

  /** What the cloud is to be told. */
  static Optional<Duration> left(VmState state, Instant now) {
    return state.expiresAt().map(at -> Duration.between(now, at));
  }

  static VmState suspending(VmState state, Instant now) {
    // A state of before there was a longest life: what is left of it is its life.
    Optional<Duration> life =
        state
            .maxLife()
            .or(() -> state.expiresAt().map(at -> Duration.between(now, at)).filter(Life::isSome));
    return state.living(life, now).withExpiresAt(state.expiresAt().filter(at -> at.isBefore(now)));
  }

  static VmState resuming(VmState state, Instant now) {
    return state.living(state.maxLife(), now);
  }

  /**
   * @param state on its way to a status
   * @param to where that leads
   */
  static VmState resting(VmState state, Status to, Instant now) {
    return switch (to) {
      case RUNNING ->
          state.maxLife().isPresent() && state.expiresAt().isEmpty()
              ? state.living(state.maxLife(), now)
              : state;
      case SUSPENDED, STOPPED ->
          state.status() == Status.RESUMING || state.status() == Status.STARTING
              ? state.withExpiresAt(Optional.empty())
              : state;
      case DESTROYED -> state.living(Optional.empty(), now);
      default -> state;
    };
  }

  /** Whether it is time to give it the whole again. */
  static boolean isShort(VmState state, Duration life, Instant now) {
    Instant enough = now.plus(life.multipliedBy(3).dividedBy(4));
    return state.expiresAt().filter(at -> !at.isBefore(enough)).isEmpty();
  }

  static Duration longer(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? b : a;
  }

  private static boolean isSome(Duration d) {
    return !d.isNegative() && !d.isZero();
  }
}
