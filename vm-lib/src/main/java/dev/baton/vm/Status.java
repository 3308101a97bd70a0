package dev.baton.vm;

import java.util.Locale;

/** What a VM is doing. A VM without any status is not deployed. */
public enum Status {
  DEPLOYING,
  RUNNING,
  SUSPENDING,
  SUSPENDED,
  RESUMING,
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
      case DEPLOYING, SUSPENDING, RESUMING, DESTROYING -> true;
      case RUNNING, SUSPENDED, DESTROYED -> false;
    };
  }

  @Override
  public String toString() {
    return word();
  }
}
