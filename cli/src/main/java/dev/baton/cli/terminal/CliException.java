package dev.baton.cli.terminal;

import java.util.Objects;

/** Something a person has to be told: what it is, and what to do next. */
public final class CliException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final ExitCode exitCode;
  private final String next;

  public CliException(ExitCode exitCode, String what, String next) {
    this(exitCode, what, next, null);
  }

  public CliException(ExitCode exitCode, String what, String next, Throwable cause) {
    super(Objects.requireNonNull(what, "what"), cause);
    this.exitCode = Objects.requireNonNull(exitCode, "exitCode");
    this.next = Objects.requireNonNull(next, "next");
  }

  public static CliException usage(String what, String next) {
    return new CliException(ExitCode.USAGE, what, next);
  }

  ExitCode exitCode() {
    return exitCode;
  }

  public String next() {
    return next;
  }
}
