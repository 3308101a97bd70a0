package dev.baton.vm;

import java.util.Locale;

/** What can be done to a VM. */
public enum Operation {
  DEPLOY,
  SUSPEND,
  RESUME,
  /** Powers it off; its disk stays. */
  STOP,
  /** Boots it again after a stop. */
  START,
  /** Gives it more or less of processors and memory. */
  RESIZE,
  /** Gives it a further disk, while it is off. */
  ATTACH,
  /** Takes a further disk away, while it is off. */
  DETACH,
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

  /** What it does, for a sentence such as "cannot … that is running". */
  public String deed() {
    return switch (this) {
      case ATTACH -> "attach a disk to a VM";
      case DETACH -> "detach a disk from a VM";
      default -> word() + " a VM";
    };
  }

  @Override
  public String toString() {
    return word();
  }
}
