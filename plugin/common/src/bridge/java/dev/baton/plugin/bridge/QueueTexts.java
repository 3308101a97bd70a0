package dev.baton.plugin.bridge;

/**
 * The keys of what a build file says about a queue. There is no token among the texts, only where
 * it is. Beside these there are {@code store}, {@code queue}, {@code mode}, {@code issue}, {@code
 * api}, {@code token-file} and {@code ca-file}, as the environment has them with {@code BATON_}
 * before them; what is missing is taken from there.
 */
public final class QueueTexts {

  /** How the build file spells the block that the settings stand in. */
  public static final String LABEL = "label";

  /** Where relative paths start. */
  public static final String DIRECTORY = "directory";

  /** There when nothing may be reached over the network. */
  public static final String OFFLINE = "offline";

  /** There when the store is one that an adapter brings. */
  public static final String ELSEWHERE = "elsewhere";

  /** The jars of adapters, one a line. */
  public static final String EXTENSIONS = "extensions";

  /** The name of an environment variable that has the token. */
  public static final String TOKEN_VARIABLE = "token-variable";

  /** The name of a property of the build tool that has the token. */
  public static final String TOKEN_PROPERTY = "token-property";

  /** What is built, for people; missing: the branch, else {@link #BUILD}. */
  public static final String TITLE = "title";

  /** The name of the build. */
  public static final String BUILD = "build";

  /** A number, 0 if it is missing: higher goes first. */
  public static final String PRIORITY = "priority";

  /** How long to wait, such as 1h30m; missing: as long as it takes. */
  public static final String WAIT_TIMEOUT = "wait-timeout";

  /** {@code fail} or {@code proceed}; missing: {@code fail}. */
  public static final String ON_TIMEOUT = "on-timeout";

  private QueueTexts() {}
}
