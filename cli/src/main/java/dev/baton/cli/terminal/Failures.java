package dev.baton.cli.terminal;

import dev.baton.core.BadSetting;
import dev.baton.core.DocumentException;
import dev.baton.core.UnknownFormatException;
import dev.baton.queue.DocumentTooLargeException;
import dev.baton.queue.QueueException;
import dev.baton.queue.github.GitHubException;
import dev.baton.store.StoreException;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import java.nio.file.AccessDeniedException;
import java.util.function.UnaryOperator;

/** The one place where an exception becomes an exit code and advice. */
public final class Failures {

  private Failures() {}

  /**
   * @param command a command on the queue that this is about, as it stands in a sentence
   */
  public static CliException explain(Throwable e, UnaryOperator<String> command) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof CliException c) {
        return c;
      }
      // Also below the store, such as a token file that is gone.
      if (cause instanceof BadSetting b) {
        return new CliException(
            b instanceof BadSetting.NoToken ? ExitCode.NO_PERMISSION : ExitCode.USAGE,
            b.getMessage(),
            b.next(),
            e);
      }
    }
    if (e instanceof VmException v) {
      return new CliException(codeOf(v), v.what(), sentence(v.next()), v);
    }
    if (e instanceof QueueException.NotInitialised) {
      return new CliException(
          ExitCode.NOT_INITIALISED,
          e.getMessage().replaceFirst(": create it first$", ""),
          "Create it with "
              + command.apply("init")
              + ", or choose another with --store and --queue.",
          e);
    }
    if (e instanceof QueueException.Broken) {
      return new CliException(
          ExitCode.BROKEN,
          e.getMessage(),
          "Nothing was changed. To repair it now, run " + command.apply("doctor --repair") + ".",
          e);
    }
    if (e instanceof QueueException.Unavailable) {
      return new CliException(
          ExitCode.UNREACHABLE,
          e.getMessage(),
          "Check --store and --api, the network and any proxy; then try again.",
          e);
    }
    if (e instanceof QueueException.WentBack) {
      return new CliException(
          ExitCode.FAILED, e.getMessage(), "Run " + command.apply("doctor") + " for details.", e);
    }
    if (e instanceof QueueException q) {
      return q.getCause() instanceof StoreException s ? ofStore(s, command) : refused(q, command);
    }
    if (e instanceof StoreException s) {
      return ofStore(s, command);
    }
    if (e instanceof DocumentException d) {
      return ofDocument(d, command);
    }
    if (e instanceof IllegalArgumentException) {
      return new CliException(
          ExitCode.USAGE, String.valueOf(e.getMessage()), "See `baton help COMMAND`.", e);
    }
    return new CliException(
        ExitCode.FAILED,
        "unexpected: " + e,
        "Run it again with -v for details, and report them if they do not help.",
        e);
  }

  private static ExitCode codeOf(VmException e) {
    if (e instanceof VmException.NotAllowed
        || e instanceof VmException.LockHeld
        || e instanceof VmException.Declined) {
      return ExitCode.REFUSED;
    } else if (e instanceof VmException.Unanswered) {
      return ExitCode.USAGE;
    } else if (e instanceof VmException.LockLost) {
      return ExitCode.LOST;
    } else if (e instanceof VmException.StoreFailed) {
      return e.getCause() instanceof StoreException s ? codeOf(s) : ExitCode.UNREACHABLE;
    } else if (e instanceof VmException.Impossible i) {
      return codeOf(i.trouble());
    }
    return e instanceof VmException.CloudFailed c ? codeOf(c.trouble()) : ExitCode.FAILED;
  }

  private static ExitCode codeOf(Trouble trouble) {
    return switch (trouble) {
      case BAD_REQUEST -> ExitCode.USAGE;
      case DENIED -> ExitCode.NO_PERMISSION;
      case UNAVAILABLE, THROTTLED -> ExitCode.UNREACHABLE;
      default -> ExitCode.FAILED;
    };
  }

  private static CliException refused(QueueException e, UnaryOperator<String> command) {
    String[] parts = parts(e.getMessage(), ": ");
    return new CliException(
        ExitCode.REFUSED,
        parts[0],
        parts[1].isEmpty()
            ? "Look at the queue with " + command.apply("status") + "."
            : sentence(parts[1]),
        e);
  }

  private static CliException ofStore(StoreException e, UnaryOperator<String> command) {
    if (e instanceof GitHubException g) {
      return new CliException(codeOf(g), g.what(), g.next(), g);
    }
    // Its messages are what is wrong, a full stop, and what to do.
    String[] parts = parts(e.getMessage(), "\\. (?=[A-Z])");
    return new CliException(
        codeOf(e),
        parts[0],
        parts[1].isEmpty()
            ? "Check --store, and run " + command.apply("doctor") + " for details."
            : sentence(parts[1]),
        e);
  }

  private static ExitCode codeOf(StoreException e) {
    if (e.isDenied()
        || e instanceof GitHubException.BadToken
        || e instanceof GitHubException.MissingPermission
        || e instanceof GitHubException.AccessBlocked
        || e instanceof GitHubException.ProtectedBranch
        || e instanceof GitHubException.Archived
        || e.getCause() instanceof AccessDeniedException) {
      return ExitCode.NO_PERMISSION;
    }
    if (e instanceof GitHubException.WrongMode) {
      return ExitCode.USAGE;
    }
    return e instanceof GitHubException.Foreign || e instanceof GitHubException.Recreated
        ? ExitCode.FAILED
        : ExitCode.UNREACHABLE;
  }

  private static CliException ofDocument(DocumentException e, UnaryOperator<String> command) {
    String next = "Nothing was changed. Run " + command.apply("doctor") + " for details.";
    if (e instanceof UnknownFormatException) {
      next = "Use a newer version of baton, or another --queue; nothing was changed.";
    } else if (e instanceof DocumentTooLargeException) {
      next =
          "Nothing was changed. Wait until some are done, or drop some: "
              + command.apply("drop TICKET")
              + ".";
    }
    return new CliException(ExitCode.FAILED, e.getMessage(), next, e);
  }

  private static String[] parts(String message, String separator) {
    String text = String.valueOf(message);
    String[] parts = text.split(separator, 2);
    return parts.length == 2
        ? new String[] {parts[0], parts[1]}
        : new String[] {text.replaceFirst("\\.$", ""), ""};
  }

  private static String sentence(String text) {
    String start = text.substring(0, 1).toUpperCase(java.util.Locale.ROOT) + text.substring(1);
    return start.endsWith(".") ? start : start + ".";
  }
}
