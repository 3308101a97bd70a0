package dev.baton.state;

import java.util.Locale;

/** How much of a deployment a lock is for. The locks of different levels exclude nobody. */
public enum LockLevel {
  STACK,
  SERVICE,
  COMPONENT;

  /** As lock keys and metrics spell it. */
  public String id() {
    return name().toLowerCase(Locale.ROOT);
  }
}
