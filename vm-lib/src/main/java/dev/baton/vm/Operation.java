package dev.baton.vm;

import java.util.Locale;

/** What can be done to a VM. */
public enum Operation {
  DEPLOY,
  SUSPEND,
  RESUME,
  DESTROY,
  /** Gives up a deploy or a destroy that was not finished. */
  ABANDON,
  /** Looks, and puts right what an interrupted suspend or resume has left. */
  STATUS,
  /** Removes what nothing claims, and finishes interrupted destroys. */
  SWEEP,
  /** Moves the time at which a VM of a job is taken down. */
  EXTEND,
  /** Takes over a VM that an earlier tool deployed. */
  MIGRATE;

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  @Override
  public String toString() {
    return word();
  }
}
