package dev.baton.state.internal;

import dev.baton.core.Problem;
import dev.baton.core.Problem.Kind;
import dev.baton.state.DeploymentState;
import dev.baton.state.Fence;
import dev.baton.state.LiveLock;
import dev.baton.state.SnapshotName;
import dev.baton.state.StateKey;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;

/** Who may write a state, and what its copy is called. Pure. */
public final class SaveRules {

  private SaveRules() {}

  /**
   * Why a lock does not let its holder write.
   *
   * @param present the state as it is
   */
  public static Optional<Problem> refusal(DeploymentState present, LiveLock lock) {
    if (!lock.key().state().equals(present.key())) {
      return Optional.of(
          new Problem(
              Kind.NOT_HOLDER,
              "the lock " + lock.key() + " is not one of the deployment " + present.key(),
              "Take the lock " + present.key().lock() + "."));
    }
    return present.fencing().of(lock.key()).flatMap(fence -> refusal(fence, lock));
  }

  private static Optional<Problem> refusal(Fence fence, LiveLock lock) {
    if (!fence.queue().equals(lock.queue())) {
      if (lock.replacesQueue()) {
        return Optional.empty();
      }
      return Optional.of(
          new Problem(
              Kind.REFUSED,
              "nothing was saved: the lock "
                  + lock.key()
                  + " of this state is the queue "
                  + fence.queue()
                  + ", and the one that is held is "
                  + lock.queue()
                  + ": two queues for one state would protect nothing",
              "Take the lock in that queue, or say that it has moved for good."));
    }
    boolean older = fence.token() > lock.token();
    boolean another = fence.token() == lock.token() && fence.ticket() != lock.ticket();
    return older || another
        ? Optional.of(
            new Problem(
                Kind.LOST,
                "nothing was saved: the lock "
                    + lock.key()
                    + " (token "
                    + lock.token()
                    + ") was overtaken: token "
                    + fence.token()
                    + " has worked on this state",
                "Stop this deployment; what it has made is not what the state says."))
        : Optional.empty();
  }

  /** The lock was lost before the write, or nobody knows since when. */
  public static Problem lost(LiveLock lock, boolean written) {
    String who = "the lock " + lock.key() + " (token " + lock.token() + ") is not held any more";
    return written
        ? new Problem(
            Kind.LOST,
            "the state was written, and meanwhile " + who,
            "Another deployment may have begun from the state before: look at the state and at"
                + " what is deployed before you go on.")
        : new Problem(
            Kind.LOST, "nothing was saved: " + who, "Stop this deployment, and start it again.");
  }

  public static Problem changed(StateKey key, DeploymentState present) {
    return new Problem(
        Kind.REFUSED,
        "nothing was saved: the state of "
            + key
            + " has changed since it was loaded"
            + present.metadata().lastUpdatedBy().map(by -> ", last by " + by).orElse("")
            + present.metadata().lastUpdated().map(at -> " at " + at).orElse(""),
        "Load it again, and apply the change to that.");
  }

  public static Problem missing(StateKey key, String location) {
    return new Problem(
        Kind.FAILED,
        "there is no state of " + key + " in " + location,
        "Check the names, and where states are kept; the first save creates it.");
  }

  /** The first name of this second, or of a later number, that nobody has. */
  public static SnapshotName free(Instant now, Collection<SnapshotName> taken) {
    SnapshotName name = SnapshotName.at(now);
    while (taken.contains(name)) {
      name = name.next();
    }
    return name;
  }
}
