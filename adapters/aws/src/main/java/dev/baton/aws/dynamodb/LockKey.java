package dev.baton.aws.dynamodb;

import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a lock is about. Locks of different levels are independent: that of a stack does not keep
 * others from that of a service in it.
 *
 * @param part the service, or the path of the component; empty for the whole stack
 */
public record LockKey(Level level, String stack, String environment, String part) {

  /** How much of a stack a lock is about. */
  public enum Level {
    STACK,
    SERVICE,
    COMPONENT
  }

  private static final String NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,99}";
  private static final Pattern FORM =
      Pattern.compile(
          "stack:("
              + NAME
              + "):env:("
              + NAME
              + ")(?::service:("
              + NAME
              + ")|:component:("
              + NAME
              + "(?:/"
              + NAME
              + ")*))?");

  public LockKey {
    Objects.requireNonNull(level, "level");
    Objects.requireNonNull(stack, "stack");
    Objects.requireNonNull(environment, "environment");
    Objects.requireNonNull(part, "part");
    if ((level == Level.STACK) != part.isEmpty()) {
      throw new IllegalArgumentException("a lock of a " + level + " with the part " + part);
    }
  }

  public static LockKey ofStack(String stack, String environment) {
    return new LockKey(Level.STACK, stack, environment, "");
  }

  /** Empty when it is not the key of a lock. */
  public static Optional<LockKey> parse(String text) {
    Matcher m = FORM.matcher(text);
    if (!m.matches()) {
      return Optional.empty();
    }
    Level level =
        m.group(3) != null ? Level.SERVICE : m.group(4) != null ? Level.COMPONENT : Level.STACK;
    String part =
        switch (level) {
          case STACK -> "";
          case SERVICE -> m.group(3);
          case COMPONENT -> m.group(4);
        };
    return Optional.of(new LockKey(level, m.group(1), m.group(2), part));
  }

  /** As the attribute {@code lockKey} has it. */
  public String text() {
    String stackAlone = "stack:" + stack + ":env:" + environment;
    return switch (level) {
      case STACK -> stackAlone;
      case SERVICE -> stackAlone + ":service:" + part;
      case COMPONENT -> stackAlone + ":component:" + part;
    };
  }

  @Override
  public String toString() {
    return text();
  }
}
