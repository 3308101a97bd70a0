package dev.baton.state;

import dev.baton.core.Checks;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Which deployment a state is of. Both names become parts of paths and of lock keys, so they are
 * bounded: 1 to 63 letters, digits, dots, hyphens and underscores, with a letter or digit at either
 * end and no two dots in a row.
 */
public record StateKey(String stack, String environment) implements Comparable<StateKey> {

  static final int MAX_NAME = 63;

  private static final Pattern NAME =
      Pattern.compile("(?!.*\\.\\.)[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?");

  /**
   * @throws IllegalArgumentException naming the name that cannot be used
   */
  public StateKey {
    requireName("stack", stack);
    requireName("environment", environment);
  }

  static String requireName(String what, String name) {
    Objects.requireNonNull(name, what);
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          what
              + " must be 1 to "
              + MAX_NAME
              + " letters, digits, dots, hyphens and underscores, with a letter or digit at either"
              + " end: "
              + Checks.shown(name));
    }
    return name;
  }

  /** The lock of the whole deployment. */
  public LockKey lock() {
    return new LockKey(this, LockLevel.STACK, "");
  }

  /** Where its files are below the root of a space, without a slash at the end. */
  public String directory() {
    return "stacks/" + stack + "/" + environment;
  }

  @Override
  public int compareTo(StateKey other) {
    int byStack = stack.compareTo(other.stack);
    return byStack != 0 ? byStack : environment.compareTo(other.environment);
  }

  @Override
  public String toString() {
    return stack + "/" + environment;
  }
}
