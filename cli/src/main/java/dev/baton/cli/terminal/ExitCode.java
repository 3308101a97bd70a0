package dev.baton.cli.terminal;

import dev.baton.core.Problem;

/** How a command ended, for scripts. {@code baton run} otherwise returns its command's own code. */
public enum ExitCode {
  OK(0, "done"),
  FAILED(1, "failed for a reason that is none of the below"),
  USAGE(2, "the command line, the environment or a configuration file is wrong"),
  NOT_INITIALISED(3, "there is no queue yet: create it with baton init"),
  TIMED_OUT(4, "timed out waiting for the lock; the ticket has left the line"),
  REFUSED(
      5,
      "refused or removed: the queue is full, a maintainer dropped the ticket, the VM is locked"),
  LOST(6, "the lock was lost; the command was stopped"),
  NO_PERMISSION(7, "no token or key, or one that may not do this"),
  UNREACHABLE(8, "the store cannot be reached"),
  NOT_HOLDER(9, "nothing to release or leave, or not the holder"),
  BROKEN(10, "the queue's document cannot be read: repair it with baton doctor --repair"),
  NOT_AS_ASSUMED(
      11, "`baton probe`: the service does not do all that Baton assumes, or that is not known"),
  NOT_SET_UP(
      12, "`baton ADAPTER init`: something is missing, or set otherwise than Baton needs it"),
  NOT_EXECUTABLE(126, "the command of `baton run` cannot be executed"),
  NOT_FOUND(127, "the command of `baton run` was not found"),
  INTERRUPTED(130, "stopped by a signal (128 + its number)");

  public final int code;
  public final String meaning;

  /** How a command ends that has this problem. */
  static ExitCode of(Problem.Kind kind) {
    return switch (kind) {
      case USAGE -> USAGE;
      case NO_TOKEN, NO_PERMISSION -> NO_PERMISSION;
      case NOT_INITIALISED -> NOT_INITIALISED;
      case TIMED_OUT -> TIMED_OUT;
      case REFUSED -> REFUSED;
      case LOST -> LOST;
      case UNREACHABLE -> UNREACHABLE;
      case NOT_HOLDER -> NOT_HOLDER;
      case BROKEN -> BROKEN;
      case NOT_EXECUTABLE -> NOT_EXECUTABLE;
      case COMMAND_NOT_FOUND -> NOT_FOUND;
      case UNREADABLE, NEWER_FORMAT, WENT_BACK, FAILED, UNEXPECTED -> FAILED;
    };
  }

  ExitCode(int code, String meaning) {
    this.code = code;
    this.meaning = meaning;
  }
}
