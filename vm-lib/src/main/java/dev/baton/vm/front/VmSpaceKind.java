package dev.baton.vm.front;

import dev.baton.queue.front.Extensions;
import dev.baton.queue.front.Host;
import dev.baton.vm.store.VmSpace;

/** A kind of place for the states of VMs. Found by {@link Extensions}. */
public interface VmSpaceKind {

  /** What the address begins with, such as {@code oss}. */
  String scheme();

  /**
   * Asks nobody yet. What is {@link AutoCloseable} is closed.
   *
   * @throws dev.baton.core.BadSetting when it can never work
   */
  VmSpace open(String address, Host host);
}
