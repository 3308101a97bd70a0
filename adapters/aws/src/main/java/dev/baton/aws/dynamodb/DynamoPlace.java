package dev.baton.aws.dynamodb;

import dev.baton.core.Checks;
import dev.baton.core.Durations;
import dev.baton.state.LockKey;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A table, and what in it belongs to a queue.
 *
 * @param key what the keys of the items are made of; the key of a lock item if it is one, see
 *     {@link LockKey}
 * @param ttl how long a lock item is believed by others without a heartbeat
 */
public record DynamoPlace(String table, String key, Duration ttl) {

  /** As the clients have it with which lock items are shared. */
  public static final Duration DEFAULT_TTL = Duration.ofHours(1);

  private static final Duration SHORTEST_TTL = Duration.ofMinutes(2);
  private static final Duration LONGEST_TTL = Duration.ofDays(7);

  private static final Pattern ADDRESS = Pattern.compile("dynamodb://([^/?]*)/([^?]*)(?:\\?(.*))?");
  private static final Pattern TABLE_ALONE = Pattern.compile("dynamodb://([^/?@]*)/?");
  private static final Pattern TABLE = Pattern.compile("[A-Za-z0-9_.-]{3,255}");
  private static final Pattern KEY = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.:/-]{0,299}");
  private static final Pattern TTL = Pattern.compile("ttl=([0-9a-z]{1,20})");

  /**
   * @throws IllegalArgumentException when DynamoDB would not take such names, or nobody could live
   *     with such a time
   */
  public DynamoPlace {
    Objects.requireNonNull(ttl, "ttl");
    if (!TABLE.matcher(table).matches()) {
      throw new IllegalArgumentException(
          Checks.shown(table)
              + " is not a valid table name: 3 to 255 letters, digits, dots, hyphens and"
              + " underscores");
    }
    if (!KEY.matcher(key).matches()) {
      throw new IllegalArgumentException(
          Checks.shown(key)
              + " cannot be a key: letters, digits, and . : / _ -, at most 300, beginning with a"
              + " letter or digit");
    }
    if (LockKey.isMeant(key)) {
      LockKey.parse(key);
    }
    if (ttl.compareTo(SHORTEST_TTL) < 0 || ttl.compareTo(LONGEST_TTL) > 0) {
      throw new IllegalArgumentException(
          "ttl must be from "
              + Checks.shown(SHORTEST_TTL)
              + " to "
              + Checks.shown(LONGEST_TTL)
              + ": "
              + Checks.shown(ttl));
    }
  }

  public DynamoPlace(String table, String key) {
    this(table, key, DEFAULT_TTL);
  }

  /**
   * @param address {@code dynamodb://TABLE/KEY}, perhaps with {@code ?ttl=2h}
   * @throws IllegalArgumentException saying what is wrong with it
   */
  public static DynamoPlace parse(String address) {
    Matcher m = ADDRESS.matcher(address);
    if (address.contains("@") || !m.matches()) {
      // Not shown: people put keys there.
      throw new IllegalArgumentException(
          "an address in DynamoDB is dynamodb://TABLE/KEY, without credentials, which belong into"
              + " the environment");
    }
    Duration ttl = DEFAULT_TTL;
    if (m.group(3) != null) {
      Matcher parameter = TTL.matcher(m.group(3));
      if (!parameter.matches()) {
        throw new IllegalArgumentException(
            "the only parameter of an address in DynamoDB is ttl, such as ?ttl=2h");
      }
      ttl = Durations.parse(parameter.group(1));
    }
    return new DynamoPlace(m.group(1), m.group(2).replaceFirst("/+$", ""), ttl);
  }

  /**
   * The table of an address, of which nothing else is needed.
   *
   * @param address {@code dynamodb://TABLE}, or one of a queue
   * @throws IllegalArgumentException saying what is wrong with it
   */
  public static String tableOf(String address) {
    Matcher m = TABLE_ALONE.matcher(address);
    return m.matches()
        ? new DynamoPlace(m.group(1), "any", DEFAULT_TTL).table()
        : parse(address).table();
  }

  /** The lock that others may take too; empty where the key is none of a lock. */
  public Optional<LockKey> lock() {
    return Optional.of(key).filter(LockKey::isMeant).map(LockKey::parse);
  }

  /** As all write it who mean the same place. */
  public String address() {
    return "dynamodb://"
        + table
        + "/"
        + key
        + (ttl.equals(DEFAULT_TTL) ? "" : "?ttl=" + Checks.shown(ttl).replace(" ", ""));
  }

  @Override
  public String toString() {
    return address();
  }
}
