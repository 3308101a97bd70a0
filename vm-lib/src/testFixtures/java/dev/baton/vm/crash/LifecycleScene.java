package dev.baton.vm.crash;

import dev.baton.core.World;
import dev.baton.store.StoreException;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Kind;
import dev.baton.vm.SizeChange;
import dev.baton.vm.simulated.Fault;
import dev.baton.vm.spi.Provider;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.spi.VmSpace;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A cloud and a space with one time, in which waiting takes none, and a hand that reaches into the
 * cloud behind Baton's back. Empty when it is opened.
 */
public interface LifecycleScene extends AutoCloseable {

  Provider provider();

  /** A new handle on the one space. */
  VmSpace space() throws StoreException;

  /** The machine of all clients. Tasks of their own need not run on it. */
  World world();

  /** What can be deployed there, with a key pair and an application. */
  DeploySpec spec();

  /** Two zones in which it can be deployed. */
  String zones();

  /** A size that a VM does not have when it is deployed; for clouds that can resize one. */
  default SizeChange otherSize() {
    return SizeChange.toCpus(2);
  }

  /** Lets that time go by: in the cloud, in the space, and for all clients. */
  void elapse(Duration time);

  /** All that there is, by the cloud's own books and whoever owns it. */
  List<Thing> things() throws ProviderException;

  /**
   * Something in the cloud.
   *
   * @param what as the cloud calls its kind
   * @param kind that it is recorded as; empty where Baton records no such thing
   * @param part of an instance that is there and that it goes with, such as its disk or application
   */
  record Thing(String what, Optional<Kind> kind, String id, boolean part) {
    @Override
    public String toString() {
      return what + " " + id;
    }
  }

  /** Ids of all that is not part of something else. */
  default List<String> everything() throws ProviderException {
    return things().stream().filter(t -> !t.part()).map(Thing::id).toList();
  }

  /** When the cloud deletes that instance by itself; empty: never, or there is none. */
  Optional<Instant> releaseTime(String instance) throws ProviderException;

  /** Whether a snapshot is finished, by the cloud's own books. */
  boolean isFinished(String snapshot) throws ProviderException;

  /** As if somebody had deleted it by hand: whatever else depends on it stays. */
  void deleteByHand(Kind kind, String id) throws ProviderException, InterruptedException;

  /** The next such calls fail, as this cloud says such a thing. */
  void fail(Fault fault) throws ProviderException;

  /** Nothing fails any more. */
  void mend() throws ProviderException;

  /**
   * A network that somebody has made without Baton; empty where the cloud has only what Baton made.
   */
  Optional<String> stranger() throws ProviderException, InterruptedException;

  @Override
  void close();
}
