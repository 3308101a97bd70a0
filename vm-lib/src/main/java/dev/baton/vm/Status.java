package dev.baton.vm;

import java.util.Locale;

/** What a VM is doing. A VM without any status is not deployed. */
public enum Status {
  DEPLOYING,
  RUNNING,
  SUSPENDING,
  SUSPENDED,
  RESUMING,
  /** On its way to being off. */
  STOPPING,
  /** Off: its disk is kept and its memory is not. */
  STOPPED,
  /** Booting. */
  STARTING,
  /** Getting another size, or its old one back. */
  RESIZING,
  DESTROYING,
  /** Gone but for its snapshot. */
  DESTROYED;

  /** As it is written in {@code state.json}. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether an operation is, or was, on its way to another status. */
  public boolean isPassing() {
    return switch (this) {
      case DEPLOYING, SUSPENDING, RESUMING, STOPPING, STARTING, RESIZING, DESTROYING -> true;
      case RUNNING, SUSPENDED, STOPPED, DESTROYED -> false;
    };
  }

  @Override
  public String toString() {
    return word();
  }
}
