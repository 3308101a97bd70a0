package dev.baton.queue.sim;

import dev.baton.client.queue.Inherited;
import dev.baton.core.World;
import dev.baton.queue.BoardSite;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.Grant;
import dev.baton.queue.QueueException;
import dev.baton.queue.spi.Waker;
import dev.baton.store.StoreSpace;
import java.util.Map;

/** An engine that is wrong on purpose, because of what it is given: the checker must see it. */
interface Mutant {

  /** The engine as it is. */
  Mutant NONE = new Mutant() {};

  default World world(Process process) {
    return process;
  }

  default StoreSpace space(Process process, StoreSpace space) {
    return space;
  }

  /** The queue as its users have it. */
  default BuildQueue queue(Process process, BuildQueue queue) {
    return queue;
  }

  /** What a process is started with that works under a lock of another. */
  default Map<String, String> environment(Map<String, String> environment) {
    return environment;
  }

  /** Called on the main task of a process that works under a lock of another. */
  default void covered(BuildQueue queue, Inherited lock)
      throws QueueException, InterruptedException {}

  /** Whether a build takes its two queues in the other order. */
  default boolean swapsQueues(Process process) {
    return false;
  }

  default BoardSite site(Process process, BoardSite site) {
    return site;
  }

  /** What has parked jobs run again. */
  default Waker waker(Process process, Waker waker) {
    return waker;
  }

  /** Called on the main task of a process that has just got the lock. */
  default void granted(Process process, Grant grant) {}
}
