package dev.baton.core;

import java.io.Serializable;
import java.util.Objects;

/**
 * What went wrong and what to do about it, on its way from the place that knows to the screen. Exit
 * codes, exception types and JSON come from {@link #kind}; nothing takes the sentences apart.
 *
 * @param what what is wrong, without a full stop at its end; it may quote others
 * @param next what to do, in whole sentences; empty where only a front end knows the words for it
 */
public record Problem(Kind kind, String what, String next) implements Serializable {

  private static final long serialVersionUID = 1;

  /** A command to paste ends a sentence without a full stop: "Run baton … --reason "…"". */
  private static final String ENDS = ".…\"";

  /** What callers tell apart. docs/problems.md has the table. */
  public enum Kind {
    /** Something that was asked for or set cannot be used. */
    USAGE,
    /** There is no token or key, or the service does not know it. */
    NO_TOKEN,
    /** The token, key or user may not do this. */
    NO_PERMISSION,
    /** There is no queue at this place. */
    NOT_INITIALISED,
    /** The time to wait was over first. */
    TIMED_OUT,
    /** The rules of the queue or of the VM do not allow it, or somebody else works on it. */
    REFUSED,
    /** A lock was held and is lost. */
    LOST,
    /** The store or the cloud cannot be used, now or as it is. */
    UNREACHABLE,
    /** There is nothing to give back, or somebody else holds it. */
    NOT_HOLDER,
    /** The queue's document is damaged and can be repaired. */
    BROKEN,
    /** Another document, or the state of a VM, is damaged. */
    UNREADABLE,
    /** A later version of Baton has written it. */
    NEWER_FORMAT,
    /** The queue's document is older than one that was there before. */
    WENT_BACK,
    /** The command of {@code baton run} cannot be executed. */
    NOT_EXECUTABLE,
    /** There is no such command to run. */
    COMMAND_NOT_FOUND,
    /** Another failure that Baton knows. */
    FAILED,
    /** A failure that nobody has thought of. */
    UNEXPECTED
  }

  /** Refuses no text: others' words may end as they like, and a failure has to be told. */
  public Problem {
    Objects.requireNonNull(kind, "kind");
    what = what == null || what.isBlank() ? "no reason was given" : withoutStop(what.strip());
    next = next.strip();
    if (!next.isEmpty() && ENDS.indexOf(next.charAt(next.length() - 1)) < 0) {
      next += ".";
    }
  }

  public Problem(Kind kind, String what) {
    this(kind, what, "");
  }

  /** The same with words before it, such as {@code "cannot read X: "}. */
  public Problem within(String start) {
    return new Problem(kind, start + what, next);
  }

  /** The same with one more thing to do at the end. */
  public Problem then(String further) {
    return new Problem(kind, what, next.isEmpty() ? further : next + " " + further);
  }

  /** The same with something else to do. */
  public Problem advising(String instead) {
    return new Problem(kind, what, instead);
  }

  /** As one text: the message of every exception that has a problem. */
  public String text() {
    return next.isEmpty() ? what : what + ". " + next;
  }

  private static String withoutStop(String text) {
    return text.endsWith(".") && !text.endsWith("..") ? text.substring(0, text.length() - 1) : text;
  }
}
