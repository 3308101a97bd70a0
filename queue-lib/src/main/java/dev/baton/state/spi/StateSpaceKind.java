package dev.baton.state.spi;

import dev.baton.core.HostEnvironment;

/** A kind of place for states of deployments. Found by {@link java.util.ServiceLoader}. */
public interface StateSpaceKind {

  /** What the address begins with, such as {@code oss}. */
  String scheme();

  /**
   * Asks nobody yet. What is {@link AutoCloseable} is closed.
   *
   * @throws dev.baton.core.BadSetting when it can never work
   */
  StateSpace open(String address, HostEnvironment host);
}
