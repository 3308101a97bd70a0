package dev.baton.queue.github;

import dev.baton.core.Problem;
import dev.baton.core.Problem.Kind;
import dev.baton.store.StoreException;

/** Something about a place on GitHub that stays wrong until somebody does something. */
public abstract sealed class GitHubException extends StoreException {
  private static final long serialVersionUID = 1;

  private GitHubException(Kind kind, String what, String next) {
    this(kind, what, next, null);
  }

  private GitHubException(Kind kind, String what, String next, Throwable cause) {
    super(new Problem(kind, what, next), cause);
  }

  /** There is no token, or GitHub does not know it (any more). */
  public static final class BadToken extends GitHubException {
    private static final long serialVersionUID = 1;

    BadToken(String what, String next) {
      super(Kind.NO_TOKEN, what, next);
    }
  }

  /** The token is known, but may not do this. */
  public static final class MissingPermission extends GitHubException {
    private static final long serialVersionUID = 1;

    private final String permission;

    MissingPermission(String what, String permission, String said) {
      this("the token may not " + what + quoted(said), permission, "`" + permission + "`", null);
    }

    private MissingPermission(String message, String permission, String toGive, Throwable cause) {
      super(
          Kind.NO_PERMISSION,
          message,
          "Give it "
              + toGive
              + ": in a workflow under `permissions:`, otherwise in the token's settings."
              + " A pull request from a fork always has a read-only token.",
          cause);
      this.permission = permission;
    }

    /** The same, with advice to give everything at once that the whole task needs. */
    MissingPermission asPartOf(String... permissions) {
      String all = "`" + String.join("` and `", permissions) + "`";
      return new MissingPermission(what(), permission, all, this);
    }

    /** What to add, such as {@code contents: write}. */
    public String permission() {
      return permission;
    }
  }

  /**
   * The token has its permissions, and an organization, an enterprise or GitHub itself keeps it out
   * all the same: more permissions would change nothing.
   */
  public static final class AccessBlocked extends GitHubException {
    private static final long serialVersionUID = 1;

    AccessBlocked(String what, String said, String next) {
      super(Kind.NO_PERMISSION, what + quoted(said), next);
    }
  }

  /** There is no such repository, or the token cannot see it. */
  public static final class NoSuchRepository extends GitHubException {
    private static final long serialVersionUID = 1;

    NoSuchRepository(String repository, String web) {
      super(
          Kind.UNREACHABLE,
          "there is no repository " + repository + " on " + web + ", or the token cannot see it",
          "Check the name, and that the token has access to it: a workflow's own token has none to"
              + " other private repositories.");
    }

    NoSuchRepository(String repository) {
      super(
          Kind.UNREACHABLE,
          "the repository " + repository + " has another name or owner now",
          "Use the new name everywhere.");
    }
  }

  /** The repository takes no writes at all. */
  public static final class Archived extends GitHubException {
    private static final long serialVersionUID = 1;

    Archived(String repository) {
      super(
          Kind.NO_PERMISSION,
          "the repository " + repository + " is archived and cannot be written",
          "Unarchive it, or keep the queue in another one.");
    }
  }

  /** A rule of the repository keeps the branch from being written or made. */
  public static final class ProtectedBranch extends GitHubException {
    private static final long serialVersionUID = 1;

    ProtectedBranch(String repository, String branch, String said) {
      super(
          Kind.NO_PERMISSION,
          "a rule of " + repository + " protects the branch " + branch + quoted(said),
          "Exclude the branches baton/** and baton-side/** from the rule, or let the token bypass"
              + " it.");
    }
  }

  /**
   * A write that should have changed the document has created it again: somebody had deleted it.
   */
  public static final class Recreated extends GitHubException {
    private static final long serialVersionUID = 1;

    Recreated(String file, String branch) {
      super(
          Kind.FAILED,
          "somebody has deleted "
              + file
              + " on the branch "
              + branch
              + ", and the change that was under way has created it again",
          "Stop all builds of this queue, look at the history of the branch, and put back the last"
              + " good version.");
    }
  }

  /** The issue is not there. */
  public static final class NoSuchIssue extends GitHubException {
    private static final long serialVersionUID = 1;

    private final String why;

    NoSuchIssue(String repository, long issue, String why) {
      super(
          Kind.UNREACHABLE,
          "the issue " + issue + " of " + repository + " " + why,
          "Check the number, or make another issue and name that.");
      this.why = why;
    }

    /** What has become of it, such as {@code was deleted}. */
    String why() {
      return why;
    }
  }

  /** The repository has no issues. */
  public static final class IssuesDisabled extends GitHubException {
    private static final long serialVersionUID = 1;

    IssuesDisabled(String repository) {
      super(
          Kind.UNREACHABLE,
          "issues are disabled in " + repository,
          "Enable them in its settings, under Features, or go without a board.");
    }
  }

  /** The document is kept in another way than this client was told. */
  public static final class WrongMode extends GitHubException {
    private static final long serialVersionUID = 1;

    WrongMode(String what, String next) {
      super(Kind.USAGE, what, next);
    }
  }

  /** What is there was not made by Baton. */
  public static final class Foreign extends GitHubException {
    private static final long serialVersionUID = 1;

    Foreign(String what, String next, Throwable cause) {
      super(Kind.FAILED, what, next, cause);
    }
  }

  /** Another refusal, of GitHub or of something on the way to it. */
  public static final class Refused extends GitHubException {
    private static final long serialVersionUID = 1;

    Refused(String what, String next, Throwable cause) {
      super(Kind.UNREACHABLE, what, next, cause);
    }
  }

  private static String quoted(String said) {
    return " (GitHub says: " + said + ")";
  }
}
