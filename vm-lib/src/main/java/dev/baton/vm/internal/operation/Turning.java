package dev.baton.vm.internal.operation;

import dev.baton.vm.Kind;
import dev.baton.vm.Operation;
import dev.baton.vm.Resource;
import dev.baton.vm.Status;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import dev.baton.vm.internal.lifecycle.Target;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.Phase;
import dev.baton.vm.spi.ProviderException;
import java.time.Duration;
import java.util.Optional;

/**
 * Suspends, resumes, stops or starts the instance of a VM. From the call to the cloud on until a
 * look says what has come of it, the status is not for a failure to decide: one that stays on its
 * way is put right from the cloud's truth, as after a kill.
 */
final class Turning {

  static final String STILL_BILLED =
      "the instance is stopped but still billed as if it ran, as always with its type;"
          + " `destroy` with a snapshot costs less";

  private final Tenure tenure;
  private final Calls calls;
  private final Operation operation;
  private final Phase wanted;

  Turning(Tenure tenure, Calls calls) {
    this.tenure = tenure;
    this.calls = calls;
    this.operation = tenure.line().operation();
    this.wanted = wanted();
  }

  private Phase wanted() {
    return switch (operation) {
      case SUSPEND -> calls.suspendedPhase();
      case STOP -> Phase.STOPPED;
      case RESUME, START -> Phase.RUNNING;
      default -> throw new IllegalStateException(operation + " turns nothing");
    };
  }

  private boolean isDown() {
    return wanted != Phase.RUNNING;
  }

  void run() throws VmException, ProviderException, InterruptedException {
    String id = tenure.state().resource(Kind.INSTANCE).map(Resource::id).orElse("");
    Optional<Found> turned =
        tenure.step(
            1, isDown() ? "stop the instance" : "start the instance", done -> id, () -> turn(id));
    if (turned.isEmpty()) {
      throw missing(tenure, id);
    }
    // Once more: whoever kept it alive may have told the cloud in between.
    Optional<Duration> life = isDown() ? Optional.empty() : tenure.state().maxLife();
    try {
      Deploying.releaseAfter(tenure, calls, life);
    } catch (ProviderException e) {
      tenure.note(
          "the cloud could not be told "
              + (life.isPresent() ? "when to delete the instance" : "to keep the instance")
              + ": "
              + e.getMessage());
    }
    if (turned.get().isBilledWhileStopped()) {
      tenure.changeState(s -> s.withBilledWhileStopped(true));
      tenure.note(STILL_BILLED);
    }
  }

  /** Also marks the state. */
  static VmException missing(Tenure tenure, String id) {
    tenure.changeState(s -> s.withInstanceMissing(true));
    return new VmException.CloudFailed(
        Trouble.NOT_FOUND,
        "instance " + id + " does not exist any more",
        "Run `deploy` to create a new one, or `destroy` to remove the rest.",
        null);
  }

  private Optional<Found> turn(String id)
      throws VmException, ProviderException, InterruptedException {
    Optional<Found> found = id.isEmpty() ? Optional.empty() : calls.describe(Kind.INSTANCE, id);
    if (found.isEmpty()) {
      return found;
    }
    Phase phase = found.get().phase();
    if (isDown()) {
      requireMemory(id, phase);
      Deploying.releaseAfter(tenure, calls, Optional.empty());
    } else if (phase != wanted) {
      if (operation == Operation.RESUME
          && phase != calls.suspendedPhase()
          && found.get().isDown()) {
        tenure.note("the memory of the instance is gone, so it boots");
      }
      new FurtherDisks(tenure, calls).converge(found.get());
    }
    return phase == wanted ? found : turned(id);
  }

  private void requireMemory(String id, Phase phase) throws VmException {
    if (wanted == Phase.SUSPENDED && phase == Phase.STOPPED) {
      throw new VmException.CloudFailed(
          Trouble.DEPENDENCY,
          "instance " + id + " is off, so it has no memory to keep",
          "Run `stop` to record that it is off, or `deploy` to start it.",
          null);
    }
  }

  private Optional<Found> turned(String id) throws ProviderException, InterruptedException {
    tenure.undecided(true);
    Optional<Found> found;
    try {
      switch (operation) {
        case SUSPEND -> calls.stop(id);
        case STOP -> calls.powerOff(id);
        default -> calls.start(id);
      }
      found = calls.await(Kind.INSTANCE, id, wanted);
    } catch (ProviderException e) {
      found = afterAll(id, e);
    }
    tenure.undecided(false);
    return found;
  }

  /**
   * @return what was wanted, or empty if it is gone
   * @throws ProviderException the failure, if that is what it was
   */
  private Optional<Found> afterAll(String id, ProviderException failure)
      throws ProviderException, InterruptedException {
    try {
      Optional<Found> found = calls.describe(Kind.INSTANCE, id);
      if (found.isEmpty() || found.get().phase() == wanted) {
        return found;
      }
      if (!isDown() && !found.get().isDown()) {
        // It would cost money, and nobody would know.
        found = down(id);
      }
      if (found.isEmpty() || !isWhereAFailureLeads(found.get().phase())) {
        throw failure;
      }
      tenure.undecided(false);
      if (isDown() && found.get().phase() == Phase.RUNNING) {
        // Where this fails its state has an end all the same, by which a sweep goes.
        Deploying.releaseAfter(tenure, calls, tenure.state().maxLife());
      }
    } catch (ProviderException e) {
      if (e != failure) {
        failure.addSuppressed(e);
      }
    }
    throw failure;
  }

  private Optional<Found> down(String id) throws ProviderException, InterruptedException {
    if (operation == Operation.START) {
      calls.powerOff(id);
      return calls.await(Kind.INSTANCE, id, Phase.STOPPED);
    }
    calls.stop(id);
    return calls.await(Kind.INSTANCE, id, calls.suspendedPhase());
  }

  private boolean isWhereAFailureLeads(Phase phase) {
    Optional<Status> status =
        tenure.line().failure() instanceof Target.To to
            ? Optional.of(to.status())
            : Optional.empty();
    return status.filter(s -> fits(s, phase, calls)).isPresent();
  }

  /** Whether that is how the instance of a VM is that rests in that status. */
  static boolean fits(Status status, Phase phase, Calls calls) {
    return switch (status) {
      case RUNNING -> phase == Phase.RUNNING;
      case SUSPENDED -> phase == calls.suspendedPhase();
      case STOPPED -> phase == Phase.STOPPED;
      default -> true;
    };
  }
}
