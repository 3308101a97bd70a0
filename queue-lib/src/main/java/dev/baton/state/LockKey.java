package dev.baton.state;

import dev.baton.core.Checks;
import dev.baton.store.Documents;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a lock in a deployment:
 *
 * <pre>
 * stack:STACK:env:ENVIRONMENT
 * stack:STACK:env:ENVIRONMENT:service:SERVICE
 * stack:STACK:env:ENVIRONMENT:component:PATH
 * </pre>
 *
 * <p>Each key is a lock by itself, with a queue and fencing tokens of its own: whoever holds the
 * stack excludes others that ask for the stack, and not those that ask for one of its services.
 *
 * @param part the service, or the path of the component; empty for the stack
 */
public record LockKey(StateKey state, LockLevel level, String part) implements Comparable<LockKey> {

  private static final Pattern TEXT =
      Pattern.compile(
          "stack:(?<stack>[^:]+):env:(?<env>[^:]+)(?::(?<level>service|component):(?<part>[^:]+))?");

  private static final int MOST_SEGMENTS = 5;
  private static final int LONGEST = 300;
  private static final int READABLE = 30;
  private static final int HASH = 8;

  /**
   * @throws IllegalArgumentException naming the part that cannot be used
   */
  public LockKey {
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(level, "level");
    Objects.requireNonNull(part, "part");
    switch (level) {
      case STACK -> {
        if (!part.isEmpty()) {
          throw new IllegalArgumentException("the lock of a stack has no part: " + part);
        }
      }
      case SERVICE -> StateKey.requireName("service", part);
      case COMPONENT -> requirePath(part);
    }
  }

  private static void requirePath(String path) {
    String[] segments = path.split("/", MOST_SEGMENTS + 1);
    if (segments.length > MOST_SEGMENTS) {
      throw new IllegalArgumentException(
          "component has more than " + MOST_SEGMENTS + " parts: " + Checks.shown(path));
    }
    for (String segment : segments) {
      StateKey.requireName("component", segment);
    }
  }

  /** Whether a text is meant as a lock key, and no queue can be called so. */
  public static boolean isMeant(String text) {
    return text.startsWith("stack:");
  }

  /**
   * @throws IllegalArgumentException saying what is wrong with it
   */
  public static LockKey parse(String text) {
    Matcher m = TEXT.matcher(text.length() > LONGEST ? "" : text);
    if (!m.matches()) {
      throw new IllegalArgumentException(
          "a lock key is stack:STACK:env:ENVIRONMENT, with :service:NAME or :component:PATH or"
              + " without: "
              + Checks.shown(text));
    }
    StateKey state = new StateKey(m.group("stack"), m.group("env"));
    return m.group("level") == null
        ? state.lock()
        : new LockKey(
            state, LockLevel.valueOf(m.group("level").toUpperCase(Locale.ROOT)), m.group("part"));
  }

  /** As {@link #parse} reads it. */
  public String text() {
    String stack = "stack:" + state.stack() + ":env:" + state.environment();
    return level == LockLevel.STACK ? stack : stack + ":" + level.id() + ":" + part;
  }

  /** The part, for the levels that have one. */
  public Optional<String> named() {
    return Optional.of(part).filter(p -> !p.isEmpty());
  }

  /**
   * The name of the queue that is this lock. Queues have names of at most 39 lower-case letters,
   * digits and hyphens: so it is what of the key is readable in that alphabet, cut to 30
   * characters, a hyphen, and the first 8 hexadecimal digits of the SHA-256 of {@link #text}. Two
   * keys that met in one name would wait for each other, and lose nothing else.
   */
  public String queueName() {
    String words = state.stack() + "-" + state.environment() + (part.isEmpty() ? "" : "-" + part);
    String readable = words.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    String cut = readable.substring(0, Math.min(READABLE, readable.length()));
    return cut.replaceAll("-+$", "") + "-" + Documents.sha256(text()).substring(0, HASH);
  }

  @Override
  public int compareTo(LockKey other) {
    return text().compareTo(other.text());
  }

  @Override
  public String toString() {
    return text();
  }
}
