package dev.baton.vm.front;

import dev.baton.queue.front.Extensions;
import dev.baton.queue.front.Host;

/** A kind of cloud that is no part of this library. Found by {@link Extensions}. */
public interface CloudKind {

  /** As people name it, such as {@code aliyun}. */
  String name();

  /**
   * Asks nobody yet.
   *
   * @throws dev.baton.core.BadSetting when it can never work, such as without credentials
   */
  Cloud open(Host host);
}
