package dev.baton.action;

import dev.baton.core.Checks;

/** Which of the containers that the runner starts for one step this is. */
enum Phase {
  /** The step itself. */
  MAIN,
  /** The end of the job, whatever came of it. */
  POST;

  static Phase of(String[] args) {
    if (args.length > 0) {
      for (Phase phase : values()) {
        if (phase.name().equalsIgnoreCase(args[0])) {
          return phase;
        }
      }
    }
    throw new IllegalArgumentException(
        "the first argument must be main or post: "
            + (args.length == 0 ? "there is none" : Checks.shown(args[0])));
  }
}
