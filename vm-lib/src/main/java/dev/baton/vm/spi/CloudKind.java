package dev.baton.vm.spi;

import dev.baton.core.HostEnvironment;

/**
 * A kind of cloud that is not part of this library. Found by {@link java.util.ServiceLoader}:
 * implementations have a public constructor without parameters, and keep no state.
 */
public interface CloudKind {

  /** As people name it, such as {@code aliyun}. */
  String name();

  /**
   * Asks nobody yet.
   *
   * @throws dev.baton.core.BadSetting when it can never work, such as without credentials
   */
  Cloud open(HostEnvironment host);
}
