package dev.baton.core;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;

/** What every value from outside has to pass before it may enter a document. */
public final class Checks {

  private static final Pattern REPOSITORY =
      Pattern.compile("(?!\\.{1,2}/)[A-Za-z0-9._-]+/(?!\\.{1,2}$)[A-Za-z0-9._-]+");
  private static final Pattern QUEUE = Pattern.compile("[a-z0-9][a-z0-9-]{0,38}");

  private Checks() {}

  /** A line of text without control characters, or an exception that names the value. */
  public static String line(String name, String value, int min, int max) {
    Objects.requireNonNull(value, name);
    if (value.codePointCount(0, value.length()) < min) {
      throw new IllegalArgumentException(
          value.isEmpty()
              ? name + " must not be empty"
              : name + " is shorter than " + min + " characters: " + shown(value));
    }
    if (value.codePointCount(0, value.length()) > max) {
      throw new IllegalArgumentException(
          name + " is longer than " + max + " characters: " + shown(value));
    }
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (Character.isISOControl(c)) {
        throw new IllegalArgumentException(
            String.format(
                Locale.ROOT,
                "%s has a control character (U+%04X): %s",
                name,
                (int) c,
                shown(value)));
      }
      if (Character.isSurrogate(c)) {
        if (Character.isHighSurrogate(c)
            && i + 1 < value.length()
            && Character.isLowSurrogate(value.charAt(i + 1))) {
          i++;
        } else {
          throw new IllegalArgumentException(name + " is not well-formed text: " + shown(value));
        }
      }
    }
    return value;
  }

  public static long notNegative(String name, long value) {
    if (value < 0) {
      throw new IllegalArgumentException(name + " must not be negative: " + value);
    }
    return value;
  }

  public static long positive(String name, long value) {
    if (value <= 0) {
      throw new IllegalArgumentException(name + " must be positive: " + value);
    }
    return value;
  }

  public static Duration positive(String name, Duration value) {
    Objects.requireNonNull(value, name);
    if (value.isZero() || value.isNegative()) {
      throw new IllegalArgumentException(name + " must be positive: " + shown(value));
    }
    return value;
  }

  /**
   * A length of time as a setting takes it, such as {@code 90s}, {@code 5m} or {@code 1h30m}. For
   * sentences there is {@link Durations#shown}.
   */
  public static String shown(Duration value) {
    long seconds = value.toSeconds();
    if (value.isNegative() || value.getNano() != 0) {
      return BigDecimal.valueOf(value.getSeconds())
              .add(BigDecimal.valueOf(value.getNano(), 9))
              .stripTrailingZeros()
              .toPlainString()
          + "s";
    } else if (seconds < 120 && seconds % 60 != 0 || seconds == 0) {
      return seconds + "s";
    }
    return unit(value.toDays(), "d")
        + unit(value.toHoursPart(), "h")
        + unit(value.toMinutesPart(), "m")
        + unit(value.toSecondsPart(), "s");
  }

  private static String unit(long count, String name) {
    return count == 0 ? "" : count + name;
  }

  /** A value as a message may show it: short, and with nothing that would garble a terminal. */
  public static String shown(String value) {
    StringBuilder s = new StringBuilder("\"");
    value
        .codePoints()
        .limit(40)
        .forEach(
            c -> {
              if (Character.isISOControl(c)
                  || Character.getType(c) == Character.FORMAT
                  || Character.getType(c) == Character.SURROGATE) {
                s.append(String.format(Locale.ROOT, "\\u%04x", c));
              } else {
                s.appendCodePoint(c);
              }
            });
    return s.append(value.codePointCount(0, value.length()) > 40 ? "…\"" : "\"").toString();
  }

  /**
   * The address of a server or store without what may be a secret: a user and password, or a token,
   * before an {@code @}, and parameters. For addresses that nobody has checked yet.
   */
  public static String withoutSecrets(String address) {
    String rest = address.substring(address.lastIndexOf('@') + 1);
    String known = rest.split("\\?", 2)[0];
    return (rest.equals(address) ? "" : "…@") + known + (known.equals(rest) ? "" : "?…");
  }

  /** The name of a repository; none that would lead elsewhere in a path. */
  public static void repository(String value) {
    Objects.requireNonNull(value, "repository");
    // What is empty has no secret in it, and what is too long may.
    if (!value.isEmpty() && !REPOSITORY.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "repository must be OWNER/NAME: " + shown(withoutSecrets(value)));
    }
    line("repository", value, 3, 140);
  }

  /** Whether a queue can have this name. */
  public static boolean isQueueName(String text) {
    return QUEUE.matcher(text).matches();
  }

  /** The name of a queue, which may become part of a branch or of a path. */
  public static void queueName(String value) {
    Objects.requireNonNull(value, "queue");
    if (!QUEUE.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "queue must be 1 to 39 lower-case letters, digits and hyphens: " + shown(value));
    }
  }
}
