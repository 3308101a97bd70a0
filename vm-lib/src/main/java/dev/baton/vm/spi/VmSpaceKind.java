package dev.baton.vm.spi;

import dev.baton.core.HostEnvironment;

/**
 * A kind of place for the states of VMs. Found by {@link java.util.ServiceLoader}: implementations
 * have a public constructor without parameters, and keep no state.
 */
public interface VmSpaceKind {

  /** What the address begins with, such as {@code oss}. */
  String scheme();

  /**
   * Asks nobody yet. What is {@link AutoCloseable} is closed.
   *
   * @throws dev.baton.core.BadSetting when it can never work
   */
  VmSpace open(String address, HostEnvironment host);
}
