package dev.baton.vm.spi;

import dev.baton.vm.DeploySpec;

/**
 * What a cloud can do that starts an instance from another one's disk and memory, so that it does
 * not boot. What such copies start from is a snapshot with memory, made once for each {@link #key}
 * of an instance on which the script has run, and kept like any other snapshot.
 *
 * <p>A snapshot is asked for with memory by the parameter {@link #MEMORY}. A copy is an instance,
 * and then an application, created with the parameter {@link #PREPARED}. Before a copy counts as
 * running it has what must not be shared: an id, a host key, addresses, a machine id of its own.
 */
public interface WarmStarts {

  /** A parameter of a snapshot: {@code true} when memory is to be kept in it. */
  String MEMORY = "memory";

  /**
   * A parameter of an instance: the id of the snapshot, with memory, that it starts from. Of an
   * application: the same, and the script has run already, so that there is none in the request.
   */
  String PREPARED = "prepared";

  /**
   * The same for all that can start from one snapshot: for the same image (by what is in it), the
   * same script, size, and keys. Changes nothing.
   *
   * @return at least 12 of {@code [0-9a-f]}
   */
  String key(DeploySpec spec, Cancel cancel) throws ProviderException, InterruptedException;
}
