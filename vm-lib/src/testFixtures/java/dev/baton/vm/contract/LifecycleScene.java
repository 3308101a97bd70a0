package dev.baton.vm.contract;

import dev.baton.queue.engine.World;
import dev.baton.store.StoreException;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Kind;
import dev.baton.vm.provider.Provider;
import dev.baton.vm.provider.ProviderException;
import dev.baton.vm.provider.simulated.Fault;
import dev.baton.vm.store.VmSpace;
import java.time.Duration;
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

  /** Lets that time go by: in the cloud, in the space, and for all clients. */
  void elapse(Duration time);

  /**
   * Ids of all that there is, by the cloud's own books and whoever owns it. What is part of an
   * instance, such as its disk or application, counts only where its instance is gone.
   */
  List<String> everything() throws ProviderException;

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
