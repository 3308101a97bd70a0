package dev.baton.core.probe;

import dev.baton.store.StoreException;

/**
 * Tries on one real place whether the service does what Baton assumes. It writes only to scratch
 * things of its own, which it removes; what a killed probe has left, a later one removes.
 */
public interface Probe {

  /** Asks nobody. */
  ProbePlan plan();

  /**
   * Sends at most as many requests as the plan says. What it has made is removed before this
   * returns or throws, as far as the service lets it.
   *
   * @param watcher gets every request and its answer, as soon as that is there
   * @throws StoreException when the place cannot be probed at all: it is not there, or the service
   *     does not know the token or key
   */
  ProbeReport run(Watcher watcher) throws StoreException, InterruptedException;

  /** Sees what is asked and answered; several threads may call it at once. */
  interface Watcher {
    void answered(ProbeExchange exchange);
  }
}
