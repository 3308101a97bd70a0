package dev.baton.client.doctor;

import java.util.Objects;

/**
 * One thing that was looked at.
 *
 * @param what in a sentence, without its full stop
 * @param next what to do; empty when nothing is to be done
 * @param repairable whether {@link Doctor#repair} does it
 */
public record Finding(Check check, Grade grade, String what, String next, boolean repairable) {

  /** What was looked at. */
  public enum Check {
    /** The store answers. */
    STORE,
    /** The document is there and can be read. */
    DOCUMENT,
    /** This version has what the queue requires. */
    ABILITIES,
    /** This user may write. */
    PERMISSION,
    ISSUE_LOCK,
    PAUSE,
    /** After a recovery, the lock is not given out for a while. */
    RECOVERY,
    HEARTBEAT,
    /** The branches of a queue on GitHub stay short. */
    COMPACTION,
    BOARD,
    /** The service works as Baton assumes. */
    SERVICE,
    TICKET,
    /** What a repair has done. */
    REPAIR
  }

  /** How bad it is. */
  public enum Grade {
    OK,
    WARN,
    /** The queue cannot be used before something is done. */
    PROBLEM
  }

  public Finding {
    Objects.requireNonNull(check, "check");
    Objects.requireNonNull(grade, "grade");
    Objects.requireNonNull(what, "what");
    Objects.requireNonNull(next, "next");
  }

  static Finding ok(Check check, String what) {
    return new Finding(check, Grade.OK, what, "", false);
  }

  static Finding warn(Check check, String what, String next) {
    return new Finding(check, Grade.WARN, what, next, false);
  }

  /** Something that makes the queue unusable. */
  public static Finding problem(Check check, String what, String next) {
    return new Finding(check, Grade.PROBLEM, what, next, false);
  }

  Finding andRepairable() {
    return new Finding(check, grade, what, next, true);
  }
}
